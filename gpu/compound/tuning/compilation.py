"""Kernels compiled ahead by many processes: one process compiles a kernel in about a second."""

import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from multiprocessing import get_context
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
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        shares = [pool.submit(compile_share, entry, real, variants[k::workers]) for k in range(workers)]
        return sum(share.result() for share in shares)
