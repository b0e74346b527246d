"""Sums of HiSparse matrices on a GPU, measured for `benchmarks.sums` beside those of CSR."""

from __future__ import annotations

from typing import Any

import numpy as np

from experiments.gpu_bench.product_case import Device
from vecsim.formats import HiSparse

Record = dict[str, Any]


def tree_sum(
    device: Device,
    operands: tuple[HiSparse, HiSparse],
    exact: Any,
    turned: bool,
    factors: tuple[float, float],
    seconds: float,
) -> Record:
    """Check a sum and time its passes, each in a graph of its own and all in one.

    Parameters
    ----------
    device
        What measures.
    operands
        A and B.
    exact
        The sum, by SciPy.
    turned
        Whether B is transposed.
    factors
        Alpha and beta.
    seconds
        How long each is timed.
    """
    from gpu.addition.hisparse.device_tree import DeviceHiSparse
    from gpu.addition.hisparse.tree_sum import TreeSum
    from gpu.measure.timing import measure
    from gpu.runtime.cuda import cuda

    first, second = (DeviceHiSparse.from_hisparse(each) for each in operands)
    work = TreeSum(first, second, (False, turned))
    work.count(*factors)
    result = work.empty()
    writing = work.into(result)

    def symbolic(stream: Any) -> None:
        work.count(*factors, cuda.external_stream(stream.address))

    def numeric(stream: Any) -> None:
        work.write(writing, *factors, cuda.external_stream(stream.address))

    def whole(stream: Any) -> None:
        symbolic(stream)
        numeric(stream)

    work.write(writing, *factors)
    made = result.to_hisparse()
    found = made.to_scipy()
    found.sort_indices()
    us = measure([whole], seconds).median_us
    size = np.dtype(first.dtype).itemsize
    nbytes = (4 + size) * (first.nnz + second.nnz) + (2 + size) * result.nnz
    return {
        "us": us,
        "conversion_us": 0.0,
        "symbolic_us": measure([symbolic], seconds).median_us,
        "numeric_us": measure([numeric], seconds).median_us,
        "bytes": nbytes,
        "bound_us": nbytes / device.bandwidths.bandwidth(nbytes, "warm") / 1000,
        "entries": [first.nnz, second.nnz, result.nnz],
        "leaves": [first.leaves.number, second.leaves.number, result.leaves.number],
        "right": _equal(found, exact),
        "same_bits": bool(np.array_equal(made.content.pool.words, result.words.copy_to_host())),
    }


def _equal(found: Any, exact: Any) -> bool:
    return all(
        np.array_equal(getattr(found, part), getattr(exact, part)) for part in ("indptr", "indices", "data")
    )
