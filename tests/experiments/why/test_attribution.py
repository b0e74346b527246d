"""Cycles of instructions, against hand-worked runs and between the engines."""

import numpy as np
import pytest

from experiments.why.attribution import Account, by_text
from experiments.why.bounds import bounds
from isa.assembler import assemble
from programs.measurement import multiplicand, prepare
from vecsim.data import load
from vecsim.engines.protocol import ENGINES, run
from vecsim.engines.timeline import TimelineRequest
from vecsim.machine import load_machine

VS2003 = load_machine("vs2003")


def account_of(program, memory, machine=VS2003, engine="simpy"):
    account = Account(program)
    done = run(program, memory, machine, engine=engine, timeline=TimelineRequest(sink=account))
    return account, done


def test_an_access_has_its_startup_and_its_words():
    """64 words at 4 a cycle behind a startup of 20 cycles; nothing else costs as much."""
    program = assemble("li x1, 64\nsetvl x1\nlv.w v1, 64(x0)\nlv.w v1, 64(x0)\nhalt")
    account, done = account_of(program, np.zeros(1024, np.uint8))
    lines = account.lines()
    assert [line.executions for line in lines] == [1] * 5
    assert sum(line.cycles for line in lines) == done.cycles
    # In flight at once: the second only adds the 16 cycles of its own words.
    assert [line.cycles for line in lines[2:4]] == [36, 16]
    assert lines[2].longest_wait == "startup"
    assert by_text(lines) == {"lv.w v1, 64(x0)": 52, "li x1, 64": 1, "setvl x1": 1, "halt": 0}


def test_what_runs_in_the_shadow_of_an_older_instruction_costs_nothing():
    program = assemble("li x1, 64\nsetvl x1\nlv.w v1, 64(x0)\naddi x2, x2, 1\naddi x2, x2, 1\nhalt")
    account, _ = account_of(program, np.zeros(1024, np.uint8))
    assert [line.cycles for line in account.lines()[3:]] == [0, 0, 0]


def test_nothing_that_was_not_executed_is_told():
    program = assemble("j end\nadd x1, x1, x1\nend: halt")
    account, _ = account_of(program, np.zeros(64, np.uint8))
    assert [line.pc for line in account.lines()] == [0, 2]


@pytest.mark.parametrize("name", ["crs", "hism"])
def test_cycles_add_up_and_both_engines_say_the_same(name):
    csr = load("laplace2d-10").csr.astype(np.float32)
    prepared = prepare(name, csr, VS2003, multiplicand(csr.shape[1], 0, csr.dtype))
    told = []
    for engine in ENGINES:
        account, done = account_of(prepared.program, prepared.loaded.memory, engine=engine)
        assert sum(line.cycles for line in account.lines()) == done.cycles
        assert bounds(account, VS2003)[0].cycles <= done.cycles
        told.append((account.lines(), bounds(account, VS2003)))
    assert told[0] == told[1]


def test_bounds_of_a_program_worked_by_hand():
    program = assemble(
        "li x1, 64\nsetvl x1\nli x2, 8\nlv.w v1, 64(x0)\nlvws.w v2, (x0), x2\naddvv.s v3, v1, v2\nhalt"
    )
    account, _ = account_of(program, np.zeros(1024, np.uint8))
    found = {bound.name: (bound.amount, bound.cycles) for bound in bounds(account, VS2003)}
    # 64 words at 4 a cycle and 64 at 1; 64 elements on 2 lanes; 7 instructions, 4 a cycle.
    assert found == {"memory ports": (128, 16 + 64), "add unit": (64, 32), "issue": (7, 2)}
    assert list(found) == ["memory ports", "add unit", "issue"]
    wide = VS2003.changed({"memory_ports": 2, "lanes": 4})
    found = {bound.name: bound.cycles for bound in bounds(account, wide)}
    assert found == {"memory ports": 8 + 32, "add unit": 16, "issue": 2}
