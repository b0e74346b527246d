"""Times of `auto` and `tune` on named families of matrices, and of cuSPARSE: a line of JSON each.

    python -m benchmarks.named_families FILE [--seconds N] [--largest ENTRIES]

The matrices are `benchmarks.choice_matrices.NAMED`, float32 and float64. Every product is compared with
SciPy's. Times are warm, the operations replayed in turn. New values (`update_values`) are timed next to a
copy of as many bytes.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.choice_matrices import NAMED

BASELINES = ("csr_alg1", "csr_alg2", "coo_alg1", "coo_alg2", "sell_32")
MOST_PADDING = 1.5
"""Places of Sliced ELL over entries, beyond which it is not tried."""
SECONDS = 0.02
"""Of a measurement."""
UPDATED_ENTRIES = 4_000_000
"""New values are timed for matrices of at most this many entries, which are converted twice more."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure matrix after matrix until the time is over, the smallest first."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.named_families", description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--seconds", type=float, default=500)
    parser.add_argument("--largest", type=int, default=2**31)
    given = parser.parse_args(arguments)
    end = time.monotonic() + given.seconds
    with given.file.open("a") as lines:
        for recipe in sorted(NAMED, key=_size):
            if time.monotonic() > end:
                break
            matrix = recipe.make()
            for dtype in ("float32", "float64"):
                if matrix.nnz <= given.largest:
                    record = {"matrix": recipe.name, "family": recipe.family, "dtype": dtype}
                    lines.write(json.dumps(record | measured(matrix.astype(dtype))) + "\n")
                    lines.flush()


def _size(recipe: Any) -> int:
    """Return the largest number of a name, small for small matrices."""
    return max(int(float(part)) for part in recipe.name.split("-")[1:])


def measured(csr: Any) -> dict[str, Any]:
    """Prepare a matrix with and without `tune`, and time its products and those of cuSPARSE."""
    import gpu
    from gpu.measure.timing import measure_in_turn
    from gpu.runtime.cuda import cuda

    prepared, seconds = {}, {}
    for name in ("auto", "tune", "fixed"):
        began = time.perf_counter()
        prepared[name] = gpu.prepare(csr, tune=name == "tune", deterministic=name == "fixed")
        seconds[name] = round(time.perf_counter() - began, 4)
    x = np.random.default_rng(1).uniform(-1, 1, csr.shape[1]).astype(csr.dtype)
    expected, x_there = csr.astype(np.float64) @ x, cuda.to_device(x)
    scale = abs(csr).astype(np.float64) @ abs(x)
    errors = {name: _error(each @ x, expected, scale) for name, each in prepared.items()}
    with ExitStack() as open_:
        baselines = dict(_baselines(csr, x, open_))
        y = cuda.device_array(csr.shape[0], csr.dtype)
        operations = [_product(each, x_there, y) for each in prepared.values()]
        operations += [each.enqueue for each in baselines.values()]
        times = [
            round(each.median_us, 3) for each in measure_in_turn([[each] for each in operations], SECONDS)
        ]
    us = dict(zip((*prepared, *baselines), times, strict=True))
    return {
        "rows": csr.shape[0],
        "columns": csr.shape[1],
        "nnz": csr.nnz,
        "formats": {name: each.format for name, each in prepared.items()},
        "us": us,
        "seconds": seconds,
        "error": max(errors.values()),
        "new_values": _new_values(csr, prepared["auto"].format) if csr.nnz <= UPDATED_ENTRIES else {},
    }


def _error(y: Any, expected: Any, scale: Any) -> float:
    return float(np.max(abs(y - expected) / np.where(scale == 0, 1, scale), initial=0))


def _product(matrix: Any, x: Any, y: Any) -> Any:
    from gpu.runtime.cuda import cuda

    return lambda stream: matrix.matvec(x, out=y, stream=cuda.external_stream(stream.address))


def _baselines(csr: Any, x: Any, open_: ExitStack) -> Iterator[tuple[str, Any]]:
    from experiments.baseline.cusparse import METHODS, SparseProduct
    from experiments.baseline.cusparse_formats import sell_places

    for name in BASELINES:
        if name.startswith("sell") and sell_places(csr, 32) > MOST_PADDING * csr.nnz:
            continue
        product = open_.enter_context(SparseProduct(name, METHODS[name].store(csr), csr.shape))
        product.write_x(x)
        yield name, product


def _new_values(csr: Any, format: str) -> dict[str, float]:
    """Time `update_values` from the device, and a copy; check what is multiplied then."""
    import gpu
    from gpu.measure.timing import measure_in_turn
    from gpu.runtime.cuda import cuda
    from gpu.runtime.cuda_driver import call

    built = gpu.prepare(csr, format, updatable=True)
    new = csr.data[::-1].copy()
    data, copy = cuda.to_device(new), cuda.device_array(csr.nnz, csr.dtype)
    addresses = [int(each.device_ctypes_pointer.value) for each in (copy, data)]

    def update(stream: Any) -> None:
        built.update_values(data, stream=cuda.external_stream(stream.address))

    def copied(stream: Any) -> None:
        call("cuMemcpyDtoDAsync", *addresses, new.nbytes, stream.handle)

    updated, plain = (round(each.median_us, 3) for each in measure_in_turn([[update], [copied]], SECONDS))
    x = np.ones(csr.shape[1], csr.dtype)
    exact = type(csr)((new.astype(np.float64), csr.indices, csr.indptr), shape=csr.shape)
    error = _error(built @ x, exact @ x, abs(exact) @ x)
    return {"update_us": updated, "copy_us": plain, "error": error}


if __name__ == "__main__":
    main()
