"""The vector cache and the sparse instructions, on states small enough to check by hand."""

import struct

import numpy as np
import pytest
from isa_machine import (
    NAN_D_BITS,
    NAN_S_BITS,
    S,
    execute,
    get_d,
    get_s,
    machine,
    set_d,
    set_s,
)

from isa.semantics.sparse import END_OF_ROW, ZERO_ROW
from isa.state import new_state


def test_vector_cache_loads_and_stores():
    m = machine(struct.pack("<6i", 1, 2, 3, 4, 5, -6))
    m.x[5] = 3
    execute(m, "ldc.w", 5, 6, 7, n=6)
    assert m.cache.tolist() == [0, 0, 0, 1, 2, 3, 4, 5, 2**32 - 6] + [0] * 7
    m.address[0] = 100
    execute(m, "stc.w", 5, 6, 7, n=6)
    assert m.memory[100:124].tobytes() == m.memory[:24].tobytes()
    m.cache[3:5] = [-1, -2]
    execute(m, "stc.d", 5, 6, 7, n=2)
    m.x[5] = 0
    execute(m, "ldc.d", 5, 6, 7, n=2)
    assert m.cache[:2].tolist() == [-1, -2]


@pytest.mark.parametrize(("suffix", "code", "size"), [("w", "f", 4), ("d", "d", 8)])
@pytest.mark.parametrize(("position_code", "position_bytes"), [("B", 1), ("H", 2)])
def test_ldb_reads_interleaved_entries(suffix, code, size, position_code, position_bytes):
    entries = [(1.5, 3, 0), (-2, 0, 1), (4, 2, 3)]
    layout = f"<{code}2{position_code}"
    m = machine(bytes(8) + b"".join(struct.pack(layout, *entry) for entry in entries))
    m.address[0] = m.x[5] = 8
    m.x[6] = 7
    execute(m, f"ldb.{suffix}", 1, 2, 5, 6, position_bytes, n=3)
    values = get_s(m, 1) if size == 4 else get_d(m, 1)
    assert values[:3] == [1.5, -2, 4]
    assert m.v[2 * S : 2 * S + 3].tolist() == [3, 1 << 16, 2 | 3 << 16]
    assert m.x[5] == 8 + 3 * (size + 2 * position_bytes)
    assert m.x[6] == 4
    assert m.special[0] == 3


@pytest.mark.parametrize(("kind", "setter", "getter"), [("s", set_s, get_s), ("d", set_d, get_d)])
def test_bmipa_adds_products_in_entry_order(kind, setter, getter):
    m = machine()
    setter(m, 1, 10, 20, 30, 40)  # y
    setter(m, 2, 1, 2, 3, 4)  # x
    setter(m, 3, 0.5, 1, -1, 2)  # values
    m.v[4 * S : 5 * S] = [3 | 0 << 16, 0 | 2 << 16, 1 | 2 << 16, 2 | 0 << 16]
    execute(m, f"bmipa.{kind}", 1, 2, 3, 4)
    assert getter(m, 1) == [10 + 0.5 * 4 + 2 * 3, 20, 30 + 1 * 1 - 1 * 2, 40]
    assert m.row.tolist() == [0, 2, 2, 0]


@pytest.mark.parametrize(("kind", "setter", "step"), [("s", set_s, 2), ("d", set_d, 1)])
def test_bmipac_adds_to_a_slice_of_the_vector_cache(kind, setter, step):
    m = machine()
    setter(m, 2, 1, 2, 3, 4)
    setter(m, 3, 0.5, 1, -1, 2)
    m.v[4 * S : 5 * S] = [3 | 0 << 16, 0 | 2 << 16, 1 | 2 << 16, 2 | 0 << 16]
    m.x[5] = 2
    slice_2 = (m.cs if kind == "s" else m.cd)[2 * S * step : 3 * S * step : step]
    slice_2[:] = [10, 20, 30, 40]
    execute(m, f"bmipac.{kind}", 5, 2, 3, 4)
    assert slice_2.tolist() == [18, 20, 29, 40]
    assert np.count_nonzero(m.cache) == 4
    setter(m, 3, float("nan"), 0, 0, 0)
    execute(m, f"bmipac.{kind}", 5, 2, 3, 4, n=1)
    assert m.cache[2 * S] == (NAN_S_BITS if kind == "s" else NAN_D_BITS)


def test_positions_are_taken_modulo_the_section():
    m = machine()
    set_s(m, 2, 1, 2, 3, 4)
    set_s(m, 3, 1, 0, 0, 0)
    m.v[4 * S] = (S + 1) | (S + 2) << 16
    execute(m, "bmipa.s", 1, 2, 3, 4, n=1)
    assert get_s(m, 1) == [0, 0, 2, 0]


def bbcs(code: str, s: int, *entries: tuple[float, int, bool]) -> bytes:
    """Entries (value, column, end of row); a negative column is a zero-row entry that counts value rows."""
    content = b""
    for value, column, end in entries:
        zero = column < 0
        number = (
            struct.pack("<i", value).ljust(struct.calcsize(code), b"\0")
            if zero
            else struct.pack(f"<{code}", value)
        )
        descriptor = max(column, 0) | end * s | zero * 2 * s
        content += number + descriptor.to_bytes(1 if s <= 64 else 2, "little")
    return content


ENTRIES = [(1.5, 3, False), (2.5, 0, True), (3, -1, False), (4.5, 1, True)]


@pytest.mark.parametrize(("suffix", "code"), [("w", "f"), ("d", "d")])
def test_lds_reads_values_descriptors_and_rows(suffix, code):
    m = machine(bbcs(code, S, *ENTRIES))
    m.special[:] = [0, 6, 10, 0]  # vl, blocklen, rowptr, rowcount
    execute(m, f"lds.{suffix}", 1, 2, 3, 5)
    values = get_s(m, 1) if code == "f" else get_d(m, 1)
    assert [values[k] for k in (0, 1, 3)] == [1.5, 2.5, 4.5]
    assert m.v[2 * S : 3 * S].tolist() == [3, END_OF_ROW, ZERO_ROW, 1 | END_OF_ROW]
    assert m.v[3 * S : 3 * S + 2].tolist() == [10, 14]
    assert m.special.tolist() == [4, 2, 15, 2]
    assert m.x[5] == 4 * (struct.calcsize(code) + 1)


def test_lds_has_wider_descriptors_in_wide_sections():
    m = new_state(128, 4, np.zeros(1024, np.uint8))
    content = bbcs("f", 128, (2.0, 127, True), (1.0, 5, False))
    m.memory[: len(content)] = list(content)
    m.special[1] = 2
    execute(m, "lds.w", 1, 2, 3, 5, n=2)
    assert m.v[256:258].tolist() == [127 | END_OF_ROW, 5]
    assert m.v[384:386].tolist() == [0, 1]
    assert m.x[5] == 12
    assert m.special.tolist() == [2, 0, 1, 2]


def test_a_row_goes_on_in_the_next_section():
    m = machine(bbcs("f", S, (1.0, 0, False), (2.0, 1, False)))
    m.special[:] = [0, 4, 5, 0]
    execute(m, "lds.w", 1, 2, 3, 5, n=2)
    assert m.special.tolist() == [2, 2, 5, 1]
    assert m.v[3 * S] == 5


@pytest.mark.parametrize(("kind", "setter", "getter"), [("s", set_s, get_s), ("d", set_d, get_d)])
def test_mipa_counts_rows_by_their_ends(kind, setter, getter):
    m = machine()
    setter(m, 1, 10, 20, 30, 40)
    setter(m, 2, 1, 2, 3, 4)
    setter(m, 3, 1.5, 2.5, 3, 4.5)
    m.v[4 * S : 5 * S] = [3, END_OF_ROW, ZERO_ROW, 1 | END_OF_ROW]
    execute(m, f"mipa.{kind}", 1, 2, 3, 4)
    assert getter(m, 1) == [10 + 6 + 2.5, 20 + 9, 30, 40]
    assert m.row.tolist() == [0, 0, -1, 1]
