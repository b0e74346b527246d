"""Conversions compiled beforehand, by several processes at once, so that no time of one is that of Numba."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from typing import Any

import numpy as np
import scipy.sparse

PROCESSES = 8


def sample(dtype: str) -> Any:
    """Give a small matrix that takes every way through a conversion: blocks, empty rows, a long row."""
    rng = np.random.default_rng(1)
    dense = np.where(rng.random((96, 700)) < 0.05, rng.uniform(-1, 1, (96, 700)), 0)
    dense[::7] = 0
    dense[3] = 1
    dense[40:70, 40:70] = 2
    csr = scipy.sparse.csr_array(dense.astype(dtype))
    csr.has_canonical_format = True
    return csr


class CompiledAhead:
    """The conversions of all methods, under way into Numba's cache in other processes.

    Conversions that share code are compiled by the same process, one behind the other.

    Parameters
    ----------
    names
        Of the methods, ours and cuSPARSE's.
    """

    def __init__(self, names: Sequence[str]) -> None:
        groups: dict[object, list[str]] = {}
        for name in names:
            groups.setdefault(_shared_code(conversion(name)), []).append(name)
        self._pool = ProcessPoolExecutor(min(PROCESSES, len(groups)), mp_context=get_context("spawn"))
        self._under_way: dict[str, Future[None]] = {}
        for group in groups.values():
            done = self._pool.submit(_convert_samples, group)
            self._under_way.update(dict.fromkeys(group, done))

    def wait_for(self, name: str) -> None:
        """Wait until a conversion is compiled; it may have failed, which its use will show."""
        if name in self._under_way:
            with contextlib.suppress(Exception):
                self._under_way.pop(name).result()

    def close(self) -> None:
        """Begin nothing more."""
        self._pool.shutdown(wait=False, cancel_futures=True)


def conversion(name: str) -> Callable[[Any], Any]:
    """Give what converts a SciPy matrix into a format of vecsim or, by its method's name, of cuSPARSE."""
    from gpu.cusparse import METHODS
    from gpu.kernels import KERNELS

    return KERNELS[name].convert if name in KERNELS else METHODS[name].store


def _shared_code(convert: Callable[[Any], Any]) -> object:
    """Give the function behind a conversion, which those of a family have in common."""
    while isinstance(convert, partial):
        convert = convert.func
    return getattr(convert, "__qualname__", convert)


def _convert_samples(names: Sequence[str]) -> None:
    for name in names:
        for dtype in ("float64", "float32"):
            convert_sample(name, dtype)


def convert_sample(name: str, dtype: str) -> None:
    """Convert the sample by a method."""
    with contextlib.suppress(Exception):  # what does not fit the sample is said of the matrices themselves
        conversion(name)(sample(dtype))


def compile_estimates() -> None:
    """Compile what counts the work of formats."""
    from gpu.choice import estimates
    from vecsim.formats.structure import Structure

    for dtype in ("float64", "float32"):
        estimates(Structure.of(sample(dtype)))
