"""Programs drawn at random, on machines drawn at random: the debugger shows them anywhere, and comes back."""

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
from vecsim.debugger.target import Target
from vecsim.engines.fault import Fault
from vecsim.engines.protocol import run

ENGINES = ["simpy", *(pytest.param(name, marks=pytest.mark.ci) for name in ("jit", "jit-general"))]


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
