"""Where an engine stands after it has been let go on, and what a limit of cycles bounds."""

import numpy as np
import pytest

from isa.assembler import assemble
from vecsim.engines.fault import Fault
from vecsim.engines.running import ENGINES, run, start
from vecsim.machine import load_machine

pytestmark = pytest.mark.parametrize("engine", sorted(ENGINES))

LOAD = assemble(
    """
    li      x1, 64
    setvl   x1
    lv.w    v1, 64(x0)
    mulvv.s v2, v1, v1
    halt
    """,
    file="load.s",
)
"""Halt issues long before the last element has come."""
CHANGES = [[], ["bank_busy=100"], ["memory_ports=2"], ["issue_width=1"]]


def started(engine, *changes):
    return start(LOAD, np.zeros(1024, np.uint8), load_machine("vs2003", changes), engine=engine)


def cycles_of(engine, *changes):
    return run(LOAD, np.zeros(1024, np.uint8), load_machine("vs2003", changes), engine=engine).cycles


@pytest.mark.parametrize("changes", CHANGES)
def test_a_run_may_take_as_many_cycles_as_the_limit_and_no_more(engine, changes):
    machine = load_machine("vs2003", changes)
    cycles = cycles_of(engine, *changes)
    assert run(LOAD, np.zeros(1024, np.uint8), machine, engine=engine, max_cycles=cycles).cycles == cycles
    for limit in (1, 5, cycles // 2, cycles - 1):
        with pytest.raises(Fault, match=f"cycle {limit}: no end after {limit:,} cycles?:") as caught:
            run(LOAD, np.zeros(1024, np.uint8), machine, engine=engine, max_cycles=limit)
        assert str(caught.value).startswith("load.s:")


def test_the_limit_holds_when_halt_has_issued_long_ago(engine):
    machine = load_machine("vs2003", ["bank_busy=10000"])
    with pytest.raises(Fault, match="no end after 1,000 cycles"):
        run(LOAD, np.zeros(1024, np.uint8), machine, engine=engine, max_cycles=1000)


def test_progress_comes_up_to_the_limit(engine):
    seen = []
    with pytest.raises(Fault, match="no end after 50 cycles"):
        run(
            assemble("again: j again"),
            np.zeros(64, np.uint8),
            "vs2003",
            engine=engine,
            max_cycles=50,
            progress=lambda running: seen.append(running.cycle),
            progress_cycles=20,
        )
    assert seen == [20, 40, 50]


@pytest.mark.parametrize("changes", CHANGES)
def test_every_cycle_is_a_boundary(engine, changes):
    cycles = cycles_of(engine, *changes)
    running = started(engine, *changes)
    for cycle in range(cycles):
        assert (running.cycle, running.finished) == (cycle, False)
        running.advance(cycle=cycle + 1)
    assert (running.cycle, running.finished) == (cycles, True)
    running.advance(cycle=cycles + 1000)
    assert running.cycle == running.result().cycles == cycles


def test_what_has_passed_moves_nothing(engine):
    running = started(engine)
    running.advance(cycle=7)
    for cycle in (7, 3, 0, -1):
        running.advance(cycle=cycle)
    for instructions in (0, -1):
        running.advance(instructions=instructions)
    assert running.cycle == 7


def test_without_a_limit_it_goes_to_the_end(engine):
    running = started(engine)
    running.advance()
    assert running.finished
    assert running.cycle == cycles_of(engine)


def test_instruction_after_instruction_comes_to_the_end(engine):
    running, steps, counts = started(engine, "issue_width=1"), 0, []
    while not running.finished:
        running.advance(instructions=1)
        steps += 1
        counts.append(running.result().instructions)
        assert steps < 20
    assert counts == [1, 2, 3, 4, 5, 5]  # the last step has no instruction left to issue
    assert running.cycle == cycles_of(engine, "issue_width=1")


def test_it_stops_after_the_cycle_in_which_the_last_instruction_issues(engine):
    program = assemble("nop\n" * 10 + "halt")
    running = start(program, np.zeros(64, np.uint8), load_machine("vs2003", ["issue_width=4"]), engine=engine)
    stands = []
    for instructions in (1, 3, 5):
        running.advance(instructions=instructions)
        stands.append((running.cycle, running.result().instructions, running.pc))
    assert stands == [(1, 4, 4), (2, 8, 8), (3, 11, 11)]


def test_whichever_comes_first(engine):
    running = started(engine, "issue_width=1")
    running.advance(cycle=100, instructions=2)
    assert running.result().instructions == 2
    cycle = running.cycle
    running.advance(cycle=cycle + 1, instructions=100)
    assert running.cycle == cycle + 1


def test_after_a_fault_it_stands_where_the_instruction_would_have_issued(engine):
    program = assemble("li x1, 5\nnop\nlw x2, -8(x0)\nhalt", file="bad.s")
    running = start(program, np.zeros(64, np.uint8), load_machine("vs2003", ["issue_width=1"]), engine=engine)
    before = running.snapshot()
    with pytest.raises(Fault) as caught:
        running.advance()
    assert (running.cycle, running.pc, running.finished) == (caught.value.cycle, 2, False)
    with pytest.raises(Fault, match="outside memory"):
        running.advance(instructions=1)
    running.restore(before)
    running.advance(instructions=1)
    assert (running.cycle, running.pc) == (1, 1)


def test_a_snapshot_of_a_jump_astray_faults_again(engine):
    program = assemble("li x1, 1000000\njr x1\nhalt")
    running = start(program, np.zeros(64, np.uint8), "vs2003", engine=engine)
    with pytest.raises(Fault, match="runs past its end"):
        running.advance()
    running.restore(running.snapshot())
    with pytest.raises(Fault, match="runs past its end"):
        running.advance()


@pytest.mark.parametrize("ports", [1, 2])
def test_a_slice_that_is_not_there_matters_to_elements_alone(engine, ports):
    machine = load_machine("vs2003", [f"memory_ports={ports}"])
    text = "li x1, 64\nli x2, {n}\nsetvl x2\nbmipac.{t} x1, v1, v2, v3\nhalt"
    for kind in "sd":
        program = assemble(text.format(n=0, t=kind))
        done = run(program, np.zeros(64, np.uint8), machine, engine=engine)
        assert done.counters["vector_instructions"] == 1
        with pytest.raises(Fault, match="slice 64 of the vector cache: it has 0 to 63"):
            run(assemble(text.format(n=1, t=kind)), np.zeros(64, np.uint8), machine, engine=engine)
