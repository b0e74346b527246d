"""Conversions and kernels compiled beforehand, by several processes at once."""

from __future__ import annotations

import contextlib
import functools
import os
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import ExitStack
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse

from experiments.gpu_bench.matrix_supply import DTYPES
from experiments.gpu_bench.methods import HISTORICAL_ENTRIES
from gpu.runtime import kernel_cache
from vecsim.support.worker_processes import WorkerContext, begin_worker

PROCESSES = 12
"""At most, and two less than there are cores."""
PATIENCE_SECONDS = 100
"""After so long nothing is waited for."""


def sample(dtype: str) -> Any:
    """Return a small matrix that takes every way through a conversion: blocks, empty rows, a long row."""
    rng = np.random.default_rng(1)
    dense = np.where(rng.random((96, 700)) < 0.05, rng.uniform(-1, 1, (96, 700)), 0)
    dense[::7] = 0
    dense[3] = 1
    dense[40:70, 40:70] = 2
    csr = scipy.sparse.csr_array(dense.astype(dtype))
    csr.has_canonical_format = True
    return csr


@functools.cache
def kernel_samples(dtype: str) -> tuple[Any, ...]:
    """Return matrices that take most of the kernels that the suite does.

    Which kernel a format takes follows from its size, from whether its rows differ, whether their columns are
    near, and whether blocks are full.
    """
    near = rows_of(3_000, np.arange(5) * 3, dtype)
    blocks = scipy.sparse.kron(near[:500, :512], np.ones((3, 3), dtype), format="csr")
    many = rows_of(1_000_000, np.arange(5) * 3, dtype)
    far = rows_of(100_000, np.arange(16) * 60_000, dtype)
    return sample(dtype), near, scipy.sparse.csr_array(blocks), many, far


def rows_of(rows: int, columns: Any, dtype: str) -> Any:
    """Return a matrix with the same columns in all rows, each row one further."""
    indices = (np.arange(rows, dtype=np.int32)[:, None] + columns.astype(np.int32)).ravel()
    indptr = np.arange(0, len(indices) + 1, len(columns), dtype=np.int32)
    shape = rows, rows + int(columns[-1])
    return scipy.sparse.csr_array((np.ones(len(indices), dtype), indices, indptr), shape=shape)


class CompiledAhead:
    """The conversions of all methods, and our kernels, running in other processes.

    Conversions go into Numba's cache, kernels into a folder (`gpu.runtime.kernel_cache`). Conversions that
    share code are compiled by the same process, one after the other, since Numba may mix up the files of one
    function that two processes write at once; the kernels of each method and type then on their own.

    Parameters
    ----------
    names
        Of the methods, ours and cuSPARSE's.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._open = ExitStack()
        folder = self._open.enter_context(tempfile.TemporaryDirectory(prefix="vecsim-kernels-"))
        self._open.enter_context(kernel_cache.kept_in(Path(folder)))
        processes = max(1, min(PROCESSES, (os.cpu_count() or 1) - 2))
        self._pool = ProcessPoolExecutor(processes, mp_context=WorkerContext(), initializer=begin_worker)
        self._deadline = time.monotonic() + PATIENCE_SECONDS
        self._left = set(product(names, DTYPES))
        self._all = threading.Event()
        self._over = False
        # The longest first: those of most methods.
        for group in sorted(by_conversion(names), key=len, reverse=True):
            done = self._pool.submit(convert_samples, group)
            done.add_done_callback(partial(self._converted, group))

    def _converted(self, group: Sequence[str], _: Future[None]) -> None:
        """Go on with the kernels of a group, whatever came of the conversions: their use will show it."""
        for name, dtype in product(group, DTYPES):
            if self._over:
                return
            try:
                done = self._pool.submit(_compile_kernels, name, dtype)
            except RuntimeError:  # the pool is broken
                self._compiled(name, dtype)
            else:
                done.add_done_callback(partial(self._compiled, name, dtype))

    def _compiled(self, name: str, dtype: str, _: Future[None] | None = None) -> None:
        self._left.discard((name, dtype))
        if not self._left:
            self._all.set()

    def wait(self) -> None:
        """Wait until all is compiled, but not for ever: what is missing is compiled where it is needed."""
        self._all.wait(max(0.0, self._deadline - time.monotonic()))
        self._end()

    def close(self) -> None:
        """Begin nothing more, and forget the kernels."""
        self._end()
        self._open.close()

    def _end(self) -> None:
        # Cancelling calls back, and nothing can be submitted meanwhile.
        self._over = True
        self._pool.shutdown(wait=False, cancel_futures=True)


def conversion(name: str) -> Callable[[Any], Any]:
    """Return what converts a SciPy matrix into a format of vecsim or, by its method's name, of cuSPARSE."""
    from experiments.baseline.cusparse import METHODS
    from gpu.kernel_registry import KERNELS

    return KERNELS[name].convert if name in KERNELS else METHODS[name].store


def by_conversion(names: Sequence[str]) -> list[list[str]]:
    """Put methods together whose conversions have the function after them in common."""
    groups: dict[object, list[str]] = {}
    for name in names:
        convert = conversion(name)
        while isinstance(convert, partial):
            convert = convert.func
        groups.setdefault(getattr(convert, "__qualname__", convert), []).append(name)
    return list(groups.values())


def convert_samples(names: Sequence[str]) -> None:
    """Convert the sample of both types by some methods."""
    for name, dtype in product(names, DTYPES):
        convert_sample(name, dtype)


def _compile_kernels(name: str, dtype: str) -> None:
    """Compile the kernels that a method of ours takes for the samples."""
    from gpu.kernel_registry import KERNELS
    from gpu.runtime.cuda import THREADS_PER_BLOCK

    if name not in KERNELS:
        return
    for csr in kernel_samples(dtype):
        if csr.nnz > HISTORICAL_ENTRIES and KERNELS[name].historical:
            continue
        with contextlib.suppress(Exception):  # what a sample does not fit is left to the others
            KERNELS[name].product(conversion(name)(csr), THREADS_PER_BLOCK)


def convert_sample(name: str, dtype: str) -> None:
    """Convert the sample by a method."""
    with contextlib.suppress(Exception):  # what does not fit the sample is said of the matrices themselves
        conversion(name)(sample(dtype))


def compile_estimates() -> None:
    """Compile what counts the work of formats."""
    from gpu.choice.cost_model import estimates
    from gpu.choice.structure import Structure
    from gpu.kernel_registry import work_counts_of

    for dtype in DTYPES:
        estimates(work_counts_of(), Structure.of(sample(dtype)))
