"""What the cycles of a run are attributed to, by instruction and cause, worked out by hand
(docs/timing.md)."""

import numpy as np
import pytest
from engine_runs import EVERY_ENGINE, WORKED, trace

from isa.assembler import assemble
from vecsim.engines.cause import Cause
from vecsim.engines.running import run
from vecsim.machine import load_machine

pytestmark = pytest.mark.parametrize("engine", EVERY_ENGINE)

BEFORE = 2
"""Instructions that `trace` puts before a text."""


def cycles_by_cause(traced, line):
    """Return the cycles attributed to an instruction of a text, by cause, without those that are 0."""
    row = traced.run.attribution.attributed[BEFORE + line]
    return {Cause(cause).name.lower(): int(row[cause]) for cause in np.flatnonzero(row)}


def test_the_case_of_the_documentation(engine):
    t = trace(
        """li x1, 8
        mul x9, x1, x1
        lv.w v1, 1028(x0)
        lvi.w v2, (x0), v0
        addvv.s v3, v1, v2
        mulvv.s v4, v3, v3
        sumv.s f1, v4
        fs.w f1, 64(x0)""",
        engine=engine,
    )
    assert t.run.cycles == 326
    assert [cycles_by_cause(t, line) for line in range(-BEFORE, 9)] == [
        {"scalar_work": 1},
        {"scalar_work": 1},
        {},  # li retires with setvl
        {"scalar_work": 3},
        {"startup": 17, "alignment": 1, "contiguous_transfer": 16},
        {"bank_conflict": 192, "indexed_transfer": 64},
        {"add_elements": 1, "add_latency": 7},
        {"multiply_elements": 1, "multiply_latency": 7},
        {"sum_elements": 1, "sum_latency": 13},
        {"scalar_work": 1},
        {},  # halt retires with the store
    ]
    assert t.run.attribution.executions.tolist() == [1] * 11
    assert t.run.attribution.elements.tolist() == [0] * 4 + [64] * 5 + [0] * 2
    assert t.run.cycles_by_cause == {
        cause.name.lower(): int(t.run.attribution.attributed[:, cause].sum()) for cause in Cause
    }


def test_the_sparse_unit_and_the_vector_cache(engine):
    # Entries at 0, all of row 0 and column 0: 4 a cycle, 10 cycles of latency. s x s elements at 4 a cycle.
    t = trace(
        """li x1, 4096
        li x2, 8192
        ldc.w x0, (x0), x1
        li x3, 64
        ldb.w v1, v2, (x2), x3, 1
        bmipac.s x0, v4, v1, v2
        stc.w x0, (x2), x1""",
        engine=engine,
    )
    assert cycles_by_cause(t, 2)["cache_transfer"] == 1024
    assert cycles_by_cause(t, 5) == {"sparse_elements": 1, "sparse_latency": 9}
    assert cycles_by_cause(t, 6)["cache_transfer"] == 1024


def test_a_vector_instruction_of_no_element_works_like_a_scalar_one(engine):
    t = trace("setvl x0\nlv.w v1, 1024(x0)\nsumv.s f1, v1", engine=engine)
    # vl is ready a cycle after setvl has issued; each retires in the cycle after its issue.
    assert [cycles_by_cause(t, line) for line in range(3)] == [{"scalar_work": 1}, {"scalar_work": 1}, {}]


def test_what_a_branch_penalty_adds_is_the_next_instructions(engine):
    t = trace("j a\nnop\na: li x1, 1\nmul x2, x1, x1", "branch_penalty=5", engine=engine)
    # The jump issues with setvl, in cycle 1, and retires with it; what follows it issues in cycle 7.
    assert cycles_by_cause(t, 0) == {}
    assert cycles_by_cause(t, 2) == {"issue": 5, "scalar_work": 1}
    assert t.run.attribution.executions.tolist() == [1, 1, 1, 0, 1, 1, 1]


@pytest.mark.parametrize("changes", [(), ("memory_ports=2",)])
def test_what_retires_after_an_older_instruction_answers_for_the_rest(engine, changes):
    # The load retires in cycle 38; mul issues with it, in cycle 2, and in the next: they retire in 62 and 63.
    t = trace(
        "lv.w v1, 1024(x0)\nmul x1, x0, x0\nli x3, 1\nli x4, 1\nmul x2, x0, x0\nlv.w v2, 2048(x0)",
        *("latency.integer_multiply=60", *changes),
        engine=engine,
    )
    assert cycles_by_cause(t, 0) == {"startup": 20, "contiguous_transfer": 16}
    assert cycles_by_cause(t, 1) == {"scalar_work": 24}
    assert [cycles_by_cause(t, line) for line in (2, 3, 4, 5)] == [{}, {}, {"scalar_work": 1}, {}]


def test_more_instructions_after_an_older_one_than_are_kept(engine):
    """3,000 nops in its shadow retire 200 cycles after issue each: the last ones are seen."""
    text = "li x1, 64\nsetvl x1\nlvi.w v1, (x0), v0\n" + "nop\n" * 3000 + "halt"
    changes = ("bank_busy=20", "latency.integer=200", "issue_width=2")
    program, machine = assemble(text), load_machine(WORKED, changes)
    done = run(program, np.zeros(1 << 16, np.uint8), machine, engine=engine)
    attributed = done.attribution.attributed.sum(axis=1)
    assert attributed.sum() == done.cycles
    # li and setvl take 200 cycles each; the load issues in cycle 400 and retires 20 + 63 x 20 + 1 later.
    assert attributed[:3].tolist() == [200, 200, 1281]
    # Two nops issue in a cycle, from 400 on with the load, and retire 200 later: the first of each two counts
    # that retires after the load, and so does halt, by itself in its cycle.
    begin = 1281 - 200
    last = done.cycles - 1681
    assert np.flatnonzero(attributed[3:]).tolist() == [2 * k - 1 for k in range(begin + 1, begin + 1 + last)]
    assert attributed[3:].max() == 1
