"""Integer and fixed-point arithmetic of vectors."""

from __future__ import annotations

from isa.riscv.declaration import Row, Timing
from isa.riscv.rows.vector_forms import Family, encoding
from isa.riscv.semantics import vector_fixed as fixed
from isa.riscv.semantics import vector_integer as integer

_PLAIN = Family("I", integer.integer, Timing.INTEGER)
_SHIFT = Family("I", integer.integer, Timing.INTEGER, unsigned=True)
_COMPARE = Family("I", integer.compare, Timing.COMPARE)
_MASKED = Family("I", integer.with_mask, Timing.INTEGER)
_CARRY = Family("I", integer.carry_out, Timing.COMPARE)
_MULTIPLY = Family("M", integer.multiply, Timing.VECTOR_MULTIPLY)
_DIVIDE = Family("M", integer.multiply, Timing.VECTOR_DIVIDE)
_MULTIPLY_ADD = Family("M", integer.multiply_add, Timing.VECTOR_MULTIPLY)
_WIDE = Family("M", integer.widen, Timing.INTEGER)
_WIDE_MULTIPLY = Family("M", integer.widen, Timing.VECTOR_MULTIPLY)
_NARROW = Family("I", integer.narrow_shift, Timing.NARROW, unsigned=True)
_SATURATE = Family("I", fixed.saturate, Timing.FIXED)
_AVERAGE = Family("M", fixed.scale, Timing.FIXED)
_SCALE = Family("I", fixed.scale, Timing.FIXED, unsigned=True)
_CLIP = Family("I", fixed.clip, Timing.NARROW, unsigned=True)


def _wide(operation: int, *flags: int) -> int:
    return operation << 3 | sum(flags)


_U1, _U2, _W = integer.UNSIGNED_1, integer.UNSIGNED_2, integer.WIDE_SOURCE

_EXTENSIONS = tuple(
    Row(
        f"v{letter}ext.vf{1 << part}",
        "V",
        *encoding(0x12, 2, vs1=8 - 2 * part + signs),
        "vd, vs2, vm",
        Timing.INTEGER,
        integer.extend,
        part << 1 | signs,
        f"extend elements of 1/{1 << part} of the width with {filler}",
    )
    for part in (3, 2, 1)
    for signs, letter, filler in ((0, "z", "zeros"), (1, "s", "their sign"))
)

ROWS: tuple[Row, ...] = (
    *_PLAIN.rows("vadd", 0x00, "vv vx vi", integer.ADD, "add"),
    *_PLAIN.rows("vsub", 0x02, "vv vx", integer.SUBTRACT, "subtract from vs2"),
    *_PLAIN.rows("vrsub", 0x03, "vx vi", integer.REVERSE_SUBTRACT, "subtract vs2"),
    *_PLAIN.rows("vminu", 0x04, "vv vx", integer.MINIMUM_UNSIGNED, "smaller, unsigned"),
    *_PLAIN.rows("vmin", 0x05, "vv vx", integer.MINIMUM, "smaller, signed"),
    *_PLAIN.rows("vmaxu", 0x06, "vv vx", integer.MAXIMUM_UNSIGNED, "larger, unsigned"),
    *_PLAIN.rows("vmax", 0x07, "vv vx", integer.MAXIMUM, "larger, signed"),
    *_PLAIN.rows("vand", 0x09, "vv vx vi", integer.AND, "and, bit by bit"),
    *_PLAIN.rows("vor", 0x0A, "vv vx vi", integer.OR, "or, bit by bit"),
    *_PLAIN.rows("vxor", 0x0B, "vv vx vi", integer.XOR, "exclusive or, bit by bit"),
    *_SHIFT.rows("vsll", 0x25, "vv vx vi", integer.SHIFT_LEFT, "shift left"),
    *_SHIFT.rows("vsrl", 0x28, "vv vx vi", integer.SHIFT_RIGHT, "shift right, zeros in"),
    *_SHIFT.rows("vsra", 0x29, "vv vx vi", integer.SHIFT_ARITHMETIC, "shift right, signs in"),
    *_NARROW.rows("vnsrl", 0x2C, "wv wx wi", integer.NARROW_LOGICAL, "shift right and narrow, zeros in"),
    *_NARROW.rows("vnsra", 0x2D, "wv wx wi", integer.NARROW_ARITHMETIC, "shift right and narrow, signs in"),
    *_EXTENSIONS,
    *_MASKED.rows("vadc", 0x10, "vvm vxm vim", integer.ADD_CARRY, "add with the carry in v0"),
    *_CARRY.rows("vmadc", 0x11, "vvm vxm vim", integer.CARRY, "carry of the sum with the carry in v0"),
    *_CARRY.rows("vmadc", 0x11, "vv vx vi", integer.CARRY, "carry of the sum", vm=1),
    *_MASKED.rows("vsbc", 0x12, "vvm vxm", integer.SUBTRACT_BORROW, "subtract with the borrow in v0"),
    *_CARRY.rows("vmsbc", 0x13, "vvm vxm", integer.BORROW, "borrow of the difference with the borrow in v0"),
    *_CARRY.rows("vmsbc", 0x13, "vv vx", integer.BORROW, "borrow of the difference", vm=1),
    *_MASKED.rows("vmerge", 0x17, "vvm vxm vim", integer.MERGE, "the operand where v0 is set, vs2 elsewhere"),
    *_MASKED.rows("vmv.v", 0x17, "v x i", integer.MOVE, "copy", vs2=0, vm=1),
    *_COMPARE.rows("vmseq", 0x18, "vv vx vi", integer.EQUAL, "mask: equal"),
    *_COMPARE.rows("vmsne", 0x19, "vv vx vi", integer.UNEQUAL, "mask: not equal"),
    *_COMPARE.rows("vmsltu", 0x1A, "vv vx", integer.LESS_UNSIGNED, "mask: vs2 less, unsigned"),
    *_COMPARE.rows("vmslt", 0x1B, "vv vx", integer.LESS, "mask: vs2 less, signed"),
    *_COMPARE.rows("vmsleu", 0x1C, "vv vx vi", integer.LESS_EQUAL_UNSIGNED, "mask: vs2 at most, unsigned"),
    *_COMPARE.rows("vmsle", 0x1D, "vv vx vi", integer.LESS_EQUAL, "mask: vs2 at most, signed"),
    *_COMPARE.rows("vmsgtu", 0x1E, "vx vi", integer.GREATER_UNSIGNED, "mask: vs2 greater, unsigned"),
    *_COMPARE.rows("vmsgt", 0x1F, "vx vi", integer.GREATER, "mask: vs2 greater, signed"),
    *_DIVIDE.rows("vdivu", 0x20, "vv vx", integer.DIVIDE_UNSIGNED, "divide vs2, unsigned"),
    *_DIVIDE.rows("vdiv", 0x21, "vv vx", integer.DIVIDE, "divide vs2, signed, to zero"),
    *_DIVIDE.rows("vremu", 0x22, "vv vx", integer.REMAINDER_UNSIGNED, "remainder of vs2, unsigned"),
    *_DIVIDE.rows("vrem", 0x23, "vv vx", integer.REMAINDER, "remainder of vs2, with its sign"),
    *_MULTIPLY.rows(
        "vmulhu", 0x24, "vv vx", integer.MULTIPLY_HIGH_UNSIGNED, "high half of the unsigned product"
    ),
    *_MULTIPLY.rows("vmul", 0x25, "vv vx", integer.MULTIPLY, "low half of the product"),
    *_MULTIPLY.rows(
        "vmulhsu", 0x26, "vv vx", integer.MULTIPLY_HIGH_MIXED, "high half of signed vs2 times unsigned"
    ),
    *_MULTIPLY.rows("vmulh", 0x27, "vv vx", integer.MULTIPLY_HIGH, "high half of the signed product"),
    *_MULTIPLY_ADD.rows(
        "vmadd", 0x29, "vv vx", integer.MULTIPLY_ADD, "vd times operand, plus vs2", addend=True
    ),
    *_MULTIPLY_ADD.rows(
        "vnmsub", 0x2B, "vv vx", integer.MULTIPLY_SUBTRACT, "vs2 minus vd times operand", addend=True
    ),
    *_MULTIPLY_ADD.rows("vmacc", 0x2D, "vv vx", integer.ACCUMULATE, "vd plus vs2 times operand", addend=True),
    *_MULTIPLY_ADD.rows(
        "vnmsac", 0x2F, "vv vx", integer.SUBTRACT_PRODUCT, "vd minus vs2 times operand", addend=True
    ),
    *_WIDE.rows(
        "vwaddu", 0x30, "vv vx", _wide(integer.WIDE_ADD, _U1, _U2), "add to twice the width, unsigned"
    ),
    *_WIDE.rows("vwadd", 0x31, "vv vx", _wide(integer.WIDE_ADD), "add to twice the width, signed"),
    *_WIDE.rows(
        "vwsubu",
        0x32,
        "vv vx",
        _wide(integer.WIDE_SUBTRACT, _U1, _U2),
        "subtract to twice the width, unsigned",
    ),
    *_WIDE.rows("vwsub", 0x33, "vv vx", _wide(integer.WIDE_SUBTRACT), "subtract to twice the width, signed"),
    *_WIDE.rows("vwaddu", 0x34, "wv wx", _wide(integer.WIDE_ADD, _U1, _U2, _W), "add to wide vs2, unsigned"),
    *_WIDE.rows("vwadd", 0x35, "wv wx", _wide(integer.WIDE_ADD, _W), "add to wide vs2, signed"),
    *_WIDE.rows(
        "vwsubu",
        0x36,
        "wv wx",
        _wide(integer.WIDE_SUBTRACT, _U1, _U2, _W),
        "subtract from wide vs2, unsigned",
    ),
    *_WIDE.rows("vwsub", 0x37, "wv wx", _wide(integer.WIDE_SUBTRACT, _W), "subtract from wide vs2, signed"),
    *_WIDE_MULTIPLY.rows(
        "vwmulu", 0x38, "vv vx", _wide(integer.WIDE_MULTIPLY, _U1, _U2), "whole unsigned product"
    ),
    *_WIDE_MULTIPLY.rows(
        "vwmulsu",
        0x3A,
        "vv vx",
        _wide(integer.WIDE_MULTIPLY, _U1),
        "whole product of signed vs2 and unsigned",
    ),
    *_WIDE_MULTIPLY.rows("vwmul", 0x3B, "vv vx", _wide(integer.WIDE_MULTIPLY), "whole signed product"),
    *_WIDE_MULTIPLY.rows(
        "vwmaccu",
        0x3C,
        "vv vx",
        _wide(integer.WIDE_ACCUMULATE, _U1, _U2),
        "add the whole unsigned product",
        addend=True,
    ),
    *_WIDE_MULTIPLY.rows(
        "vwmacc", 0x3D, "vv vx", _wide(integer.WIDE_ACCUMULATE), "add the whole signed product", addend=True
    ),
    *_WIDE_MULTIPLY.rows(
        "vwmaccus",
        0x3E,
        "vx",
        _wide(integer.WIDE_ACCUMULATE, _U1),
        "add the whole product of signed vs2 and unsigned",
        addend=True,
    ),
    *_WIDE_MULTIPLY.rows(
        "vwmaccsu",
        0x3F,
        "vv vx",
        _wide(integer.WIDE_ACCUMULATE, _U2),
        "add the whole product of unsigned vs2 and signed",
        addend=True,
    ),
    *_SATURATE.rows("vsaddu", 0x20, "vv vx vi", fixed.SATURATING_ADD_UNSIGNED, "add, saturating, unsigned"),
    *_SATURATE.rows("vsadd", 0x21, "vv vx vi", fixed.SATURATING_ADD, "add, saturating, signed"),
    *_SATURATE.rows(
        "vssubu", 0x22, "vv vx", fixed.SATURATING_SUBTRACT_UNSIGNED, "subtract, saturating, unsigned"
    ),
    *_SATURATE.rows("vssub", 0x23, "vv vx", fixed.SATURATING_SUBTRACT, "subtract, saturating, signed"),
    *_AVERAGE.rows("vaaddu", 0x08, "vv vx", fixed.AVERAGING_ADD_UNSIGNED, "half the sum, rounded, unsigned"),
    *_AVERAGE.rows("vaadd", 0x09, "vv vx", fixed.AVERAGING_ADD, "half the sum, rounded, signed"),
    *_AVERAGE.rows(
        "vasubu", 0x0A, "vv vx", fixed.AVERAGING_SUBTRACT_UNSIGNED, "half the difference, rounded, unsigned"
    ),
    *_AVERAGE.rows("vasub", 0x0B, "vv vx", fixed.AVERAGING_SUBTRACT, "half the difference, rounded, signed"),
    *_SCALE.rows("vsmul", 0x27, "vv vx", fixed.SCALED_MULTIPLY, "product of fractions, rounded, saturating"),
    *_SCALE.rows("vssrl", 0x2A, "vv vx vi", fixed.SCALED_SHIFT_UNSIGNED, "shift right, rounded, unsigned"),
    *_SCALE.rows("vssra", 0x2B, "vv vx vi", fixed.SCALED_SHIFT, "shift right, rounded, signed"),
    *_CLIP.rows(
        "vnclipu", 0x2E, "wv wx wi", fixed.CLIP_UNSIGNED, "shift right, rounded, narrow, saturating, unsigned"
    ),
    *_CLIP.rows("vnclip", 0x2F, "wv wx wi", fixed.CLIP, "shift right, rounded, narrow, saturating, signed"),
)
