"""Random programs, each on a group of random machines: what the engine for one takes, and what many take."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isa.program import Program
from tests.differential.cases import random_case
from tests.differential.random_machines import random_machine
from vecsim.engines.many.batch import Group, Times, group_of, is_timed, numbers_of, time_group
from vecsim.engines.many.trace import record_trace
from vecsim.engines.running import run
from vecsim.engines.trace_timing.places import NUMBERS, WIDTH
from vecsim.machine import Cache, Machine, MainMemory

ONE_PORT = {
    "memory_ports": 1,
    "store_ports": 0,
    "disambiguation": 0,
    "physical_vector_registers": 0,
    "physical_scalar_registers": 0,
    "words_outstanding": 0,
    "merge_bytes": 0,
    "l1": Cache(),
    "l2": Cache(),
    "main_memory": MainMemory(),
}
"""What makes any machine one that can be timed with others."""
VARIED = sorted({name.split(".")[0] for name in NUMBERS})


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
    """

    seed: int
    group: Group
    cycles: NDArray[np.int64]
    by_cause: NDArray[np.int64]

    def difference(self, times: Times) -> str:
        """Return how the times of many machines differ from those of one; empty if they do not."""
        wrong = (times.cycles != self.cycles) | (times.by_cause != self.by_cause).any(axis=1)
        if not wrong.any():
            return ""
        at = int(wrong.argmax())
        return (
            f"seed {self.seed}: machine {at}: {times.cycles[at]} cycles, {self.cycles[at]} alone; by cause "
            f"{times.by_cause[at].tolist()}, alone {self.by_cause[at].tolist()}"
        )


def random_group(seed: int, count: int = WIDTH) -> tuple[Program, NDArray[np.uint8], list[Machine]]:
    """Return a random program, its memory and up to ``count`` machines that can be timed together on it."""
    case, rng = random_case(seed), random.Random(seed)
    machines = [case.machine.model_copy(update=ONE_PORT)]
    for _ in range(count - 1):
        other = random_machine(rng)
        machine = machines[0].model_copy(update={name: getattr(other, name) for name in VARIED})
        interval = min(machine.divide_interval, machine.latency.divide)
        machines.append(machine.model_copy(update={"divide_interval": interval}))
    return case.program, case.memory, [each for each in machines if is_timed(each)]


def random_pairs(seed: int, count: int = WIDTH) -> Pairs:
    """Return a random program on random machines, run by the engine for one machine."""
    program, memory, machines = random_group(seed, count)
    trace = record_trace(program, memory, machines[0])
    assert trace is not None, f"seed {seed}: no record"
    runs = [run(program, memory, machine) for machine in machines]
    return Pairs(
        seed,
        group_of(trace, machines[0], numbers_of(machines)),
        np.array([each.cycles for each in runs]),
        np.array([list(each.cycles_by_cause.values()) for each in runs]),
    )


def compared(first: int, last: int) -> tuple[list[Pairs], list[str]]:
    """Return the pairs of the seeds from ``first`` to ``last`` (exclusive), and where many differ from one."""
    made = [random_pairs(seed) for seed in range(first, last)]
    return made, [line for each in made if (line := each.difference(time_group(each.group)))]
