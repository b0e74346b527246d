"""Numbers: 32-bit wrap-around, containers, the canonical NaN, little-endian memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from isa.state import State

Semantics = Callable[..., Any]
Reader = Callable[[State, Any], Any]
"""Returns what stands at a register, element or address."""
Writer = Callable[[State, Any, Any], None]

NAN_S = np.float32(np.nan)
NAN_D = np.float64(np.nan)
BITS_OF_NAN_S, BITS_OF_NAN_D = 0x7FC00000, 0x7FF8000000000000
BITS_OF_NAN = {"s": BITS_OF_NAN_S, "d": BITS_OF_NAN_D}
"""The canonical NaN of a square root: LLVM keeps the NaN of the instruction where a float is chosen."""


def wrap(value: Any) -> Any:
    """Return an integer (at most 64 bits) wrapped to signed 32 bits."""
    return ((value & 0xFFFFFFFF) ^ 0x80000000) - 0x80000000


def put_x(m: State, register: int, value: Any) -> None:
    """Write a scalar integer register, wrapped to 32 bits; x0 stays 0."""
    if register != 0:
        m.x[register] = wrap(value)


def put_vs(m: State, element: int, value: Any) -> None:
    """Write container ``element`` with a float32; every NaN becomes the canonical one."""
    m.v[element] = 0
    if value != value:
        value = NAN_S
    m.vs[2 * element] = value


def put_vd(m: State, element: int, value: Any) -> None:
    """Write container ``element`` with a float64; every NaN becomes the canonical one."""
    if value != value:
        value = NAN_D
    m.vd[element] = value


def put_fs(m: State, register: int, value: Any) -> None:
    """Write a scalar float register with a float32; every NaN becomes the canonical one."""
    m.f[register] = 0
    if value != value:
        value = NAN_S
    m.fs[2 * register] = value


def put_fd(m: State, register: int, value: Any) -> None:
    """Write a scalar float register with a float64; every NaN becomes the canonical one."""
    if value != value:
        value = NAN_D
    m.fd[register] = value


def load16(m: State, address: int) -> Any:
    """Read an unsigned 16-bit little-endian integer."""
    return int(m.memory[address]) | (int(m.memory[address + 1]) << 8)


def load32(m: State, address: int) -> Any:
    """Read 32 bits, unsigned, little-endian, at any alignment."""
    shift = 8 * (address & 3)
    if shift == 0:
        return int(m.words[address >> 2])
    low, high = int(m.words[address >> 2]), int(m.words[(address >> 2) + 1])
    return ((low >> shift) | (high << (32 - shift))) & 0xFFFFFFFF


def load64(m: State, address: int) -> Any:
    """Read 64 bits as a signed integer, little-endian, at any alignment."""
    return load32(m, address) | (wrap(load32(m, address + 4)) << 32)


def store32(m: State, address: int, value: Any) -> None:
    """Write the low 32 bits, little-endian, at any alignment."""
    if address & 3 == 0:
        m.words[address >> 2] = value & 0xFFFFFFFF
        return
    m.memory[address] = value & 0xFF
    m.memory[address + 1] = (value >> 8) & 0xFF
    m.memory[address + 2] = (value >> 16) & 0xFF
    m.memory[address + 3] = (value >> 24) & 0xFF


def store64(m: State, address: int, value: Any) -> None:
    """Write 64 bits, little-endian, at any alignment."""
    store32(m, address, value)
    store32(m, address + 4, value >> 32)
