"""Steps, stops and the way back: states are the same, whichever way they are reached."""

import numpy as np
import pytest
from debugger_cases import hism, kernel

from isa.declaration import Unit
from vecsim.debugger.activity import activities
from vecsim.debugger.session import Session
from vecsim.engines.running import run
from vecsim.support.errors import UserError

ENGINES = [
    "simpy",
    pytest.param("jit", marks=pytest.mark.ci),
    pytest.param("jit-multiport", marks=pytest.mark.ci),
]


def line(session, number):
    return {pc for pc, each in enumerate(session.program.source) if each.line == number}


@pytest.mark.parametrize("engine", ENGINES)
def test_every_cycle_forwards_and_backwards(engine):
    target = kernel()
    session = Session(target, engine=engine)
    seen = []
    while not session.ended:
        seen.append(session.position.digest)
        session.step_cycles()
    whole = run(session.program, target.memory, target.machine, engine=engine)
    assert session.position.cycle == whole.cycles == len(seen)
    for digest in reversed(seen):
        session.back_cycles()
        assert session.position.digest == digest
    for cycle in (17, 3, len(seen) - 1, 0, 20):
        session.go_to(cycle)
        assert session.position.digest == seen[cycle]


@pytest.mark.parametrize("engine", ENGINES)
def test_steps_of_instructions_there_and_back(engine):
    session = Session(kernel(), engine=engine)
    counts, digests = [], []
    while not session.position.halted:
        counts.append(session.position.count)
        digests.append(session.position.digest)
        session.step()
    assert counts == sorted(set(counts)) and counts[:3] == [0, 2, 3]  # two issue at once
    for digest in reversed(digests):
        session.back()
        assert session.position.digest == digest
    assert session.position.cycle == 0


@pytest.mark.ci
def test_engines_show_the_same_values_at_every_cycle():
    sessions = [Session(hism(), engine=name) for name in ("simpy", "jit", "jit-multiport")]
    for cycle in range(0, 700, 7):
        for session in sessions:
            session.go_to(cycle)
        assert len({session.position.architectural_digest for session in sessions}) == 1


def test_far_back_with_few_checkpoints():
    session = Session(kernel(KERNEL_OF_A_LOOP))
    session.run(cycle=3000)
    digest = session.position.digest
    session.run()
    assert session.position.finished
    session.back_cycles(session.position.cycle - 3000)
    assert session.position.digest == digest


KERNEL_OF_A_LOOP = """\
        li      x5, 1000
again:  addi    x5, x5, -1
        bnez    x5, again
        halt
"""


def test_a_breakpoint_stops_before_its_instruction_and_goes_on_after_it():
    session = Session(kernel())
    session.breakpoints = line(session, 11)  # add x6, x6, left
    actual = []
    while (stop := session.run()).reason == "breakpoint":
        actual.append((int(session.position.state.x[6]), int(session.position.state.x[5])))
        assert f"cycle {session.position.cycle}, before kernel.s:11" in stop.text
    assert actual == [(0, 3), (3, 2), (5, 1)]
    assert stop.reason == "end" and "the program has ended" in stop.text


def test_a_breakpoint_ahead_in_the_very_cycle_in_which_it_stands():
    session = Session(kernel())
    (pc,) = line(session, 4)
    session.breakpoints = {pc + 1}  # both issue in cycle 0
    assert session.run().reason == "breakpoint" and session.position.cycle == 0
    assert session.run().reason == "end"


def test_an_infinite_loop_is_left():
    session = Session(kernel("again: j again\nhalt"), most_cycles=2000)
    assert session.run().reason == "limit"
    assert session.position.cycle >= 2000
    session.back_cycles(1990)
    assert session.position.cycle <= 10 + 512


def test_a_fault_is_shown_and_can_be_stepped_back_from():
    session = Session(kernel("li x3, -8\nli x4, 7\nlw x5, (x3)\nhalt"))
    before = session.position.digest
    stop = session.run()
    assert stop.reason == "fault" and "kernel.s:3" in stop.text
    assert session.ended
    assert session.step().reason == "fault"
    session.back_cycles(session.position.cycle)
    assert session.position.digest == before and not session.position.fault
    assert session.run().text == stop.text


def test_nothing_to_run():
    with pytest.raises(UserError, match="at least one instruction"):
        Session(kernel("# nothing"))


def test_the_position_holds_plain_copies():
    session = Session(kernel())
    session.run()
    assert session.position.state.memory[320:336].view(np.float32).tolist() == [2, 4, 6, 8]
    session.position.state.memory[:] = 7
    session.back_cycles(1)
    session.step_cycles(1)
    assert session.position.state.memory[0] == 0


def test_what_is_in_flight_is_known_however_many_have_issued_since():
    """A slow load is shown while a scalar loop issues more instructions than are kept."""
    text = "li x4, 64\nsetvl x4\nlv.w v1, 0(x0)\nli x5, 60\nagain: addi x5, x5, -1\nbnez x5, again\nhalt"
    session = Session(
        kernel(text, section_size=64, words_per_cycle=1, bank_busy=1, branch_penalty=0, startup=40)
    )
    session.go_to(90)
    assert session.position.count > 5 + 64
    (load,) = (each for each in activities(session.position) if each.unit == Unit.MEMORY)
    assert load.phase == "works"
