"""Each rule of docs/timing.md with a micro-program whose cycles are worked out by hand.

Expected numbers are relative to the cycle in which the instruction was accepted, so that the lines in
front of it do not matter.
"""

import numpy as np
import pytest
from engine_runs import EVERY_ENGINE, trace

pytestmark = pytest.mark.parametrize("engine", EVERY_ENGINE)


def after_accept(row, what="last"):
    return row[what] - row["accept"]


# Accesses


def test_contiguous_load_of_64_words_takes_36_cycles(engine):
    assert after_accept(trace("a: lv.w v1, 1024(x0)", engine=engine).a) == 36


def test_unaligned_load_takes_37(engine):
    row = trace("a: lv.w v1, 1028(x0)", engine=engine).a
    assert after_accept(row) == 37
    assert row["wait_alignment"] == 1


def test_an_unaligned_access_of_one_element_pays_too(engine):
    row = trace("li x1, 1\nsetvl x1\na: lv.w v1, 1028(x0)", engine=engine).a
    assert after_accept(row) == 20 + 1 + 1


def test_indexed_load_of_64_words_takes_84(engine):
    t = trace("li x1, 1\nli x2, 1024\ncvi v2, x1\na: lvi.w v1, (x2), v2", engine=engine)
    assert after_accept(t.a) == 84


def test_strided_load_goes_at_the_rate_of_addresses(engine):
    t = trace("li x1, 4\nli x2, 1024\na: lvws.w v1, (x2), x1", engine=engine)
    assert after_accept(t.a) == 84


def test_a_gather_from_one_bank_takes_bank_busy_cycles_a_word(engine):
    text = "li x1, 16\nli x2, 1024\ncvi v2, x1\na: lvi.w v1, (x2), v2"
    row = trace(text, "bank_busy=4", engine=engine).a
    assert after_accept(row) == 20 + 63 * 4 + 1
    assert row["wait_bank_conflict"] == 63 * 3
    # Of 32 banks a stride of 16 words uses two: words 0 and 1 in cycles 0 and 1, words 2 and 3 in 8 and 9.
    assert after_accept(trace(text, "bank_busy=8", "banks=32", engine=engine).a) == 20 + 31 * 8 + 1 + 1


def test_equal_addresses_are_not_merged(engine):
    t = trace("li x2, 1024\nmovvx v2, x0\na: lvi.w v1, (x2), v2", engine=engine)
    assert after_accept(t.a) == 20 + 63 * 4 + 1


def test_too_few_banks_slow_a_contiguous_stream(engine):
    # 16 banks busy for 8 cycles: 16 words every 8 cycles, 64 words in 4 rounds; the last takes 4 cycles.
    row = trace("a: lv.w v1, 1024(x0)", "banks=16", "bank_busy=8", engine=engine).a
    assert after_accept(row) == 20 + 3 * 8 + 4 == 48


def test_alignment_bytes(engine):
    assert after_accept(trace("a: lv.w v1, 1040(x0)", "alignment_bytes=64", engine=engine).a) == 37
    assert after_accept(trace("a: lv.w v1, 1028(x0)", "alignment_bytes=4", engine=engine).a) == 36


def test_64_bit_elements_are_two_words(engine):
    assert after_accept(trace("a: lv.d v1, 1024(x0)", engine=engine).a) == 20 + 32
    t = trace("li x1, 1\nli x2, 1024\ncvi v2, x1\na: lvi.d v1, (x2), v2", engine=engine)
    assert after_accept(t.a) == 20 + 128


def test_ldb_moves_whole_records(engine):
    # 64 entries of 6 bytes are 96 words in 24 cycles; entry 0 ends in word 1, which goes in the first.
    t = trace("li x1, 1024\nli x2, 64\na: ldb.w v1, v2, (x1), x2, 1", engine=engine)
    assert after_accept(t.a) == 20 + 24
    assert after_accept(t.a, "first") == 21
    # Pointers with two bytes a position: 8 bytes, 128 words.
    t = trace("li x1, 1024\nli x2, 64\na: ldb.w v1, v2, (x1), x2, 2", engine=engine)
    assert after_accept(t.a) == 20 + 32


def test_lds_moves_five_bytes_an_entry(engine):
    t = trace("li x1, 1024\nli x2, 64\nmts blocklen, x2\na: lds.w v1, v2, v3, (x1)", engine=engine)
    assert after_accept(t.a) == 20 + 20


@pytest.mark.parametrize(("flight", "second"), [(1, 36 + 36), (2, 36 + 16), (3, 36 + 16)])
def test_accesses_in_flight_overlap_startups(engine, flight, second):
    text = "a: lv.w v1, 1024(x0)\nb: lv.w v2, 2048(x0)"
    t = trace(text, f"accesses_in_flight={flight}", engine=engine)
    assert t.b["last"] - t.a["accept"] == second


def test_a_third_access_waits_for_the_end_of_the_first(engine):
    text = "lv.w v1, 1024(x0)\nlv.w v2, 2048(x0)\nc: lv.w v3, 3072(x0)"
    t = trace(text, "accesses_in_flight=2", engine=engine)
    # Accepted at 36, transfers from 56 on: 16 cycles.
    assert t.c["accept"] - t.c["issue"] == 36
    assert t.c["last"] - t.c["issue"] == 72
    assert t.c["wait_port"] == 36


def test_a_store_waits_for_its_data_but_its_startup_does_not(engine):
    text = "a: addvv.s v1, v2, v3\nb: sv.w v1, 1024(x0)"
    t = trace(text, "latency.add=100", "lanes=4", engine=engine)
    # Element k is usable 100 + k/4 after acceptance of the add; both units accept in the same cycle.
    assert t.b["start"] - t.a["accept"] == 100
    assert t.b["last"] - t.a["accept"] == 100 + 16
    assert (t.b["wait_startup"], t.b["wait_vector_operand"]) == (20, 80)


def test_two_ports_transfer_at_once_and_the_older_goes_first(engine):
    text = "a: lv.w v1, 1024(x0)\nb: lv.w v2, 2048(x0)"
    t = trace(text, "memory_ports=2", "banks=64", engine=engine)
    assert (t.a["port"], t.b["port"]) == (0, 1)
    # Both begin at bank 0: b follows a four cycles later at every bank.
    assert after_accept(t.a) == 36
    assert after_accept(t.b) == 40
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
    accept = t.a["accept"]
    # b is accepted in cycle 1 and ends at 23, so c transfers from 43 on; d, behind a, could from 56 on. In
    # cycle 56 c takes its words 52 to 55 from the banks that d begins with, which are free again at 60.
    assert t.c["last"] - accept == 43 + 16
    assert t.d["start"] - accept == 60
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


# Chaining, hazards, arithmetic


def test_arithmetic_starts_lanes_elements_a_cycle(engine):
    assert after_accept(trace("a: addvv.s v1, v2, v3", engine=engine).a) == 8 + 15
    assert after_accept(trace("a: addvv.s v1, v2, v3", "lanes=1", engine=engine).a) == 8 + 63
    assert after_accept(trace("a: mulvv.s v1, v2, v3", "latency.multiply=5", engine=engine).a) == 5 + 15


def test_chaining_passes_elements_as_they_come(engine):
    text = "a: lv.w v1, 1024(x0)\nb: addvv.s v2, v1, v1"
    t = trace(text, engine=engine)
    assert t.b["start"] - t.a["accept"] == 21
    assert t.b["last"] - t.a["accept"] == 36 + 8
    t = trace(text, "chaining=false", engine=engine)
    assert t.b["start"] - t.a["accept"] == 36
    assert t.b["last"] - t.a["accept"] == 36 + 15 + 8


def test_a_slow_producer_sets_the_pace(engine):
    t = trace(
        "li x1, 1\nli x2, 1024\ncvi v2, x1\na: lvi.w v1, (x2), v2\nb: addvv.s v3, v1, v1", engine=engine
    )
    assert t.b["last"] - t.a["accept"] == 84 + 8


def test_an_element_is_overwritten_after_its_older_reader_took_it(engine):
    # The gather into v2 reads x with v2's old value as index: element k of the load follows it.
    text = "li x2, 1024\nmovvx v2, x0\ncvi v2, x0\na: addvv.s v3, v2, v2\nb: mulvv.s v2, v4, v4"
    t = trace(text, "lanes=1", "unit_queue=4", engine=engine)
    # The multiply unit is free at once; element 0 waits for the add to have taken it.
    assert t.b["start"] == t.a["start"] + 1
    assert t.b["wait_hazard"] > 0


def test_an_element_is_written_again_when_the_older_write_is_usable(engine):
    text = "a: addvv.s v1, v2, v3\nb: mulvv.s v1, v4, v4"
    t = trace(text, engine=engine)
    assert t.b["start"] == t.a["first"]
    t = trace(text, "chaining=false", engine=engine)
    assert t.b["start"] == t.a["last"]


def test_a_unit_takes_one_instruction_at_a_time(engine):
    text = "a: addvv.s v1, v2, v3\nb: subvv.s v4, v5, v6"
    t = trace(text, engine=engine)
    assert t.b["accept"] == t.a["accept"] + 16
    assert t.b["wait_unit"] == 16


@pytest.mark.parametrize(("n", "levels"), [(1, 0), (2, 1), (5, 3), (64, 6)])
def test_a_sum_takes_its_elements_then_the_levels_of_its_tree(engine, n, levels):
    text = f"li x1, {n}\nsetvl x1\na: sumv.s f1, v1\nb: fs.w f1, 64(x0)"
    t = trace(text, engine=engine)
    beats = (n + 3) // 4
    assert after_accept(t.a) == beats - 1 + 8 + levels
    assert t.b["issue"] == t.a["last"]


# Issue and the scalar side


def test_issue_width(engine):
    text = "a: li x1, 1\nb: li x2, 2\nc: li x3, 3\nd: li x4, 4"
    t = trace(f"nop\nnop\n{text}", "issue_width=2", engine=engine)
    # li, setvl and the first nop leave one place in cycle 1; then nop and a, b and c, d.
    assert [t.row(label)["issue"] - t.a["issue"] for label in "bcd"] == [1, 1, 2]
    t = trace(f"li x9, 1\nadd x9, x9, x9\n{text}", "issue_width=1", engine=engine)
    assert t.d["issue"] - t.a["issue"] == 3


def test_scalar_latencies(engine):
    text = "a: mul x1, x31, x31\nb: add x2, x1, x1\nc: lw x3, 64(x0)\nd: add x4, x3, x3"
    t = trace(text, "latency.integer_multiply=7", "scalar_load_latency=5", engine=engine)
    assert t.b["issue"] - t.a["issue"] == 7
    assert t.b["wait_scalar_operand"] == 7
    assert t.d["issue"] - t.c["issue"] == 5


def test_a_pending_destination_delays_its_next_writer(engine):
    t = trace("a: mul x1, x31, x31\nb: li x1, 1", "latency.integer_multiply=7", engine=engine)
    assert t.b["issue"] - t.a["issue"] == 7


@pytest.mark.parametrize("penalty", [0, 3])
def test_a_taken_branch_ends_the_group_and_costs_the_penalty(engine, penalty):
    t = trace("a: j there\nthere: nop", f"branch_penalty={penalty}", engine=engine)
    assert t.there["issue"] - t.a["issue"] == 1 + penalty
    t = trace("a: bne x0, x0, there\nthere: nop", f"branch_penalty={penalty}", engine=engine)
    assert t.there["issue"] == t.a["issue"]


def test_extract_waits_for_its_element_alone(engine):
    text = "li x1, 5\na: lv.w v1, 1024(x0)\nb: extx x2, v1, x1\nc: add x3, x2, x2"
    t = trace(text, "latency.extract=3", engine=engine)
    assert t.b["issue"] - t.a["accept"] == 20 + 5 // 4 + 1
    assert t.c["issue"] - t.b["issue"] == 3


def test_an_extract_is_a_reader_that_a_writer_waits_for(engine):
    t = trace("li x1, 0\na: extx x2, v1, x1\nb: mulvv.s v1, v4, v4", engine=engine)
    assert t.b["issue"] == t.a["issue"]
    assert t.b["start"] == t.a["issue"] + 1


@pytest.mark.parametrize(("queue", "third"), [(0, 32), (1, 16), (2, 0)])
def test_the_queue_lets_issue_run_ahead(engine, queue, third):
    text = "a: addvv.s v1, v2, v3\nb: addvv.s v4, v5, v6\nc: addvv.s v7, v8, v9"
    t = trace(text, f"unit_queue={queue}", "vector_registers=16", "issue_width=64", engine=engine)
    assert t.a["issue"] == t.a["accept"]
    assert t.c["issue"] - t.a["issue"] == third
    assert t.c["accept"] - t.a["accept"] == 32


def test_length_zero_touches_no_unit(engine):
    t = trace("setvl x0\na: lv.w v1, 1024(x0)\nb: sumv.s f1, v1\nc: fs.w f1, 64(x0)", engine=engine)
    assert t.a["retire"] == t.a["issue"] + 1
    assert t.run.busy == {"scalar": 0, "memory": 0, "add": 0, "multiply": 0, "sparse": 0}
    assert t.c["issue"] - t.b["issue"] <= 1


# Memory order


def test_a_scalar_load_waits_for_an_older_store_that_it_may_meet(engine):
    t = trace("a: sv.w v1, 1024(x0)\nb: lw x1, 1276(x0)", engine=engine)
    assert t.b["issue"] == t.a["last"]
    assert t.b["wait_memory_order"] > 0
    t = trace("a: sv.w v1, 1024(x0)\nb: lw x1, 1280(x0)", engine=engine)
    assert t.b["issue"] == t.a["issue"]


def test_a_scalar_store_waits_for_an_older_gather(engine):
    t = trace("li x2, 1024\na: lvi.w v1, (x2), v2\nb: sw x31, 64(x0)", engine=engine)
    assert t.b["issue"] == t.a["last"]
    t = trace("a: lv.w v1, 1024(x0)\nb: sw x31, 64(x0)", engine=engine)
    assert t.b["issue"] == t.a["issue"]


def test_across_ports_a_load_follows_the_store_before_it(engine):
    ports = ("memory_ports=2", "banks=64")
    t = trace("a: sv.w v1, 1024(x0)\nb: lv.w v2, 1024(x0)", *ports, engine=engine)
    assert t.b["start"] == t.a["last"]
    assert t.b["wait_memory_order"] == 16
    t = trace("a: sv.w v1, 1024(x0)\nb: lv.w v2, 1296(x0)", *ports, engine=engine)
    assert t.b["start"] == t.a["start"]


# Sparse unit and vector cache

BLOCK = 4096
"""Where the tests lay a block array of 64 entries of 6 bytes."""


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
    assert after_accept(row) == 15 + 10
    assert after_accept(bmipa(range(64), "sparse_unit.p=1", engine=engine).b) == 63 + 10
    wide = bmipa(range(64), "sparse_unit.p=8", "sparse_unit.r=8", engine=engine).b
    assert after_accept(wide) == 7 + 10


def test_bmipa_reaches_r_rows_a_cycle(engine):
    assert after_accept(bmipa(range(64), "sparse_unit.r=2", engine=engine).b) == 31 + 10
    # Rows 0 0 1 1 2 2 ...: with r = 1 two entries a cycle.
    pairs = [k // 2 for k in range(64)]
    assert after_accept(bmipa(pairs, "sparse_unit.r=1", engine=engine).b) == 31 + 10
    # One row: p decides, and its repetition in the next cycle does not stall.
    assert after_accept(bmipa([5] * 64, "sparse_unit.r=1", engine=engine).b) == 15 + 10


def test_bmipa_chains_to_ldb_and_never_waits_to_fill_up(engine):
    text = f"li x1, {BLOCK}\nli x2, 64\na: ldb.w v1, v2, (x1), x2, 1\nb: bmipa.s v3, v4, v1, v2"
    t = trace(text, engine=engine, memory=block_memory(range(64)))
    assert t.b["start"] - t.a["accept"] == 21
    assert t.b["last"] - t.a["accept"] == 44 + 10


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
    assert t.b["wait_vector_operand"] == 36


def test_an_entry_for_empty_rows_takes_a_place_but_no_row(engine):
    memory = np.zeros(1 << 16, np.uint8)
    descriptors = [128, 64] * 32  # zero row, end of row
    for k, descriptor in enumerate(descriptors):
        memory[BLOCK + 5 * k + 4] = descriptor
    text = f"li x1, {BLOCK}\nli x2, 64\nmts blocklen, x2\nlds.w v1, v2, v5, (x1)\nmfs x3, rowcount\n"
    t = trace(f"{text}b: mipa.s v3, v4, v1, v2", "sparse_unit.r=1", engine=engine, memory=memory)
    # zero row, row 0 | zero row, row 1 | ...: two entries a cycle.
    assert after_accept(t.b) == 31 + 10
    assert t.run.state.x[3] == 32


def test_the_row_count_of_lds_is_known_with_its_last_entry(engine):
    text = "li x1, 1024\nli x2, 64\nmts blocklen, x2\na: lds.w v1, v2, v3, (x1)\nb: mfs x3, rowcount\n"
    t = trace(text, engine=engine)
    assert t.b["issue"] == t.a["last"]


def test_the_cache_is_one_stream(engine):
    text = "li x1, 0\nli x2, 8192\nli x3, 4096\na: ldc.w x1, (x2), x3"
    assert after_accept(trace(text, engine=engine).a) == 20 + 1024


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
    assert t.b["start"] - t.a["accept"] == 20 + 48
    t = trace(text, "chaining=false", engine=engine)
    assert t.b["start"] == t.a["last"]


def test_a_store_of_the_cache_waits_for_the_sums_of_a_slice(engine):
    text = "li x1, 0\nli x2, 8192\nli x3, 64\na: bmipac.s x1, v4, v1, v2\nb: stc.w x1, (x2), x3"
    t = trace(text, "sparse_unit.latency=50", engine=engine)
    assert t.b["start"] == t.a["last"]
    assert t.b["wait_vector_operand"] > 0


def test_a_prime_number_of_banks_has_no_bad_stride(engine):
    text = "li x1, 64\nli x2, 1024\na: lvws.w v1, (x2), x1"
    assert after_accept(trace(text, "banks=16", engine=engine).a) == 20 + 63 * 4 + 1
    assert after_accept(trace(text, "banks=17", engine=engine).a) == 84


SLICE = "li x1, 0\nli x2, 8192\nli x3, 64\nli x4, 16384\n"


def test_bmipa_waits_for_an_older_store_of_its_slice(engine):
    t = trace(f"{SLICE}a: stc.w x1, (x2), x3\nb: bmipac.s x1, v4, v1, v2", engine=engine)
    assert t.b["start"] - t.a["accept"] == 36
    assert t.b["wait_hazard"] == 36


def test_a_load_of_the_cache_waits_for_older_readers_and_writers_of_the_slice(engine):
    text = f"{SLICE}a: bmipac.s x1, v4, v1, v2\nb: ldc.w x1, (x2), x3"
    t = trace(text, "sparse_unit.latency=50", engine=engine)
    assert t.b["start"] == t.a["last"]
    assert t.b["wait_hazard"] == 15 + 50 - 20
    ports = ("memory_ports=2", "banks=64", "issue_width=64")
    t = trace(f"{SLICE}a: stc.w x1, (x2), x3\nb: ldc.w x1, (x4), x3", *ports, engine=engine)
    assert t.b["start"] == t.a["last"]
    assert t.b["wait_hazard"] == 16


@pytest.mark.parametrize(
    ("instruction", "latency"),
    [
        ("movv v1, v2", "move"),
        ("cvi v1, x31", "move"),
        ("seqvv.s v2, v3", "move"),
        ("maddvv.s v1, v2, v3", "multiply_add"),
        ("subvs.s v1, v2, f1", "add"),
    ],
)
def test_each_class_has_its_latency(engine, instruction, latency):
    assert after_accept(trace(f"a: {instruction}", f"latency.{latency}=31", engine=engine).a) == 31 + 15


def test_scalar_float_latency(engine):
    t = trace("a: fadd.s f1, f2, f3\nb: fmul.s f4, f1, f1", "latency.float=9", engine=engine)
    assert t.b["issue"] - t.a["issue"] == 9


def test_the_next_lds_does_not_wait_for_the_rows_of_the_one_before(engine):
    text = "li x1, 1024\nli x2, 128\nmts blocklen, x2\na: lds.w v1, v2, v3, (x1)\nb: lds.w v4, v5, v6, (x1)"
    t = trace(text, engine=engine)
    # It waits a cycle for the pointer and blocklen alone, and transfers behind the first.
    assert t.b["issue"] == t.a["issue"] + 1
    assert t.b["last"] == t.a["last"] + 20


def test_without_chaining_a_register_is_overwritten_after_its_reader_took_all_of_it(engine):
    text = "a: addvv.s v3, v2, v2\nb: mulvv.s v2, v4, v4"
    t = trace(text, "chaining=false", engine=engine)
    assert t.b["start"] == t.a["start"] + 16


def test_a_scalar_store_is_done_when_it_issues(engine):
    t = trace("mul x5, x31, x31\na: sw x5, 1024(x0)\nb: lv.w v1, 1024(x0)", engine=engine)
    assert t.b["issue"] == t.a["issue"]
    assert after_accept(t.b) == 36
