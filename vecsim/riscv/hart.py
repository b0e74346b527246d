"""A hart in its first state, and how compiled code executes its program."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from isa.riscv.declaration import Trap
from isa.riscv.encoding import decoded_text
from isa.riscv.extensions import XHISM, mask_of
from isa.riscv.state import (
    BASE,
    CONTROL,
    COUNT,
    EXTENSIONS,
    INSTRUCTION,
    MEMORY_BYTES,
    PC,
    RESERVED,
    TEXT,
    TOHOST,
    VLEN,
    VTYPE,
    Hart,
)
from vecsim.riscv.interface import NOT_LOADED
from vecsim.riscv.machine_code import compiled_loop, load_instruction, semantics_addresses
from vecsim.riscv.table import Table, table_of
from vecsim.support.errors import UserError

LEAST_VLEN, MOST_VLEN = 64, 16384
"""Bits of a vector register."""
VILL = -1 << 63
"""``vtype`` before the first vector configuration: vector instructions that depend on it are illegal."""
SLICE = 100_000_000
"""Instructions after which compiled code comes back, so that an interrupt is heard."""


def new_hart(
    memory: npt.NDArray[np.uint8],
    base: int,
    code: npt.NDArray[np.int64],
    text: int,
    vlen: int,
    extensions: int = 0,
) -> Hart:
    """Return a hart whose registers are 0, before its first instruction.

    Parameters
    ----------
    memory
        Simulated memory; it is used as it is, not copied.
    base
        The address of its first byte.
    code
        The decoded text, of :func:`isa.riscv.encoding.decoded_text`.
    text
        The address of that.
    vlen
        Bits of a vector register: a power of 2 from 64 to 16384.
    extensions
        The custom extensions that are switched on, as bits.

    Raises
    ------
    UserError
        ``vlen`` is none of these.
    """
    if not LEAST_VLEN <= vlen <= MOST_VLEN or vlen & (vlen - 1):
        raise UserError(f"VLEN is {vlen}; it is a power of 2 from {LEAST_VLEN} to {MOST_VLEN}")
    vectors = np.zeros(32 * vlen // 64, np.int64)
    control = np.zeros(CONTROL, np.int64)
    control[[BASE, MEMORY_BYTES, VLEN, VTYPE, TEXT]] = base, len(memory), vlen, VILL, text
    control[[RESERVED, TOHOST]] = -1
    control[EXTENSIONS] = extensions
    return Hart(
        x=np.zeros(32, np.int64),
        f=np.zeros(32, np.uint64),
        v8=vectors.view(np.int8),
        v16=vectors.view(np.int16),
        v32=vectors.view(np.int32),
        v64=vectors,
        memory=memory,
        control=control,
        code=code,
        cache=np.zeros(4 * (vlen // 4) ** 2 if extensions & mask_of([XHISM]) else 0, np.uint8),
        addresses=np.zeros(vlen, np.int64),
    )


class Interpreter:
    """Executes the program of a hart.

    Parameters
    ----------
    hart
        Its state, which the interpreter changes.
    """

    def __init__(self, hart: Hart) -> None:
        self.hart = hart
        self._run = compiled_loop()
        self._table: Table = table_of(hart, semantics_addresses())

    def run(self, limit: int | None = None) -> Trap:
        """Execute until an instruction traps, or this many have retired.

        Returns
        -------
        Trap
            NONE at the limit. What trapped is at ``control[PC]``; after HOST the next instruction is.
        """
        control = self.hart.control
        stop = None if limit is None else int(control[COUNT]) + limit
        while True:
            end = int(control[COUNT]) + SLICE
            trap = self._run(self._table.numbers.ctypes.data, end if stop is None else min(end, stop))
            if self._went_on(trap):
                continue
            if trap == NOT_LOADED:
                load_instruction(int(self.hart.code[(control[PC] - control[TEXT]) >> 1, INSTRUCTION]))
            elif trap == Trap.TEXT:
                self._decode_again()
            elif trap != Trap.NONE or (stop is not None and control[COUNT] >= stop):
                return Trap(trap)

    def _went_on(self, trap: int) -> bool:
        """Return whether what stopped the loop is out of its way; those of this class know of nothing."""
        return False

    def _decode_again(self) -> None:
        hart = self.hart
        begin = int(hart.control[TEXT] - hart.control[BASE])
        text = hart.memory[begin : begin + 2 * (len(hart.code) - 1)].tobytes()
        hart.code[:] = decoded_text(text, int(hart.control[EXTENSIONS]))
