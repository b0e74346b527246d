"""Large matrices made for their row lengths: compiled, the same on every machine and number of cores."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse
from numba import njit, prange
from numpy.typing import NDArray

Lengths = NDArray[np.int64]

BAND = 2048
"""Columns that a row's entries are spread over, around the diagonal; more for longer rows."""


@dataclass(frozen=True)
class Distribution:
    """Row lengths of a large matrix.

    Attributes
    ----------
    name
        Of the matrix.
    rows
        Rows and columns.
    draw
        Returns that many lengths, in random order.
    seed
        Of the lengths and of the places of the entries.
    description
        What it is.
    spread
        Columns that a row's entries are spread over.
    """

    name: str
    rows: int
    draw: Callable[[np.random.Generator, int], Lengths]
    seed: int
    description: str
    spread: int = BAND


def _uniform(rng: np.random.Generator, rows: int) -> Lengths:
    return rng.integers(1, 39, rows)


def _two_lengths(rng: np.random.Generator, rows: int) -> Lengths:
    return np.where(rng.random(rows) < 0.25, 40, 5)


def _geometric(rng: np.random.Generator, rows: int) -> Lengths:
    return np.minimum(rng.geometric(1 / 15, rows), 54)


def _lognormal(rng: np.random.Generator, rows: int) -> Lengths:
    lengths: Lengths = np.clip(np.exp(rng.normal(2.6, 0.6, rows)), 1, 300).astype(np.int64)
    return lengths


def _pareto(rng: np.random.Generator, rows: int) -> Lengths:
    lengths: Lengths = np.minimum(8 * (1 - rng.random(rows)) ** (-1 / 2.5), 600).astype(np.int64)
    return lengths


MILLION = 1_000_000
DISTRIBUTIONS = (
    Distribution("uniform-lengths", MILLION, _uniform, 20200401, "rows of 1 to 38 entries, equally often"),
    Distribution(
        "two-lengths", MILLION, _two_lengths, 20200402, "a quarter of the rows of 40 entries, the others of 5"
    ),
    Distribution(
        "geometric-lengths", MILLION, _geometric, 20200403, "geometrically distributed lengths, at most 54"
    ),
    Distribution(
        "lognormal-lengths", MILLION, _lognormal, 20200404, "log-normally distributed lengths, at most 300"
    ),
    Distribution(
        "power-law-lengths",
        MILLION,
        _pareto,
        20200405,
        "lengths of 8 to 600 by a power law of exponent 3.5",
    ),
    Distribution(
        "uniform-scattered",
        MILLION,
        _uniform,
        20200406,
        "rows of 1 to 38 entries as uniform-lengths, but columns anywhere",
        spread=MILLION,
    ),
)
"""The generated matrices: sigma > 10, the longest row at most 50 times the mean, and ELLPACK-R with slices of
a warp at most four times CRS, beyond which no format is made."""


def generate(distribution: Distribution) -> Any:
    """Make a matrix of the sampled row lengths, with columns spread over a band around the diagonal.

    Returns
    -------
    scipy.sparse.csr_array
        float64, values in 0.5 to 1.5, sorted, without duplicates. One random column in each of `length`
        equal parts of the band, so a row costs as much as it has entries.
    """
    lengths = distribution.draw(np.random.default_rng(distribution.seed), distribution.rows)
    pointers = np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths)))
    columns, values = np.empty(pointers[-1], np.int32), np.empty(pointers[-1])
    _place(pointers, distribution.rows, distribution.spread, distribution.seed, columns, values)
    return scipy.sparse.csr_array(
        (values, columns, pointers.astype(np.int32)), shape=(distribution.rows, distribution.rows)
    )


@njit(cache=True)
def _mixed(number: Any) -> Any:
    """Return 64 random bits for a number: SplitMix64 (Steele, Lea, Flood 2014)."""
    number = np.uint64(number) + np.uint64(0x9E3779B97F4A7C15)
    number = (number ^ (number >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    number = (number ^ (number >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return number ^ (number >> np.uint64(31))


@njit(parallel=True, cache=True)
def _place(pointers: Any, size: int, spread: int, seed: int, columns: Any, values: Any) -> None:
    """Write columns and values of every row; one hash an entry, so any number of threads writes the same."""
    for row in prange(len(pointers) - 1):
        length = pointers[row + 1] - pointers[row]
        # At least two columns an entry, whatever the band.
        width = min(size, max(spread, 2 * length))
        low = min(max(row - width // 2, 0), size - width)
        for k in range(length):
            begin, end = k * width // length, (k + 1) * width // length
            bits = _mixed(np.uint64(pointers[row] + k) ^ (np.uint64(seed) << np.uint64(32)))
            columns[pointers[row] + k] = low + begin + np.int64(bits % np.uint64(end - begin))
            values[pointers[row] + k] = 0.5 + np.float64(bits >> np.uint64(11)) * 2.0**-53
