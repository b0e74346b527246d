"""Bytes and half words: loads that widen them to 32 bits, with their sign or with zeros, and stores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from isa.declaration import Pattern
from isa.semantics.numbers import load16, put_x
from isa.state import State

Semantics = Callable[..., Any]
Reader = Callable[[State, Any], Any]
Writer = Callable[[State, Any, Any], None]


def signed_byte(m: State, address: Any) -> Any:
    """Read a byte with its sign."""
    return (int(m.memory[address]) ^ 0x80) - 0x80


def unsigned_byte(m: State, address: Any) -> Any:
    """Read a byte from 0 to 255."""
    return int(m.memory[address])


def signed_half(m: State, address: Any) -> Any:
    """Read a half word with its sign, little-endian, at any alignment."""
    return (load16(m, address) ^ 0x8000) - 0x8000


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


def scalar_load(read: Reader) -> Semantics:
    """``xd = memory[xa + imm]``."""

    def execute(m: State, n: int, d: int, imm: int, a: int) -> None:
        put_x(m, d, read(m, int(m.address[0])))

    return execute


def scalar_store(write: Writer) -> Semantics:
    """``memory[xa + imm] = xb``."""

    def execute(m: State, n: int, b: int, imm: int, a: int) -> None:
        write(m, int(m.address[0]), m.x[b])

    return execute


def contiguous_load(read: Reader, size: int) -> Semantics:
    """``vd[k] = memory[xa + imm + size k]``."""

    def execute(m: State, n: int, d: int, imm: int, a: int) -> None:
        for k in range(n):
            m.v[d * m.section + k] = read(m, int(m.address[0]) + size * k) & 0xFFFFFFFF

    return execute


def contiguous_store(write: Writer, size: int) -> Semantics:
    """``memory[xa + imm + size k] = vb[k]``."""

    def execute(m: State, n: int, b: int, imm: int, a: int) -> None:
        for k in range(n):
            write(m, int(m.address[0]) + size * k, m.v[b * m.section + k])

    return execute


def element_load(read: Reader) -> Semantics:
    """``vd[k] = memory[address[k]]``; strided and indexed."""

    def execute(m: State, n: int, d: int, a: int, i: int) -> None:
        for k in range(n):
            m.v[d * m.section + k] = read(m, int(m.address[k])) & 0xFFFFFFFF

    return execute


def element_store(write: Writer) -> Semantics:
    """``memory[address[k]] = vb[k]``, in element order; strided and indexed."""

    def execute(m: State, n: int, b: int, a: int, i: int) -> None:
        for k in range(n):
            write(m, int(m.address[k]), m.v[b * m.section + k])

    return execute


READ = {"b": signed_byte, "bu": unsigned_byte, "h": signed_half, "hu": unsigned_half}
"""How a suffix reads."""
WRITE = {"b": put_byte, "h": put_half}
"""How a suffix writes."""
BYTES = {"b": 1, "bu": 1, "h": 2, "hu": 2}
"""Bytes of an element by the suffix."""


def vector_access(pattern: Pattern, suffix: str, *, stores: bool) -> Semantics:
    """Give the semantics of a vector load or store by the suffix of its elements."""
    size = BYTES[suffix]
    if pattern == Pattern.CONTIGUOUS:
        return contiguous_store(WRITE[suffix], size) if stores else contiguous_load(READ[suffix], size)
    return element_store(WRITE[suffix]) if stores else element_load(READ[suffix])
