"""The state of a RISC-V program in the form in which the debugger shows any state."""

from __future__ import annotations

import hashlib

import numpy as np

from isa.riscv.semantics.control import CSRS, read_csr
from isa.riscv.state import Hart
from isa.state import State, new_state
from vecsim.riscv.registers import REGISTERS, element_bits, float_values

SPECIAL = ("vl", "vtype", "vstart", "vcsr", "fcsr")
"""What the special registers of such a state are."""


def state_of(hart: Hart) -> State:
    """Return registers and memory of a hart; elements are those that vtype says, in containers.

    Memory is that of the hart. Floats are the numbers that registers hold, whatever their width.
    """
    bits = element_bits(hart)
    elements = hart.v8.view(f"i{bits // 8}").astype(np.int64)
    section = len(elements) // REGISTERS
    state = new_state(section, REGISTERS, hart.memory)
    state.x[...] = hart.x
    state.fd[...] = float_values(hart)
    state.v[...] = elements
    state.mask[...] = np.unpackbits(hart.v8.view(np.uint8), bitorder="little")[:section]
    special = np.array([read_csr(hart.control, CSRS[name]) for name in SPECIAL], np.int64)
    return state._replace(special=special)


def is_wide(state: State, vlen: int) -> bool:
    """Return whether the elements of a hart's state have 64 bits."""
    return 64 * state.section <= vlen


def digest_of(hart: Hart) -> bytes:
    """Return the SHA-256 of registers and memory."""
    result = hashlib.sha256()
    for array in (hart.x, hart.f, hart.v64, hart.control, hart.memory):
        result.update(array.tobytes())
    return result.digest()
