"""Elements in memory by their suffix: bytes and half words are read as 32 bits, with sign or with zeros."""

from __future__ import annotations

from typing import Any

from isa.semantics.numbers import Reader, Writer, load16, load32, load64, store32, store64
from isa.state import State


def signed_byte(m: State, address: Any) -> Any:
    """Read a byte with its sign, as the 32 bits of an integer."""
    return ((int(m.memory[address]) ^ 0x80) - 0x80) & 0xFFFFFFFF


def unsigned_byte(m: State, address: Any) -> Any:
    """Read a byte from 0 to 255."""
    return int(m.memory[address])


def signed_half(m: State, address: Any) -> Any:
    """Read a half word with its sign, as 32 bits, little-endian, at any alignment."""
    return ((load16(m, address) ^ 0x8000) - 0x8000) & 0xFFFFFFFF


def unsigned_half(m: State, address: Any) -> Any:
    """Read a half word from 0 to 65,535."""
    return load16(m, address)


def put_byte(m: State, address: Any, value: Any) -> None:
    """Write the low 8 bits."""
    m.memory[address] = value & 0xFF


def put_half(m: State, address: Any, value: Any) -> None:
    """Write the low 16 bits, little-endian, at any alignment."""
    m.memory[address] = value & 0xFF
    m.memory[address + 1] = (value >> 8) & 0xFF


READ: dict[str, Reader] = {
    "b": signed_byte,
    "bu": unsigned_byte,
    "h": signed_half,
    "hu": unsigned_half,
    "w": load32,
    "d": load64,
}
"""How a suffix reads."""
WRITE: dict[str, Writer] = {"b": put_byte, "h": put_half, "w": store32, "d": store64}
"""How a suffix writes."""
BYTES = {"b": 1, "bu": 1, "h": 2, "hu": 2, "w": 4, "d": 8}
"""Bytes of an element by the suffix."""
