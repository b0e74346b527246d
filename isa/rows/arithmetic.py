"""Rows of vector arithmetic: element by element, reductions, compares, conversions."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from isa.declaration import FORM, Instruction, Timing, Unit
from isa.rows.forms import FLOATS, TYPES, under_mask, vector_row
from isa.semantics import vector
from isa.semantics.operations import (
    CONVERSIONS,
    CONVERTED,
    LARGEST,
    SMALLEST,
    at_least,
    divided,
    divides,
    greater,
    lesser,
    shift_left,
    shift_right,
    shift_right_arithmetic,
    subtracted_from,
)

_CONDITIONS = (
    *(("seq", operator.eq, "="), ("slt", operator.lt, "<"), ("sle", operator.le, "<=")),
    *(("sne", operator.ne, "is not"), ("sgt", operator.gt, ">"), ("sge", at_least, ">=")),
)
"""Compares: name, condition and its sign. Of two vectors there are the first three, which can be swapped."""
_OF_REDUCTIONS = {"s": 0x5C, "d": 0x5D, "w": 0x5E}
"""Opcodes of reductions by the suffix."""
_UNDER_MASK = {"add", "sub", "mul"}
"""Operations that have a form under mask; :func:`_floats` has those of multiply-add."""
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
            for suffix, row in _typed(name + form, form, types, first, where, operation, what):
                yield row
                if name in _UNDER_MASK:
                    yield under_mask(row, vector.FORMS[form](suffix, operation, vector.active))
    for _, row in (
        *_typed("subsv", "vs", TYPES, 0x4C, add, subtracted_from, "{b} - va[k]"),
        *_typed("divsv", "vs", FLOATS, 0xAE, divide, divides, "{b} / va[k]"),
    ):
        yield row


def _typed(
    name: str, form: str, types: Types, opcode: int, where: tuple[Unit, str], operation: Any, what: str
) -> Iterator[tuple[str, Instruction]]:
    """Yield the rows of an operation, each with its suffix."""
    for offset, (suffix, kind) in enumerate(types):
        scalar, nan = ("xb", "") if suffix == "w" else ("fb", ", NaN if either is, -0 below 0")
        operand, element = ("vb", "vb[k]") if form == "vv" else (scalar, scalar)
        semantics = vector.FORMS[form](suffix, operation)
        summary = f"vd[k] = {what.format(b=element, nan=nan)}, {kind}"
        syntax = f"vd=, va, {operand}"
        yield suffix, vector_row(f"{name}.{suffix}", opcode + offset, syntax, *where, semantics, summary)


def _floats() -> Iterator[Instruction]:
    """Square root and multiply-add, which the multiply unit does, pipelined."""
    for offset, (suffix, kind) in enumerate(FLOATS):
        root = vector.sqrtv(suffix)
        what = f"vd[k] = square root of va[k], {kind}"
        yield vector_row(f"sqrtv.{suffix}", 0x9C + offset, "vd=, va", Unit.MULTIPLY, "divide", root, what)
        for name, opcode, b, factor in (("maddvv", 0x57, "vb", "vb[k]"), ("maddvs", 0x5A, "fb", "fb")):
            of, syntax = getattr(vector, name), f"vd+, va, {b}"
            what = f"vd[k] = vd[k] + va[k] * {factor}, rounded twice, {kind}"
            how = Unit.MULTIPLY, "multiply_add", of(suffix), what
            row = vector_row(f"{name}.{suffix}", opcode + offset, syntax, *how)
            yield from (row, under_mask(row, of(suffix, vector.active)))


def _reductions() -> Iterator[Instruction]:
    """Sum, least and greatest: forms of an opcode a type."""
    for form, (name, operation, ends, what) in enumerate(
        (
            ("sumv", operator.add, (0, 0), "va[0] + va[1] + ... in element order"),
            ("minv", lesser, (LARGEST, np.inf), "the least of va[0], va[1], ...{nan}"),
            ("maxv", greater, (SMALLEST, -np.inf), "the greatest of va[0], va[1], ...{nan}"),
        )
    ):
        for suffix, kind in TYPES:
            integer = suffix == "w"
            of = partial(vector.reduction, suffix, operation, ends[0] if integer else ends[1])
            d, nan = ("xd", "") if integer else ("fd", ", NaN if any is, -0 below 0")
            how = Unit.ADD, "sum", of(), f"{d} = {what.format(nan=nan)}, {kind}"
            opcode = _OF_REDUCTIONS[suffix] + 2 * FORM * form
            row = vector_row(f"{name}.{suffix}", opcode, f"{d}=, va", *how, Timing.REDUCTION)
            yield from (row, under_mask(row, of(vector.active)))


def _compares() -> Iterator[Instruction]:
    """Compares of vectors, and with a scalar: the second, and those that only it needs, are further forms."""
    for offset, (suffix, kind) in enumerate(TYPES):
        get, put = vector.ELEMENTS[suffix]
        for number, (name, condition, sign) in enumerate(_CONDITIONS):
            for form, of in vector.COMPARES.items() if number < 3 else (("vs", vector.comparevs),):
                b = "vb" if form == "vv" else "xb" if suffix == "w" else "fb"
                what = f"mask[k] = 1 if va[k] {sign} {b}{'[k]' * (form == 'vv')} else 0, {kind}"
                opcode = 0x60 + 3 * (number % 3) + offset
                opcode += 2 * FORM * (form == "vs") + 2 * FORM * (number >= 3)
                how = Unit.ADD, "move", of(suffix, condition), what
                row = vector_row(f"{name}{form}.{suffix}", opcode, f"va, {b}", *how, mask="w")
                yield from (row, under_mask(row, of(suffix, condition, vector.active)))
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
    yield from _reductions()
    yield from _compares()
    yield from _conversions()
