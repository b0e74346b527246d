"""The unit of HiSM's authors that transposes a block: entries go into a memory by rows, and out by columns.

P. Stathis, D. Cheresiz, S. Vassiliadis, B. Juurlink: Sparse Matrix Transpose Unit, IPDPS 2004. Their
memory of s x s elements is the vector cache here, their buffer bandwidth B and accessible lines L are the
sparse unit's p and r. An element that is there has bit 32 set, above the 32 bits of a value or a pointer.
"""

from typing import Any

from isa.declaration import Access, Length, Pattern, Record, Unit
from isa.semantics.numbers import put_x, store32
from isa.state import State
from vecsim import Extension

transposition = Extension("transposition", "blocks are transposed in an s x s memory")
THERE = 1 << 32
OF_BLOCKS: dict[str, Any] = {"length": Length.SECTION, "writes": ("vl",)}
TAKEN = "the next vl = min(xc, s) elements that are there from column place xq on, taken out, transposed"
STORED = "vl = min(xc, s) entries: values of vv, positions of u4 bytes of vp to memory; advance xa, xc"
POSITIONS = Access(Pattern.CONTIGUOUS, True, 4, Record.POSITIONS)


@transposition.instruction(
    "stcr", 0xE0, "vv, vp", "cache[row, column of vp[k]] = vv[k], 32 bits", unit=Unit.SPARSE, latency="move"
)
def stcr(m: State, n: int, v: int, p: int) -> None:
    """Store entries by rows."""
    s = m.section
    for k in range(n):
        position = int(m.v[p * s + k])
        m.row[k] = (position >> 16) & (s - 1)
        m.cache[m.row[k] * s + (position & (s - 1))] = (m.v[v * s + k] & 0xFFFFFFFF) | THERE


@transposition.instruction(
    "ldcc", 0xE1, "vv=, vp=, xq+, xc+", TAKEN, unit=Unit.SPARSE, latency="move", **OF_BLOCKS
)
def ldcc(m: State, n: int, v: int, p: int, q: int, c: int) -> None:
    """Load entries by columns, with row and column changed."""
    s, place = m.section, int(m.x[q])
    for k in range(n):
        while 0 <= place < s * s and m.cache[(place % s) * s + place // s] & THERE == 0:
            place += 1
        m.row[k], there = place // s % s, place % s
        m.v[p * s + k] = there | (m.row[k] << 16)
        m.v[v * s + k] = m.cache[there * s + m.row[k]] & 0xFFFFFFFF
        m.cache[there * s + m.row[k]] = 0
    put_x(m, q, place)
    put_x(m, c, m.x[c] - n)
    m.special[0] = n


@transposition.instruction(
    "stb.w", 0xE2, "vv, vp, (xa+), xc+, u4", STORED, unit=Unit.MEMORY, access=POSITIONS, **OF_BLOCKS
)
def stb_w(m: State, n: int, v: int, p: int, a: int, c: int, position_bytes: int) -> None:
    """Store a section of a block array, as ``ldb`` reads it."""
    s, first, record = m.section, int(m.address[0]), 4 + 2 * position_bytes
    for k in range(n):
        position = int(m.v[p * s + k])
        store32(m, first + k * record, m.v[v * s + k])
        for j in range(position_bytes):
            m.memory[first + k * record + 4 + j] = (position >> (8 * j)) & 0xFF
            m.memory[first + k * record + 4 + position_bytes + j] = (position >> (16 + 8 * j)) & 0xFF
    put_x(m, a, m.x[a] + n * record)
    put_x(m, c, m.x[c] - n)
    m.special[0] = n
