"""Vector loads and stores, between memory and registers or the vector cache.

The engine has worked out the addresses and checked that they are in memory: a contiguous access finds
its first address in ``address[0]``, the others find that of element k in ``address[k]``.
"""

from __future__ import annotations

from isa.semantics.numbers import load32, load64, store32, store64
from isa.state import State


def lv_w(m: State, n: int, d: int, imm: int, a: int) -> None:
    """``vd[k] = memory[xa + imm + 4 k]``."""
    first = int(m.address[0])
    if first & 3 == 0:
        for k in range(n):
            m.v[d * m.section + k] = m.words[(first >> 2) + k]
    else:
        for k in range(n):
            m.v[d * m.section + k] = load32(m, first + 4 * k)


def lv_d(m: State, n: int, d: int, imm: int, a: int) -> None:
    """``vd[k] = memory[xa + imm + 8 k]``."""
    for k in range(n):
        m.v[d * m.section + k] = load64(m, m.address[0] + 8 * k)


def sv_w(m: State, n: int, b: int, imm: int, a: int) -> None:
    """``memory[xa + imm + 4 k] = vb[k]``."""
    first = int(m.address[0])
    if first & 3 == 0:
        for k in range(n):
            m.words[(first >> 2) + k] = m.v[b * m.section + k] & 0xFFFFFFFF
    else:
        for k in range(n):
            store32(m, first + 4 * k, m.v[b * m.section + k])


def sv_d(m: State, n: int, b: int, imm: int, a: int) -> None:
    """``memory[xa + imm + 8 k] = vb[k]``."""
    for k in range(n):
        store64(m, m.address[0] + 8 * k, m.v[b * m.section + k])


def load_elements_w(m: State, n: int, d: int, a: int, i: int) -> None:
    """``vd[k] = memory[address[k]]``, 32 bits; strided and indexed."""
    for k in range(n):
        m.v[d * m.section + k] = load32(m, int(m.address[k]))


def load_elements_d(m: State, n: int, d: int, a: int, i: int) -> None:
    """``vd[k] = memory[address[k]]``, 64 bits; strided and indexed."""
    for k in range(n):
        m.v[d * m.section + k] = load64(m, int(m.address[k]))


def store_elements_w(m: State, n: int, b: int, a: int, i: int) -> None:
    """``memory[address[k]] = vb[k]``, 32 bits, in element order; strided and indexed."""
    for k in range(n):
        store32(m, int(m.address[k]), m.v[b * m.section + k])


def store_elements_d(m: State, n: int, b: int, a: int, i: int) -> None:
    """``memory[address[k]] = vb[k]``, 64 bits, in element order; strided and indexed."""
    for k in range(n):
        store64(m, int(m.address[k]), m.v[b * m.section + k])


def ldc_w(m: State, n: int, o: int, a: int, c: int) -> None:
    """``cache[xo + k] = memory[xa + 4 k]``."""
    first, slot = int(m.address[0]), int(m.x[o])
    if first & 3 == 0:
        for k in range(n):
            m.cache[slot + k] = m.words[(first >> 2) + k]
    else:
        for k in range(n):
            m.cache[slot + k] = load32(m, first + 4 * k)


def ldc_d(m: State, n: int, o: int, a: int, c: int) -> None:
    """``cache[xo + k] = memory[xa + 8 k]``."""
    for k in range(n):
        m.cache[m.x[o] + k] = load64(m, m.address[0] + 8 * k)


def stc_w(m: State, n: int, o: int, a: int, c: int) -> None:
    """``memory[xa + 4 k] = cache[xo + k]``."""
    first, slot = int(m.address[0]), int(m.x[o])
    if first & 3 == 0:
        for k in range(n):
            m.words[(first >> 2) + k] = m.cache[slot + k] & 0xFFFFFFFF
    else:
        for k in range(n):
            store32(m, first + 4 * k, m.cache[slot + k])


def stc_d(m: State, n: int, o: int, a: int, c: int) -> None:
    """``memory[xa + 8 k] = cache[xo + k]``."""
    for k in range(n):
        store64(m, m.address[0] + 8 * k, m.cache[m.x[o] + k])


NAMES = {
    "lv": "lv",
    "sv": "sv",
    "lvws": "load_elements",
    "lvi": "load_elements",
    "svws": "store_elements",
    "svi": "store_elements",
}
"""What executes each access of the vector registers."""
