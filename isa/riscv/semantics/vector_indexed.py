"""Xindexmac: multiply-add with a register whose number a scalar register has (arXiv 2501.10189).

Only the abstract of the paper was available: an instruction that multiplies and adds, and reads a vector
register indirectly. Encoding, types and rounding are ours: floats of 32 and 64 bits, rounded once.
"""

from __future__ import annotations

from typing import Any

from isa.riscv.semantics.soft_float import fused
from isa.riscv.semantics.vector_elements import ILLEGAL, NONE, executes, first_element, put, signed
from isa.riscv.semantics.vector_floats import is_float_type
from isa.riscv.state import FFLAGS, FRM, LMUL, RD, RS1, RS2, SEW, VL

REGISTERS = 32


def multiply_indexed(hart: Any, row: Any) -> Any:
    """Add element 0 of vs2, times each element of the register whose number is in rs1, to vd."""
    code, control = hart.code, hart.control
    if not executes(hart) or not is_float_type(hart) or control[LMUL] > 0:
        return ILLEGAL
    sew, mode, flags = control[SEW], control[FRM], control[FFLAGS]
    d, factor = first_element(hart, code[row, RD], sew), first_element(hart, code[row, RS2], sew)
    chosen = first_element(hart, hart.x[code[row, RS1]] & (REGISTERS - 1), sew)
    a = signed(hart, factor, sew)
    for i in range(control[VL]):
        result, flags = fused(a, signed(hart, chosen + i, sew), signed(hart, d + i, sew), sew, mode, flags)
        put(hart, d + i, sew, result)
    control[FFLAGS] = flags
    return NONE
