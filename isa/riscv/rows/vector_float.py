"""Floating-point arithmetic of vectors."""

from __future__ import annotations

from isa.riscv.declaration import Row, Semantics, Timing
from isa.riscv.rows.vector_forms import Family, encoding
from isa.riscv.semantics import vector_float_moves as moves
from isa.riscv.semantics import vector_floats as floats
from isa.riscv.semantics.vector_elements import FORM_BITS
from isa.riscv.semantics.vector_permutations import DOWN, UP

_PLAIN = Family("F", floats.arithmetic, Timing.FLOAT)
_DIVIDE = Family("F", floats.arithmetic, Timing.FLOAT_DIVIDE)
_FUSED = Family("F", floats.multiply_add, Timing.FLOAT)
_CHOOSE = Family("F", floats.choose, Timing.FLOAT)
_COMPARE = Family("F", floats.compare, Timing.COMPARE)
_WIDE = Family("F", floats.widened, Timing.FLOAT)
_REDUCE = Family("F", moves.reduce, Timing.REDUCTION)
_SUM = Family("F", moves.reduce, Timing.FLOAT_SUM)
_ORDERED = Family("F", moves.reduce, Timing.ORDERED_SUM)
_MOVE = Family("F", moves.move, Timing.INTEGER)
_INSERT = Family("F", moves.move, Timing.INSERT)
_SLIDE = Family("F", moves.slide_by_one, Timing.SLIDE)

_FUSED_ROWS = (
    ("add", 0x28, floats.OVER_FACTOR, "vd times operand, plus vs2"),
    ("sub", 0x2A, floats.OVER_FACTOR | floats.NEGATE_ADDEND, "vd times operand, minus vs2"),
    ("acc", 0x2C, 0, "vs2 times operand, plus vd"),
    ("sac", 0x2E, floats.NEGATE_ADDEND, "vs2 times operand, minus vd"),
)
"""Name, funct6, flags and summary; that of the negative product is one further."""
_OTHER_SIGN = floats.NEGATE_PRODUCT | floats.NEGATE_ADDEND
_CONVERSIONS = (
    ("xu.f", "to unsigned integers"),
    ("x.f", "to signed integers"),
    ("f.xu", "from unsigned integers"),
    ("f.x", "from signed integers"),
    ("f.f", "between floats"),
    ("rod.f.f", "between floats, rounding to odd"),
    ("rtz.xu.f", "to unsigned integers, rounding to zero"),
    ("rtz.x.f", "to signed integers, rounding to zero"),
)
"""Names and summaries in the order of the encoding."""
_WIDTHS = (
    (moves.SAME, "", "v", ""),
    (moves.WIDER, "w", "v", " of twice the width"),
    (moves.NARROWER, "n", "w", " of half the width"),
)


def _unary(mnemonic: str, funct6: int, vs1: int, timing: Timing, operation: int, summary: str) -> Row:
    semantics: Semantics = moves.convert if funct6 == 0x12 else floats.unary
    return Row(
        mnemonic, "V", *encoding(funct6, 1, vs1=vs1), "vd, vs2, vm", timing, semantics, operation, summary
    )


def _conversions() -> list[Row]:
    return [
        _unary(
            f"vf{letter}cvt.{name}.{source}",
            0x12,
            change << 3 | number,
            Timing.NARROW if change == moves.NARROWER else Timing.FLOAT,
            change << 4 | number,
            f"convert {summary}{width}",
        )
        for change, letter, source, width in _WIDTHS
        for number, (name, summary) in enumerate(_CONVERSIONS)
        if not (change == moves.SAME and number in (moves.TO_FLOAT, moves.TO_FLOAT_ODD))
        and not (change == moves.WIDER and number == moves.TO_FLOAT_ODD)
    ]


def _fused(family: Family, prefix: str, shift: int) -> list[Row]:
    rows = []
    for name, funct6, flags, summary in _FUSED_ROWS:
        if shift and flags & floats.OVER_FACTOR:
            continue
        operation = floats.WIDE_MULTIPLY_ADD << 3 | flags if shift else flags
        rows += family.rows(f"{prefix}m{name}", funct6 + shift, "vv vf", operation, summary, addend=True)
        summary = f"minus ({summary})"
        rows += family.rows(
            f"{prefix}nm{name}", funct6 + shift + 1, "vv vf", operation ^ _OTHER_SIGN, summary, addend=True
        )
    return rows


ROWS: tuple[Row, ...] = (
    *_PLAIN.rows("vfadd", 0x00, "vv vf", floats.ADD, "add"),
    *_PLAIN.rows("vfsub", 0x02, "vv vf", floats.SUBTRACT, "subtract from vs2"),
    *_PLAIN.rows("vfrsub", 0x27, "vf", floats.REVERSE_SUBTRACT, "subtract vs2"),
    *_PLAIN.rows("vfmul", 0x24, "vv vf", floats.MULTIPLY, "multiply"),
    *_DIVIDE.rows("vfdiv", 0x20, "vv vf", floats.DIVIDE, "divide vs2"),
    *_DIVIDE.rows("vfrdiv", 0x21, "vf", floats.REVERSE_DIVIDE, "divide by vs2"),
    *_CHOOSE.rows("vfmin", 0x04, "vv vf", floats.MINIMUM, "smaller"),
    *_CHOOSE.rows("vfmax", 0x06, "vv vf", floats.MAXIMUM, "larger"),
    *_CHOOSE.rows("vfsgnj", 0x08, "vv vf", floats.COPY_SIGN, "vs2 with the sign of the operand"),
    *_CHOOSE.rows("vfsgnjn", 0x09, "vv vf", floats.NEGATE_SIGN, "vs2 with the other sign of the operand"),
    *_CHOOSE.rows("vfsgnjx", 0x0A, "vv vf", floats.XOR_SIGN, "vs2 with the exclusive or of both signs"),
    *_COMPARE.rows("vmfeq", 0x18, "vv vf", floats.EQUAL, "mask: equal"),
    *_COMPARE.rows("vmfle", 0x19, "vv vf", floats.LESS_EQUAL, "mask: vs2 at most"),
    *_COMPARE.rows("vmflt", 0x1B, "vv vf", floats.LESS, "mask: vs2 less"),
    *_COMPARE.rows("vmfne", 0x1C, "vv vf", floats.UNEQUAL, "mask: not equal"),
    *_COMPARE.rows("vmfgt", 0x1D, "vf", floats.GREATER, "mask: vs2 greater"),
    *_COMPARE.rows("vmfge", 0x1F, "vf", floats.GREATER_EQUAL, "mask: vs2 at least"),
    *_fused(_FUSED, "vf", 0),
    *_WIDE.rows("vfwadd", 0x30, "vv vf", floats.WIDE_ADD << 3, "add to twice the width"),
    *_WIDE.rows("vfwsub", 0x32, "vv vf", floats.WIDE_SUBTRACT << 3, "subtract to twice the width"),
    *_WIDE.rows("vfwadd", 0x34, "wv wf", floats.WIDE_ADD << 3 | floats.WIDE_SOURCE, "add to wide vs2"),
    *_WIDE.rows(
        "vfwsub", 0x36, "wv wf", floats.WIDE_SUBTRACT << 3 | floats.WIDE_SOURCE, "subtract from wide vs2"
    ),
    *_WIDE.rows("vfwmul", 0x38, "vv vf", floats.WIDE_MULTIPLY << 3, "multiply to twice the width"),
    *_fused(_WIDE, "vfw", 0x10),
    *_conversions(),
    _unary("vfsqrt.v", 0x13, 0, Timing.FLOAT_DIVIDE, floats.SQUARE_ROOT, "square root"),
    _unary("vfrsqrt7.v", 0x13, 4, Timing.ESTIMATE, floats.ROOT_ESTIMATE, "1 / square root to 7 bits"),
    _unary("vfrec7.v", 0x13, 5, Timing.ESTIMATE, floats.RECIPROCAL_ESTIMATE, "reciprocal to 7 bits"),
    _unary("vfclass.v", 0x13, 16, Timing.ESTIMATE, floats.CLASS, "class, as one of ten bits"),
    *_SUM.rows("vfredusum", 0x01, "vs", moves.SUM, "sum in any order"),
    *_ORDERED.rows("vfredosum", 0x03, "vs", moves.ORDERED_SUM, "sum in the order of the elements"),
    *_REDUCE.rows("vfredmin", 0x05, "vs", moves.MINIMUM, "least"),
    *_REDUCE.rows("vfredmax", 0x07, "vs", moves.MAXIMUM, "greatest"),
    *_SUM.rows("vfwredusum", 0x31, "vs", moves.WIDE_SUM, "sum at twice the width in any order"),
    *_ORDERED.rows("vfwredosum", 0x33, "vs", moves.WIDE_ORDERED_SUM, "sum at twice the width in order"),
    *_MOVE.rows("vfmerge", 0x17, "vfm", moves.MERGE, "the operand where v0 is set, vs2 elsewhere"),
    *_MOVE.rows("vfmv.v", 0x17, "f", moves.COPY, "copy", vs2=0, vm=1),
    *_INSERT.rows("vfmv.s", 0x10, "f", moves.FROM_SCALAR, "element 0 from a float register", vs2=0, vm=1),
    Row(
        "vfmv.f.s",
        "V",
        *encoding(0x10, 1, vs1=0, vm=1),
        "fd, vs2",
        Timing.TO_SCALAR,
        moves.move,
        moves.TO_SCALAR << FORM_BITS,
        "element 0 to a float register",
    ),
    *_SLIDE.rows("vfslide1up", 0x0E, "vf", UP, "move elements up by one, fs1 in"),
    *_SLIDE.rows("vfslide1down", 0x0F, "vf", DOWN, "move elements down by one, fs1 in"),
)
