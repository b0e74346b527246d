"""Rows of vector arithmetic: element by element, reductions, compares, conversions."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from typing import Any

from isa.declaration import Instruction, Timing, Unit
from isa.rows.forms import FLOATS, TYPES, vector_row
from isa.semantics import vector
from isa.semantics.operations import (
    CONVERSIONS,
    CONVERTED,
    divided,
    divides,
    greater,
    lesser,
    shift_left,
    shift_right,
    shift_right_arithmetic,
    subtracted_from,
)

_CONDITIONS = (("seq", operator.eq, "="), ("slt", operator.lt, "<"), ("sle", operator.le, "<="))
WORD = (("w", "32 bits"),)
Types = Sequence[tuple[str, str]]


def _operations() -> Iterator[Instruction]:
    """Operations with a vector, and with a scalar: each form has an opcode a type, in a row."""
    add, multiply = (Unit.ADD, "add"), (Unit.MULTIPLY, "multiply")
    divide, move = (Unit.MULTIPLY, "divide"), (Unit.ADD, "move")
    for name, operation, types, opcode, where, what in (
        ("add", operator.add, TYPES, 0x40, add, "va[k] + {b}"),
        ("sub", operator.sub, TYPES, 0x46, add, "va[k] - {b}"),
        ("mul", operator.mul, TYPES, 0x50, multiply, "va[k] * {b}"),
        ("div", divided, FLOATS, 0xAA, divide, "va[k] / {b}"),
        ("min", lesser, TYPES, 0x90, add, "the lesser of va[k] and {b}{nan}"),
        ("max", greater, TYPES, 0x96, add, "the greater of va[k] and {b}{nan}"),
        ("and", operator.and_, WORD, 0xD2, move, "va[k] and {b}, bit by bit"),
        ("or", operator.or_, WORD, 0xD4, move, "va[k] or {b}, bit by bit"),
        ("xor", operator.xor, WORD, 0xD6, move, "va[k] exclusive-or {b}, bit by bit"),
        ("sll", shift_left, WORD, 0xD8, move, "va[k] shifted left by {b} (low 5 bits)"),
        ("srl", shift_right, WORD, 0xDA, move, "va[k] shifted right by {b}, zeros come in"),
        ("sra", shift_right_arithmetic, WORD, 0xDC, move, "va[k] shifted right by {b}, the sign comes in"),
    ):
        for place, form in enumerate(vector.FORMS):
            first = opcode + place * len(types)
            yield from _typed(name + form, form, types, first, where, operation, what)
    yield from _typed("subsv", "vs", TYPES, 0x4C, add, subtracted_from, "{b} - va[k]")
    yield from _typed("divsv", "vs", FLOATS, 0xAE, divide, divides, "{b} / va[k]")


def _typed(
    name: str, form: str, types: Types, opcode: int, where: tuple[Unit, str], operation: Any, what: str
) -> Iterator[Instruction]:
    for offset, (suffix, kind) in enumerate(types):
        scalar, nan = ("xb", "") if suffix == "w" else ("fb", ", NaN if either is, -0 below 0")
        operand, element = ("vb", "vb[k]") if form == "vv" else (scalar, scalar)
        semantics = vector.FORMS[form](suffix, operation)
        summary = f"vd[k] = {what.format(b=element, nan=nan)}, {kind}"
        syntax = f"vd=, va, {operand}"
        yield vector_row(f"{name}.{suffix}", opcode + offset, syntax, *where, semantics, summary)


def _floats() -> Iterator[Instruction]:
    """Square root, multiply-add and sum: the multiply unit does the first two, pipelined."""
    for offset, (suffix, kind) in enumerate(FLOATS):
        root, added = vector.sqrtv(suffix), vector.sumv(suffix)
        what = f"vd[k] = square root of va[k], {kind}"
        yield vector_row(f"sqrtv.{suffix}", 0x9C + offset, "vd=, va", Unit.MULTIPLY, "divide", root, what)
        for name, opcode, b, factor in (("maddvv", 0x57, "vb", "vb[k]"), ("maddvs", 0x5A, "fb", "fb")):
            semantics, syntax = getattr(vector, name)(suffix), f"vd+, va, {b}"
            what = f"vd[k] = vd[k] + va[k] * {factor}, rounded twice, {kind}"
            how = Unit.MULTIPLY, "multiply_add", semantics, what
            yield vector_row(f"{name}.{suffix}", opcode + offset, syntax, *how)
        what = f"fd = va[0] + va[1] + ... in element order, {kind}"
        how = Unit.ADD, "sum", added, what
        yield vector_row(f"sumv.{suffix}", 0x5C + offset, "fd=, va", *how, Timing.REDUCTION)


def _compares() -> Iterator[Instruction]:
    for offset, (suffix, kind) in enumerate(TYPES):
        get, put = vector.ELEMENTS[suffix]
        for row, (name, condition, sign) in enumerate(_CONDITIONS):
            semantics = vector.compare(get, condition)
            what = f"mask[k] = 1 if va[k] {sign} vb[k] else 0, {kind}"
            how = Unit.ADD, "move", semantics, what
            yield vector_row(f"{name}vv.{suffix}", 0x60 + 3 * row + offset, "va, vb", *how, mask="w")
        how = Unit.ADD, "move", vector.one(get, abs, put), f"vd[k] = |va[k]|, {kind}"
        yield vector_row(f"absv.{suffix}", 0x79 + offset, "vd=, va", *how)


def _conversions() -> Iterator[Instruction]:
    for offset, (suffixes, what) in enumerate(CONVERSIONS):
        to, of = suffixes.split(".")
        (get, _), (_, put) = vector.ELEMENTS[of], vector.ELEMENTS[to]
        how = Unit.ADD, "add", vector.one(get, CONVERTED[to], put), f"vd[k] = va[k], {what}"
        yield vector_row(f"cvtv.{suffixes}", 0xB8 + offset, "vd=, va", *how)


def rows() -> Iterator[Instruction]:
    """Yield the rows."""
    yield from _operations()
    yield from _floats()
    yield from _compares()
    yield from _conversions()
