"""Simulated memory as semantics see it: which addresses there are, and numbers in it, little-endian.

The compiled interpreter puts one access of the host in the place of each ``load`` and ``store``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from isa.riscv.declaration import Trap
from isa.riscv.state import BASE, FAULT_ADDRESS, MEMORY_BYTES

NONE, LOAD_FAULT, STORE_FAULT = int(Trap.NONE), int(Trap.LOAD_FAULT), int(Trap.STORE_FAULT)
MISALIGNED_LOAD, MISALIGNED_STORE = int(Trap.MISALIGNED_LOAD), int(Trap.MISALIGNED_STORE)


def load_trap(hart: Any, address: Any, size: Any) -> Any:
    """Return what a load of ``size`` bytes at an address traps with; NONE if it may be done."""
    place = address - hart.control[BASE]
    if address & (size - 1):
        hart.control[FAULT_ADDRESS] = address
        return MISALIGNED_LOAD
    if np.uint64(place) > np.uint64(hart.control[MEMORY_BYTES] - size):
        hart.control[FAULT_ADDRESS] = address
        return LOAD_FAULT
    return NONE


def store_trap(hart: Any, address: Any, size: Any) -> Any:
    """Return what a store of ``size`` bytes at an address traps with; NONE if it may be done."""
    place = address - hart.control[BASE]
    if address & (size - 1):
        hart.control[FAULT_ADDRESS] = address
        return MISALIGNED_STORE
    if np.uint64(place) > np.uint64(hart.control[MEMORY_BYTES] - size):
        hart.control[FAULT_ADDRESS] = address
        return STORE_FAULT
    return NONE


def load8(memory: Any, place: Any) -> Any:
    """Return the unsigned byte at a place of memory (an address less BASE)."""
    return np.int64(memory[place])


def load16(memory: Any, place: Any) -> Any:
    """Return the unsigned 16-bit number at a place of memory."""
    return np.int64(memory[place]) | np.int64(memory[place + 1]) << 8


def load32(memory: Any, place: Any) -> Any:
    """Return the unsigned 32-bit number at a place of memory."""
    return load16(memory, place) | load16(memory, place + 2) << 16


def load64(memory: Any, place: Any) -> Any:
    """Return the 64-bit number at a place of memory."""
    return load32(memory, place) | load32(memory, place + 4) << 32


def store8(memory: Any, place: Any, value: Any) -> None:
    """Write the low 8 bits of a value to a place of memory."""
    memory[place] = value & 0xFF


def store16(memory: Any, place: Any, value: Any) -> None:
    """Write the low 16 bits of a value to a place of memory."""
    store8(memory, place, value)
    store8(memory, place + 1, value >> 8)


def store32(memory: Any, place: Any, value: Any) -> None:
    """Write the low 32 bits of a value to a place of memory."""
    store16(memory, place, value)
    store16(memory, place + 2, value >> 16)


def store64(memory: Any, place: Any, value: Any) -> None:
    """Write a 64-bit value to a place of memory."""
    store32(memory, place, value)
    store32(memory, place + 4, value >> 32)
