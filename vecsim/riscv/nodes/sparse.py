"""What instructions of Xhism are under a vtype: loads of entries, products, slices of the vector cache.

A product that adds to the vector cache waits at issue until all slices that are loaded have come (`CACHED`).
What moves a slice waits until all such sums are there (`SUMMED`).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from isa.declaration import SPECIAL_REGISTERS
from isa.riscv.declaration import Row, Timing
from isa.riscv.extensions import XHISM
from isa.riscv.fields import operand_names
from isa.riscv.semantics.control import CSRS, WITH_IMMEDIATE, WRITE
from isa.riscv.semantics.vector_sparse import NARROW_SECTION
from isa.riscv.state import IMMEDIATE, RD, RS1, RS2, RS3
from vecsim.engines.decoded import SPECIAL
from vecsim.riscv.nodes.registers import PartRegisters

ROWPTR, ROWCOUNT = (SPECIAL + SPECIAL_REGISTERS.index(name) for name in ("rowptr", "rowcount"))
"""Scalar registers that come with the last entry that LDS loads."""
CACHED = SPECIAL + SPECIAL_REGISTERS.index("blocklen")
"""The scalar register that comes with the last element of a slice. No program for RISC-V has ``blocklen``."""
SUMMED = ROWCOUNT
"""That which comes with the last sum in the vector cache."""
_STATE = {CSRS["rowptr"]: ROWPTR, CSRS["rowcount"]: ROWCOUNT}
Code = npt.NDArray[np.int64]


def state_of(row: Row, code: Code) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return which of these registers an instruction on control registers awaits, and which it writes."""
    register = _STATE.get(int(code[IMMEDIATE])) if row.timing == Timing.CSR else None
    if register is None:
        return (), ()
    writes = row.operation % WITH_IMMEDIATE == WRITE or code[RS1] != 0
    return (register,), (register,) if writes else ()


def late_registers(row: Row) -> tuple[int, ...]:
    """Return the scalar registers that come with the last element of a load."""
    return (ROWPTR, ROWCOUNT) if "vr" in operand_names(row.operands) else ()


def record_bytes(row: Row, sew: int, section: int) -> int:
    """Return the bytes of an entry in memory: elements have ``sew`` bits, a group ``section`` of them."""
    position = 2 * row.operation
    if late_registers(row):
        position = 1 if section <= NARROW_SECTION else 2
    return sew // 8 + position


def parts_of_load(row: Row, code: Code, count: int) -> tuple[PartRegisters, ...]:
    """Return what each of ``count`` parts of a load of entries writes; rows are complete with the last."""
    values, positions, rows = (int(code[column]) for column in (RD, RS3, RS2))
    group = tuple(range(rows, rows + count)) if late_registers(row) else ()
    return tuple(
        PartRegisters(writes=(values + k, positions + k), whole_writes=group if k == count - 1 else ())
        for k in range(count)
    )


def parts_of_product(row: Row, code: Code, count: int) -> tuple[PartRegisters, ...]:
    """Return what each of ``count`` parts of a product reads, and to what it adds."""
    y, x, values, positions = (int(code[column]) for column in (RD, RS1, RS2, RS3))
    if adds_to_cache(row):
        x = y
    sums = () if adds_to_cache(row) else tuple(range(y, y + count))
    return tuple(
        PartRegisters(
            reads=(values + k, positions + k), whole_reads=tuple(range(x, x + count)), accumulators=sums
        )
        for k in range(count)
    )


def adds_to_cache(row: Row) -> bool:
    """Return whether a product adds to a slice of the cache."""
    return "vs3" in operand_names(row.operands)


def moves_slice(row: Row) -> bool:
    """Return whether an access is one of a slice of the cache."""
    return row.extension == XHISM and row.timing in (Timing.LOAD_UNIT, Timing.STORE_UNIT)
