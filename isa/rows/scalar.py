"""Rows of the scalar side: integers, floats, branches, words in memory, single values."""

from __future__ import annotations

import operator
from collections.abc import Iterator

from isa.declaration import Instruction, Timing, Unit
from isa.rows.forms import FLOATS, NARROW, NARROW_STORED, branch_row, scalar_row, word_row
from isa.semantics import narrow, scalar
from isa.semantics.numbers import load32, store32
from isa.semantics.operations import (
    CONVERSIONS,
    CONVERTED,
    at_least,
    divided,
    greater,
    less_than,
    lesser,
    quotient,
    remainder,
    shift_left,
    shift_right,
    shift_right_arithmetic,
)

_LETTERS = {"w": "x", "s": "f", "d": "f"}
"""Of the scalar registers that hold a type."""


def _integer_rows() -> Iterator[Instruction]:
    get, put = scalar.REGISTERS["w"]
    for name, opcode, operation, what, latency in (
        ("add", 0x01, operator.add, "xa + xb", "integer"),
        ("sub", 0x02, operator.sub, "xa - xb", "integer"),
        ("mul", 0x03, operator.mul, "xa * xb, low 32 bits", "integer_multiply"),
        ("and", 0x04, operator.and_, "xa and xb, bit by bit", "integer"),
        ("or", 0x05, operator.or_, "xa or xb, bit by bit", "integer"),
        ("xor", 0x06, operator.xor, "xa exclusive-or xb, bit by bit", "integer"),
        ("sll", 0x07, shift_left, "xa shifted left by xb (low 5 bits)", "integer"),
        ("srl", 0x08, shift_right, "xa shifted right by xb, zeros come in", "integer"),
        ("sra", 0x09, shift_right_arithmetic, "xa shifted right by xb, the sign comes in", "integer"),
        ("slt", 0x0A, less_than, "1 if xa < xb else 0", "integer"),
        ("div", 0x2B, quotient, "xa / xb, rounded towards zero; -1 if xb is 0", "integer_divide"),
        ("rem", 0x2C, remainder, "xa - xb (xa / xb); xa if xb is 0", "integer_divide"),
    ):
        semantics = scalar.two(get, operation, put)
        yield scalar_row(name, opcode, "xd=, xa, xb", semantics, f"xd = {what}", latency)
    for name, opcode, operation, what in (
        ("add", 0x0B, operator.add, "xa + immediate"),
        ("and", 0x0C, operator.and_, "xa and immediate, bit by bit"),
        ("or", 0x0D, operator.or_, "xa or immediate, bit by bit"),
        ("xor", 0x0E, operator.xor, "xa exclusive-or immediate, bit by bit"),
        ("sll", 0x0F, shift_left, "xa shifted left"),
        ("srl", 0x10, shift_right, "xa shifted right, zeros come in"),
        ("sra", 0x11, shift_right_arithmetic, "xa shifted right, the sign comes in"),
        ("slt", 0x12, less_than, "1 if xa < immediate else 0"),
    ):
        semantics = scalar.integer_immediate(operation)
        yield scalar_row(f"{name}i", opcode, "xd=, xa, i14", semantics, f"xd = {what}")


def _single_rows() -> Iterator[Instruction]:
    stop = "Stop; the run ends when all has retired."
    yield Instruction("halt", 0x00, "", Unit.SCALAR, Timing.HALT, "integer", scalar.halt, stop)
    yield scalar_row("lui", 0x13, "xd=, u19", scalar.lui, "xd = immediate << 13")
    yield branch_row("jal", 0x18, "xd=, t19", scalar.jal, "jump; xd = number of the next instruction")
    yield branch_row("jr", 0x19, "xa", scalar.jr, "jump to the instruction whose number is in xa")
    yield word_row("lw", 0x1A, "xd=, i14(xa)", scalar.load(load32), "xd = 32-bit word at xa + offset")
    yield word_row("sw", 0x1B, "xb, i14(xa)", scalar.store(store32), "32-bit word at xa + offset = xb")
    yield word_row("fl.w", 0x1C, "fd=, i14(xa)", scalar.fl_w, "fd = float32 at xa + offset")
    yield word_row("fl.d", 0x1D, "fd=, i14(xa)", scalar.fl_d, "fd = float64 at xa + offset", 8)
    yield word_row("fs.w", 0x1E, "fb, i14(xa)", scalar.fs_w, "float32 at xa + offset = fb")
    yield word_row("fs.d", 0x1F, "fb, i14(xa)", scalar.fs_d, "float64 at xa + offset = fb", 8)
    yield scalar_row("mxf", 0x26, "fd=, xa", scalar.mxf, "fd = the 32 bits of xa, as they are")
    yield scalar_row("mfx", 0x27, "xd=, fa", scalar.mfx, "xd = the low 32 bits of fa, as they are")
    what = "vl = xd = xa, at least 0, at most the section size"
    yield scalar_row("setvl", 0x28, "xd=, xa", scalar.setvl, what, writes=("vl",))
    yield scalar_row("mfs", 0x29, "xd=, sa", scalar.mfs, "xd = special register")
    yield scalar_row("mts", 0x2A, "sd=, xa", scalar.mts, "special register = xa (vl is set by setvl alone)")


def _narrow_rows() -> Iterator[Instruction]:
    for offset, (suffix, what) in enumerate(NARROW):
        semantics, size = scalar.load(narrow.READ[suffix]), narrow.BYTES[suffix]
        summary = f"xd = {what} at xa + offset"
        yield word_row(f"l{suffix}", 0x2D + offset, "xd=, i14(xa)", semantics, summary, size)
    for offset, (suffix, what) in enumerate(NARROW_STORED):
        semantics, size = scalar.store(narrow.WRITE[suffix]), narrow.BYTES[suffix]
        summary = f"{what} at xa + offset = low bits of xb"
        yield word_row(f"s{suffix}", 0x31 + offset, "xb, i14(xa)", semantics, summary, size)


def _float_rows() -> Iterator[Instruction]:
    lesser_or_greater = "of fa and fb, NaN if either is, -0 below 0"
    for offset, (suffix, kind) in enumerate(FLOATS):
        get, put = scalar.REGISTERS[suffix]
        for name, opcode, operation, what, latency in (
            ("fadd", 0x20, operator.add, "fa + fb", "float"),
            ("fsub", 0x22, operator.sub, "fa - fb", "float"),
            ("fmul", 0x24, operator.mul, "fa * fb", "float"),
            ("fdiv", 0x33, divided, "fa / fb", "float_divide"),
            ("fmin", 0x37, lesser, f"the lesser {lesser_or_greater}", "float"),
            ("fmax", 0x39, greater, f"the greater {lesser_or_greater}", "float"),
        ):
            semantics, summary = scalar.two(get, operation, put), f"fd = {what}, {kind}"
            yield scalar_row(f"{name}.{suffix}", opcode + offset, "fd=, fa, fb", semantics, summary, latency)
        root = scalar.fsqrt(suffix)
        summary = f"fd = square root of fa, {kind}"
        yield scalar_row(f"fsqrt.{suffix}", 0x35 + offset, "fd=, fa", root, summary, "float_divide")
        size = scalar.one(get, abs, put)
        yield scalar_row(f"fabs.{suffix}", 0x3B + offset, "fd=, fa", size, f"fd = |fa|, {kind}", "float")
    for offset, (suffixes, what) in enumerate(CONVERSIONS):
        to, of = suffixes.split(".")
        (get, _), (_, put) = scalar.REGISTERS[of], scalar.REGISTERS[to]
        syntax = f"{_LETTERS[to]}d=, {_LETTERS[of]}a"
        semantics = scalar.one(get, CONVERTED[to], put)
        summary = f"{_LETTERS[to]}d = {_LETTERS[of]}a, {what}"
        yield scalar_row(f"fcvt.{suffixes}", 0x6A + offset, syntax, semantics, summary, "float")


def _branch_rows() -> Iterator[Instruction]:
    for place, (name, condition, sign) in enumerate(
        (
            ("eq", operator.eq, "="),
            ("ne", operator.ne, "is not"),
            ("lt", operator.lt, "<"),
            ("ge", at_least, ">="),
        )
    ):
        what = f"branch if xa {sign} xb"
        yield branch_row(
            f"b{name}", 0x14 + place, "xa, xb, t14", scalar.branch(condition, scalar.get_x), what
        )
        for offset, (suffix, kind) in enumerate(FLOATS):
            semantics = scalar.branch(condition, scalar.REGISTERS[suffix][0])
            summary = f"branch if fa {sign} fb, {kind}"
            opcode = 0xB0 + 2 * place + offset
            yield branch_row(f"fb{name}.{suffix}", opcode, "fa, fb, t14", semantics, summary)


def rows() -> Iterator[Instruction]:
    """Yield the rows."""
    yield from _integer_rows()
    yield from _single_rows()
    yield from _narrow_rows()
    yield from _float_rows()
    yield from _branch_rows()
