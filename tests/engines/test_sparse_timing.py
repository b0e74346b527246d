"""The rules of docs/timing.md for the sparse unit and the vector cache, worked out by hand.

Expected numbers are relative to the cycle in which the instruction was dispatched, so that the lines in
front of it do not matter.
"""

import numpy as np
import pytest
from engine_runs import EVERY_ENGINE, trace
from hypothesis import given
from hypothesis import strategies as st
from tiers import examples

pytestmark = pytest.mark.parametrize("engine", EVERY_ENGINE)


def after_dispatch(row, what="last"):
    return row[what] - row["dispatch"]


BLOCK = 4096
"""Where the tests put a block array of 64 entries of 6 bytes."""


def block_memory(rows):
    memory = np.zeros(1 << 16, np.uint8)
    for k, row in enumerate(rows):
        memory[BLOCK + 6 * k + 5] = row
    return memory


def bmipa(rows, *changes, engine, more=""):
    text = f"li x1, {BLOCK}\nli x2, 64\na: ldb.w v1, v2, (x1), x2, 1\nmts rowptr, x0\nextx x3, v1, x31\n"
    text += f"b: bmipa.s v3, v4, v1, v2\n{more}"
    # extx waits for element 0 only; x4 waits for the last entry, so that bmipa finds all of it.
    text = text.replace("extx x3, v1, x31", "li x4, 63\nextx x3, v2, x4")
    return trace(text, *changes, engine=engine, memory=block_memory(rows))


def test_bmipa_takes_p_entries_a_cycle(engine):
    row = bmipa(range(64), engine=engine).b
    assert after_dispatch(row) == 15 + 10
    assert after_dispatch(bmipa(range(64), "sparse_unit.p=1", engine=engine).b) == 63 + 10
    wide = bmipa(range(64), "sparse_unit.p=8", "sparse_unit.r=8", engine=engine).b
    assert after_dispatch(wide) == 7 + 10


def test_bmipa_reaches_r_rows_a_cycle(engine):
    assert after_dispatch(bmipa(range(64), "sparse_unit.r=2", engine=engine).b) == 31 + 10
    # Rows 0 0 1 1 2 2 ...: with r = 1 two entries a cycle.
    pairs = [k // 2 for k in range(64)]
    assert after_dispatch(bmipa(pairs, "sparse_unit.r=1", engine=engine).b) == 31 + 10
    # One row: p decides, and its repetition in the next cycle does not stall.
    assert after_dispatch(bmipa([5] * 64, "sparse_unit.r=1", engine=engine).b) == 15 + 10


def in_cycles(rows, p, r):
    """Lists of the entries that pass in each cycle if all have arrived."""
    cycles = [[]]
    for row in rows:
        if len(cycles[-1]) == p or len({*cycles[-1], row}) > r:
            cycles.append([])
        cycles[-1].append(row)
    return cycles


@examples(30)
@given(st.lists(st.integers(0, 9), min_size=64, max_size=64), st.integers(1, 12), st.integers(1, 6))
def test_bmipa_takes_as_many_entries_as_their_rows_allow(engine, rows, p, r):
    for given_rows in (rows, sorted(rows)):
        t = bmipa(given_rows, f"sparse_unit.p={p}", f"sparse_unit.r={r}", engine=engine)
        cycles = len(in_cycles(given_rows, p, r))
        assert after_dispatch(t.b) == cycles - 1 + 10
        assert t.run.busy["sparse"] == cycles


def test_bmipa_chains_to_ldb_and_never_waits_to_fill_up(engine):
    text = f"li x1, {BLOCK}\nli x2, 64\na: ldb.w v1, v2, (x1), x2, 1\nb: bmipa.s v3, v4, v1, v2"
    t = trace(text, engine=engine, memory=block_memory(range(64)))
    assert t.b["start"] - t.a["dispatch"] == 21
    assert t.b["last"] - t.a["dispatch"] == 44 + 10


def test_the_next_bmipa_on_the_same_result_does_not_wait(engine):
    t = bmipa(range(64), engine=engine, more="c: bmipa.s v3, v4, v1, v2\nd: bmipa.s v5, v3, v1, v2")
    assert t.c["start"] == t.b["start"] + 16
    # But as multiplicand the result must be complete.
    assert t.d["start"] == t.c["last"]


def test_the_multiplicand_must_be_complete(engine):
    t = bmipa(range(64), engine=engine, more="lv.w v6, 1024(x0)\nc: bmipa.s v3, v6, v1, v2\nd: nop")
    text_row = t.row("c")
    assert text_row["start"] - text_row["issue"] == 36


def test_what_is_added_to_must_be_complete(engine):
    t = trace("a: lv.w v3, 1024(x0)\nb: bmipa.s v3, v4, v1, v2", engine=engine)
    assert t.b["start"] == t.a["last"]
    assert t.b["wait_vector_raw"] == 36


def test_an_entry_for_empty_rows_takes_a_place_but_no_row(engine):
    memory = np.zeros(1 << 16, np.uint8)
    descriptors = [128, 64] * 32  # zero row, end of row
    for k, descriptor in enumerate(descriptors):
        memory[BLOCK + 5 * k + 4] = descriptor
    text = f"li x1, {BLOCK}\nli x2, 64\nmts blocklen, x2\nlds.w v1, v2, v5, (x1)\nmfs x3, rowcount\n"
    t = trace(f"{text}b: mipa.s v3, v4, v1, v2", "sparse_unit.r=1", engine=engine, memory=memory)
    # zero row, row 0 | zero row, row 1 | ...: two entries a cycle.
    assert after_dispatch(t.b) == 31 + 10
    assert t.run.state.x[3] == 32


def test_the_row_count_of_lds_is_known_with_its_last_entry(engine):
    text = "li x1, 1024\nli x2, 64\nmts blocklen, x2\na: lds.w v1, v2, v3, (x1)\nb: mfs x3, rowcount\n"
    t = trace(text, engine=engine)
    assert t.b["issue"] == t.a["last"]


def test_the_cache_is_one_stream(engine):
    text = "li x1, 0\nli x2, 8192\nli x3, 4096\na: ldc.w x1, (x2), x3"
    assert after_dispatch(trace(text, engine=engine).a) == 20 + 1024


def test_bmipa_on_a_slice_waits_for_that_slice(engine):
    text = """
    li x1, 0
    li x2, 8192
    li x3, 4096
    li x4, 2
    a: ldc.w x1, (x2), x3
    b: bmipac.s x4, v4, v1, v2
    c: stc.w x1, (x2), x3
    """
    t = trace(text, engine=engine)
    # Slice 2 is elements 128 to 191: complete 48 cycles into the transfer.
    assert t.b["start"] - t.a["dispatch"] == 20 + 48
    t = trace(text, "chaining=false", engine=engine)
    assert t.b["start"] == t.a["last"]


def test_a_store_of_the_cache_waits_for_the_sums_of_a_slice(engine):
    text = "li x1, 0\nli x2, 8192\nli x3, 64\na: bmipac.s x1, v4, v1, v2\nb: stc.w x1, (x2), x3"
    t = trace(text, "sparse_unit.latency=50", engine=engine)
    assert t.b["start"] == t.a["last"]
    assert t.b["wait_vector_raw"] > 0


SLICE = "li x1, 0\nli x2, 8192\nli x3, 64\nli x4, 16384\n"


def test_bmipa_waits_for_an_older_store_of_its_slice(engine):
    t = trace(f"{SLICE}a: stc.w x1, (x2), x3\nb: bmipac.s x1, v4, v1, v2", engine=engine)
    assert t.b["start"] - t.a["dispatch"] == 36
    assert t.b["wait_vector_war_waw"] == 36


def test_a_load_of_the_cache_waits_for_older_readers_and_writers_of_the_slice(engine):
    text = f"{SLICE}a: bmipac.s x1, v4, v1, v2\nb: ldc.w x1, (x2), x3"
    t = trace(text, "sparse_unit.latency=50", engine=engine)
    assert t.b["start"] == t.a["last"]
    assert t.b["wait_vector_war_waw"] == 15 + 50 - 20
    ports = ("memory_ports=2", "banks=64", "issue_width=64")
    t = trace(f"{SLICE}a: stc.w x1, (x2), x3\nb: ldc.w x1, (x4), x3", *ports, engine=engine)
    assert t.b["start"] == t.a["last"]
    assert t.b["wait_vector_war_waw"] == 16


def test_the_next_lds_does_not_wait_for_the_rows_of_the_one_before(engine):
    text = "li x1, 1024\nli x2, 128\nmts blocklen, x2\na: lds.w v1, v2, v3, (x1)\nb: lds.w v4, v5, v6, (x1)"
    t = trace(text, engine=engine)
    # It waits a cycle for the pointer and blocklen alone, and transfers after the first.
    assert t.b["issue"] == t.a["issue"] + 1
    assert t.b["last"] == t.a["last"] + 20
