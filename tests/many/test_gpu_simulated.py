"""The kernel of many machines in the CUDA simulator gives what its source gives in plain Python."""

import numpy as np
import pytest

import vecsim
from isa.assembler import assemble
from vecsim.engines.decoded import decode
from vecsim.engines.many.batch import Group, numbers_of, sizes_of, start_of
from vecsim.engines.targets.gpu.batch import time_groups
from vecsim.engines.trace_timing import places
from vecsim.engines.trace_timing.rows import rows_of
from vecsim.engines.trace_timing.timing import time_events
from vecsim.machine import as_machine

LOAD = "li x1, 20\nsetvl x1\nlv.w v1, 4(x0)\nmulvv.s v2, v1, v1\nhalt"
LOAD_EVENTS = [0, 16, 2 * 16 + 8, 20, 0, 4, 80, 3 * 16 + 5, 20, 0, -1, 4 * 16, 11]
GATHER = "li x1, 3\nsetvl x1\nlvi.w v1, (x0), v2\nsumv.s f1, v1\nhalt"
GATHER_EVENTS = [0, 16, 2 * 16 + 9, 3, 0, 0, 8, 16, 3 * 16 + 5, 3, 0, -1, 4 * 16, 11]


def group(text, events, changes):
    base = as_machine("vs2003")
    machines = [base.changed(change) for change in changes]
    program = assemble(text)
    rows = rows_of(program, decode(program, base))
    return Group(np.array(events, np.int32), rows, sizes_of(base), numbers_of(machines))


def as_plain_python(group, machine):
    memory = start_of(group.sizes).tolist()
    memory[: len(places.NUMBERS)] = group.numbers[:, machine].tolist()
    time_events(group.events.tolist(), group.rows.ravel().tolist(), memory, list(group.sizes.places()))
    return memory[places.RETIRED], memory[places.CHARGES : places.SCALAR]


@pytest.mark.parametrize("threads_and_more", [1, 6])
def test_each_thread_has_its_machine(threads_and_more):
    changes = [{"startup": 3 + lane, "lanes": 1 + lane % 3} for lane in range(threads_and_more)]
    groups = [group(LOAD, LOAD_EVENTS, changes), group(GATHER, GATHER_EVENTS, [{"bank_busy": 7}, {}])]
    for given, times in zip(groups, time_groups(groups), strict=True):
        for machine in range(given.count):
            cycles, causes = as_plain_python(given, machine)
            assert (times.cycles[machine], times.by_cause[machine].tolist()) == (cycles, causes)


def test_a_search_comes_to_the_same():
    spec = vecsim.Sweep(("laplace2d-2",), "crs", set={"banks": (4, 8), "lanes": (1, 2), "startup": (10, 20)})
    on_gpu, here = (vecsim.optimise(spec, goal="front", gpu=gpu) for gpu in (True, False))
    assert on_gpu.answers == here.answers
    assert on_gpu.alone == 0
