"""Xhism: block arrays of HiSM and sections of BBCS, in custom-0, as R4 instructions with vector registers.

Bit 25 is 1 as in vector instructions without a mask; those with one are reserved.
"""

from __future__ import annotations

from isa.riscv.declaration import Row, Semantics, Timing
from isa.riscv.extensions import XHISM
from isa.riscv.rows.words import CUSTOM_0
from isa.riscv.semantics.vector_cache import load_slice, multiply_into_slice, store_slice
from isa.riscv.semantics.vector_sparse import (
    BYTE,
    HALF,
    load_block,
    load_section,
    multiply_block,
    multiply_section,
)

_UNMASKED = 1 << 25
_R4_MASK = 0x0600707F
_RS2_MASK, _RS3_MASK, _RD_MASK = 0x01F00000, 0xF8000000, 0x00000F80
_LOAD_BLOCK, _LOAD_SECTION, _BLOCK, _SECTION, _INTO_SLICE, _LOAD_SLICE, _STORE_SLICE = range(7)
"""Bits 14 to 12."""


def _row(
    mnemonic: str,
    operands: str,
    number: int,
    timing: Timing,
    semantics: Semantics,
    summary: str,
    *,
    operation: int = 0,
) -> Row:
    """Return a row; bit 26 is set by positions of 16 bits, and a register that no operand has is 0."""
    match = CUSTOM_0 | number << 12 | _UNMASKED | (operation == HALF) << 26
    mask = _R4_MASK | (_RS2_MASK if number == _LOAD_BLOCK else 0)
    if number in (_LOAD_SLICE, _STORE_SLICE):
        mask |= _RS3_MASK | _RD_MASK
    return Row(mnemonic, XHISM, match, mask, operands, timing, semantics, operation, summary)


ROWS: tuple[Row, ...] = (
    *(
        _row(
            f"vldbei{8 * size}.v",
            "vd, vp, (rs1)",
            _LOAD_BLOCK,
            Timing.LOAD_BLOCK,
            load_block,
            f"LDB: load vl entries: values to vd, positions (column and row of {8 * size} bits) to vp",
            operation=size,
        )
        for size in (BYTE, HALF)
    ),
    _row(
        "vlds.v",
        "vd, vp, vr, (rs1)",
        _LOAD_SECTION,
        Timing.LOAD_BLOCK,
        load_section,
        "LDS: load vl entries: values to vd, descriptors (column and flags) to vp, the rows touched to vr",
    ),
    _row(
        "vbmipa.vv",
        "vd, vs1, vs2, vp",
        _BLOCK,
        Timing.SPARSE,
        multiply_block,
        "BMIPA: vd[row] += vs2[k] * vs1[column], row and column of vp[k]",
    ),
    _row(
        "vmipa.vv",
        "vd, vs1, vs2, vp",
        _SECTION,
        Timing.SPARSE,
        multiply_section,
        "MIPA: vd[row] += vs2[k] * vs1[column], the row counting the ends of row in vp",
    ),
    _row(
        "vbmipac.vx",
        "rs1, vs3, vs2, vp",
        _INTO_SLICE,
        Timing.SPARSE,
        multiply_into_slice,
        "BMIPAC: to element row of slice rs1 of the vector cache add vs2[k] * vs3[column], of vp[k]",
    ),
    _row(
        "vldc.x",
        "rs2, (rs1)",
        _LOAD_SLICE,
        Timing.LOAD_UNIT,
        load_slice,
        "LDC: load vl elements of slice rs2 of the vector cache",
    ),
    _row(
        "vstc.x",
        "rs2, (rs1)",
        _STORE_SLICE,
        Timing.STORE_UNIT,
        store_slice,
        "STC: store vl elements of slice rs2 of the vector cache",
    ),
)
