"""The scalar side: integers and floats, conversions, branches, words in memory, single values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from isa.semantics.numbers import (
    BITS_OF_NAN,
    Reader,
    Semantics,
    Writer,
    load32,
    load64,
    put_fd,
    put_fs,
    put_x,
    store32,
    store64,
)
from isa.state import State


def get_x(m: State, register: Any) -> Any:
    """Read a scalar integer register."""
    return m.x[register]


def get_fs(m: State, register: Any) -> Any:
    """Read a scalar float register as float32."""
    return m.fs[2 * register]


def get_fd(m: State, register: Any) -> Any:
    """Read a scalar float register as float64."""
    return m.fd[register]


REGISTERS: dict[str, tuple[Reader, Writer]] = {
    "w": (get_x, put_x),
    "s": (get_fs, put_fs),
    "d": (get_fd, put_fd),
}
"""How a suffix reads and writes a scalar register."""


def one(get: Reader, operation: Callable[[Any], Any], put: Writer) -> Semantics:
    """``d = op a``."""

    def execute(m: State, n: int, d: int, a: int) -> None:
        put(m, d, operation(get(m, a)))

    return execute


def two(get: Reader, operation: Callable[[Any, Any], Any], put: Writer) -> Semantics:
    """``d = a op b``."""

    def execute(m: State, n: int, d: int, a: int, b: int) -> None:
        put(m, d, operation(get(m, a), get(m, b)))

    return execute


def integer_immediate(operation: Callable[[Any, Any], Any]) -> Semantics:
    """``xd = xa op imm``."""

    def execute(m: State, n: int, d: int, a: int, imm: int) -> None:
        put_x(m, d, operation(m.x[a], imm))

    return execute


def lui(m: State, n: int, d: int, imm: int) -> None:
    """``xd = imm << 13``."""
    put_x(m, d, imm << 13)


def branch(condition: Callable[[Any, Any], Any], get: Reader) -> Semantics:
    """Taken if ``a cond b``."""

    def execute(m: State, n: int, a: int, b: int, target: int) -> bool:
        return bool(condition(get(m, a), get(m, b)))

    return execute


def jal(m: State, n: int, d: int, target: int) -> bool:
    """Jump; the engine has put the number of the next instruction in ``address[0]``."""
    put_x(m, d, m.address[0])
    return True


def jr(m: State, n: int, a: int) -> bool:
    """Jump to the instruction number in xa; the engine reads the target there."""
    return True


def halt(m: State, n: int) -> None:
    """Stop: the engine issues nothing more."""


def load(read: Reader) -> Semantics:
    """``xd = memory[xa + imm]``."""

    def execute(m: State, n: int, d: int, imm: int, a: int) -> None:
        put_x(m, d, read(m, int(m.address[0])))

    return execute


def store(write: Writer) -> Semantics:
    """``memory[xa + imm] = xb``."""

    def execute(m: State, n: int, b: int, imm: int, a: int) -> None:
        write(m, int(m.address[0]), m.x[b])

    return execute


def fl_w(m: State, n: int, d: int, imm: int, a: int) -> None:
    """``fd = memory[xa + imm]``, 32 bits."""
    m.f[d] = load32(m, m.address[0])


def fl_d(m: State, n: int, d: int, imm: int, a: int) -> None:
    """``fd = memory[xa + imm]``, 64 bits."""
    m.f[d] = load64(m, m.address[0])


def fs_w(m: State, n: int, b: int, imm: int, a: int) -> None:
    """``memory[xa + imm] = fb``, 32 bits."""
    store32(m, m.address[0], m.f[b])


def fs_d(m: State, n: int, b: int, imm: int, a: int) -> None:
    """``memory[xa + imm] = fb``, 64 bits."""
    store64(m, m.address[0], m.f[b])


def fsqrt(suffix: str) -> Semantics:
    """``fd = square root of fa``."""
    get, put = REGISTERS[suffix]
    bits_of_nan = BITS_OF_NAN[suffix]

    def execute(m: State, n: int, d: int, a: int) -> None:
        root = np.sqrt(get(m, a))
        put(m, d, root)
        if root != root:
            m.f[d] = bits_of_nan

    return execute


def mxf(m: State, n: int, d: int, a: int) -> None:
    """``fd = xa``: the 32 bits as they are."""
    m.f[d] = m.x[a] & 0xFFFFFFFF


def mfx(m: State, n: int, d: int, a: int) -> None:
    """``xd = fa``: the low 32 bits as they are."""
    put_x(m, d, m.f[a])


def setvl(m: State, n: int, d: int, a: int) -> None:
    """``vl = xd = min(max(xa, 0), s)``."""
    length = min(max(m.x[a], 0), m.section)
    m.special[0] = length
    put_x(m, d, length)


def mfs(m: State, n: int, d: int, s: int) -> None:
    """``xd = special``."""
    put_x(m, d, m.special[s])


def mts(m: State, n: int, s: int, a: int) -> None:
    """``special = xa``; vl is set by setvl alone and stays."""
    if s != 0:
        m.special[s] = m.x[a]
