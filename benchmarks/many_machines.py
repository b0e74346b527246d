"""Machines a second: one at a time, many side by side on a core, many on a GPU; every time is checked.

``python -m benchmarks.many_machines laplace2d-60 memplus.mtx.gz --machines 4096 [--gpu]``
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from programs.measurement import Prepared, prepare_product
from programs.registry import PROGRAMS
from vecsim.engines.many.batch import Group, Times, group_of, numbers_of, time_group
from vecsim.engines.many.trace import record_trace
from vecsim.engines.running import run
from vecsim.engines.trace_timing.places import NUMBERS
from vecsim.machine import Machine, as_machine

VALUES = {
    "startup": (5, 10, 20, 40, 80),
    "bank_busy": (1, 2, 3, 4, 6, 8),
    "words_per_cycle": (1, 2, 4, 8),
    "addresses_per_cycle": (1, 2, 4),
    "lanes": (1, 2, 4, 8),
    "branch_penalty": (0, 1, 3, 5),
    "sparse_unit.p": (2, 4, 8, 16),
    "sparse_unit.r": (1, 2, 4, 8),
    "latency.add": (2, 4, 8, 12),
    "latency.multiply": (2, 4, 8, 12),
    "issue_width": (1, 2, 4),
    "scalar_load_latency": (2, 6, 20),
}
ALONE = 3
"""Runs of the engine for one machine; the fastest counts."""
ON_A_CORE = 128
"""Machines that are timed side by side on a core, and compared with the GPU."""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.many_machines", description=__doc__)
    parser.add_argument("matrices", nargs="+", help="as of vecsim run")
    parser.add_argument("--machines", type=int, default=4096, help="machines of a product")
    parser.add_argument("--gpu", action="store_true", help="on the GPU, too")
    return parser


def _numbers(base: Machine, machines: int) -> Any:
    """Return the numbers of machines that differ from ``base``, the first, by chance."""
    rng = np.random.Generator(np.random.PCG64(0))
    numbers = np.repeat(numbers_of([base]), machines, axis=1)
    for name, values in VALUES.items():
        numbers[NUMBERS.index(name), 1:] = rng.choice(values, machines - 1)
    return numbers


def _seconds(work: Callable[[], object], clock: Callable[[], float] = time.process_time) -> float:
    begun = clock()
    work()
    return clock() - begun


def _measured(prepared: Prepared, base: Machine, machines: int, *, gpu: bool) -> dict[str, float]:
    """Return machines a second in each way.

    Raises
    ------
    AssertionError
        A way takes other cycles than another.
    """
    program, memory = prepared.program, prepared.loaded.memory
    trace = record_trace(program, memory, base)
    assert trace is not None
    numbers = _numbers(base, machines)
    group = group_of(trace, base, numbers)
    some = group_of(trace, base, numbers[:, :ON_A_CORE])
    done = run(program, memory, base)
    times = time_group(some)
    assert times.cycles[0] == done.cycles
    assert times.by_cause[0].tolist() == list(done.cycles_by_cause.values())
    result = {
        "alone": 1 / min(_seconds(lambda: run(program, memory, base)) for _ in range(ALONE)),
        "core": some.count / _seconds(lambda: time_group(some)),
    }
    return result | (_on_gpu(group, times) if gpu else {})


def _on_gpu(group: Group, times: Times) -> dict[str, float]:
    from vecsim.engines.targets.gpu.batch import time_groups

    time_groups([Group(group.events, group.rows, group.sizes, group.numbers[:, :1])])  # compiles
    begun = time.perf_counter()
    on_gpu = time_groups([group])[0]
    seconds = time.perf_counter() - begun
    assert np.array_equal(on_gpu.cycles[: len(times.cycles)], times.cycles)
    assert np.array_equal(on_gpu.by_cause[: len(times.cycles)], times.by_cause)
    return {"gpu": group.count / seconds}


def main(arguments: list[str]) -> None:
    """Print a line of JSON for each product on each matrix."""
    given, base = _parser().parse_args(arguments), as_machine("vs2003")
    for matrix in given.matrices:
        for program in PROGRAMS:
            prepared = prepare_product(program, matrix, base)
            rates = _measured(prepared, base, given.machines, gpu=given.gpu)
            line = {"matrix": matrix, "program": program}
            print(json.dumps(line | {way: round(rate, 1) for way, rate in rates.items()}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
