"""Cells of machines that time the record of one run together: where that pays, and what comes of it."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from experiments.whatif.sweep.cell import Cell
from vecsim.engines.cause import Cause
from vecsim.engines.jit.interface import RECORDING
from vecsim.engines.jit.object_files.machine_code import is_kept
from vecsim.engines.many.batch import (
    Group,
    Times,
    group_of,
    is_timed,
    loop_of,
    numbers_of,
    sizes_of,
    time_group,
)
from vecsim.engines.many.trace import record_trace
from vecsim.engines.result import Run
from vecsim.engines.running import run as run_alone
from vecsim.engines.trace_timing.places import Sizes
from vecsim.machine import Machine

RECORD_RUNS = 4
"""A record takes as long as this many runs, with the start of the loops."""
COMPILE_SECONDS = 60
"""Processors' time to compile the loops, once on a computer."""
FEW = 4
"""Fewer machines of the same sizes are run one by one: a group takes as long as two to three runs."""
AT_ONCE, AT_ONCE_ON_GPU = 4096, 1 << 15
"""Cells that are lost if a sweep is ended, at most: enough to fill what times them."""
CAUSES = tuple(cause.name.lower() for cause in Cause)


@dataclass(frozen=True)
class Batch:
    """Machines that were timed together.

    Attributes
    ----------
    members
        Their places among the machines of the image.
    times
        What each came to.
    counters
        What caches and main memory of each count.
    seconds
        Time that it took.
    """

    members: Sequence[int]
    times: Times
    counters: Mapping[str, int]
    seconds: float

    def cell(self, number: int, like: Cell, run: Run, machine: Machine) -> Cell:
        """Return the cell of a machine.

        Parameters
        ----------
        number
            Which of the members.
        like, run
            Those of another machine with the same image and registers, which may have other caches.
        machine
            The machine.
        """
        cycles = int(self.times.cycles[number])
        causes = dict(zip(CAUSES, self.times.by_cause[number].tolist(), strict=True))
        return replace(
            like,
            cycles=cycles,
            peak_share=replace(run, machine=machine, cycles=cycles).peak_share,
            cycles_by_cause=causes,
            counters={name: like.counters[name] for name in machine.counter_names} | dict(self.counters),
            seconds=self.seconds / len(self.members),
        )


def timed_together(
    run: Run,
    memory: npt.NDArray[np.uint8],
    machines: Sequence[Machine],
    seconds: float,
    *,
    on_gpu: bool = False,
) -> Iterator[Batch]:
    """Time machines on the record of one run, where that pays; those that no batch has are left.

    One machine of each batch is run alone, too: if it does not come to the same, no more batches are given,
    and a line says so.

    Parameters
    ----------
    run
        Of a machine with the same image and registers.
    memory
        (n,) bytes of the image.
    machines
        With the same, too.
    seconds
        Processors' time of the run.
    on_gpu
        Whether to time them on the GPU.
    """
    groups = _groups(machines)
    count = sum(map(len, groups.values()))
    loops = {RECORDING, *map(loop_of, groups)}
    begin = 0 if on_gpu or all(map(is_kept, loops)) else COMPILE_SECONDS
    if count * seconds < RECORD_RUNS * seconds + begin:
        return
    trace = record_trace(run.program, memory, machines[0])
    if trace is None:
        return
    at_once = AT_ONCE_ON_GPU if on_gpu else AT_ONCE
    for members in groups.values():
        for first in range(0, len(members), at_once):
            some = members[first : first + at_once]
            began = time.perf_counter()
            group = group_of(trace, machines[some[0]], numbers_of([machines[at] for at in some]))
            times = _on_gpu(group) if on_gpu else time_group(group)
            batch = Batch(some, times, trace.counters, time.perf_counter() - began)
            if not _is_right(batch, run, memory, machines):
                return
            yield batch


def _groups(machines: Sequence[Machine]) -> dict[Sizes, list[int]]:
    """Return the places of the machines that can be timed together, where they are not few."""
    groups: dict[Sizes, list[int]] = {}
    for at, machine in enumerate(machines):
        if is_timed(machine):
            groups.setdefault(sizes_of(machine), []).append(at)
    return {sizes: members for sizes, members in groups.items() if len(members) >= FEW}


def _is_right(batch: Batch, run: Run, memory: npt.NDArray[np.uint8], machines: Sequence[Machine]) -> bool:
    """Return whether one of the machines of a batch takes as long alone; say it if not."""
    number = len(batch.members) // 2
    machine, cycles = machines[batch.members[number]], int(batch.times.cycles[number])
    if cycles < 0:
        return True
    alone = run_alone(run.program, memory, machine)
    causes = batch.times.by_cause[number].tolist()
    same = cycles == alone.cycles and causes == list(alone.cycles_by_cause.values())
    same = same and batch.counters == alone.memory_counters
    if not same:
        print(
            f"sweep: {machine.label}: many machines at once took {cycles} cycles, one alone {alone.cycles}: "
            "each is run alone; please report this",
            file=sys.stderr,
            flush=True,
        )
    return same


def _on_gpu(group: Group) -> Times:
    from vecsim.engines.targets.gpu.batch import time_groups

    return time_groups([group])[0]
