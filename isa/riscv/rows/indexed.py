"""Xindexmac: multiply-add with a vector register that is named by a number, in custom-1."""

from __future__ import annotations

from isa.riscv.declaration import Row, Timing
from isa.riscv.extensions import XINDEXMAC
from isa.riscv.rows.words import CUSTOM_1, FUNCT7_MASK
from isa.riscv.semantics.vector_indexed import multiply_indexed

ROWS: tuple[Row, ...] = (
    Row(
        "vindexmac.vx",
        XINDEXMAC,
        CUSTOM_1 | 7 << 12 | 1 << 25,
        FUNCT7_MASK,
        "vd, vs2, rs1",
        Timing.FLOAT,
        multiply_indexed,
        summary="vd[i] += vs2[0] * element i of the vector register with the number in rs1",
        accumulates=True,
    ),
)
