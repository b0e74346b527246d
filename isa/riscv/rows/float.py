"""The rows of F and D, floats of 32 and 64 bits."""

from __future__ import annotations

from isa.riscv.declaration import Row, Semantics, Timing
from isa.riscv.semantics import floats as f

LOAD_FP, STORE_FP, OP_FP = 0x07, 0x27, 0x53
_FUSED = (
    ("fmadd", 0x43, f.MULTIPLY_ADD, "rs1 * rs2 + rs3"),
    ("fmsub", 0x47, f.MULTIPLY_SUBTRACT, "rs1 * rs2 - rs3"),
    ("fnmsub", 0x4B, f.NEGATIVE_MULTIPLY_SUBTRACT, "-(rs1 * rs2) + rs3"),
    ("fnmadd", 0x4F, f.NEGATIVE_MULTIPLY_ADD, "-(rs1 * rs2) - rs3"),
)
_INTEGERS = ("w", "wu", "l", "lu")
_KINDS = dict(zip(_INTEGERS, ("int32", "uint32", "int64", "uint64"), strict=True))
FMT, OPERANDS, ROUNDING, SECOND = 3 << 25, 31 << 27 | 3 << 25 | 0x7F, 7 << 12, 31 << 20
"""Masks: the format, what all operations have fixed, and bits that some have."""


def _row(
    mnemonic: str,
    wide: int,
    number: tuple[int, ...],
    operands: str,
    semantics: Semantics,
    operation: int,
    summary: str,
    timing: Timing = Timing.SCALAR_FLOAT,
) -> Row:
    """Return an operation; ``number`` is bits 31 to 27, and rs2 and the rounding mode, -1 if free."""
    high, second, mode = (*number, -1, -1)[:3]
    match, mask = OP_FP | high << 27 | wide << 25, OPERANDS
    if second >= 0:
        match, mask = match | second << 20, mask | SECOND
    if mode >= 0:
        match, mask = match | mode << 12, mask | ROUNDING
    extension = "D" if wide else "F"
    return Row(
        mnemonic, extension, match, mask, operands, timing, semantics, 2 * operation + wide, summary=summary
    )


def _arithmetic(wide: int, t: str) -> tuple[Row, ...]:
    two, slow = "fd, fs1, fs2, rm", Timing.SCALAR_FLOAT_DIVIDE
    return (
        _row(f"fadd.{t}", wide, (0,), two, f.arithmetic, f.ADD, "rd = rs1 + rs2"),
        _row(f"fsub.{t}", wide, (1,), two, f.arithmetic, f.SUBTRACT, "rd = rs1 - rs2"),
        _row(f"fmul.{t}", wide, (2,), two, f.arithmetic, f.MULTIPLY, "rd = rs1 * rs2"),
        _row(f"fdiv.{t}", wide, (3,), two, f.arithmetic, f.DIVIDE, "rd = rs1 / rs2", slow),
        _row(
            f"fsqrt.{t}",
            wide,
            (11, 0),
            "fd, fs1, rm",
            f.arithmetic,
            f.SQUARE_ROOT,
            "rd = the square root of rs1",
            slow,
        ),
        *(
            Row(
                f"{name}.{t}",
                "D" if wide else "F",
                opcode | wide << 25,
                FMT | 0x7F,
                "fd, fs1, fs2, fs3, rm",
                Timing.SCALAR_FLOAT,
                f.arithmetic,
                2 * operation + wide,
                f"rd = {what}, rounded once",
            )
            for name, opcode, operation, what in _FUSED
        ),
    )


def _without_rounding(wide: int, t: str) -> tuple[Row, ...]:
    two, tested = "fd, fs1, fs2", "rd, fs1, fs2"
    sign = "rd = rs1 with"
    return (
        _row(f"fsgnj.{t}", wide, (4, -1, 0), two, f.choose, f.COPY_SIGN, f"{sign} the sign of rs2"),
        _row(f"fsgnjn.{t}", wide, (4, -1, 1), two, f.choose, f.NEGATE_SIGN, f"{sign} the opposite of it"),
        _row(f"fsgnjx.{t}", wide, (4, -1, 2), two, f.choose, f.XOR_SIGN, f"{sign} the sign of rs1 * rs2"),
        _row(
            f"fmin.{t}",
            wide,
            (5, -1, 0),
            two,
            f.choose,
            f.MINIMUM,
            "rd = the lesser, a number if there is one",
        ),
        _row(f"fmax.{t}", wide, (5, -1, 1), two, f.choose, f.MAXIMUM, "rd = the greater; as fmin"),
        _row(f"fle.{t}", wide, (20, -1, 0), tested, f.test, f.LESS_OR_EQUAL, "rd = rs1 <= rs2, 0 with NaN"),
        _row(f"flt.{t}", wide, (20, -1, 1), tested, f.test, f.LESS, "rd = rs1 < rs2, 0 with NaN"),
        _row(f"feq.{t}", wide, (20, -1, 2), tested, f.test, f.EQUAL, "rd = rs1 == rs2, 0 with NaN"),
        _row(f"fclass.{t}", wide, (28, 0, 1), "rd, fs1", f.test, f.CLASS, "rd = the class of rs1, one bit"),
    )


def _conversions(wide: int, t: str) -> tuple[Row, ...]:
    rows = []
    for number, name in enumerate(_INTEGERS):
        kind = _KINDS[name]
        exact = wide and number < f.FROM_LONG
        rows += [
            _row(
                f"fcvt.{name}.{t}",
                wide,
                (24, number),
                "rd, fs1, rm",
                f.to_integer,
                number,
                f"rd = rs1 as {kind}, the nearest that there is",
            ),
            _row(
                f"fcvt.{t}.{name}",
                wide,
                (26, number),
                "fd, rs1, rm0" if exact else "fd, rs1, rm",
                f.from_integer,
                number,
                f"rd = rs1, {kind}, as float",
            ),
        ]
    move = "d" if wide else "w"
    return (
        *rows,
        _row(
            f"fmv.x.{move}", wide, (28, 0, 0), "rd, fs1", f.to_bits, 0, f"rd = the {32 << wide} bits of rs1"
        ),
        _row(
            f"fmv.{move}.x", wide, (30, 0, 0), "fd, rs1", f.from_bits, 0, f"rd = the low {32 << wide} of rs1"
        ),
    )


def _accesses(wide: int) -> tuple[Row, ...]:
    name, width, extension = "d" if wide else "w", 2 + wide, "D" if wide else "F"
    at = f"mem{32 << wide}[rs1 + imm]"
    return (
        Row(
            f"fl{name}",
            extension,
            LOAD_FP | width << 12,
            0x707F,
            "fd, imm12(rs1)",
            Timing.SCALAR_LOAD,
            f.load,
            wide,
            f"rd = {at}",
        ),
        Row(
            f"fs{name}",
            extension,
            STORE_FP | width << 12,
            0x707F,
            "fs2, store12(rs1)",
            Timing.SCALAR_STORE,
            f.store,
            wide,
            f"{at} = rs2",
        ),
    )


ROWS = (
    *(
        row
        for wide, t in enumerate("sd")
        for rows in (_accesses(wide), _arithmetic(wide, t), _without_rounding(wide, t), _conversions(wide, t))
        for row in rows
    ),
    _row("fcvt.s.d", 0, (8, 1), "fd, fs1, rm", f.between_formats, 0, "rd = rs1, float64, as float32"),
    _row("fcvt.d.s", 1, (8, 0), "fd, fs1, rm0", f.between_formats, 0, "rd = rs1, float32, as float64"),
)
