"""The directive ``.insn``: an instruction by its format and fields, as the GNU assembler takes it."""

from __future__ import annotations

from collections.abc import Callable

from isa.riscv.operands import NAMED_REGISTERS
from isa.riscv.rows.words import CUSTOM_0, CUSTOM_1, CUSTOM_2, CUSTOM_3
from isa.riscv.statements import parsed_arguments
from isa.text.expressions import in_range
from isa.text.syntax import Argument, Name, Problem

_OPCODES = {"CUSTOM_0": CUSTOM_0, "CUSTOM_1": CUSTOM_1, "CUSTOM_2": CUSTOM_2, "CUSTOM_3": CUSTOM_3}
_FIELDS = {
    "opcode": (0, 7),
    "funct3": (12, 3),
    "funct7": (25, 7),
    "funct2": (25, 2),
    "rd": (7, 5),
    "rs1": (15, 5),
    "rs2": (20, 5),
    "rs3": (27, 5),
    "simm12": (20, 12),
}
"""The lowest bit of each field in the word, and how many it has."""
_REGISTERS = ("rd", "rs1", "rs2", "rs3")
FORMATS = {
    "r": ("opcode", "funct3", "funct7", "rd", "rs1", "rs2"),
    "r4": ("opcode", "funct3", "funct2", "rd", "rs1", "rs2", "rs3"),
    "i": ("opcode", "funct3", "rd", "rs1", "simm12"),
}
"""The fields of each format, in the order in which they are written."""


def word_of(directive: Name, rest: str, known: Callable[[Argument], int]) -> int:
    """Return the word of ``.insn format field, ...``, or that of ``.insn word``.

    Parameters
    ----------
    directive, rest
        The directive, and what follows it.
    known
        The value of an expression.

    Raises
    ------
    Problem
        An unknown format, or fields that do not fit.
    """
    first, _, fields = rest.strip().partition(" ")
    names = FORMATS.get(first)
    arguments = parsed_arguments(fields if fields else rest)
    if names is None and not fields and len(arguments) == 1:
        word = in_range(known(arguments[0]), (0, (1 << 32) - 1), "word", arguments[0].column)
        if word & 3 != 3:
            raise Problem(arguments[0].column, f"{word:#x} begins an instruction of 16 bits: use .half")
        return word
    if names is None or len(arguments) != len(names):
        forms = " or ".join(f".insn {name} {', '.join(FORMATS[name])}" for name in FORMATS)
        raise Problem(directive.column, f"write {forms}, or .insn word")
    return sum(
        _bits(name, argument, known) << _FIELDS[name][0]
        for name, argument in zip(names, arguments, strict=True)
    )


def _bits(name: str, argument: Argument, known: Callable[[Argument], int]) -> int:
    """Return the value of a field."""
    bits = _FIELDS[name][1]
    if isinstance(argument, Name) and name == "opcode" and argument.text in _OPCODES:
        return _OPCODES[argument.text]
    if name in _REGISTERS:
        if not isinstance(argument, Name) or argument.text not in NAMED_REGISTERS:
            raise Problem(argument.column, f"{name}: a register is needed")
        return NAMED_REGISTERS[argument.text][1]
    least = -(1 << bits - 1) if name == "simm12" else 0
    value = in_range(known(argument), (least, least + (1 << bits) - 1), name, argument.column)
    return value & (1 << bits) - 1
