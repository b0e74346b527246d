"""From a written RISC-V instruction to rows of the table, with the values of their fields, and to words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import NamedTuple

from isa.riscv.declaration import Row
from isa.riscv.encoding import encode
from isa.riscv.fields import FIELDS, Field, Kind
from isa.riscv.instructions import NUMBERS, ROWS
from isa.riscv.operands import (
    SUFFIXES,
    Deferred,
    Matching,
    Value,
    fits,
    slots,
    takes_registers,
    written,
)
from isa.riscv.pseudo import COMPARED_WITH_ZERO, PSEUDO_INSTRUCTIONS, Pseudo, constant
from isa.riscv.rows import compressed
from isa.riscv.rows.compressed import CompressedRow
from isa.riscv.statements import parsed_arguments
from isa.symbols import Undefined
from isa.text.expressions import LIMIT, in_range
from isa.text.syntax import Argument, Group, Half, Memory, Name, Number, Problem, substituted
from vecsim.support.suggestions import nearest

CONSTANT = "li"
_NOT_SUPPORTED = {
    r"[msu]ret|wfi|[sh]fence\..*|sinval\..*|dret": "the privileged architecture",
    r"f\w+(\.\w+)*\.h(\.\w+)*|f[ls]h": "Zfh (half-precision floats)",
    r"b(set|clr|inv|ext)i?": "Zbs",
    r"clmul[hr]?": "Zbc",
    r"czero\..*": "Zicond",
    r"cbo\..*|prefetch\..*": "Zicbom, Zicboz and Zicbop",
    r"c\.(lbu|lhu?|sb|sh|zext\.\w|sext\.\w|not|mul)": "Zcb",
    r"c\.(flw|fsw|flwsp|fswsp|jal)": "RV32",
    r"v(aes|sha|sm3|sm4|ghsh|gmul)\w*\..*": "Zvk",
    r"v(clmulh?|andn|brev8?|rev8|clz|ctz|cpop|rol|ror|wsll)\.[vwi].*": "Zvb",
    r"v?f\w+bf16\..*": "Zvfbfmin and Zfbfmin",
}
"""Parts of RISC-V that are refused by name, by the instructions that they have."""
_SHORT_ROWS = {row.mnemonic: row for row in compressed.ROWS}


class Matched(NamedTuple):
    """A row with the values of its fields."""

    row: Row | CompressedRow
    values: Mapping[str, Value]

    @property
    def size(self) -> int:
        """Bytes of the instruction."""
        return 2 if isinstance(self.row, CompressedRow) else 4

    @property
    def high(self) -> Argument | None:
        """What its ``%pcrel_hi`` is about, if it has one."""
        for value in self.values.values():
            if isinstance(value, Deferred) and isinstance(value.node, Half) and value.node.part == "pcrel_hi":
                return value.node.inner
        return None

    def content(self, evaluate: Callable[[Argument, int], int], address: int) -> bytes:
        """Return the bytes at an address; Problem if a value does not fit."""
        numbers = {name: _number(value, evaluate, address) for name, value in self.values.items()}
        if not isinstance(self.row, CompressedRow):
            return encode(self.row.mnemonic, numbers).to_bytes(4, "little")
        word = self.row.match
        for name, number in numbers.items():
            field, value = self.row.values[name], self.values[name]
            if number == 0 and name in self.row.not_zero:
                column = value.node.column if isinstance(value, Deferred) else 1
                raise Problem(column, f"0 is reserved for this operand of {self.row.mnemonic}")
            word |= field.bits_of(number) if isinstance(field, Field) else 0
        return word.to_bytes(2, "little")


def _number(value: Value, evaluate: Callable[[Argument, int], int], address: int) -> int:
    if isinstance(value, int):
        return value
    field, node = value
    number = evaluate(node, address)
    if field.kind == Kind.TARGET:
        number -= address
        if not field.least <= number <= field.most:
            reach = f"from {field.least} to {field.most}: use a nearer label, or branch around a jump"
            raise Problem(node.column, f"the target is {number} bytes away; this reaches {reach}")
    elif field.kind == Kind.UPPER:
        in_range(number, (0, (1 << 20) - 1), "immediate", node.column)
        number = ((number ^ 1 << 19) - (1 << 19)) << 12
    try:
        field.bits_of(number)
    except ValueError as error:
        raise Problem(node.column, f"immediate {error}") from None
    return number


@cache
def _pseudo_instructions() -> dict[str, list[Pseudo]]:
    result: dict[str, list[Pseudo]] = {}
    for each in PSEUDO_INSTRUCTIONS:
        result.setdefault(each.mnemonic, []).append(each)
    return result


def _row(mnemonic: str) -> Row | CompressedRow | None:
    return ROWS[NUMBERS[mnemonic]] if mnemonic in NUMBERS else _SHORT_ROWS.get(mnemonic)


Resolve = Callable[[Argument], Argument]


def expand(
    name: Name, arguments: tuple[Argument, ...], resolve: Resolve, known: Callable[[Argument], int]
) -> list[Matched]:
    """Return the instructions that a written one stands for.

    Parameters
    ----------
    name, arguments
        Mnemonic and operands, as they are written.
    resolve
        What an expression becomes whose value is not known yet.
    known
        The value of one that must be known, such as that of ``li``.

    Raises
    ------
    Problem
        An unknown mnemonic, or operands that do not fit; the message shows what would be right.
    """
    if name.text == CONSTANT:
        return _constant(name, arguments, resolve, known)
    suffix = next((each for each in SUFFIXES if name.text.endswith(each)), "")
    row = _row(name.text.removesuffix(suffix) if suffix else name.text)
    if suffix and row and "aqrl" not in row.operands:
        row = None
    pseudo = _pseudo_instructions().get(name.text, [])
    forms = [*([row.operands] if row else []), *(each.operands for each in pseudo)]
    if not forms:
        raise Problem(name.column, _unknown(name.text), name.text)
    with _showing(" or ".join(written(name.text, each) for each in forms)):
        short = next((each for each in pseudo if fits(each.operands, arguments)), None)
        if row and fits(row.operands, arguments) and (not short or takes_registers(row.operands, arguments)):
            match = _matched(row, arguments, resolve)
            return [Matched(row, {**match.values, "aqrl": SUFFIXES[suffix]}) if suffix else match]
        if short:
            return _expanded(short, arguments, resolve)
        raise Problem(name.column, f"{name.text!r} does not take these operands")


def _unknown(mnemonic: str) -> str:
    """Return a message that there is no such instruction, with its extension or similar names."""
    for pattern, part in _NOT_SUPPORTED.items():
        if re.fullmatch(pattern, mnemonic):
            return f"{mnemonic!r} is an instruction of {part}, which is not supported"
    names = [*NUMBERS, *_SHORT_ROWS, *_pseudo_instructions(), CONSTANT]
    return f"unknown instruction {mnemonic!r}{nearest(mnemonic, names)}"


def _matched(row: Row | CompressedRow, arguments: tuple[Argument, ...], resolve: Resolve) -> Matched:
    fields = row.values if isinstance(row, CompressedRow) else FIELDS
    return Matched(row, Matching(fields, resolve).values(row.operands, arguments))


def _expanded(pseudo: Pseudo, arguments: tuple[Argument, ...], resolve: Resolve) -> list[Matched]:
    """Write out a pseudo-instruction with the user's operands."""
    values: dict[str, Argument] = {}
    for slot, argument in zip(slots(pseudo.operands), arguments, strict=False):
        match argument:
            case Memory(offset, base) if slot.is_memory:
                written_parts: tuple[Argument, ...] = (offset, base)
            case Group(inner) if slot.is_memory:
                written_parts = (Number(0, argument.column), inner)
            case _:
                written_parts = (argument,)
        values |= zip(slot.names, written_parts[-len(slot.names) :], strict=True)

    def replace(name: Name) -> Argument:
        return values.get(name.text, name)

    lines = pseudo.lines
    if pseudo.mnemonic in COMPARED_WITH_ZERO:
        immediate = resolve(values["imm"])
        if isinstance(immediate, Number) and immediate.value == 0:
            lines = (COMPARED_WITH_ZERO[pseudo.mnemonic],)
    result = []
    for line in lines:
        mnemonic, _, rest = line.partition(" ")
        template = [each for each in parsed_arguments(rest) if "vm" in values or not _is_mask(each)]
        row = _row(mnemonic)
        assert row is not None, mnemonic
        result.append(_matched(row, tuple(substituted(each, replace) for each in template), resolve))
    return result


def _is_mask(node: Argument) -> bool:
    return isinstance(node, Name) and node.text == "vm"


def _constant(
    name: Name, arguments: tuple[Argument, ...], resolve: Resolve, known: Callable[[Argument], int]
) -> list[Matched]:
    with _showing("li rd, number"):
        if len(arguments) != 2:
            raise Problem(name.column, "'li' does not take these operands")
        value = known(arguments[1])
        column, result = arguments[1].column, []
        source: Argument = Name("zero", column)
        for mnemonic, immediate in constant(value - 2 * LIMIT if value >= LIMIT else value):
            number = Number(immediate, column)
            operands = (arguments[0], number) if mnemonic == "lui" else (arguments[0], source, number)
            result.append(_matched(ROWS[NUMBERS[mnemonic]], operands, resolve))
            source = arguments[0]
        return result


@contextmanager
def _showing(forms: str) -> Iterator[None]:
    """Add what would be right to the message of a problem."""
    try:
        yield
    except Undefined:
        raise
    except Problem as problem:
        raise Problem(problem.column, f"{problem.reason} (write: {forms})", problem.cause) from None
