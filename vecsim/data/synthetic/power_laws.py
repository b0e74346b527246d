"""Random matrices with hubs: power laws of rows, of columns, or of both, near the diagonal or anywhere.

What the matrices of graphs, of circuits and of optimisation differ in, each with its own number: how
unlike the rows are, how unlike the columns, how many entries are near the diagonal, how many rows are dense,
and whether the matrix is square. As in `random_graphs`, every random number is a hash of the seed and of what
its purpose, and a position sampled more than once is stored once.
"""

from __future__ import annotations

from math import gcd
from typing import Any, TypedDict, Unpack

import numpy as np
from numba import njit, prange

from vecsim.data.synthetic.keyed_entries import (
    csr_of_keys,
    key,
    power_law_counts,
    random_share,
    require_exponent,
    require_in,
    require_share,
)

_SCATTER = 2_654_435_761
"""A prime that scatters popular columns over the matrix."""


class Law(TypedDict, total=False):
    """What rows and columns draw, as `hubs` takes it."""

    row_exponent: float | None
    longest: int | None
    column_exponent: float | None
    local: float
    window: int
    dense_rows: int
    dense_share: float


def hubs(
    rows: int,
    columns: int,
    mean: float,
    seed: int = 1,
    *,
    mirrored: bool = False,
    **law: Unpack[Law],
) -> Any:
    """Return a matrix whose rows and columns follow power laws.

    A row draws k columns: all rows alike, or ``P(k) ~ k**-row_exponent`` up to `longest`. A draw is with
    probability `local` one of `window` columns around the diagonal; otherwise one of all, all alike or such
    that numbers of entries of columns follow ``P(k) ~ k**-column_exponent`` (the column of rank r has a
    weight of ``r**(-1 / (column_exponent - 1))``: Adamic and Huberman 2002), popular columns scattered.

    Parameters
    ----------
    rows, columns
        Of the matrix.
    mean
        Draws a row, on average, dense rows apart.
    seed
        Another seed gives another matrix.
    row_exponent, column_exponent
        Of the power laws, above 1; None: all alike.
    longest
        Draws of a row, at most; None: as many as there are columns.
    local
        A probability, 0 to 1.
    window
        Columns around the diagonal, which in a matrix that is not square goes from corner to corner.
    dense_rows, dense_share
        This many rows, anywhere, draw this share of all columns instead.
    mirrored
        Whether each entry is stored in both directions; the matrix must be square.

    Returns
    -------
    scipy.sparse.csr_array
        float64, with sorted 32-bit indices.

    Raises
    ------
    UserError
        If a number is out of its range.
    """
    keys = _checked_keys(rows, columns, mean, seed, **law)
    if mirrored:
        require_in("columns", columns, rows, rows)
        keys = np.concatenate((keys, _turned(keys, 0, 0)))
    return csr_of_keys(keys, rows, columns, seed, mirrored)


def bipartite(rows: int, columns: int, mean: float, seed: int = 1, **law: Unpack[Law]) -> Any:
    """Return the symmetric matrix of a graph between two sets, one part B and its transpose next to zeros.

    Parameters
    ----------
    rows, columns
        Of B: how many are in the first set, and in the second.
    mean, seed
        As in `hubs`.
    **law
        Its other arguments but `mirrored`.

    Returns
    -------
    scipy.sparse.csr_array
        float64, with sorted 32-bit indices; of rows + columns rows.

    Raises
    ------
    UserError
        If a number is out of its range.
    """
    keys = _checked_keys(rows, columns, mean, seed, **law)
    below = _turned(keys, rows, 0)
    both = np.concatenate((below, _turned(below, 0, 0)))
    return csr_of_keys(both, rows + columns, rows + columns, seed, True)


def _checked_keys(
    rows: int,
    columns: int,
    mean: float,
    seed: int,
    row_exponent: float | None = None,
    longest: int | None = None,
    column_exponent: float | None = None,
    local: float = 0.0,
    window: int = 512,
    dense_rows: int = 0,
    dense_share: float = 0.0,
) -> Any:
    require_in("rows", rows, 1, 2**30)
    require_in("columns", columns, 1, 2**30)
    require_in("mean", int(mean), 1, min(columns, 2**31 // rows))
    require_in("window", window, 1, 2**30)
    require_in("dense_rows", dense_rows, 0, rows)
    require_share("local", local)
    require_share("dense_share", dense_share)
    for name, exponent in (("row_exponent", row_exponent), ("column_exponent", column_exponent)):
        if exponent is not None:
            require_exponent(name, exponent)
    counts = np.full(rows, int(mean), np.int64)
    if row_exponent is not None:
        most = columns if longest is None else min(columns, longest)
        least = _least_for(mean, row_exponent, most)
        counts = power_law_counts(rows, row_exponent, most, least, np.uint64(seed))
    dense = np.random.default_rng(seed).choice(rows, dense_rows, replace=False)
    counts[dense] = int(dense_share * columns)
    anywhere = np.zeros(rows, np.bool_)
    anywhere[dense] = True
    scatter = _SCATTER
    while gcd(scatter, columns) > 1:
        scatter += 2
    weight = 0.0 if column_exponent is None else 1.0 / (column_exponent - 1.0)
    first = np.concatenate(([0], np.cumsum(counts)))
    return _hub_keys(first, columns, weight, scatter, local, window, anywhere, np.uint64(seed))


def _least_for(mean: float, exponent: float, most: int) -> float:
    """Return the least of a Pareto variable, cut off at `most`, with this mean once it is rounded down."""
    low, high = 1e-3, float(mean) + 1
    a = exponent - 1
    for _ in range(60):
        least = (low + high) / 2
        rest = np.log(most / least) * least if a == 1 else (most ** (1 - a) * least**a - least) / (1 - a)
        # Rounding down takes off a half on average.
        if least + rest - 0.5 < mean:
            low = least
        else:
            high = least
    return low


@njit(cache=True)
def rank_by_weight(share: float, ranks: int, power: float) -> int:
    """Return the rank, from 0 on, at which a share of all weights is reached.

    Parameters
    ----------
    share
        In [0, 1).
    ranks
        How many there are.
    power
        Rank r has a weight of ``(r + 1)**-power``; sums of weights are taken as integrals.
    """
    if power == 1.0:
        rank = int((ranks + 1.0) ** share - 1.0)
    else:
        rest = 1.0 - power
        rank = int((1.0 + share * ((ranks + 1.0) ** rest - 1.0)) ** (1.0 / rest) - 1.0)
    return min(rank, ranks - 1)


@njit(parallel=True, cache=True)
def _hub_keys(
    first: Any, columns: int, weight: float, scatter: int, local: float, window: int, anywhere: Any, seed: Any
) -> Any:
    rows = len(first) - 1
    keys = np.empty(first[rows], np.uint64)
    for index in prange(rows):
        row = np.int64(index)
        middle = row * columns // rows
        for entry in range(first[row], first[row + 1]):
            share = random_share(seed, 2, entry)
            if anywhere[row]:
                column = int(share * columns)
            elif random_share(seed, 3, entry) < local:
                near: Any = min(max(middle - window // 2 + int(share * window), 0), columns - 1)
                column = near
            elif weight == 0.0:
                column = int(share * columns)
            else:
                rank = rank_by_weight(share, columns, weight)
                column = int(np.uint64(rank) * np.uint64(scatter) % np.uint64(columns))
            keys[entry] = key(row, column)
    return keys


@njit(parallel=True, cache=True)
def _turned(keys: Any, more_rows: int, more_columns: int) -> Any:
    """Exchange rows and columns, and move them on."""
    transposed = np.empty(len(keys), np.uint64)
    for entry in prange(len(keys)):
        row, column = keys[entry] >> np.uint64(32), keys[entry] & np.uint64(0xFFFFFFFF)
        transposed[entry] = key(np.int64(column) + more_rows, np.int64(row) + more_columns)
    return transposed
