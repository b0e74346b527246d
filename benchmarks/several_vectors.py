"""Products with several vectors against cuSPARSE's SpMM.

python -m benchmarks.several_vectors [--only NAME,...] [--counts 4,8,16] [--shares] [--json FILE]

The matrices are those of the suite's class large_structured. Everything is prepared before, captured in a
graph and timed in turn, warm. cuSPARSE is the fastest of its algorithms for CSR and of both orders of X.
With ``--shares`` every share of a thread is timed, which is how `share_for` was chosen.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np

import gpu
from experiments.baseline.cusparse_columns import METHODS, ColumnProducts
from experiments.baseline.cusparse_formats import to_csr
from experiments.baseline.cusparse_library import CusparseError
from experiments.gpu_bench.suite import suite
from gpu.kernel_parts.several_vectors import Share, share_for
from gpu.measure.timing import measure, measure_in_turn
from gpu.runtime.cuda import cuda
from gpu.runtime.cuda_driver import Stream
from gpu.runtime.device_info import device_info

COUNTS = (1, 4, 8, 16)
ORDERS: dict[str, Literal["C", "F"]] = {"row": "C", "column": "F"}
"""NumPy's names of the orders of X."""
LIMITS = {"float64": 1e-12, "float32": 1e-4}
"""Of the error, relative to the largest element of the product."""
SECONDS = 0.06


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure what is asked for; print a line for each product."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.several_vectors", description=__doc__)
    parser.add_argument("--only", help="names of matrices of the suite, separated by commas")
    parser.add_argument("--counts", default=",".join(map(str, COUNTS)), help="vectors, separated by commas")
    parser.add_argument("--dtypes", default="float64,float32")
    parser.add_argument("--shares", action="store_true", help="time every share of a thread")
    parser.add_argument("--seconds", type=float, help="begin no matrix after this time")
    parser.add_argument("--json", type=Path, help="write what was measured")
    given = parser.parse_args(arguments)
    began, results = time.monotonic(), []
    counts = [int(count) for count in given.counts.split(",")]
    print(device_info().name, flush=True)
    for each in suite():
        if not (each.name in given.only.split(",") if given.only else each.class_ == "large_structured"):
            continue
        if given.seconds and time.monotonic() - began > given.seconds:
            print(f"{each.name} and those after it: no time was left")
            break
        matrix = each.make()
        for dtype in given.dtypes.split(","):
            of_type = matrix.astype(dtype)
            built = gpu.prepare(of_type)
            for count in counts:
                how = times_of_shares if given.shares else times
                record = {"matrix": each.name, "dtype": dtype, "format": built.format, "count": count}
                record |= how(built, of_type, count)
                print(json.dumps(record), flush=True)
                results.append(record)
                if given.json:
                    given.json.write_text(json.dumps({"device": device_info().name, "results": results}))
    return 0


def times(built: Any, matrix: Any, count: int) -> dict[str, Any]:
    """Time a product in both orders and cuSPARSE, microseconds.

    Parameters
    ----------
    built
        A `gpu.DeviceMatrix`.
    matrix
        The same, scipy.sparse CSR.
    count
        Vectors.
    """
    x = np.random.default_rng(0).random((matrix.shape[1], count)).astype(matrix.dtype)
    exact = matrix @ x
    names: list[str] = []
    calls: list[list[Callable[[Stream], None]]] = []
    with ExitStack() as open_:
        for name, order in ORDERS.items():
            there = cuda.to_device(np.asarray(x, order=order))
            out = cuda.to_device(np.asarray(np.zeros_like(exact), order=order))
            built.matmat(there, out=out)
            require_right(out.copy_to_host(), exact, f"{built.format} {name}")
            names.append(name)
            calls.append([partial(enqueue, built, there, out)])
        for method, (way, algorithm) in METHODS.items():
            try:
                product = open_.enter_context(ColumnProducts(to_csr(matrix), count, way, algorithm=algorithm))
            except CusparseError:
                continue
            product.write_x(np.asarray(x, order=ORDERS[way]).ravel(order="K"))
            with Stream() as stream:
                product.enqueue(stream)
                stream.synchronize()
            shape = (matrix.shape[0], count)
            require_right(product.read_y().reshape(shape, order=ORDERS[way]), exact, method)
            names.append(method)
            calls.append([product.enqueue])
        timings = measure_in_turn(calls, SECONDS)
    of = {name: timing.median_us for name, timing in zip(names, timings, strict=True)}
    best = min((name for name in of if name in METHODS), key=of.__getitem__)
    return {
        "rows_us": of["row"],
        "columns_us": of["column"],
        "cusparse": best,
        "cusparse_us": of[best],
        "times_faster": of[best] / min(of["row"], of["column"]),
        "all_us": of,
    }


def times_of_shares(built: Any, matrix: Any, count: int) -> dict[str, Any]:
    """Time the kernel with every share that fits, microseconds; X row by row, then column by column.

    Parameters
    ----------
    built, matrix, count
        As of `times`.
    """
    x = np.random.default_rng(0).random((matrix.shape[1], count)).astype(matrix.dtype)
    exact, product, one = matrix @ x, built._product, matrix.dtype.type
    size, results = matrix.dtype.itemsize, {}
    widest = share_for(count, size, by_columns=False, aligned=True, most_parts=product.most_parts).width
    needed = -(-count // widest)
    shares = [
        Share(widest, loads, parts)
        for parts in (1, 2, 4, 8, 16, 32)
        if parts <= product.most_parts and parts < 2 * needed
        for loads in (1, 2, 4, 8)
        if loads * widest <= 16 and loads * parts < 2 * needed
    ]
    shares += [Share(loads=loads, by_columns=True) for loads in (1, 2, 4, 8, 16) if loads < 2 * count]
    for share in shares:
        order = ORDERS["column" if share.by_columns else "row"]
        there = cuda.to_device(np.asarray(x, order=order).ravel(order="K"))
        out = cuda.to_device(np.zeros(matrix.shape[0] * count, matrix.dtype))
        launches = [
            launch
            for first in range(0, count, share.columns)
            for launch in product.launches_for(share, (count, first, matrix.shape[1]))
        ]
        enqueue_all = partial(enqueue_launches, launches, there, out, one)
        microseconds = measure([enqueue_all], SECONDS).median_us
        y = out.copy_to_host().reshape((matrix.shape[0], count), order=order)
        require_right(y, exact, repr(share))
        name = (
            f"columns {share.loads}" if share.by_columns else f"{share.width} x {share.loads} x {share.parts}"
        )
        results[name] = round(microseconds, 2)
    chosen = share_for(count, size, by_columns=False, aligned=True, most_parts=product.most_parts)
    return {"shares_us": results, "chosen": f"{chosen.width} x {chosen.loads} x {chosen.parts}"}


def enqueue(built: Any, x: Any, out: Any, stream: Stream) -> None:
    """Put a product on a stream.

    Parameters
    ----------
    built
        A matrix in a format on the device.
    x, out
        Device arrays of vectors side by side.
    stream
        The stream.
    """
    built.matmat(x, out=out, stream=stream.address)


def enqueue_launches(launches: Sequence[Any], x: Any, out: Any, one: Any, stream: Stream) -> None:
    """Put launches on a stream.

    Parameters
    ----------
    launches
        Of a product.
    x, out
        Device vectors.
    one
        The real type.
    stream
        The stream.
    """
    on = cuda.external_stream(stream.address)
    for each in launches:
        each(x, out, one(1), one(0), on)


def require_right(y: Any, exact: Any, what: str) -> None:
    """Raise ArithmeticError where a product is wrong."""
    error = float(np.max(np.abs(y - exact)) / np.max(np.abs(exact)))
    if not error < LIMITS[str(y.dtype)]:
        raise ArithmeticError(f"{what}: the error is {error:.1e}")


if __name__ == "__main__":
    sys.exit(main())
