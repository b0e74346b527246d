"""Operands of RISC-V instructions as assembly writes them, matched with the fields of a row."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import NamedTuple

from isa.declaration import REGISTERS
from isa.registers import ALIASES, RISCV_ALIASES
from isa.riscv.fields import FIELDS, Field, Kind
from isa.riscv.semantics.control import CSRS
from isa.text.syntax import Argument, Float, Group, Memory, Name, Number, Problem, Text
from vecsim.support.suggestions import nearest

NAMED_REGISTERS: dict[str, tuple[str, int]] = {
    f"{kind}{number}": (kind, number) for kind in "xfv" for number in range(REGISTERS)
}
NAMED_REGISTERS |= {name: NAMED_REGISTERS[plain] for name, plain in (ALIASES | RISCV_ALIASES).items()}
"""Kind (x, f, v) and number of every register name."""
ABI_NAMES = {plain: name for name, plain in (ALIASES | RISCV_ALIASES).items() if name != "fp"}
"""The customary name of each register that has one, by its plain name."""

KINDS = {Kind.INTEGER: "x", Kind.FLOAT: "f", Kind.VECTOR: "v"}
_CALLED = {"x": "an integer register", "f": "a float register", "v": "a vector register"}
ROUNDING_MODES = {"rne": 0, "rtz": 1, "rdn": 2, "rup": 3, "rmm": 4, "dyn": 7}
WIDTHS = {f"e{8 << code}": code << 3 for code in range(4)}
GROUPS = {"m1": 0, "m2": 1, "m4": 2, "m8": 3, "mf8": 5, "mf4": 6, "mf2": 7}
POLICIES = ({"tu": 0, "ta": 1 << 6}, {"mu": 0, "ma": 1 << 7})
SUFFIXES = {".aqrl": 3, ".aq": 2, ".rl": 1}
"""What follows the mnemonic of an atomic access."""
DEFAULTS = {"vm": 1, "rm": 7, "rm0": 0}
"""The values of operands that may be left out."""
_WORDS = {
    Kind.MASK: "v0.t",
    Kind.ROUNDING: "rounding",
    Kind.CSR: "csr",
    Kind.VTYPE: "e32, m1, ta, ma",
    Kind.TARGET: "label",
    Kind.ORDER: "iorw",
}
"""How messages write operands that are no registers and no numbers."""


class Slot(NamedTuple):
    """One written operand: fields of a row, the last one the base in ``offset(base)``, or a literal name."""

    names: tuple[str, ...]
    is_memory: bool


class Deferred(NamedTuple):
    """The value of a field that is an expression, to be evaluated when all labels are known."""

    field: Field
    node: Argument


Value = int | Deferred


@cache
def slots(operands: str) -> tuple[Slot, ...]:
    """Return the operands of a row, or of a pseudo-instruction, as they are written."""
    parts = [each.strip() for each in operands.split(",")] if operands else []
    return tuple(
        Slot(tuple(re.findall(r"[a-z][\w.]*", each)), "(" in each) for each in parts if each != "aqrl"
    )


def fits(operands: str, arguments: tuple[Argument, ...]) -> bool:
    """Return whether arguments have the number and the shape of operands."""
    wanted = slots(operands)
    least = len(wanted)
    while least and wanted[least - 1].names[-1] in DEFAULTS:
        least -= 1
    if wanted and FIELDS.get(wanted[-1].names[0], FIELDS["rd"]).kind == Kind.VTYPE:
        return len(wanted) <= len(arguments) <= len(wanted) + 3
    return least <= len(arguments) <= len(wanted) and all(
        slot.is_memory == is_memory(argument) for slot, argument in zip(wanted, arguments, strict=False)
    )


def takes_registers(operands: str, arguments: tuple[Argument, ...]) -> bool:
    """Return whether arguments that fit the operands of a row are registers where it takes registers."""
    return all(
        isinstance(argument, Name) and argument.text in NAMED_REGISTERS
        for slot, argument in zip(slots(operands), arguments, strict=False)
        if not slot.is_memory and FIELDS[slot.names[0]].kind in KINDS
    )


def is_memory(argument: Argument) -> bool:
    """Return whether an argument is ``offset(base)`` or ``(base)``."""
    match argument:
        case Memory():
            return True
        case Group(Name(text)):
            return text in NAMED_REGISTERS
    return False


@cache
def written(mnemonic: str, operands: str) -> str:
    """Return an instruction as a user writes it, for messages."""
    texts = []
    for slot in slots(operands):
        names = [_word(name) for name in slot.names]
        if slot.is_memory:
            texts.append(f"{''.join(names[:-1])}({names[-1]})")
        else:
            texts.append(f"[{names[0]}]" if slot.names[0] in DEFAULTS else names[0])
    return f"{mnemonic} {', '.join(texts)}".strip()


def _word(name: str) -> str:
    field = FIELDS.get(name)
    if field is None or field.kind in KINDS:
        return name
    return _WORDS.get(field.kind, "immediate")


class Matching:
    """Matches arguments with operands.

    Parameters
    ----------
    fields
        The operands by their names in the row; a number is an operand that has one value.
    resolve
        What an expression becomes: names that are known already are numbers.
    """

    def __init__(self, fields: Mapping[str, Field | int], resolve: Callable[[Argument], Argument]) -> None:
        self._fields, self._resolve = fields, resolve

    def values(self, operands: str, arguments: tuple[Argument, ...]) -> dict[str, Value]:
        """Return the value of each field of operands that arguments fit.

        Raises
        ------
        Problem
            An argument of the wrong kind.
        """
        values: dict[str, Value] = {}
        for place, slot in enumerate(slots(operands)):
            name = slot.names[-1]
            if place >= len(arguments):
                values[name] = DEFAULTS[name]
            elif slot.is_memory:
                values |= self._memory(slot, arguments[place])
            elif isinstance(field := self._fields.get(name), Field) and field.kind == Kind.VTYPE:
                values[name] = self._vtype(field, arguments[place:])
            else:
                values |= self._value(name, arguments[place])
        return values

    def _memory(self, slot: Slot, argument: Argument) -> dict[str, Value]:
        match argument:
            case Memory(offset, base):
                if len(slot.names) == 1:
                    if not isinstance(offset, Number) or offset.value:
                        raise Problem(argument.column, f"there is no offset: write ({base.text})")
                    return self._value(slot.names[0], base)
                return self._value(slot.names[0], offset) | self._value(slot.names[1], base)
            case Group(Name() as base):
                zero = Number(0, argument.column)
                offset_value = self._value(slot.names[0], zero) if len(slot.names) == 2 else {}
                return offset_value | self._value(slot.names[-1], base)
        raise AssertionError

    def _value(self, name: str, argument: Argument) -> dict[str, Value]:
        field = self._fields.get(name)
        if not isinstance(field, Field) or field.kind == Kind.CARRY:
            return self._literal(name, field, argument)
        if field.kind in KINDS:
            number = register(argument, KINDS[field.kind])
            if field.base and not field.least <= number <= field.most:
                letter = KINDS[field.kind]
                raise Problem(argument.column, f"this takes {letter}8 to {letter}15: no other fits 3 bits")
            return {name: number}
        if isinstance(argument, Text | Float | Memory):
            raise Problem(argument.column, f"{_word(name)} is needed here")
        match field.kind:
            case Kind.MASK:
                if not isinstance(argument, Name) or argument.text != "v0.t":
                    raise Problem(argument.column, "a mask is v0.t; leave it out for all elements")
                return {name: 0}
            case Kind.ROUNDING:
                return {name: _named(argument, ROUNDING_MODES, "a rounding mode")}
            case Kind.CSR if isinstance(argument, Name):
                return {name: self._csr(argument)}
            case Kind.ORDER if isinstance(argument, Name):
                return {name: _order(argument)}
        return {name: Deferred(field, self._resolve(argument))}

    def _csr(self, argument: Name) -> int:
        number = CSRS.get(argument.text)
        constant = self._resolve(argument)
        if number is None and isinstance(constant, Number) and 0 <= constant.value < 1 << 12:
            number = constant.value
        if number is None:
            reason = f"no register {argument.text!r}{nearest(argument.text, CSRS)}"
            raise Problem(
                argument.column, f"{reason}; those of the privileged architecture are not supported"
            )
        return number

    def _literal(self, name: str, number: Field | int | None, argument: Argument) -> dict[str, Value]:
        """Check a register that must be this one, such as v0 or the stack pointer of ``c.lwsp``."""
        wanted = NAMED_REGISTERS.get(name) or ("x", number)
        if not isinstance(argument, Name) or NAMED_REGISTERS.get(argument.text) != wanted:
            plain = f"{wanted[0]}{wanted[1]}"
            raise Problem(
                argument.column, f"{ABI_NAMES.get(plain, plain)} is needed here, and no other register"
            )
        return {}

    def _vtype(self, field: Field, arguments: tuple[Argument, ...]) -> Value:
        if len(arguments) == 1 and not isinstance(arguments[0], Name):
            return Deferred(field, self._resolve(arguments[0]))
        value = _named(arguments[0], WIDTHS, "the width of elements")
        rest = list(arguments[1:])
        for choices in (GROUPS, *POLICIES):
            if rest and isinstance(rest[0], Name) and rest[0].text in choices:
                value |= choices[rest.pop(0).text]  # type: ignore[union-attr]
        if rest:
            raise Problem(rest[0].column, "write the width, group and policies as in e32, m4, ta, ma")
        return value


def register(argument: Argument, kind: str) -> int:
    """Return the number of the register that an argument names; Problem unless it is of this kind."""
    if not isinstance(argument, Name):
        raise Problem(argument.column, f"{_CALLED[kind]} is needed")
    result = NAMED_REGISTERS.get(argument.text)
    if result is None:
        names = [name for name, (letter, _) in NAMED_REGISTERS.items() if letter == kind]
        reason = (
            f"unknown register {argument.text!r}{nearest(argument.text, names)}; {_CALLED[kind]} is needed"
        )
        raise Problem(argument.column, reason, argument.text)
    if result[0] != kind:
        raise Problem(argument.column, f"{argument.text} is {_CALLED[result[0]]}; {_CALLED[kind]} is needed")
    return result[1]


def _named(argument: Argument, choices: Mapping[str, int], what: str) -> int:
    if not isinstance(argument, Name) or argument.text not in choices:
        raise Problem(argument.column, f"{what} is needed: one of {', '.join(choices)}")
    return choices[argument.text]


def _order(argument: Name) -> int:
    letters = argument.text
    if not set(letters) <= set("iorw") or len(set(letters)) < len(letters):
        raise Problem(argument.column, "letters of iorw are needed: input, output, reads, writes")
    return sum(8 >> "iorw".index(letter) for letter in letters)
