"""Random programs, each on a group of random machines: what the engine for one takes, and what many take."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isa.program import Program
from tests.differential.cases import random_case
from vecsim.engines.many.batch import Group, Times, group_of, is_timed, numbers_of, sizes_of, time_group
from vecsim.engines.many.trace import record_trace
from vecsim.engines.running import run
from vecsim.engines.trace_timing.places import WIDTH
from vecsim.machine import Cache, Latencies, Machine, SparseUnit

ONE_PORT = {
    "memory_ports": 1,
    "store_ports": 0,
}
"""What makes any machine one that can be timed with others, next to :func:`_timed_cache`."""
VALUES = {
    "issue_width": (1, 2, 3, 4, 8),
    "branch_penalty": (0, 0, 1, 3, 10),
    "startup": (0, 1, 5, 20),
    "alignment_bytes": (1, 4, 8, 16, 64),
    "bank_busy": (0, 1, 2, 4, 7, 9),
    "words_per_cycle": (1, 2, 3, 4, 8, 16),
    "addresses_per_cycle": (1, 1, 2, 3, 4),
    "lanes": (1, 2, 3, 4, 16, 64),
    "divide_interval": (1, 1, 2, 7),
    "scalar_load_latency": (1, 2, 6, 30),
}
"""Numbers in which the machines of a group differ, next to latencies and those of tables."""
IN_TABLES = {
    "main_memory": {"latency": (0, 1, 7, 40), "cycles": (1, 1, 2, 3), "row_miss": (0, 3, 12)},
    "l1": {"hit_latency": (0, 1, 5), "refill_bytes": (0, 1, 8, 100)},
    "l2": {"hit_latency": (0, 1, 5), "refill_bytes": (0, 1, 8, 100)},
}
ENGINES = ("jit", "jit-multiport")
"""The engines for one machine that take turns, from program to program."""


@dataclass(frozen=True)
class Pairs:
    """A program on machines, and what the engine for one machine takes.

    Attributes
    ----------
    seed
        What it was made from.
    group
        The machines, with the record of the run.
    cycles, by_cause
        (M,) and (M, causes) of the engine.
    counted
        How what the record counts differs from what a run alone counts; empty if it does not.
    """

    seed: int
    group: Group
    cycles: NDArray[np.int64]
    by_cause: NDArray[np.int64]
    counted: str

    def difference(self, times: Times) -> str:
        """Return how the times of many machines differ from those of one; empty if they do not."""
        wrong = (times.cycles != self.cycles) | (times.by_cause != self.by_cause).any(axis=1)
        if not wrong.any():
            return self.counted
        at = int(wrong.argmax())
        return (
            f"seed {self.seed}: machine {at}: {times.cycles[at]} cycles, {self.cycles[at]} alone; by cause "
            f"{times.by_cause[at].tolist()}, alone {self.by_cause[at].tolist()}"
        )


def random_group(seed: int, count: int = WIDTH) -> tuple[Program, NDArray[np.uint8], list[Machine]]:
    """Return a random program, its memory and up to ``count`` machines that can be timed together on it."""
    case, rng = random_case(seed), random.Random(seed)
    caches = {name: _timed_cache(getattr(case.machine, name)) for name in ("l1", "l2")}
    compared = {"disambiguation": min(case.machine.disambiguation, 1)}
    machines = [case.machine.model_copy(update=ONE_PORT | caches | compared)]
    for _ in range(count - 1):
        latency = Latencies(**{name: rng.choice([1, 1, 2, 3, 8, 25]) for name in Latencies.model_fields})
        entries = SparseUnit(**{name: rng.choice([1, 2, 3, 4, 8]) for name in SparseUnit.model_fields})
        changes = {name: rng.choice(values) for name, values in VALUES.items()}
        changes["divide_interval"] = min(changes["divide_interval"], latency.divide)
        changes |= {"latency": latency, "sparse_unit": entries}
        for table, columns in () if machines[0].has_flat_memory else IN_TABLES.items():
            sample = {name: rng.choice(values) for name, values in columns.items()}
            changes[table] = getattr(machines[0], table).model_copy(update=sample)
        machines.append(machines[0].model_copy(update=changes))
    alike = [each for each in machines if sizes_of(each) == sizes_of(machines[0])]
    return case.program, case.memory, [each for each in alike if is_timed(each)]


def _timed_cache(cache: Cache) -> Cache:
    """Return a cache in which no cycle decides whether a word finds its line."""
    return cache.model_copy(update={"serves": 1} | ({"misses": 0} if cache.prefetch else {}))


def random_pairs(seed: int, count: int = WIDTH) -> Pairs:
    """Return a random program on random machines, run by an engine for one machine."""
    program, memory, machines = random_group(seed, count)
    trace = record_trace(program, memory, machines[0])
    assert trace is not None, f"seed {seed}: no record"
    engine = ENGINES[seed % len(ENGINES)]
    runs = [run(program, memory, machine, engine=engine) for machine in machines]
    counted = [
        f"seed {seed}: machine {at}: {trace.counters}, alone {each.memory_counters}"
        for at, each in enumerate(runs)
        if trace.counters != each.memory_counters
    ]
    return Pairs(
        seed,
        group_of(trace, machines[0], numbers_of(machines)),
        np.array([each.cycles for each in runs]),
        np.array([list(each.cycles_by_cause.values()) for each in runs]),
        next(iter(counted), ""),
    )


def compared(first: int, last: int) -> tuple[list[Pairs], list[str]]:
    """Return the pairs of seeds from ``first`` to ``last`` (exclusive), and where many differ from one."""
    made = [random_pairs(seed) for seed in range(first, last)]
    return made, [line for each in made if (line := each.difference(time_group(each.group)))]
