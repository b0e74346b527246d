"""The rules of docs/timing.md with a micro-program for each whose cycles are worked out by hand.

Those for accesses, and for the sparse unit and the vector cache, have separate modules.

Expected numbers are relative to the cycle in which the instruction was dispatched, so that the lines in
front of it do not matter.
"""

import pytest
from engine_runs import EVERY_ENGINE, trace

pytestmark = pytest.mark.parametrize("engine", EVERY_ENGINE)


def after_dispatch(row, what="last"):
    return row[what] - row["dispatch"]


# Chaining, hazards, arithmetic


def test_arithmetic_starts_lanes_elements_a_cycle(engine):
    assert after_dispatch(trace("a: addvv.s v1, v2, v3", engine=engine).a) == 8 + 15
    assert after_dispatch(trace("a: addvv.s v1, v2, v3", "lanes=1", engine=engine).a) == 8 + 63
    assert after_dispatch(trace("a: mulvv.s v1, v2, v3", "latency.multiply=5", engine=engine).a) == 5 + 15


def test_chaining_passes_elements_as_they_come(engine):
    text = "a: lv.w v1, 1024(x0)\nb: addvv.s v2, v1, v1"
    t = trace(text, engine=engine)
    assert t.b["start"] - t.a["dispatch"] == 21
    assert t.b["last"] - t.a["dispatch"] == 36 + 8
    t = trace(text, "chaining=false", engine=engine)
    assert t.b["start"] - t.a["dispatch"] == 36
    assert t.b["last"] - t.a["dispatch"] == 36 + 15 + 8


def test_a_slow_producer_sets_the_pace(engine):
    t = trace(
        "li x1, 1\nli x2, 1024\ncvi v2, x1\na: lvi.w v1, (x2), v2\nb: addvv.s v3, v1, v1", engine=engine
    )
    assert t.b["last"] - t.a["dispatch"] == 84 + 8


def test_an_element_is_overwritten_after_its_older_reader_took_it(engine):
    # The gather into v2 reads x with v2's old value as index: element k of the load follows it.
    text = "li x2, 1024\nmovvx v2, x0\ncvi v2, x0\na: addvv.s v3, v2, v2\nb: mulvv.s v2, v4, v4"
    t = trace(text, "lanes=1", "unit_queue=4", engine=engine)
    # The multiply unit is free at once; element 0 waits for the add to have taken it.
    assert t.b["start"] == t.a["start"] + 1
    assert t.b["wait_vector_war_waw"] > 0


def test_an_element_is_written_again_when_the_older_write_is_ready(engine):
    text = "a: addvv.s v1, v2, v3\nb: mulvv.s v1, v4, v4"
    t = trace(text, engine=engine)
    assert t.b["start"] == t.a["first"]
    t = trace(text, "chaining=false", engine=engine)
    assert t.b["start"] == t.a["last"]


def test_a_unit_takes_one_instruction_at_a_time(engine):
    text = "a: addvv.s v1, v2, v3\nb: subvv.s v4, v5, v6"
    t = trace(text, engine=engine)
    assert t.b["dispatch"] == t.a["dispatch"] + 16
    assert t.b["wait_unit"] == 16


@pytest.mark.parametrize(("n", "levels"), [(1, 0), (2, 1), (5, 3), (64, 6)])
def test_a_sum_takes_its_elements_then_the_levels_of_its_tree(engine, n, levels):
    text = f"li x1, {n}\nsetvl x1\na: sumv.s f1, v1\nb: fs.w f1, 64(x0)"
    t = trace(text, engine=engine)
    beats = (n + 3) // 4
    assert after_dispatch(t.a) == beats - 1 + 8 + levels
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
    assert t.b["wait_scalar_raw_waw"] == 7
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
    assert t.b["issue"] - t.a["dispatch"] == 20 + 5 // 4 + 1
    assert t.c["issue"] - t.b["issue"] == 3


def test_an_extract_is_a_reader_that_a_writer_waits_for(engine):
    t = trace("li x1, 0\na: extx x2, v1, x1\nb: mulvv.s v1, v4, v4", engine=engine)
    assert t.b["issue"] == t.a["issue"]
    assert t.b["start"] == t.a["issue"] + 1


@pytest.mark.parametrize(("queue", "third"), [(0, 32), (1, 16), (2, 0)])
def test_the_queue_lets_issue_run_ahead(engine, queue, third):
    text = "a: addvv.s v1, v2, v3\nb: addvv.s v4, v5, v6\nc: addvv.s v7, v8, v9"
    t = trace(text, f"unit_queue={queue}", "vector_registers=16", "issue_width=64", engine=engine)
    assert t.a["issue"] == t.a["dispatch"]
    assert t.c["issue"] - t.a["issue"] == third
    assert t.c["dispatch"] - t.a["dispatch"] == 32


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
    assert after_dispatch(trace(f"a: {instruction}", f"latency.{latency}=31", engine=engine).a) == 31 + 15


def test_scalar_float_latency(engine):
    t = trace("a: fadd.s f1, f2, f3\nb: fmul.s f4, f1, f1", "latency.float=9", engine=engine)
    assert t.b["issue"] - t.a["issue"] == 9


def test_without_chaining_a_register_is_overwritten_after_its_reader_took_all_of_it(engine):
    text = "a: addvv.s v3, v2, v2\nb: mulvv.s v2, v4, v4"
    t = trace(text, "chaining=false", engine=engine)
    assert t.b["start"] == t.a["start"] + 16


def test_a_scalar_store_is_done_when_it_issues(engine):
    t = trace("mul x5, x31, x31\na: sw x5, 1024(x0)\nb: lv.w v1, 1024(x0)", engine=engine)
    assert t.b["issue"] == t.a["issue"]
    assert after_dispatch(t.b) == 36
