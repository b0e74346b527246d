"""The debugger shows random programs on random machines at any cycle, and steps back."""

import random

import numpy as np
import pytest
from differential.cases import random_case
from hypothesis import given
from hypothesis import strategies as st
from tiers import examples

from isa.assembler import assemble
from isa.disassembler import disassemble
from vecsim.debugger.debugger import Debugger
from vecsim.debugger.panels import PANELS
from vecsim.debugger.readiness import Place, Readiness
from vecsim.debugger.target import Target
from vecsim.debugger.waiting import arrays_of
from vecsim.engines.fault import Fault
from vecsim.engines.rules.issue import scalars_ready_at
from vecsim.engines.running import run

ENGINES = ["simpy", *(pytest.param(name, marks=pytest.mark.ci) for name in ("jit", "jit-multiport"))]


def target_of(case):
    text = disassemble(case.program)
    assert (assemble(text).words == case.program.words).all()
    memory = case.memory.copy()
    for segment in case.program.data:
        memory[segment.address : segment.end] = np.frombuffer(segment.content, np.uint8)
    return Target("drawn", "drawn.s", text, memory, case.machine)


@pytest.mark.parametrize("engine", ENGINES)
@given(st.integers(0, 2**32 - 1))
@examples(12)
def test_the_same_at_every_cycle_whichever_way(engine, seed):
    case, draw = random_case(seed, faults=True), random.Random(seed)
    shown = Debugger(target_of(case), engine=engine)
    session, seen = shown.session, {}
    for _ in range(25):
        draw.choice(
            [
                session.step,
                session.step_cycles,
                lambda: session.step_cycles(draw.randrange(40)),
                lambda: session.step(1 + draw.randrange(9)),
                session.back,
                session.back_cycles,
                lambda: session.back_cycles(draw.randrange(60)),
                lambda: session.go_to(draw.randrange(1 + session.position.cycle)),
            ]
        )()
        here = session.position
        assert seen.setdefault((here.cycle, bool(here.fault)), here.digest) == here.digest
        for lines in PANELS.values():
            assert lines(shown)


@given(st.integers(0, 2**32 - 1))
@examples(12)
def test_to_the_end(seed):
    case = random_case(seed, faults=True)
    shown = Debugger(target_of(case))
    stop = shown.session.run(cycle=20_000)
    try:
        done = run(case.program, case.memory, case.machine, engine="simpy", max_cycles=20_000)
    except Fault as fault:
        assert stop.reason == ("cycle" if "no end after" in str(fault) else "fault")
    else:
        assert (stop.reason, shown.position.cycle) == ("end", done.cycles)


def waiting(position):
    """What is not ready, of every register, element and stretch of memory."""
    ready, places = Readiness(position), range(0, len(position.state.memory), 16)
    memory = [bool(ready.waits(Place("memory", at, at + 16)).any()) for at in places]
    cycle = position.cycle
    return (ready.scalars > cycle).tolist(), (ready.elements > cycle).tolist(), memory


@given(st.integers(0, 2**32 - 1))
@examples(12)
def test_at_the_end_all_is_ready_and_what_waits_is_marked(seed):
    case = random_case(seed, faults=True)
    shown = Debugger(target_of(case))
    for _ in range(40):
        shown.session.step()
        here = shown.position
        if here.finished:
            assert not np.concatenate([np.ravel(part) for part in waiting(here)]).any()
        if here.halted or here.fault or not 0 <= here.pc < len(here.program):
            break
        r = arrays_of(here)
        awaited = scalars_ready_at(r, r.program[here.pc])
        if awaited > here.cycle:  # issue waits for a scalar register: it is marked
            assert awaited in shown.readiness.scalars


@pytest.mark.ci
@given(st.integers(0, 2**32 - 1))
@examples(6)
def test_every_engine_marks_the_same(seed):
    case, draw = random_case(seed, faults=False), random.Random(seed)
    targets = [Debugger(target_of(case), engine=name).session for name in ("simpy", "jit", "jit-multiport")]
    for cycle in sorted(draw.sample(range(1, 400), 12)):
        for session in targets:
            session.go_to(cycle)
        first, *others = (waiting(session.position) for session in targets)
        assert all(first == other for other in others)
