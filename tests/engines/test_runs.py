"""What a run reports: counters, cycle attribution, timeline."""

import numpy as np
import pytest
from engine_runs import EVERY_ENGINE, WORKED, trace

from isa.assembler import assemble
from vecsim.engines.running import run
from vecsim.engines.timeline import COLUMNS, TimelineRequest
from vecsim.machine import load_machine

pytestmark = pytest.mark.parametrize("engine", EVERY_ENGINE)


def test_counters(engine):
    t = trace(
        "lv.w v1, 1024(x0)\naddvv.s v2, v1, v1\nsv.d v2, 2048(x0)\nlw x1, 64(x0)\nfs.d f1, 64(x0)",
        engine=engine,
    )
    counters = t.run.counters
    assert counters["instructions"] == t.run.instructions == 8
    assert counters["vector_instructions"] == 3
    assert counters["scalar_instructions"] == 5
    assert counters["element_operations"] == 3 * 64
    assert (counters["words_loaded"], counters["words_stored"]) == (64, 128)
    assert counters["scalar_bytes"] == 12
    assert t.run.vector_bytes == 4 * 192
    assert t.run.bytes_moved == 4 * 192 + 12
    assert t.run.peak_share == pytest.approx(4 * 192 / (t.run.cycles * 16))
    assert t.run.busy == {"scalar": 0, "memory": 16 + 32, "add": 16, "multiply": 0, "sparse": 0}


def test_attribution_of_one_load_by_hand(engine):
    # li, setvl; the load issues in cycle 1 or 2, starts up for 20 cycles, transfers for 16.
    t = trace("a: lv.w v1, 1028(x0)", engine=engine)
    dispatched = t.a["dispatch"]
    assert t.run.cycles == dispatched + 37
    cycles_by_cause = {cause: cycles for cause, cycles in t.run.cycles_by_cause.items() if cycles}
    assert cycles_by_cause == {
        "scalar_work": dispatched,
        "startup": 20,
        "alignment": 1,
        "contiguous_transfer": 16,
    }


def test_attribution_go_to_the_oldest_instruction(engine):
    # The add waits for the load, but the load is older until it retires; then the add answers.
    t = trace("a: lv.w v1, 1024(x0)\nb: addvv.s v2, v1, v1", engine=engine)
    cycles_by_cause = {cause: cycles for cause, cycles in t.run.cycles_by_cause.items() if cycles}
    work = {"scalar_work": 2, "contiguous_transfer": 16, "add_elements": 1, "add_latency": 7}
    assert cycles_by_cause == {"startup": 20, **work}
    assert t.run.waited["vector_raw"] == t.b["wait_vector_raw"] == 21


def test_the_timeline_has_every_column_in_program_order(engine):
    t = trace("a: lv.w v1, 1024(x0)\nsumv.s f1, v1\nfs.w f1, 64(x0)", engine=engine)
    timeline = t.run.timeline
    assert tuple(timeline) == COLUMNS
    np.testing.assert_array_equal(timeline["age"], np.arange(t.run.instructions))
    assert t.a["address"] == 1024
    assert t.a["words"] == 64
    assert t.run.cycles == timeline["retire"].max()
    for earlier, later in (
        ("issue", "dispatch"),
        ("dispatch", "start"),
        ("start", "first"),
        ("first", "last"),
    ):
        assert (timeline[earlier] <= timeline[later]).all()


def test_a_window_of_the_timeline_and_none(engine):
    program, machine = assemble("nop\nnop\nnop\nnop\nhalt"), load_machine(WORKED)
    memory = np.zeros(64, np.uint8)
    window = run(program, memory, machine, engine=engine, timeline=TimelineRequest(1, 3)).timeline
    assert list(window["age"]) == [1, 2]
    assert run(program, memory, machine, engine=engine).timeline is None


def test_a_streamed_timeline_is_not_kept(engine):
    program, machine = assemble("li x1, 5\na: addi x1, x1, -1\nbnez x1, a\nhalt"), load_machine(WORKED)
    chunks = []
    request = TimelineRequest(sink=lambda rows: chunks.append(rows.copy()))
    result = run(program, np.zeros(64, np.uint8), machine, engine=engine, timeline=request)
    assert result.timeline is None
    rows = np.concatenate(chunks)
    assert rows.shape == (result.instructions, len(COLUMNS))


def test_the_memory_given_is_not_changed(engine):
    memory = np.zeros(64, np.uint8)
    result = run(assemble("li x1, 7\nsw x1, 16(x0)\nhalt"), memory, load_machine(WORKED), engine=engine)
    assert not memory.any()
    assert result.state.memory[16] == 7


def test_progress_is_called(engine):
    seen = []
    program = assemble("li x1, 200\na: addi x1, x1, -1\nbnez x1, a\nhalt")
    run(
        program,
        np.zeros(64, np.uint8),
        load_machine(WORKED),
        engine=engine,
        progress=lambda running: seen.append(running.cycle),
        progress_cycles=100,
    )
    assert len(seen) >= 3
    assert seen == sorted(seen)
