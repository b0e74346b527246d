"""Kernels compiled ahead by many processes: one process compiles a kernel in about a second."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from itertools import count
from types import TracebackType
from typing import Any

import numpy as np

from gpu.compound.compound_matrix import CompoundMatrix
from gpu.compound.entry_type import EntryType
from gpu.compound.schedule import register_limit
from gpu.compound.tuning.variants import Variant
from gpu.runtime.kernel_cache import FOLDER
from vecsim.support.worker_processes import WorkerContext

FEWEST = 2
"""The fewest kernels that are compiled in several processes; for fewer their start costs more."""
SHARES_BETWEEN_CLEARINGS = 64
"""A process then forgets what it has compiled. It must not end instead: in Python 3.11 a pool
that replaces its processes after this many tasks may hang."""


def sample_matrix(entry: EntryType, real: Any) -> CompoundMatrix:
    """Return a small matrix with the kernels of large ones: rows differ, so that sorting changes them."""
    lengths = np.arange(256) % 5
    indptr = np.concatenate(([0], np.cumsum(lengths)))
    indices = np.concatenate([np.arange(length) for length in lengths])
    types = [entry.integer_type if number in entry.integers else real for number in range(len(entry.entry))]
    components = [np.ones(len(indices), each) for each in types]
    return CompoundMatrix.from_arrays(entry, (256, 8), indptr, indices, components)


def compile_share(entry: EntryType, real: Any, variants: Sequence[Variant]) -> int:
    """Compile the kernels of variants in this process, and say how many; VECSIM_KERNELS keeps them.

    Parameters
    ----------
    entry, real
        What an entry is, and the type of its components.
    variants
        The variants to compile. One that cannot hold the sample, or cannot be compiled, is skipped: the
        error is raised when it is used.
    """
    from gpu.compound.device_compound import compile_product
    from gpu.compound.product_kernel import forget_kernels

    matrix, done = sample_matrix(entry, real), 0
    for variant in variants:
        with suppress(Exception):
            compile_product(matrix, variant.layout, variant.schedule)
            done += 1
    if next(_shares) % SHARES_BETWEEN_CLEARINGS == 0:
        forget_kernels()
    return done


_shares = count(1)


class Compilers:
    """Processes that compile kernels for one search after another; none is compiled twice.

    They start with the first kernels. Where no folder keeps kernels (VECSIM_KERNELS) nothing is compiled.

    Parameters
    ----------
    workers
        How many; as many as there are processors without it.
    start
        Starts this many.
    """

    def __init__(self, workers: int | None = None, start: Callable[[int], Executor] | None = None) -> None:
        self._workers, self._start = workers or os.cpu_count() or 1, start or spawned
        self._pool: Executor | None = None
        self._begun: dict[Any, Future[int]] = {}

    def __enter__(self) -> "Compilers":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def begin(self, entry: EntryType, real: Any, variants: Sequence[Variant]) -> list[Future[int]]:
        """Begin to compile the kernels of variants that nobody has begun with.

        Parameters
        ----------
        entry, real, variants
            As of `compile_share`.

        Returns
        -------
        list of Future
            Of all kernels of these variants, whoever has begun with them; each says how many it compiles.
        """
        if not os.environ.get(FOLDER):
            return []
        of_variants: dict[Any, Variant] = {}
        for variant in variants:
            of_variants.setdefault(kernel_of(entry, real, variant), variant)
        # What is compiled once, and assembled for several limits of registers, stays together.
        fresh: dict[Any, list[Any]] = {}
        for key in of_variants:
            if key not in self._begun:
                fresh.setdefault(key[:-1], []).append(key)
        pool = self._pool_for(len(fresh))
        if pool is None:
            return []
        try:
            for keys in fresh.values():
                future = pool.submit(compile_share, entry, real, [of_variants[key] for key in keys])
                self._begun.update(dict.fromkeys(keys, future))
        except BrokenProcessPool:  # a process was killed: others may start, what it had begun is begun again
            self._pool = None
            self._begun = {
                key: each for key, each in self._begun.items() if each.done() and not each.exception()
            }
        return [*dict.fromkeys(self._begun[key] for key in of_variants if key in self._begun)]

    def _pool_for(self, kernels: int) -> Executor | None:
        """Return the processes; None where so few kernels are not worth their start."""
        if self._pool is None and kernels >= FEWEST and self._workers > 1:
            self._pool = self._start(self._workers)
        return self._pool

    def prepare(self, entry: EntryType, real: Any, variants: Sequence[Variant]) -> None:
        """Wait until the kernels of variants are compiled.

        Parameters
        ----------
        entry, real, variants
            As of `compile_share`.
        """
        wait(self.begin(entry, real, variants))


def spawned(workers: int) -> Executor:
    """Return this many processes that share nothing with this one."""
    return ProcessPoolExecutor(workers, mp_context=WorkerContext())


def kernel_of(entry: EntryType, real: Any, variant: Variant) -> Any:
    """Return what tells the kernel of a variant from others; last the most registers of a thread."""
    from gpu.compound.product_kernel import form_of

    form, limit = form_of(entry, real, variant.schedule), register_limit(variant.schedule)
    return entry, np.dtype(real).name, variant.layout, form, limit
