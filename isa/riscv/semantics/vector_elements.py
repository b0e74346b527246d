"""Elements of vector registers, masks, and the rules that register groups must keep.

An element is an int64 whatever its width: sign-extended, or zero-extended where that is said. A group is
named by its first register and the logarithm of its number of registers, -3 to 3. Every vector instruction
is refused under ``vill`` (SEW 0). Rules follow the vector extension 1.0, chapter 5, as Spike enforces them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from isa.riscv.declaration import Trap
from isa.riscv.state import IMMEDIATE, LMUL, RD, RS1, RS2, SEW, VLEN, VM, VSTART

NONE, ILLEGAL = int(Trap.NONE), int(Trap.ILLEGAL)
VV, VX, VI = range(3)
"""Where the second operand is: a vector, a scalar register, or the immediate."""
FORM_BITS = 2
"""``Row.operation`` of a family with forms is the number of the operation shifted so far, and the form."""


def signed(hart: Any, k: Any, sew: Any) -> Any:
    """Read element k of the register file seen as elements of this width, sign-extended."""
    if sew == 32:
        return np.int64(hart.v32[k])
    if sew == 64:
        return hart.v64[k]
    if sew == 16:
        return np.int64(hart.v16[k])
    return np.int64(hart.v8[k])


def unsigned(hart: Any, k: Any, sew: Any) -> Any:
    """Read an element, zero-extended; of 64 bits it is their int64."""
    return zero_extended(signed(hart, k, sew), sew)


def put(hart: Any, k: Any, sew: Any, value: Any) -> None:
    """Write the low bits of a value to element k."""
    if sew == 32:
        hart.v32[k] = value
    elif sew == 64:
        hart.v64[k] = value
    elif sew == 16:
        hart.v16[k] = value
    else:
        hart.v8[k] = value


def zero_extended(value: Any, bits: Any) -> Any:
    """Return the low bits of a value, zero-extended unless they are 64."""
    return value if bits == 64 else value & ((1 << bits) - 1)


def sign_extended(value: Any, bits: Any) -> Any:
    """Return the low bits of a value, sign-extended."""
    return (value << (64 - bits)) >> (64 - bits)


def below(a: Any, b: Any) -> Any:
    """Compare two int64 as unsigned numbers."""
    return np.uint64(a) < np.uint64(b)


def shifted(value: Any, count: Any) -> Any:
    """Shift right and fill with zeros."""
    return np.int64(np.uint64(value) >> np.uint64(count))


def scalar(hart: Any, row: Any, form: Any) -> Any:
    """Return the second operand that is no vector."""
    return hart.x[hart.code[row, RS1]] if form == VX else hart.code[row, IMMEDIATE]


def first_element(hart: Any, register: Any, width: Any) -> Any:
    """Return the number of the first element of a register, in elements of this width."""
    return register * (hart.control[VLEN] >> log2(width))


def log2(width: Any) -> Any:
    """Return the logarithm of a width of 8 to 64."""
    return 3 + (width > 8) + (width > 16) + (width > 32)


def mask_bit(hart: Any, register: Any, i: Any) -> Any:
    """Read bit i of a mask register."""
    return (hart.v8[register * (hart.control[VLEN] >> 3) + (i >> 3)] >> (i & 7)) & 1


def put_mask_bit(hart: Any, register: Any, i: Any, bit: Any) -> None:
    """Write bit i of a mask register."""
    k = register * (hart.control[VLEN] >> 3) + (i >> 3)
    hart.v8[k] = (hart.v8[k] & ~(1 << (i & 7))) | (bit << (i & 7))


def active(hart: Any, vm: Any, i: Any) -> Any:
    """Return whether element i is executed: there is no mask, or its bit in v0 is set."""
    return vm != 0 or (hart.v8[i >> 3] >> (i & 7)) & 1 != 0


def registers(lmul: Any) -> Any:
    """Return how many registers a group has; one if it is a part of one."""
    return 1 << lmul if lmul > 0 else 1


def aligned(register: Any, lmul: Any) -> Any:
    """Return whether a group may begin at this register."""
    return register & (registers(lmul) - 1) == 0


def disjoint(a: Any, a_lmul: Any, b: Any, b_lmul: Any) -> Any:
    """Return whether two groups share no register."""
    return a + registers(a_lmul) <= b or b + registers(b_lmul) <= a


def apart(wide: Any, wide_lmul: Any, narrow: Any, narrow_lmul: Any) -> Any:
    """Return whether a destination overlaps a narrower source in its highest registers at most."""
    if disjoint(wide, wide_lmul, narrow, narrow_lmul):
        return True
    return (
        narrow_lmul >= 0
        and wide < narrow
        and disjoint(wide, wide_lmul, narrow + registers(narrow_lmul), narrow_lmul)
    )


def executes(hart: Any) -> Any:
    """Return whether arithmetic executes: the type is valid, and vstart 0.

    Arithmetic never stops in the middle, so it need not go on there: the extension allows to refuse it.
    """
    return hart.control[SEW] != 0 and hart.control[VSTART] == 0


def spares_mask(hart: Any, row: Any) -> Any:
    """Return whether the destination is not the mask v0 that the instruction reads."""
    return hart.code[row, VM] != 0 or hart.code[row, RD] != 0


def single_width(hart: Any, row: Any, form: Any) -> Any:
    """Check an instruction whose operands all have the width of the type."""
    code, lmul = hart.code, hart.control[LMUL]
    return (
        executes(hart)
        and spares_mask(hart, row)
        and aligned(code[row, RD], lmul)
        and aligned(code[row, RS2], lmul)
        and (form != VV or aligned(code[row, RS1], lmul))
    )


def to_mask(hart: Any, row: Any, form: Any) -> Any:
    """Check an instruction that writes a mask register."""
    code, lmul = hart.code, hart.control[LMUL]
    return (
        executes(hart)
        and _mask_from(code[row, RD], code[row, RS2], lmul)
        and (form != VV or _mask_from(code[row, RD], code[row, RS1], lmul))
    )


def _mask_from(mask: Any, source: Any, lmul: Any) -> Any:
    return aligned(source, lmul) and (mask == source or disjoint(mask, 0, source, lmul))


def widening(hart: Any, row: Any, form: Any, wide_source: Any) -> Any:
    """Check an instruction whose destination is twice as wide as its sources, or as all but vs2."""
    code, sew, lmul = hart.code, hart.control[SEW], hart.control[LMUL]
    d, s2 = code[row, RD], code[row, RS2]
    if not executes(hart) or sew > 32 or lmul > 2 or not spares_mask(hart, row) or not aligned(d, lmul + 1):
        return False
    if wide_source:
        if not aligned(s2, lmul + 1):
            return False
    elif not aligned(s2, lmul) or not apart(d, lmul + 1, s2, lmul):
        return False
    return form != VV or (aligned(code[row, RS1], lmul) and apart(d, lmul + 1, code[row, RS1], lmul))


def narrowing(hart: Any, row: Any, form: Any) -> Any:
    """Check an instruction whose source vs2 is twice as wide as its destination."""
    code, sew, lmul = hart.code, hart.control[SEW], hart.control[LMUL]
    d, s2 = code[row, RD], code[row, RS2]
    return (
        executes(hart)
        and sew <= 32
        and lmul <= 2
        and spares_mask(hart, row)
        and aligned(d, lmul)
        and aligned(s2, lmul + 1)
        and (d == s2 or disjoint(d, lmul, s2, lmul + 1))
        and (form != VV or aligned(code[row, RS1], lmul))
    )
