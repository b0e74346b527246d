"""Conversions and kernels of the measurement, compiled beforehand by several processes at once.

Which kernels a product takes follows from the stripes of a matrix and from their segments, so there is a
sample for each number of warps (`gpu.hisparse.product.product`). What no sample needs is compiled when it is.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, wait
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.gpu_bench.compilation import convert_samples, rows_of, sample
from experiments.papers.hisparse.methods import DTYPES, LIBRARY
from gpu.runtime import kernel_cache
from vecsim.support.worker_processes import WorkerContext, begin_worker

if TYPE_CHECKING:
    from gpu.hisparse.traversal.product import Schedule

PROCESSES = 12
"""At most, and two less than there are cores."""
PATIENCE_SECONDS = 90.0
"""After so long nothing is waited for."""


@contextlib.contextmanager
def compiled_ahead() -> Iterator[None]:
    """Compile everything, and keep the kernels for this process in a folder while the block runs."""
    with (
        tempfile.TemporaryDirectory(prefix="vecsim-kernels-") as folder,
        kernel_cache.kept_in(Path(folder)),
    ):
        _compile_all()
        yield


def _compile_all() -> None:
    processes = max(1, min(PROCESSES, (os.cpu_count() or 1) - 2))
    pool = ProcessPoolExecutor(processes, mp_context=WorkerContext(), initializer=begin_worker)

    def begin(names: Sequence[str]) -> list[Future[None]]:
        each = [(name, *task) for name in names for task in product(DTYPES, SAMPLES[name])]
        return [pool.submit(_compile, *task) for task in each]

    # Numba mixes up the files of one function that two processes write at once: so one makes the first trees.
    trees = pool.submit(_convert_to_trees)
    under_way = [pool.submit(convert_samples, LIBRARY), *begin(FLAT)]
    wait([trees], PATIENCE_SECONDS)
    under_way += begin(IN_TREES)
    late = wait(under_way, PATIENCE_SECONDS).not_done
    # They use the device, too: nothing is timed before they end.
    pool.shutdown(wait=not late, cancel_futures=True)


def _convert_to_trees() -> None:
    from experiments.papers.hisparse.sum_reference import merged, tree_difference
    from gpu.hisparse.container import HiSparse
    from gpu.hisparse.product.segments import arranged_leaves

    for dtype in DTYPES:
        csr = sample(dtype)
        tree = HiSparse.from_scipy(csr)
        arranged_leaves(tree)
        tree_difference(tree, merged(csr, csr))


def _compile(name: str, dtype: str, which: Any) -> None:
    """Do one thing with a sample; whatever goes wrong will show where it is used."""
    with contextlib.suppress(Exception):
        WAYS[name](dtype, which)


def _product(dtype: str, warps: int) -> None:
    from gpu.hisparse.container import HiSparse
    from gpu.hisparse.product import HiSparseProduct
    from gpu.runtime.cuda import THREADS_PER_BLOCK

    HiSparseProduct(HiSparse.from_scipy(matrix_of_warps(warps, dtype)), THREADS_PER_BLOCK)


def matrix_of_warps(warps: int, dtype: str) -> Any:
    """Return a matrix whose product has blocks of this many warps: by stripes of 256 rows and their
    entries.
    """
    stripes, a_row = {1: (600, 3), 2: (300, 15), 4: (140, 30), 8: (1, 256)}[warps]
    return rows_of(256 * stripes, np.arange(a_row), dtype)


def _traversal(dtype: str, schedule: Schedule) -> None:
    from gpu.hisparse.traversal.product import HiSparseTraversal

    HiSparseTraversal(_device_tree(dtype), schedule)


def _device_tree(dtype: str) -> Any:
    from experiments.papers.hisparse.device_trees import Positions
    from experiments.papers.hisparse.printed import NODE_SIZE

    csr = rows_of(1000, np.arange(5), dtype)[:, :1000]
    return Positions(csr).tree(csr.data, NODE_SIZE)


def _dual_sum(dtype: str, ways: tuple[bool, bool]) -> None:
    from gpu.hisparse.sum.dual_traversal import DualTraversalSum

    tree = _device_tree(dtype).content
    DualTraversalSum(tree, tree, ways)


def _naive(dtype: str, is_transposed: bool) -> None:
    from experiments.baseline.naive import NaiveProduct
    from gpu.runtime.cuda import THREADS_PER_BLOCK

    NaiveProduct(sample(dtype), THREADS_PER_BLOCK, transposed=is_transposed)


def _tree_sum(dtype: str, is_transposed: bool) -> None:
    import gpu
    from gpu.hisparse.container import HiSparse

    tree = HiSparse.from_scipy(rows_of(1000, np.arange(5), dtype)[:, :1000])
    gpu.add(tree, tree, transpose_b=is_transposed)


def _csr_sum(dtype: str, a_row: int) -> None:
    import gpu

    csr = rows_of(1000, np.arange(a_row), dtype)[:, :1000]
    gpu.add(csr, csr, transpose_a=True, transpose_b=True)


WAYS: dict[str, Callable[[str, Any], None]] = {
    "product": _product,
    "naive": _naive,
    "tree sum": _tree_sum,
    "csr sum": _csr_sum,
    "traversal": _traversal,
    "dual sum": _dual_sum,
}
FLAT, IN_TREES = ("dual sum", "traversal", "naive", "csr sum"), ("product", "tree sum")
"""Those that convert into no tree on the host, and those that do."""
SAMPLES: dict[str, tuple[Any, ...]] = {
    "product": (8, 4, 2, 1),
    "naive": (False, True),
    "tree sum": (True, False),
    "csr sum": (3, 7, 15, 30),
    "traversal": ("controller", "levels", "filled"),
    "dual sum": ((False, False), (True, True), (False, True)),
}
"""Of each way: warps; whether transposed; entries of a row; the schedule."""
