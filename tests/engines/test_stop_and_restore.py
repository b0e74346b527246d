"""A run can be stopped anywhere, copied, set back, and comes to the same end."""

import random

import numpy as np
import pytest
from differential.cases import random_case
from hypothesis import example, given
from hypothesis import strategies as st
from tiers import examples

from isa.assembler import assemble
from isa.state import ARCHITECTURAL
from vecsim.engines.running import ENGINES, start
from vecsim.machine import load_machine
from vecsim.support.errors import UserError

LIMIT = 1_000_000
seeds = st.integers(0, 2**32 - 1)


def finish(engine):
    engine.advance(cycle=LIMIT)
    assert engine.finished
    return engine.result()


def assert_same(a, b, *, timeline=True):
    assert (a.cycles, a.counters, a.cycles_by_cause, a.waited, a.busy) == (
        b.cycles,
        b.counters,
        b.cycles_by_cause,
        b.waited,
        b.busy,
    )
    for name in ARCHITECTURAL:
        np.testing.assert_array_equal(getattr(a.state, name), getattr(b.state, name), err_msg=name)
    if timeline:
        for name, column in a.timeline.items():
            np.testing.assert_array_equal(column, b.timeline[name], err_msg=name)


@pytest.mark.parametrize("engine", sorted(ENGINES))
@given(seed=seeds)
@example(seed=318)  # an instruction leaves flight before the one that it follows element by element,
@example(seed=288)  # or before the one whose slice it waits for
@examples(60)
def test_stopping_and_restoring_at_random_cycles(engine, seed):
    case = random_case(seed)
    rng = random.Random(seed)
    straight = finish(start(case.program, case.memory, case.machine, engine=engine))
    running = start(case.program, case.memory, case.machine, engine=engine)
    snapshots = []
    for _ in range(3):
        running.advance(cycle=running.cycle + 1 + rng.randrange(straight.cycles // 3 + 1))
        snapshots.append(running.snapshot())
    assert_same(finish(running), straight, timeline=False)
    for snapshot in rng.sample(snapshots, len(snapshots)):
        running.restore(snapshot)
        assert running.cycle == snapshot.cycle
        again = running.snapshot()
        for part in ("architectural", "timing"):
            for name, values in getattr(snapshot, part).items():
                np.testing.assert_array_equal(values, getattr(again, part)[name], err_msg=name)
        assert_same(finish(running), straight, timeline=False)


@pytest.mark.parametrize("engine", sorted(ENGINES))
@given(seeds)
@examples(40)
def test_advancing_by_instructions(engine, seed):
    case = random_case(seed)
    straight = finish(start(case.program, case.memory, case.machine, engine=engine))
    running = start(case.program, case.memory, case.machine, engine=engine)
    while not running.finished:
        before = running.result().instructions
        running.advance(instructions=5)
        executed = running.result().instructions
        if executed < straight.instructions:
            assert before + 5 <= executed < before + 5 + case.machine.issue_width
        assert running.cycle <= straight.cycles
    assert running.cycle == straight.cycles
    assert_same(running.result(), straight, timeline=False)


@pytest.mark.parametrize("engine", sorted(ENGINES))
@pytest.mark.parametrize("change", [{"section_size": 32}, {"banks": 3}, {"lanes": 5}])
def test_a_snapshot_of_another_machine_is_refused(engine, change):
    case = random_case(1)
    snapshot = start(case.program, case.memory, case.machine, engine=engine).snapshot()
    other = start(case.program, case.memory, case.machine.model_copy(update=change), engine=engine)
    with pytest.raises(UserError, match=r"another machine, of digest [0-9a-f]{12}; its digest must be"):
        other.restore(snapshot)


@pytest.mark.parametrize("engine", sorted(ENGINES))
def test_a_snapshot_of_another_program_is_refused(engine):
    memory = np.zeros(64, np.uint8)
    long = start(assemble("nop\n" * 5000 + "halt"), memory, "vs2003", engine=engine)
    long.advance(instructions=4990)
    short = start(assemble("halt"), memory, "vs2003", engine=engine)
    with pytest.raises(UserError, match=r"another program, of digest [0-9a-f]{12}; its digest must be"):
        short.restore(long.snapshot())
    short.advance()
    assert short.finished


@pytest.mark.parametrize("engine", sorted(ENGINES))
def test_a_snapshot_goes_on_in_another_run_and_on_a_machine_of_another_name(engine):
    case = random_case(1)
    running = start(case.program, case.memory, case.machine, engine=engine)
    running.advance(cycle=20)
    renamed = case.machine.model_copy(update={"name": "another"})
    other = start(assemble(case.assembly), case.memory, renamed, engine=engine)
    other.restore(running.snapshot())
    assert_same(finish(other), finish(running), timeline=False)


@pytest.mark.parametrize(("first", "second"), [("jit", "simpy"), ("simpy", "jit"), ("jit", "jit-multiport")])
@given(seeds)
@examples(40)
def test_one_engine_goes_on_where_the_other_stopped(first, second, seed):
    case = random_case(seed)
    whole = finish(start(case.program, case.memory, case.machine, engine="simpy"))
    stopped = start(case.program, case.memory, case.machine, engine=first)
    stopped.advance(cycle=random.Random(seed).randrange(1, whole.cycles + 1))
    other = start(case.program, case.memory, case.machine, engine=second)
    other.restore(stopped.snapshot())
    assert_same(finish(other), whole, timeline=False)


@pytest.mark.parametrize("second", ["jit", "jit-multiport"])
def test_a_dispatch_that_is_due_where_another_engine_stopped_makes_room(second):
    # Issue waits for room in a queue, and the unit takes an instruction out of it every 16 cycles.
    text = "\n".join(f"addvv.s v{k}, v8, v8" for k in range(5))
    program = assemble(f"li x1, 64\nsetvl x1\n{text}\nhalt")
    machine = load_machine("vs2003", ["unit_queue=1", "lanes=4", "memory_ports=2"])
    whole = finish(start(program, np.zeros(64, np.uint8), machine, engine="simpy"))
    for cycle in range(1, whole.cycles):
        first = start(program, np.zeros(64, np.uint8), machine, engine="simpy")
        first.advance(cycle=cycle)
        other = start(program, np.zeros(64, np.uint8), machine, engine=second)
        other.restore(first.snapshot())
        assert_same(finish(other), whole, timeline=False)


IN_FLIGHT = assemble(
    """
        li      x1, 64
        setvl   x1
        lv.w    v1, 1024(x0)
        mulvv.s v2, v1, v1
        addvv.s v3, v2, v1
        sv.w    v3, 2048(x0)
        lv.w    v4, 1028(x0)
        addvv.s v3, v4, v4
        halt
    """
)
"""A chain, a store in a queue after it, and a register that is written again."""


@pytest.mark.parametrize(
    ("changes", "most"), [([], 6), (["memory_ports=2"], 6), (["physical_vector_registers=20"], 5)]
)
@pytest.mark.parametrize("second", ["jit", "jit-multiport", "simpy"])
def test_instructions_in_flight_go_on_in_another_engine(changes, most, second):
    # All six vector instructions; of 4 physical registers more than are named the last load waits for one.
    machine, memory = load_machine("vs2003", changes), np.arange(4096, dtype=np.uint8)
    whole = finish(start(IN_FLIGHT, memory, machine, engine="simpy"))
    first = start(IN_FLIGHT, memory, machine, engine="jit-multiport" if second == "simpy" else "simpy")
    in_flight = []
    for cycle in range(2, whole.cycles, 5):
        first.advance(cycle=cycle)
        snapshot = first.snapshot()
        in_flight.append(int((snapshot.timing["slots"]["age"] >= 0).sum()))
        other = start(IN_FLIGHT, memory, machine, engine=second)
        other.restore(snapshot)
        again = other.snapshot()
        for name, values in snapshot.timing.items():
            np.testing.assert_array_equal(again.timing[name], values, name)
        assert_same(finish(other), whole, timeline=False)
    assert max(in_flight) == most
