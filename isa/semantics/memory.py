"""Vector loads and stores, between memory and registers or the vector cache.

The engine has worked out the addresses and checked that they are in memory: a contiguous access finds
its first address in ``address[0]``, the others find that of element k in ``address[k]``.
"""

from __future__ import annotations

from isa.declaration import Pattern
from isa.semantics.narrow import BYTES, READ, WRITE
from isa.semantics.numbers import Reader, Semantics, Writer, load32, load64, store32, store64
from isa.semantics.vector import Choice, every
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


def sv_w(m: State, n: int, b: int, imm: int, a: int) -> None:
    """``memory[xa + imm + 4 k] = vb[k]``."""
    first = int(m.address[0])
    if first & 3 == 0:
        for k in range(n):
            m.words[(first >> 2) + k] = m.v[b * m.section + k] & 0xFFFFFFFF
    else:
        for k in range(n):
            store32(m, first + 4 * k, m.v[b * m.section + k])


def contiguous_load(read: Reader, size: int, chosen: Choice = every) -> Semantics:
    """``vd[k] = memory[xa + imm + size k]``."""

    def execute(m: State, n: int, d: int, imm: int, a: int) -> None:
        for k in range(n):
            if chosen(m, k):
                m.v[d * m.section + k] = read(m, int(m.address[0]) + size * k)

    return execute


def contiguous_store(write: Writer, size: int, chosen: Choice = every) -> Semantics:
    """``memory[xa + imm + size k] = vb[k]``."""

    def execute(m: State, n: int, b: int, imm: int, a: int) -> None:
        for k in range(n):
            if chosen(m, k):
                write(m, int(m.address[0]) + size * k, m.v[b * m.section + k])

    return execute


def element_load(read: Reader, chosen: Choice = every) -> Semantics:
    """``vd[k] = memory[address[k]]``; strided and indexed."""

    def execute(m: State, n: int, d: int, a: int, i: int) -> None:
        for k in range(n):
            if chosen(m, k):
                m.v[d * m.section + k] = read(m, int(m.address[k]))

    return execute


def element_store(write: Writer, chosen: Choice = every) -> Semantics:
    """``memory[address[k]] = vb[k]``, in element order; strided and indexed."""

    def execute(m: State, n: int, b: int, a: int, i: int) -> None:
        for k in range(n):
            if chosen(m, k):
                write(m, int(m.address[k]), m.v[b * m.section + k])

    return execute


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


def vector_access(pattern: Pattern, suffix: str, *, stores: bool, chosen: Choice = every) -> Semantics:
    """Return the semantics of a vector load or store by the suffix of its elements."""
    if pattern != Pattern.CONTIGUOUS:
        return element_store(WRITE[suffix], chosen) if stores else element_load(READ[suffix], chosen)
    if suffix == "w" and chosen is every:
        return sv_w if stores else lv_w
    size = BYTES[suffix]
    if stores:
        return contiguous_store(WRITE[suffix], size, chosen)
    return contiguous_load(READ[suffix], size, chosen)
