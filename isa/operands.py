"""Operands as a user writes them, matched with the operands of the instruction table."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from isa.declaration import Instruction, Operand
from isa.symbols import Symbols
from isa.text.expressions import evaluate, in_range
from isa.text.syntax import Argument, Expression, Float, Group, Memory, Name, Number, Problem, Text


@dataclass(frozen=True)
class Slot:
    """One written operand: one operand of the table, or a memory operand's offset, if any, and base."""

    text: str
    operands: tuple[Operand, ...]

    @property
    def is_memory(self) -> bool:
        """True for ``offset(base)`` and ``(base)``."""
        return self.text.endswith(")")


@cache
def slots(syntax: str, operands: tuple[Operand, ...]) -> tuple[Slot, ...]:
    """Group the operands of an instruction as its syntax writes them."""
    result, rest = [], list(operands)
    for text in filter(None, (part.strip() for part in syntax.split(","))):
        count = 2 if "(" in text and not text.startswith("(") else 1
        plain = "".join(c for c in text if c not in "=+*")
        if rest[0].kind == "t":
            plain = "label"
        result.append(Slot(plain, tuple(rest[:count])))
        del rest[:count]
    return tuple(result)


def instruction_slots(instruction: Instruction) -> tuple[Slot, ...]:
    """Group the operands of an instruction as a user writes them."""
    return slots(instruction.syntax, instruction.operands)


def written_syntax(instruction: Instruction) -> str:
    """Mnemonic and operands as a user writes them, such as ``lw xd, i14(xa)``."""
    return f"{instruction.mnemonic} {', '.join(s.text for s in instruction_slots(instruction))}".strip()


Field = int | Expression
"""The field of an operand: known, or to be evaluated when all labels are."""


def match_operands(
    instruction: Instruction, arguments: tuple[Argument, ...], symbols: Symbols
) -> list[Field]:
    """Return the fields of an instruction; their number has been checked.

    Raises
    ------
    Problem
        An argument of the wrong kind.
    """
    fields: list[Field] = []
    for slot, argument in zip(instruction_slots(instruction), arguments, strict=True):
        if slot.is_memory:
            fields += _match_memory(slot, argument, symbols)
        elif slot.operands[0].is_register:
            fields.append(symbols.register(argument, slot.operands[0].kind)[1])
        elif isinstance(argument, Memory | Float | Text):
            kinds = {Memory: "memory operand", Float: "floating-point number", Text: "text"}
            raise Problem(argument.column, f"a {kinds[type(argument)]} where {slot.text} is needed")
        else:
            fields.append(argument)
    return fields


def _match_memory(slot: Slot, argument: Argument, symbols: Symbols) -> list[Field]:
    offset: Expression
    base: Argument
    match argument:
        case Memory(offset, base):
            if len(slot.operands) == 1:
                raise Problem(argument.column, f"this memory operand has no offset; write ({base.text})")
        case Group(Name() as base):
            offset = Number(0, argument.column)
        case _:
            raise Problem(argument.column, f"a memory operand {slot.text} is needed")
    fields: list[Field] = [offset] if len(slot.operands) == 2 else []
    return [*fields, symbols.register(base, "x")[1]]


def field_value(operand: Operand, field: Field, pc: int, symbols: Symbols) -> int:
    """Return the number that the word holds, all labels being known.

    Parameters
    ----------
    operand
        The operand of the table.
    field
        Its value, or the expression for it.
    pc
        Number of the instruction: a branch holds the distance from it.
    symbols
        The names that the expression may use.

    Raises
    ------
    Problem
        An undefined symbol, an immediate out of range, a branch too far, to data or before instruction 0.
    """
    if isinstance(field, int):
        return field
    value = evaluate(field, symbols.lookup)
    if operand.kind != "t":
        return in_range(value, operand.limits, "immediate", field.column)
    if isinstance(field, Name) and field.text in symbols.data_labels:
        raise Problem(
            field.column, f"{field.text!r} is a data label; use a code label as the target of a branch"
        )
    if value < 0:
        raise Problem(field.column, f"branch to instruction {value}: the target must be 0 or more")
    low, high = operand.limits
    if not low <= value - pc <= high:
        raise Problem(
            field.column,
            f"branch too far: {value - pc} instructions; use {low} to {high}, or a nearer label",
        )
    return value - pc
