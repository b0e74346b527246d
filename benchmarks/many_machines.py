"""Machines a second: one at a time, many side by side on a core, many on a GPU; every time is checked.

``python -m benchmarks.many_machines laplace2d-60 add32.mtx.gz --machines 100000 [--gpu]``

Each machine runs the five products on a matrix; a cell is one product on one machine. The products are timed
after each other, so cells a second are those of all five together.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import sys
import time
from collections.abc import Callable
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from programs.measurement import prepare_product
from programs.registry import PROGRAMS
from vecsim.data import load
from vecsim.engines.many.batch import Group, Times, group_of, numbers_of, time_group
from vecsim.engines.many.trace import record_trace
from vecsim.engines.running import run
from vecsim.engines.trace_timing.places import NUMBERS
from vecsim.machine import Machine, as_machine

Result = TypeVar("Result")
BANKS = (8, 16, 32, 64)
"""Machines with each of these take a quarter."""
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
MEMORY_VALUES = {
    "main_memory.latency": (10, 20, 40, 80),
    "main_memory.row_miss": (4, 12, 24),
    "l1.hit_latency": (1, 2, 4),
    "l2.hit_latency": (4, 8, 12),
}
"""Further numbers of machines whose memory is more than banks."""
ALONE = 3
"""Runs of the engine for one machine; the fastest counts."""
ON_A_CORE = 128
"""Machines of a group that are timed side by side on a core, and compared with the GPU."""
GPU_SECONDS = 2.0
"""The GPU repeats its work for so long, since its energy is counted in steps of some 0.1 s."""


def _change(text: str) -> tuple[str, int]:
    name, _, number = text.partition("=")
    if not number.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r}: write NAME=NUMBER")
    return name, int(number)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.many_machines", description=__doc__)
    parser.add_argument("matrices", nargs="+", help="as of vecsim run")
    parser.add_argument("--machines", type=int, default=4096, help="machines of a product")
    parser.add_argument(
        "--set", action="append", default=[], type=_change, metavar="NAME=NUMBER", help="of all machines"
    )
    parser.add_argument("--gpu", action="store_true", help="on the GPU, too")
    parser.add_argument("--core-watts", type=float, help="of a core: its processor's TDP by its cores")
    parser.add_argument("--core-price", type=float, help="of an hour of a core")
    parser.add_argument("--gpu-price", type=float, help="of an hour of the GPU, in the same money")
    return parser


def _numbers(base: Machine, machines: int) -> Any:
    """Return the numbers of machines that differ from ``base``, the first, by chance."""
    rng = np.random.Generator(np.random.PCG64(0))
    numbers = np.repeat(numbers_of([base]), machines, axis=1)
    varied = VALUES if base.has_flat_memory else VALUES | MEMORY_VALUES
    for name, values in varied.items():
        numbers[NUMBERS.index(name), 1:] = rng.choice(values, machines - 1)
    return numbers


def _timed(work: Callable[[], Result]) -> tuple[float, Result]:
    """Return the processors' time of something, and its result."""
    begun = time.process_time()
    result = work()
    return time.process_time() - begun, result


def _measured(matrix: str, machines: int, changes: dict[str, int], *, gpu: bool) -> dict[str, Any]:
    """Return cells a second in each way, over all products, on machines with some changes.

    Raises
    ------
    AssertionError
        A way takes other cycles than another.
    """
    bases = [as_machine("vs2003").changed({"banks": banks} | changes) for banks in BANKS]
    alone = core = 0.0
    groups: list[Group] = []
    checked: list[Times] = []
    for program in PROGRAMS:
        prepared = prepare_product(program, matrix, bases[0])
        for base in bases:
            trace = record_trace(prepared.program, prepared.loaded.memory, base)
            assert trace is not None
            numbers = _numbers(base, machines // len(bases))
            some = group_of(trace, base, numbers[:, :ON_A_CORE])
            one = partial(run, prepared.program, prepared.loaded.memory, base)
            seconds, done = min((_timed(one) for _ in range(ALONE)), key=itemgetter(0))
            alone += seconds / len(bases)
            if not groups:
                time_group(some)  # loads the loop
            seconds, times = _timed(partial(time_group, some))
            core += seconds / some.count / len(bases)
            assert times.cycles[0] == done.cycles
            assert times.by_cause[0].tolist() == list(done.cycles_by_cause.values())
            groups.append(group_of(trace, base, numbers))
            checked.append(times)
    rates = {"alone": len(PROGRAMS) / alone, "core": len(PROGRAMS) / core}
    size = {"matrix": Path(matrix).name.removesuffix(".mtx.gz"), "entries": int(load(matrix).csr.nnz)}
    return size | rates | (_on_gpu(groups, checked) if gpu else {})


def _on_gpu(groups: list[Group], checked: list[Times]) -> dict[str, float]:
    from vecsim.engines.targets.gpu.batch import time_groups

    first = groups[0]
    time_groups([Group(first.events, first.rows, first.sizes, first.numbers[:, :1])])  # compiles
    energy, begun, rounds = _joules(), time.perf_counter(), 0
    while rounds == 0 or time.perf_counter() - begun < GPU_SECONDS:
        times, rounds = time_groups(groups), rounds + 1
    seconds, joules = time.perf_counter() - begun, _joules() - energy
    for on_gpu, here in zip(times, checked, strict=True):
        assert np.array_equal(on_gpu.cycles[: len(here.cycles)], here.cycles)
        assert np.array_equal(on_gpu.by_cause[: len(here.cycles)], here.by_cause)
    cells = rounds * sum(each.count for each in groups)
    return {"gpu": cells / seconds, "gpu watts": joules / seconds}


def _joules() -> float:
    """Return the energy that the GPU has taken since its driver was loaded, by its counter."""
    from vecsim.engines.targets.gpu.cuda import cuda

    library, device, millijoules = ctypes.CDLL("libnvidia-ml.so.1"), ctypes.c_void_p(), ctypes.c_ulonglong()
    uuid = cuda.get_current_device().uuid.encode()
    for status in (
        library.nvmlInit_v2(),
        library.nvmlDeviceGetHandleByUUID(uuid, ctypes.byref(device)),
        library.nvmlDeviceGetTotalEnergyConsumption(device, ctypes.byref(millijoules)),
    ):
        assert status == 0, f"NVML: error {status}"
    return millijoules.value / 1000


def _host(*, gpu: bool) -> dict[str, Any]:
    """Return what the times are of."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    models = [line.partition(": ")[2] for line in lines if line.startswith("model name")]
    result = {"processor": models[0] if models else "unknown", "processors": os.cpu_count()}
    if gpu:
        from vecsim.engines.targets.gpu.cuda import cuda

        result["gpu"] = str(cuda.get_current_device().name)
    return result


def _with_costs(rates: dict[str, Any], given: argparse.Namespace) -> dict[str, Any]:
    """Return rates with what follows of them: ratios, cells a joule, and for the prices that are given."""
    costs = {"core / alone": rates["core"] / rates["alone"]}
    if given.core_watts:
        costs["cells a joule, core"] = rates["core"] / given.core_watts
    if given.core_price:
        costs["million cells for 1 of money, core"] = rates["core"] * 3600 / given.core_price / 1e6
    if "gpu" in rates:
        costs |= {"gpu / alone": rates["gpu"] / rates["alone"], "gpu / core": rates["gpu"] / rates["core"]}
        costs["cells a joule, gpu"] = rates["gpu"] / rates["gpu watts"]
    if "gpu" in rates and given.gpu_price:
        costs["million cells for 1 of money, gpu"] = rates["gpu"] * 3600 / given.gpu_price / 1e6
    return rates | costs


def _shown(value: Any) -> str:
    """Return a number with four digits."""
    return f"{value:,.{max(0, 3 - int(np.log10(value)))}f}" if isinstance(value, float) else f"{value}"


def main(arguments: list[str]) -> None:
    """Print a line of JSON for each matrix, and all of them as a table."""
    given = _parser().parse_args(arguments)
    print(json.dumps(_host(gpu=given.gpu)), flush=True)
    changes = dict(given.set)
    results = []
    for matrix in given.matrices:
        results.append(_with_costs(_measured(matrix, given.machines, changes, gpu=given.gpu), given))
        print(json.dumps(results[-1]), flush=True)
    for row in ([*results[0]], ["---"] * len(results[0]), *([*each.values()] for each in results)):
        print(f"| {' | '.join(map(_shown, row))} |")


if __name__ == "__main__":
    main(sys.argv[1:])
