"""Runs of scalar instructions that are worked out beforehand: a saving of time that no cycle depends on."""

import numpy as np
import pytest
from differential.cases import random_case
from differential.comparison import outcome
from hypothesis import given
from hypothesis import strategies as st
from tiers import examples

from isa.assembler import assemble
from vecsim.engines.jit.single_port import preparation as quick_runs
from vecsim.engines.running import run, start

LINE = "\n".join(f"addi x{1 + i % 20}, x{1 + i % 7}, {i % 100}" for i in range(4000)) + "\nhalt"


@examples(24)
@given(st.integers(0, 2**32))
def test_fewer_runs_give_the_same_cycles(seed):
    case = random_case(seed)
    everywhere = outcome(case, "jit")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(quick_runs, "LONG", 0)
        fewer = outcome(case, "jit")
    assert fewer.end == everywhere.end
    assert fewer.facts.keys() == everywhere.facts.keys()
    for fact, value in everywhere.facts.items():
        np.testing.assert_array_equal(fewer.facts[fact], value, err_msg=fact)


def test_a_long_program_is_not_worked_out_from_every_instruction(monkeypatch):
    begun = []
    lines = quick_runs._lines
    monkeypatch.setattr(quick_runs, "_lines", lambda rows, i: begun.append(i) or lines(rows, i))
    program = assemble(LINE)
    start(program, np.zeros(64, np.uint8), "vs2003", engine="jit")
    assert 0 < len(begun) <= 4000 / 6
    compiled, model = (
        run(program, np.zeros(64, np.uint8), "vs2003", engine=engine).cycles for engine in ("jit", "simpy")
    )
    assert compiled == model


@pytest.mark.parametrize("before", [0, 2100])
def test_a_loop_in_a_long_program(before):
    loop = "li x1, 50\nagain: addi x2, x2, 1\naddi x1, x1, -1\nbne x1, x0, again\n"
    program = assemble("addi x3, x3, 1\n" * before + loop + "addi x4, x4, 1\n" * 2100 + "halt")
    compiled, model = (
        run(program, np.zeros(64, np.uint8), "vs2003", engine=engine) for engine in ("jit", "simpy")
    )
    assert (compiled.cycles, compiled.cycles_by_cause, compiled.waited) == (
        model.cycles,
        model.cycles_by_cause,
        model.waited,
    )
