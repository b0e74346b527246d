"""The sparse extensions: LDB and BMIPA for HiSM, LDS and MIPA for BBCS.

HiSM paper (IPDPS 2003), sections 2 and 3.1.1: LDB reads a section of a block array, values or pointers
into one vector register and positions into another, column in the low and row in the high 16 bits;
BMIPA multiplies it with a dense vector of s elements and adds to a dense vector of s elements. LDS and
MIPA are our reading of the abstract of Euro-Par 1999, reference [12] of that paper; the paper itself was not
available. A BBCS descriptor holds the column, an end-of-row flag and a zero-row flag; the value of a
zero-row entry counts the empty rows that follow.

Positions are taken modulo s, so a corrupt image gives a wrong product and never a wild access.
"""

from __future__ import annotations

from typing import Any

from isa.semantics.numbers import (
    NAN_D,
    NAN_S,
    Reader,
    Semantics,
    Writer,
    load16,
    load32,
    load64,
    put_vd,
    put_vs,
    put_x,
)
from isa.semantics.vector import get_vd, get_vs
from isa.state import State

END_OF_ROW = 1 << 16
ZERO_ROW = 1 << 17
"""Flags of an element of the position register of LDS, above the column in the low 16 bits."""


def descriptor_bytes(section: int) -> int:
    """Bytes of a BBCS descriptor: log2(s) + 2 bits, rounded up."""
    return 1 if section <= 64 else 2


def _advance(m: State, n: int, pointer: int, length: int, record_bytes: int) -> None:
    """Post-increment what an LDB reads through: the pointer, the length left, the vector length."""
    put_x(m, pointer, m.x[pointer] + n * record_bytes)
    put_x(m, length, m.x[length] - n)
    m.special[0] = n


def _load_positions(m: State, n: int, p: int, value_bytes: int, position_bytes: int) -> None:
    """Fill register p with column | row << 16 of n interleaved entries."""
    record = value_bytes + 2 * position_bytes
    first = int(m.address[0]) + value_bytes
    if position_bytes == 1:
        for k in range(n):
            a = first + k * record
            m.v[p * m.section + k] = int(m.memory[a]) | (int(m.memory[a + 1]) << 16)
    else:
        for k in range(n):
            m.v[p * m.section + k] = load32(m, first + k * record)


def ldb(load: Reader, value_bytes: int) -> Semantics:
    """Load min(xc, s) entries with values or pointers of this many bytes; advance xa, count xc down, set
    vl.
    """

    def execute(m: State, n: int, v: int, p: int, a: int, c: int, position_bytes: int) -> None:
        record = value_bytes + 2 * position_bytes
        first = int(m.address[0])
        for k in range(n):
            m.v[v * m.section + k] = load(m, first + k * record)
        _load_positions(m, n, p, value_bytes, position_bytes)
        _advance(m, n, a, c, record)

    return execute


def _sums_s(first: Reader, get: Reader, put: Writer) -> Semantics:
    """``y[row[k]] += vv[k] * vx[column[k]]``, float32, in entry order.

    Parameters
    ----------
    first
        Returns the first element of y, by the operand that names it.
    get, put
        Read and write an element of y.
    """

    def execute(m: State, n: int, y: int, x: int, v: int, p: int) -> None:
        s, base = m.section, first(m, y)
        for k in range(n):
            position = int(m.v[p * s + k])
            row = (position >> 16) & (s - 1)
            product = m.vs[2 * (v * s + k)] * m.vs[2 * (x * s + (position & (s - 1)))]
            # The sum of a row is kept as long as its entries follow each other.
            if k == 0:
                total = get(m, base + row) + product
            elif row == m.row[k - 1]:
                total = total + product
            else:
                put(m, base + m.row[k - 1], total)
                total = get(m, base + row) + product
            m.row[k] = row
        if n > 0:
            put(m, base + m.row[n - 1], total)

    return execute


def _sums_d(first: Reader, get: Reader, put: Writer) -> Semantics:
    """``y[row[k]] += vv[k] * vx[column[k]]``, float64; the parameters are those of `_sums_s`."""

    def execute(m: State, n: int, y: int, x: int, v: int, p: int) -> None:
        s, base = m.section, first(m, y)
        for k in range(n):
            position = int(m.v[p * s + k])
            row = (position >> 16) & (s - 1)
            m.row[k] = row
            product = m.vd[v * s + k] * m.vd[x * s + (position & (s - 1))]
            put(m, base + row, get(m, base + row) + product)

    return execute


def _load_descriptors(m: State, n: int, p: int, r: int, value_bytes: int) -> None:
    """Fill register p with column and flags, register r with the rows touched; move rowptr on."""
    s = m.section
    first = int(m.address[0])
    narrow = descriptor_bytes(s) == 1
    record = value_bytes + descriptor_bytes(s)
    to_flags = END_OF_ROW // s  # the two flags are above the column, END_OF_ROW first
    open_row = False
    row, rows = int(m.special[2]), 0
    for k in range(n):
        a = first + k * record
        descriptor = int(m.memory[a + value_bytes]) if narrow else load16(m, a + value_bytes)
        flags = (descriptor & (3 * s)) * to_flags
        m.v[p * s + k] = (descriptor & (s - 1)) | flags
        if flags & ZERO_ROW:
            row += load32(m, a)
        else:
            if not open_row:
                m.v[r * s + rows] = row & 0xFFFFFFFF
                rows += 1
            open_row = flags == 0
            row += flags >> 16
    m.special[2] = row
    m.special[3] = rows
    m.special[1] -= n
    m.special[0] = n


def lds(load: Reader, value_bytes: int) -> Semantics:
    """Load min(blocklen, s) entries with values of this many bytes, descriptors and the rows touched."""

    def execute(m: State, n: int, v: int, p: int, r: int, a: int) -> None:
        s = m.section
        record = value_bytes + descriptor_bytes(s)
        first = int(m.address[0])
        for k in range(n):
            m.v[v * s + k] = load(m, first + k * record)
        _load_descriptors(m, n, p, r, value_bytes)
        put_x(m, a, m.x[a] + n * record)

    return execute


def mipa_s(m: State, n: int, y: int, x: int, v: int, p: int) -> None:
    """``vy[row] += vv[k] * vx[column[k]]``, float32; the row counts the ends of row before entry k."""
    s = m.section
    row = 0
    total = m.vs[2 * y * s]
    complete = True
    for k in range(n):
        position = int(m.v[p * s + k])
        if position & ZERO_ROW:
            m.row[k] = -1
        else:
            m.row[k] = row
            total = total + m.vs[2 * (v * s + k)] * m.vs[2 * (x * s + (position & (s - 1)))]
            complete = position & END_OF_ROW != 0
            if complete:
                put_vs(m, y * s + row, total)
                row += 1
                total = m.vs[2 * (y * s + (row & (s - 1)))]
    if not complete:
        put_vs(m, y * s + row, total)


def mipa_d(m: State, n: int, y: int, x: int, v: int, p: int) -> None:
    """``vy[row] += vv[k] * vx[column[k]]``, float64; the row counts the ends of row before entry k."""
    s = m.section
    row = 0
    for k in range(n):
        position = int(m.v[p * s + k])
        if position & ZERO_ROW:
            m.row[k] = -1
        else:
            m.row[k] = row
            product = m.vd[v * s + k] * m.vd[x * s + (position & (s - 1))]
            put_vd(m, y * s + row, m.vd[y * s + row] + product)
            row += (position >> 16) & 1


def _put_cs(m: State, element: int, value: Any) -> None:
    """Write container ``element`` of the vector cache with a float32."""
    m.cache[element] = 0
    m.cs[2 * element] = value if value == value else NAN_S


def _put_cd(m: State, element: int, value: Any) -> None:
    """Write container ``element`` of the vector cache with a float64."""
    m.cd[element] = value if value == value else NAN_D


def _get_cs(m: State, element: int) -> Any:
    return m.cs[2 * element]


def _get_cd(m: State, element: int) -> Any:
    return m.cd[element]


def _in_register(m: State, y: int) -> Any:
    return y * m.section


def _in_cache(m: State, i: int) -> Any:
    return m.x[i] * m.section


ldb_w, ldb_d = ldb(load32, 4), ldb(load64, 8)
lds_w, lds_d = lds(load32, 4), lds(load64, 8)
bmipa_s, bmipa_d = _sums_s(_in_register, get_vs, put_vs), _sums_d(_in_register, get_vd, put_vd)
bmipac_s, bmipac_d = _sums_s(_in_cache, _get_cs, _put_cs), _sums_d(_in_cache, _get_cd, _put_cd)
