"""Kernels compiled ahead by many processes: one process compiles a kernel in about a second."""

import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from functools import partial
from multiprocessing import get_context
from types import TracebackType
from typing import Any

import numpy as np

from gpu.compound.compound_matrix import CompoundMatrix
from gpu.compound.entry_type import EntryType
from gpu.compound.tuning.variants import Variant
from gpu.runtime.kernel_cache import FOLDER
from vecsim.errors import UserError
from vecsim.formats import NotRepresentableError

FEWEST = 4
"""Kernels for which processes are worth their start."""
SHARE = 8
"""Kernels that a process is given at once."""
SHARES_OF_A_PROCESS = 64
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
        self._done: set[tuple[EntryType, str, Variant]] = set()

    def __enter__(self) -> "Compilers":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def prepare(self, entry: EntryType, real: Any, variants: Sequence[Variant]) -> int:
        """Compile the kernels of variants that this object has not compiled yet, and say how many.

        Parameters
        ----------
        entry, real, variants
            As of `compile_share`.
        """
        keys = {variant: (entry, np.dtype(real).name, variant) for variant in variants}
        fresh = [variant for variant, key in keys.items() if key not in self._done]
        if not os.environ.get(FOLDER) or not fresh:
            return 0
        if self._pool is None:
            context = get_context("spawn")
            self._pool = ProcessPoolExecutor(
                self._workers, mp_context=context, max_tasks_per_child=SHARES_OF_A_PROCESS
            )
        shares = [fresh[at : at + SHARE] for at in range(0, len(fresh), SHARE)]
        compiled = sum(self._pool.map(partial(compile_share, entry, real), shares))
        self._done.update(keys.values())
        return compiled


def compile_ahead(entry: EntryType, real: Any, variants: Sequence[Variant]) -> int:
    """Compile kernels in as many processes as there are processors; nothing where no folder keeps them.

    Parameters
    ----------
    entry, real, variants
        As of `compile_share`.
    """
    workers = min(os.cpu_count() or 1, len(variants) // 2)
    if not os.environ.get(FOLDER) or len(variants) < FEWEST or workers < 2:
        return 0
    with Compilers(workers) as compilers:
        return compilers.prepare(entry, real, variants)
