"""Where the conversion to HBP on the GPU spends its time, kernel by kernel.

python -m benchmarks.hbp_conversion [MATRIX ...]

Matrices of the HBP experiment, by name; without any a Kronecker graph and one like a device. Microseconds:
of a kernel alone, replayed from a graph; of what asks for memory or waits for the device, from the host.

python -m benchmarks.hbp_conversion --orders [MATRIX ...]

Only puts rows in order, once by each method, between a start and a stop of the profiler: for
``ncu --profile-from-start off``.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from benchmarks.markdown import table
from experiments.gpu_bench.suite import SuiteMatrix
from experiments.hbp.subjects import subjects
from vecsim.errors import UserError
from vecsim.formats.hbp.ordering import METHODS

USUAL = ("m4-kronecker-18", "m10-device")
RUNS = 7
"""From the host; the median counts, the first does not."""

Step = tuple[str, str, float]
"""What it is, how it was timed, and its microseconds."""


def main(given: Sequence[str] | None = None) -> int:
    """Print a table for each matrix; 2 if there is no GPU, or no such matrix."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.hbp_conversion", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="MATRIX")
    parser.add_argument("--orders", action="store_true", help="run each order once, for a profiler")
    asked = parser.parse_args(given)
    try:
        from gpu.runtime.cuda import require_gpu

        require_gpu()
        for matrix in map(_named, asked.names or USUAL):
            csr = matrix.make()
            if asked.orders:
                run_orders(matrix.name, csr)
                continue
            print(f"\n{matrix.name}: {csr.shape[0]:,} rows, {csr.nnz:,} entries\n")
            print(table(["step", "timed", "us"], ([*told, f"{us:,.0f}"] for *told, us in steps(csr))))
    except UserError as error:
        print(f"hbp_conversion: error: {error}", file=sys.stderr)
        return 2
    return 0


def _named(name: str) -> SuiteMatrix:
    found = {each.name: each for each in subjects()}
    if name not in found:
        raise UserError(f"matrix {name} is none of {', '.join(found)}")
    return found[name]


def steps(csr: Any) -> Iterator[Step]:
    """Time the steps of a conversion one behind the other.

    Parameters
    ----------
    csr
        A canonical csr_array with entries.
    """
    from gpu.conversion.hbp.active import active_on_device
    from gpu.conversion.hbp.blocks import BlockedRows, DeviceCRS, hbp_on_device
    from gpu.conversion.prefix_sums import prefix_sums
    from gpu.conversion.tree_building import room
    from gpu.runtime.cuda import WARP

    matrix = DeviceCRS.of(csr)
    yield "memory for rows of blocks", "host", _host(partial(BlockedRows, matrix))
    rows = BlockedRows(matrix)
    yield "count rows", "kernel", _kernel(rows, rows.count)
    yield "choose the hash", "host", _host(rows.chosen_hash)
    chosen = rows.chosen_hash()
    for method in (*METHODS[2:], "hash"):
        yield f"order by {method}", "kernel", _kernel(rows, partial(rows.put_in_order, method, chosen))
    groups = rows.slots // WARP
    zero_row, totals = room(rows.slots, np.int32), room(groups, np.int32)
    yield "weigh groups", "kernel", _kernel(rows, partial(rows.weigh, zero_row, totals))
    yield "sums before groups", "host", _host(partial(prefix_sums, totals, groups, 0))
    begins, entries = prefix_sums(totals, groups, 0)

    def memory() -> list[Any]:
        return [room(entries, dtype) for dtype in (np.int32, matrix.values.dtype, np.int32)]

    yield "memory for entries", "host", _host(memory)
    arrays = memory()
    yield "fill", "kernel", _kernel(rows, partial(rows.fill, begins, *arrays))
    del arrays, rows, zero_row, totals
    yield "all, by the hash", "host", _host(partial(hbp_on_device, matrix))
    yield "all, the repaired form", "host", _host(partial(active_on_device, matrix))


def run_orders(name: str, csr: Any) -> None:
    """Put rows in order by each method, and have only that profiled; each is named on standard output.

    Parameters
    ----------
    name
        Of the matrix.
    csr
        A canonical csr_array with entries.
    """
    from gpu.conversion.hbp.blocks import BlockedRows, DeviceCRS
    from gpu.runtime.cuda import cuda

    rows = BlockedRows(DeviceCRS.of(csr))
    rows.count()
    chosen = rows.chosen_hash()
    for method in METHODS[1:]:
        rows.put_in_order(method, chosen)  # compiled before it is profiled
        cuda.synchronize()
        print(f"order of {name} by {method}", flush=True)
        cuda.profile_start()
        rows.put_in_order(method, chosen)
        cuda.synchronize()
        cuda.profile_stop()


def _kernel(rows: Any, run: Callable[[], None]) -> float:
    """Time what only puts kernels on the stream of these rows."""
    from gpu.measure.timing import measure
    from gpu.runtime.vectors import stream_of

    def operation(stream: Any) -> None:
        rows.stream = stream_of(stream.address)
        run()

    rows.stream = 0
    run()  # compiled before it is captured
    found = measure([operation], 0.05).median_us
    rows.stream = 0
    return float(found)


def _host(run: Callable[[], Any]) -> float:
    """Time what asks for memory or waits, and what it made is freed."""
    from gpu.runtime.cuda import cuda
    from gpu.runtime.memory import free_what_is_dropped

    times = []
    for _ in range(RUNS + 1):
        cuda.synchronize()
        begun = time.perf_counter()
        made = run()
        cuda.synchronize()
        times.append((time.perf_counter() - begun) * 1e6)
        del made
        free_what_is_dropped()
    return float(np.median(times[1:]))


if __name__ == "__main__":
    sys.exit(main())
