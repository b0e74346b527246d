"""The configuration of vectors: vsetvli, vsetivli, vsetvl."""

from __future__ import annotations

from typing import Any

from isa.riscv.semantics.vector_elements import NONE, below, log2
from isa.riscv.state import (
    IMMEDIATE,
    LMUL,
    OPERATION,
    RD,
    RS1,
    RS2,
    SEW,
    VL,
    VLEN,
    VLMAX,
    VMA,
    VSTART,
    VTA,
    VTYPE,
)

FROM_IMMEDIATE, FROM_IMMEDIATES, FROM_REGISTER = range(3)
"""Operations of :func:`configure`: vsetvli, vsetivli, vsetvl."""
VILL = -0x8000_0000_0000_0000


def configure(hart: Any, row: Any) -> Any:
    """Set type and length; a type that is reserved or needs more bits than there are sets vill."""
    code, control, x = hart.code, hart.control, hart.x
    operation, d, s1 = code[row, OPERATION], code[row, RD], code[row, RS1]
    keep = operation != FROM_IMMEDIATES and d == 0 and s1 == 0
    vtype = x[code[row, RS2]] if operation == FROM_REGISTER else code[row, IMMEDIATE]
    vlmax = control[VLMAX]
    set_type(hart, vtype)
    if keep and control[VLMAX] != vlmax:
        set_type(hart, VILL)
    if control[VLMAX] == 0:
        control[VL] = 0
    elif not keep:
        requested = s1 if operation == FROM_IMMEDIATES else x[s1]
        every = operation != FROM_IMMEDIATES and s1 == 0
        control[VL] = requested if not every and below(requested, control[VLMAX]) else control[VLMAX]
    x[d] = control[VL]
    control[VSTART] = 0
    return NONE


def set_type(hart: Any, vtype: Any) -> None:
    """Set ``vtype`` and what is decoded from it."""
    control = hart.control
    sew, lmul = 8 << ((vtype >> 3) & 7), ((vtype & 7) ^ 4) - 4
    if (vtype >> 8) != 0 or sew > 64 or lmul == -4 or (lmul < 0 and sew > 64 >> -lmul):
        vtype, sew, lmul, vlmax = VILL, 0, 0, 0
    else:
        vlmax = control[VLEN] >> log2(sew)
        vlmax = vlmax << lmul if lmul >= 0 else vlmax >> -lmul
    control[VTYPE], control[SEW], control[LMUL], control[VLMAX] = vtype, sew, lmul, vlmax
    control[VTA], control[VMA] = (vtype >> 6) & 1, (vtype >> 7) & 1
