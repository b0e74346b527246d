"""Machines timed together on one record take what each takes alone: cycles, and cycles by cause."""

import numpy as np
import pytest
from many.pairs import random_group, random_pairs

from isa.assembler import assemble
from programs.measurement import prepare_product
from vecsim.engines.many import trace
from vecsim.engines.many.batch import (
    LARGEST_NUMBER,
    group_of,
    is_timed,
    numbers_of,
    sizes_of,
    start_of,
    time_group,
)
from vecsim.engines.many.trace import record_trace
from vecsim.engines.rebinding import rebound
from vecsim.engines.running import run
from vecsim.engines.trace_timing import places
from vecsim.engines.trace_timing.timing import time_events
from vecsim.engines.trace_timing.variants import replacements
from vecsim.machine import Cache, as_machine

BANKS_ALONE, CACHES, RENAMING = 0, 9, 7
"""Seeds of machines whose memory is banks alone, of some with caches and limits, and of some that rename."""
SEEDS = [*range(4), *(pytest.param(seed, marks=pytest.mark.ci) for seed in range(4, 40))]


@pytest.mark.parametrize("seed", SEEDS)
def test_as_alone_on_random_programs(seed):
    pairs = random_pairs(seed)
    assert pairs.difference(time_group(pairs.group)) == ""


@pytest.mark.parametrize("program", ["crs", "jd", "bbcs", "hism", "chism"])
def test_as_alone_on_products(program):
    base = as_machine("vs2003")
    machines = [
        base,
        base.changed({"lanes": 1, "startup": 3, "sparse_unit.p": 2}),
        base.changed({"bank_busy": 9, "addresses_per_cycle": 4, "branch_penalty": 0}),
    ]
    prepared = prepare_product(program, "laplace2d-12", base)
    record = record_trace(prepared.program, prepared.loaded.memory, base)
    times = time_group(group_of(record, base, numbers_of(machines)))
    alone = [run(prepared.program, prepared.loaded.memory, machine) for machine in machines]
    assert times.cycles.tolist() == [each.cycles for each in alone]
    assert times.by_cause.tolist() == [list(each.cycles_by_cause.values()) for each in alone]


def as_plain_python(group, machine):
    """Return the cycles of a machine, and by cause, as the source in plain Python takes them."""
    with_memory = group.sizes.memory is not None
    source = rebound(time_events, {}, lambda plain: plain, replacements(with_memory))
    memory, begin = start_of(group.sizes).tolist(), group.first_times()[:, machine].tolist()
    memory[: len(begin)] = begin
    source(group.events.tolist(), group.rows.ravel().tolist(), memory, list(group.sizes.places()))
    return memory[places.RETIRED], memory[places.CHARGES : places.SCALAR]


@pytest.mark.parametrize("seed", [BANKS_ALONE, CACHES, RENAMING])
def test_source_times_one_machine_as_it_is(seed):
    """The source is plain Python: what compiled code does with it side by side, it does for one machine."""
    pairs = random_pairs(seed, 2)
    assert as_plain_python(pairs.group, 0) == (pairs.cycles[0], pairs.by_cause[0].tolist())


def test_memory_is_not_changed():
    program, memory, machines = random_group(2)
    before = memory.copy()
    record_trace(program, memory, machines[0])
    assert np.array_equal(memory, before)


def test_more_machines_than_go_side_by_side():
    base = as_machine("vs2003")
    program = assemble("li x1, 64\nsetvl x1\nlv.w v1, 0(x0)\naddvv.s v2, v1, v1\nhalt")
    machines = [base.changed({"startup": startup}) for startup in range(37)]
    record = record_trace(program, np.zeros(1024, np.uint8), base)
    times = time_group(group_of(record, base, numbers_of(machines)))
    assert times.cycles.tolist() == list(range(times.cycles[0], times.cycles[0] + 37))


@pytest.mark.parametrize(
    "change",
    [
        {"memory_ports": 2},
        {"store_ports": 1},
        {"disambiguation": 2},
        {"accesses_in_flight": 63},
        {"l1": Cache(bytes=1024, serves=3)},
        {"l2": Cache(bytes=1024, serves=2)},
        {"l1": Cache(bytes=1024, prefetch=1)},
        {"l2": Cache(bytes=1 << 21, line_bytes=4)},
        {"startup": LARGEST_NUMBER + 1},
    ],
)
def test_other_machines_are_left_to_the_engine_for_one(change):
    base = as_machine("vs2003")
    assert is_timed(base)
    assert not is_timed(base.model_copy(update=change))


@pytest.mark.parametrize("text", ["lv.w v1, 4096(x0)\nhalt", "li x1, 1\njr x1"])
def test_program_that_fails_has_no_record(text, monkeypatch):
    monkeypatch.setattr(trace, "MOST_WORDS", 2 * trace.FIRST_WORDS)  # an endless loop fills as many
    base = as_machine("vs2003")
    program = assemble(f"li x2, 8\nsetvl x2\n{text}")
    assert record_trace(program, np.zeros(1024, np.uint8), base) is None


def test_sizes_are_what_machines_have_in_common():
    base = as_machine("vs2003")
    assert sizes_of(base) == sizes_of(base.changed({"lanes": 8, "latency.add": 3}))
    assert sizes_of(base) != sizes_of(base.changed({"banks": 8}))
    renaming = base.changed({"physical_scalar_registers": 64})
    assert sizes_of(renaming) != sizes_of(renaming.changed({"main_memory.latency": 1}))  # it has counters


def test_too_many_cycles_are_left_to_the_engine_for_one():
    base = as_machine("vs2003")
    program = assemble("li x1, 200000\nagain: addi x1, x1, -1\nbne x1, x0, again\nhalt")
    record = record_trace(program, np.zeros(64, np.uint8), base)
    numbers = numbers_of([base, base.changed({"branch_penalty": 10_000})])
    assert time_group(group_of(record, base, numbers)).cycles.tolist()[1] == -1
