"""Rows of the scalar side: integers, branches, words in memory, single values."""

from __future__ import annotations

from collections.abc import Iterator

from isa.declaration import Instruction, Timing, Unit
from isa.rows.forms import branch_row, scalar_row, word_row
from isa.semantics import narrow, scalar, single_floats


def _basic_rows() -> Iterator[Instruction]:
    three, immediate = "xd=, xa, xb", "xd=, xa, i14"
    yield Instruction(
        "halt",
        0x00,
        "",
        Unit.SCALAR,
        Timing.HALT,
        "integer",
        scalar.halt,
        "Stop; the run ends when all has retired.",
    )
    yield scalar_row("add", 0x01, three, scalar.add, "xd = xa + xb")
    yield scalar_row("sub", 0x02, three, scalar.sub, "xd = xa - xb")
    yield scalar_row("mul", 0x03, three, scalar.mul, "xd = xa * xb, low 32 bits", "integer_multiply")
    yield scalar_row("and", 0x04, three, scalar.and_, "xd = xa and xb, bit by bit")
    yield scalar_row("or", 0x05, three, scalar.or_, "xd = xa or xb, bit by bit")
    yield scalar_row("xor", 0x06, three, scalar.xor, "xd = xa exclusive-or xb, bit by bit")
    yield scalar_row("sll", 0x07, three, scalar.sll, "xd = xa shifted left by xb (low 5 bits)")
    yield scalar_row("srl", 0x08, three, scalar.srl, "xd = xa shifted right by xb, zeros come in")
    yield scalar_row("sra", 0x09, three, scalar.sra, "xd = xa shifted right by xb, the sign comes in")
    yield scalar_row("slt", 0x0A, three, scalar.slt, "xd = 1 if xa < xb else 0")
    yield scalar_row("addi", 0x0B, immediate, scalar.addi, "xd = xa + immediate")
    yield scalar_row("andi", 0x0C, immediate, scalar.andi, "xd = xa and immediate, bit by bit")
    yield scalar_row("ori", 0x0D, immediate, scalar.ori, "xd = xa or immediate, bit by bit")
    yield scalar_row("xori", 0x0E, immediate, scalar.xori, "xd = xa exclusive-or immediate, bit by bit")
    yield scalar_row("slli", 0x0F, immediate, scalar.slli, "xd = xa shifted left")
    yield scalar_row("srli", 0x10, immediate, scalar.srli, "xd = xa shifted right, zeros come in")
    yield scalar_row("srai", 0x11, immediate, scalar.srai, "xd = xa shifted right, the sign comes in")
    yield scalar_row("slti", 0x12, immediate, scalar.slti, "xd = 1 if xa < immediate else 0")
    yield scalar_row("lui", 0x13, "xd=, u19", scalar.lui, "xd = immediate << 13")
    yield branch_row("beq", 0x14, "xa, xb, t14", scalar.beq, "branch if xa = xb")
    yield branch_row("bne", 0x15, "xa, xb, t14", scalar.bne, "branch if xa is not xb")
    yield branch_row("blt", 0x16, "xa, xb, t14", scalar.blt, "branch if xa < xb")
    yield branch_row("bge", 0x17, "xa, xb, t14", scalar.bge, "branch if xa >= xb")
    yield branch_row("jal", 0x18, "xd=, t19", scalar.jal, "jump; xd = number of the next instruction")
    yield branch_row("jr", 0x19, "xa", scalar.jr, "jump to the instruction whose number is in xa")
    yield word_row("lw", 0x1A, "xd=, i14(xa)", scalar.lw, "xd = 32-bit word at xa + offset")
    yield word_row("sw", 0x1B, "xb, i14(xa)", scalar.sw, "32-bit word at xa + offset = xb")
    yield word_row("fl.w", 0x1C, "fd=, i14(xa)", scalar.fl_w, "fd = float32 at xa + offset")
    yield word_row("fl.d", 0x1D, "fd=, i14(xa)", scalar.fl_d, "fd = float64 at xa + offset", 8)
    yield word_row("fs.w", 0x1E, "fb, i14(xa)", scalar.fs_w, "float32 at xa + offset = fb")
    yield word_row("fs.d", 0x1F, "fb, i14(xa)", scalar.fs_d, "float64 at xa + offset = fb", 8)
    yield scalar_row("fadd.s", 0x20, "fd=, fa, fb", scalar.fadd_s, "fd = fa + fb, float32", "float")
    yield scalar_row("fadd.d", 0x21, "fd=, fa, fb", scalar.fadd_d, "fd = fa + fb, float64", "float")
    yield scalar_row("fsub.s", 0x22, "fd=, fa, fb", scalar.fsub_s, "fd = fa - fb, float32", "float")
    yield scalar_row("fsub.d", 0x23, "fd=, fa, fb", scalar.fsub_d, "fd = fa - fb, float64", "float")
    yield scalar_row("fmul.s", 0x24, "fd=, fa, fb", scalar.fmul_s, "fd = fa * fb, float32", "float")
    yield scalar_row("fmul.d", 0x25, "fd=, fa, fb", scalar.fmul_d, "fd = fa * fb, float64", "float")
    yield scalar_row("mxf", 0x26, "fd=, xa", scalar.mxf, "fd = the 32 bits of xa, as they are")
    yield scalar_row("mfx", 0x27, "xd=, fa", scalar.mfx, "xd = the low 32 bits of fa, as they are")
    yield scalar_row(
        "setvl",
        0x28,
        "xd=, xa",
        scalar.setvl,
        "vl = xd = xa, at least 0, at most the section size",
        writes=("vl",),
    )
    yield scalar_row("mfs", 0x29, "xd=, sa", scalar.mfs, "xd = special register")
    yield scalar_row("mts", 0x2A, "sd=, xa", scalar.mts, "special register = xa (vl is set by setvl alone)")

    yield scalar_row(
        "div",
        0x2B,
        three,
        scalar.div,
        "xd = xa / xb, rounded towards zero; -1 if xb is 0",
        "integer_divide",
    )
    yield scalar_row(
        "rem", 0x2C, three, scalar.rem, "xd = xa - xb (xa / xb); xa if xb is 0", "integer_divide"
    )


def _narrow_rows() -> Iterator[Instruction]:
    for offset, (suffix, what) in enumerate(
        (("b", "byte"), ("bu", "unsigned byte"), ("h", "16-bit half word"), ("hu", "unsigned half word"))
    ):
        semantics, size = narrow.scalar_load(narrow.READ[suffix]), narrow.BYTES[suffix]
        summary = f"xd = {what} at xa + offset"
        yield word_row(f"l{suffix}", 0x2D + offset, "xd=, i14(xa)", semantics, summary, size)
    for offset, (suffix, what) in enumerate((("b", "byte"), ("h", "16-bit half word"))):
        semantics, size = narrow.scalar_store(narrow.WRITE[suffix]), narrow.BYTES[suffix]
        summary = f"{what} at xa + offset = low bits of xb"
        yield word_row(f"s{suffix}", 0x31 + offset, "xb, i14(xa)", semantics, summary, size)


def _float_rows() -> Iterator[Instruction]:
    two, three = "fd=, fa", "fd=, fa, fb"
    for offset, (suffix, kind) in enumerate((("s", "float32"), ("d", "float64"))):
        for name, opcode, syntax, what, latency in (
            ("fdiv", 0x33, three, "fd = fa / fb", "float_divide"),
            ("fsqrt", 0x35, two, "fd = square root of fa", "float_divide"),
            ("fmin", 0x37, three, "fd = the lesser of fa and fb, NaN if either is, -0 below 0", "float"),
            ("fmax", 0x39, three, "fd = the greater of fa and fb, NaN if either is, -0 below 0", "float"),
            ("fabs", 0x3B, two, "fd = |fa|", "float"),
        ):
            semantics = getattr(single_floats, f"{name}_{suffix}")
            yield scalar_row(
                f"{name}.{suffix}", opcode + offset, syntax, semantics, f"{what}, {kind}", latency
            )
        for name, opcode, what in (
            ("fbeq", 0xB0, "fa = fb"),
            ("fbne", 0xB2, "fa is not fb"),
            ("fblt", 0xB4, "fa < fb"),
            ("fbge", 0xB6, "fa >= fb"),
        ):
            semantics = getattr(single_floats, f"{name}_{suffix}")
            summary = f"branch if {what}, {kind}"
            yield branch_row(f"{name}.{suffix}", opcode + offset, "fa, fb, t14", semantics, summary)
    for offset, (name, syntax, what) in enumerate(
        (
            ("fcvt.s.w", "fd=, xa", "fd = xa as float32"),
            ("fcvt.d.w", "fd=, xa", "fd = xa as float64"),
            ("fcvt.w.s", "xd=, fa", "xd = fa, float32, rounded towards zero; the nearest that there is"),
            ("fcvt.w.d", "xd=, fa", "xd = fa, float64, rounded towards zero; the nearest that there is"),
            ("fcvt.s.d", "fd=, fa", "fd = fa, a float64 as float32"),
            ("fcvt.d.s", "fd=, fa", "fd = fa, a float32 as float64"),
        )
    ):
        semantics = getattr(single_floats, name.replace(".", "_"))
        yield scalar_row(name, 0x6A + offset, syntax, semantics, what, "float")


def rows() -> Iterator[Instruction]:
    """Give the rows."""
    yield from _basic_rows()
    yield from _narrow_rows()
    yield from _float_rows()
