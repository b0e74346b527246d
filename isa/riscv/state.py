"""The architectural state of a hart, as flat NumPy arrays, and the decoded program."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

PC, COUNT, VL, VTYPE, VSTART, VXRM, VXSAT, FRM, FFLAGS = range(9)
"""Numbers of ``Hart.control``: the byte address of the instruction, instructions retired, and the state that
CSRs show; VTYPE as in the CSR, vill in bit 63."""
SEW, LMUL, VLMAX, VTA, VMA = range(9, 14)
"""What VTYPE says, decoded: bits of an element (0 with vill), log2 of the group (-3 to 3), elements at most,
and the policies (1: agnostic)."""
BASE, MEMORY_BYTES, VLEN, FAULT_ADDRESS, RESERVED, ADDRESSES, TOHOST, TEXT = range(14, 22)
"""The address of ``memory[0]``, its length, bits of a vector register; what the last trap is about; the
address that ``lr`` reserved, -1 for none; how many numbers of ``Hart.addresses`` the last access wrote; the
address of ``tohost``, the word that a program stores for its host, -1 for none; the address of
``code[0]``."""
EXTENSIONS, ROWPTR, ROWCOUNT = range(22, 25)
"""Custom extensions that are switched on, as bits (:data:`isa.riscv.extensions.CUSTOM`); of Xhism, the row
of the next entry that ``vlds.v`` loads, and how many rows the last one touched."""
CONTROL = 25

OPERATION, RD, RS1, RS2, RS3, IMMEDIATE, VM, BYTES, ROUNDING, INSTRUCTION = range(10)
"""Columns of ``Hart.code``: vd is in RD, vs1 in RS1, vs2 in RS2, as they lie in the word; a rounding mode is
in ROUNDING; numbers of CSRs are in IMMEDIATE. VM: 1 without a mask. BYTES: 2 or 4, the length of the
instruction. INSTRUCTION: the number of its row in :data:`isa.riscv.instructions.ROWS`."""
COLUMNS = 10


class Hart(NamedTuple):
    """All that a program can see. ``v8`` to ``v64`` are views of the same bytes, register r at r VLEN / 8."""

    x: npt.NDArray[np.int64]
    """(32,) integers; x[0] is 0."""
    f: npt.NDArray[np.uint64]
    """(32,) the bits of floats, a float32 boxed in ones."""
    v8: npt.NDArray[np.int8]
    v16: npt.NDArray[np.int16]
    v32: npt.NDArray[np.int32]
    v64: npt.NDArray[np.int64]
    memory: npt.NDArray[np.uint8]
    """Simulated memory, bytes, little-endian; ``memory[0]`` is at address BASE."""
    control: npt.NDArray[np.int64]
    """(CONTROL,)"""
    code: npt.NDArray[np.int64]
    """(n, COLUMNS) the decoded program: a row for each even address of the text, where instructions may
    begin."""
    cache: npt.NDArray[np.uint8]
    """The vector cache of Xhism, bytes of its s slices of s elements, little-endian; empty without Xhism."""
    addresses: npt.NDArray[np.int64]
    """Of the last vector access that is not unit-stride: the byte address of each element in its order, -1
    where it is masked off; for the timing rules."""
