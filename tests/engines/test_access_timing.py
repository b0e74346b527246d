"""The rules of docs/timing.md for accesses, each with a micro-program worked out by hand.

Expected numbers are relative to the cycle in which the instruction was dispatched, so that the lines in
front of it do not matter.
"""

import pytest
from engine_runs import EVERY_ENGINE, trace

pytestmark = pytest.mark.parametrize("engine", EVERY_ENGINE)


def after_dispatch(row, what="last"):
    return row[what] - row["dispatch"]


def test_contiguous_load_of_64_words_takes_36_cycles(engine):
    assert after_dispatch(trace("a: lv.w v1, 1024(x0)", engine=engine).a) == 36


def test_unaligned_load_takes_37(engine):
    row = trace("a: lv.w v1, 1028(x0)", engine=engine).a
    assert after_dispatch(row) == 37
    assert row["wait_alignment"] == 1


def test_an_unaligned_access_of_one_element_pays_too(engine):
    row = trace("li x1, 1\nsetvl x1\na: lv.w v1, 1028(x0)", engine=engine).a
    assert after_dispatch(row) == 20 + 1 + 1


def test_indexed_load_of_64_words_takes_84(engine):
    t = trace("li x1, 1\nli x2, 1024\ncvi v2, x1\na: lvi.w v1, (x2), v2", engine=engine)
    assert after_dispatch(t.a) == 84


def test_strided_load_goes_at_the_rate_of_addresses(engine):
    t = trace("li x1, 4\nli x2, 1024\na: lvws.w v1, (x2), x1", engine=engine)
    assert after_dispatch(t.a) == 84


def test_a_gather_from_one_bank_takes_bank_busy_cycles_a_word(engine):
    text = "li x1, 16\nli x2, 1024\ncvi v2, x1\na: lvi.w v1, (x2), v2"
    row = trace(text, "bank_busy=4", engine=engine).a
    assert after_dispatch(row) == 20 + 63 * 4 + 1
    assert row["wait_bank_conflict"] == 63 * 3
    # Of 32 banks a stride of 16 words uses two: words 0 and 1 in cycles 0 and 1, words 2 and 3 in 8 and 9.
    assert after_dispatch(trace(text, "bank_busy=8", "banks=32", engine=engine).a) == 20 + 31 * 8 + 1 + 1


def test_equal_addresses_are_not_merged(engine):
    t = trace("li x2, 1024\nmovvx v2, x0\na: lvi.w v1, (x2), v2", engine=engine)
    assert after_dispatch(t.a) == 20 + 63 * 4 + 1


def test_banks_that_are_never_busy_hold_up_nothing(engine):
    # Equal addresses, four in a cycle; and two words a bank and cycle of a contiguous stream.
    gather = trace(
        "li x2, 1024\nmovvx v2, x0\na: lvi.w v1, (x2), v2",
        "bank_busy=0",
        "addresses_per_cycle=4",
        engine=engine,
    ).a
    assert (after_dispatch(gather), gather["wait_bank_conflict"]) == (20 + 15 + 1, 0)
    load = trace("a: lv.w v1, 1024(x0)", "bank_busy=0", "banks=2", engine=engine).a
    assert (after_dispatch(load), load["wait_bank_conflict"]) == (36, 0)


def test_too_few_banks_slow_a_contiguous_stream(engine):
    # 16 banks busy for 8 cycles: 16 words every 8 cycles, 64 words in 4 rounds; the last takes 4 cycles.
    row = trace("a: lv.w v1, 1024(x0)", "banks=16", "bank_busy=8", engine=engine).a
    assert after_dispatch(row) == 20 + 3 * 8 + 4 == 48


def test_alignment_bytes(engine):
    assert after_dispatch(trace("a: lv.w v1, 1040(x0)", "alignment_bytes=64", engine=engine).a) == 37
    assert after_dispatch(trace("a: lv.w v1, 1028(x0)", "alignment_bytes=4", engine=engine).a) == 36


def test_64_bit_elements_are_two_words(engine):
    assert after_dispatch(trace("a: lv.d v1, 1024(x0)", engine=engine).a) == 20 + 32
    t = trace("li x1, 1\nli x2, 1024\ncvi v2, x1\na: lvi.d v1, (x2), v2", engine=engine)
    assert after_dispatch(t.a) == 20 + 128


def test_ldb_moves_whole_records(engine):
    # 64 entries of 6 bytes are 96 words in 24 cycles; entry 0 ends in word 1, which goes in the first.
    t = trace("li x1, 1024\nli x2, 64\na: ldb.w v1, v2, (x1), x2, 1", engine=engine)
    assert after_dispatch(t.a) == 20 + 24
    assert after_dispatch(t.a, "first") == 21
    # Pointers with two bytes a position: 8 bytes, 128 words.
    t = trace("li x1, 1024\nli x2, 64\na: ldb.w v1, v2, (x1), x2, 2", engine=engine)
    assert after_dispatch(t.a) == 20 + 32


def test_lds_moves_five_bytes_an_entry(engine):
    t = trace("li x1, 1024\nli x2, 64\nmts blocklen, x2\na: lds.w v1, v2, v3, (x1)", engine=engine)
    assert after_dispatch(t.a) == 20 + 20


@pytest.mark.parametrize(("flight", "second"), [(1, 36 + 36), (2, 36 + 16), (3, 36 + 16)])
def test_accesses_in_flight_overlap_startups(engine, flight, second):
    text = "a: lv.w v1, 1024(x0)\nb: lv.w v2, 2048(x0)"
    t = trace(text, f"accesses_in_flight={flight}", engine=engine)
    assert t.b["last"] - t.a["dispatch"] == second


def test_a_third_access_waits_for_the_end_of_the_first(engine):
    text = "lv.w v1, 1024(x0)\nlv.w v2, 2048(x0)\nc: lv.w v3, 3072(x0)"
    t = trace(text, "accesses_in_flight=2", engine=engine)
    # Dispatched at 36, transfers from 56 on: 16 cycles.
    assert t.c["dispatch"] - t.c["issue"] == 36
    assert t.c["last"] - t.c["issue"] == 72
    assert t.c["wait_port"] == 36


def test_a_store_waits_for_its_data_but_its_startup_does_not(engine):
    text = "a: addvv.s v1, v2, v3\nb: sv.w v1, 1024(x0)"
    t = trace(text, "latency.add=100", "lanes=4", engine=engine)
    # Element k is ready 100 + k/4 after dispatch of the add; both are dispatched in the same cycle.
    assert t.b["start"] - t.a["dispatch"] == 100
    assert t.b["last"] - t.a["dispatch"] == 100 + 16
    assert (t.b["wait_startup"], t.b["wait_vector_raw"]) == (20, 80)


def test_two_ports_transfer_at_once_and_the_older_goes_first(engine):
    text = "a: lv.w v1, 1024(x0)\nb: lv.w v2, 2048(x0)"
    t = trace(text, "memory_ports=2", "banks=64", engine=engine)
    assert (t.a["port"], t.b["port"]) == (0, 1)
    # Both begin at bank 0: b follows a four cycles later at every bank.
    assert after_dispatch(t.a) == 36
    assert after_dispatch(t.b) == 40
    assert t.b["wait_bank_conflict"] == 4


def test_age_and_not_the_port_decides_at_the_banks(engine):
    text = """
    li x1, 8
    a: lv.w v1, 1024(x0)
    setvl x1
    b: lv.w v2, 2240(x0)
    setvl x31
    li x2, 4096
    li x3, 8400
    c: lv.w v3, (x2)
    d: lv.w v4, (x3)
    """
    t = trace(text, "memory_ports=2", "accesses_in_flight=1", "banks=64", engine=engine)
    assert [t.row(label)["port"] for label in "abcd"] == [0, 1, 1, 0]
    dispatched = t.a["dispatch"]
    # b is dispatched in cycle 1 and ends at 23, so c transfers from 43 on; d, after a, could from 56 on. In
    # cycle 56 c takes its words 52 to 55 from the banks that d begins with, which are free again at 60.
    assert t.c["last"] - dispatched == 43 + 16
    assert t.d["start"] - dispatched == 60
    assert t.d["wait_bank_conflict"] == 4


def test_an_access_takes_the_port_that_was_free_first(engine):
    text = """
    li x1, 16
    a: lv.w v1, 1024(x0)
    setvl x1
    b: lv.w v2, 2112(x0)
    c: lv.w v3, 3072(x0)
    """
    t = trace(text, "memory_ports=2", "accesses_in_flight=1", "banks=64", engine=engine)
    assert (t.a["port"], t.b["port"], t.c["port"]) == (0, 1, 1)


def test_a_prime_number_of_banks_has_no_bad_stride(engine):
    text = "li x1, 64\nli x2, 1024\na: lvws.w v1, (x2), x1"
    assert after_dispatch(trace(text, "banks=16", engine=engine).a) == 20 + 63 * 4 + 1
    assert after_dispatch(trace(text, "banks=17", engine=engine).a) == 84
