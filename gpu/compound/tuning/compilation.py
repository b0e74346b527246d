"""Kernels compiled ahead by many processes: one process compiles a kernel in about a second."""

import os
from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import suppress
from multiprocessing import get_context
from types import TracebackType
from typing import Any

import numpy as np

from gpu.compound.compound_matrix import CompoundMatrix
from gpu.compound.entry_type import EntryType
from gpu.compound.schedule import register_limit
from gpu.compound.tuning.variants import Variant
from gpu.runtime.kernel_cache import FOLDER
from vecsim.errors import UserError
from vecsim.formats import NotRepresentableError

FEWEST = 2
"""Kernels for which processes are worth their start."""
SHARES_OF_A_PROCESS = 512
"""After which another takes its place: what has been compiled stays in memory."""


def sample_matrix(entry: EntryType, real: Any) -> CompoundMatrix:
    """Give a small matrix with the kernels of large ones: rows differ, so that sorting changes them."""
    lengths = np.arange(256) % 5
    indptr = np.concatenate(([0], np.cumsum(lengths)))
    indices = np.concatenate([np.arange(length) for length in lengths])
    components = [np.ones(len(indices), real) for _ in entry.entry]
    return CompoundMatrix.from_arrays(entry, (256, 8), indptr, indices, components)


def compile_share(entry: EntryType, real: Any, variants: Sequence[Variant]) -> int:
    """Compile the kernels of variants in this process, and say how many; VECSIM_KERNELS keeps them.

    Parameters
    ----------
    entry, real
        What an entry is, and the type of its components.
    variants
        Of which the kernels are; one that cannot hold the sample, or cannot be compiled, is left out.
    """
    from gpu.compound.device_compound import CompoundProduct, PlacedMatrix

    matrix, done = sample_matrix(entry, real), 0
    for variant in variants:
        with suppress(NotRepresentableError, UserError):
            placed = PlacedMatrix(matrix, variant.layout, variant.schedule.threads_per_row)
            CompoundProduct(placed, variant.schedule)
            done += 1
    return done


class Compilers:
    """Processes that compile kernels for one search after another; none is compiled twice.

    They start with the first kernels. Where no folder keeps kernels (VECSIM_KERNELS) nothing is compiled.

    Parameters
    ----------
    workers
        How many; as many as there are processors without it.
    """

    def __init__(self, workers: int | None = None) -> None:
        self._workers = workers or os.cpu_count() or 1
        self._pool: ProcessPoolExecutor | None = None
        self._begun: dict[Any, Future[int]] = {}

    def __enter__(self) -> "Compilers":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def begin(self, entry: EntryType, real: Any, variants: Sequence[Variant]) -> list[Future[int]]:
        """Have the kernels of variants compiled, unless that was begun before; others may be begun meanwhile.

        Parameters
        ----------
        entry, real, variants
            As of `compile_share`.

        Returns
        -------
        list of Future
            Each says how many kernels it has compiled.
        """
        if not os.environ.get(FOLDER):
            return []
        of_variants = {kernel_of(entry, real, variant): variant for variant in reversed(variants)}
        fresh: dict[
            Any, list[Any]
        ] = {}  # what is compiled once and assembled for several limits stays together
        for key in reversed(of_variants):
            if key not in self._begun:
                fresh.setdefault(key[:-1], []).append(key)
        if self._pool is None and (len(fresh) < FEWEST or self._workers < 2):
            return []
        if self._pool is None:
            context = get_context("spawn")
            self._pool = ProcessPoolExecutor(
                self._workers, mp_context=context, max_tasks_per_child=SHARES_OF_A_PROCESS
            )
        for keys in fresh.values():
            assert self._pool is not None
            future = self._pool.submit(compile_share, entry, real, [of_variants[key] for key in keys])
            self._begun.update(dict.fromkeys(keys, future))
        return [*{id(self._begun[key]): self._begun[key] for key in of_variants}.values()]

    def prepare(self, entry: EntryType, real: Any, variants: Sequence[Variant]) -> int:
        """Wait until the kernels of variants are compiled, and say how many of them others had not asked for.

        Parameters
        ----------
        entry, real, variants
            As of `compile_share`.
        """
        before = {*self._begun.values()}
        futures = self.begin(entry, real, variants)
        return sum(future.result() * (future not in before) for future in futures)


def kernel_of(entry: EntryType, real: Any, variant: Variant) -> Any:
    """Give what tells the kernel of a variant from others; last the most registers of a thread."""
    from gpu.compound.product_kernel import form_of

    form, limit = form_of(entry, real, variant.schedule), register_limit(variant.schedule)
    return entry, np.dtype(real).name, variant.layout, form, limit
