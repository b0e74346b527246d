"""Random matrices of given shape at the size of a GPU, generated on all cores: bands, dense, localised.

Every random number is a hash of the seed and of its purpose (`keyed_entries`), so a matrix does not depend
on the number of threads. Values are uniform in [-1, 1).
"""

from typing import Any

import numpy as np
from numba import njit, prange

from vecsim.data.synthetic.keyed_entries import csr_of_parts, random_bits, random_share, require_in
from vecsim.support.errors import UserError

LEAF = 128
"""Edge of the squares in which the entries of `localised` lie."""


def band(rows: int, width: int, per_row: int, seed: int = 1) -> Any:
    """Return a square matrix whose rows draw their columns from a band around the diagonal, all alike.

    Parameters
    ----------
    rows
        Rows and columns.
    width
        Columns of the band; near the corners it is cut off.
    per_row
        Samples for each row; a column sampled twice is stored once.
    seed
        Another seed gives another matrix.

    Returns
    -------
    scipy.sparse.csr_array
        float64, with sorted 32-bit indices.
    """
    require_in("rows", rows, 1, 2**30)
    require_in("width", width, 1, rows)
    require_in("per_row", per_row, 1, 2**31 // rows)
    sampled = np.empty((rows, per_row), np.int32)
    indptr = np.zeros(rows + 1, np.int32)
    _draw_band(width, seed, sampled, indptr)
    np.cumsum(indptr, out=indptr)
    indices, values = np.empty(int(indptr[-1]), np.int32), np.empty(int(indptr[-1]))
    _pack(sampled, seed, indptr, indices, values)
    return csr_of_parts(values, indices, indptr)


def dense(rows: int, seed: int = 1) -> Any:
    """Return a square matrix without zeros, as csr_array of float64 with sorted 32-bit indices."""
    require_in("rows", rows, 1, 46_340)
    indptr = np.arange(rows + 1, dtype=np.int32) * np.int32(rows)
    indices, values = np.empty(rows * rows, np.int32), np.empty(rows * rows)
    _write_dense(seed, rows, indices, values)
    return csr_of_parts(values, indices, indptr)


def localised(rows: int, stripes: int, per_leaf: int, leaves_per_stripe: float, seed: int = 1) -> Any:
    """Return a square matrix with entries in a few stripes of rows only, there in squares of 128 x 128.

    A stripe is 128 rows high; the stripes lie in groups of 128 side by side, spread over the rows. The number
    of squares in a stripe varies exponentially; they lie anywhere in it, and their entries anywhere in them.

    Parameters
    ----------
    rows
        Rows and columns.
    stripes
        Stripes with entries, a multiple of 128.
    per_leaf
        Sampled entries for each square; a place sampled twice is stored once.
    leaves_per_stripe
        Mean number of sampled squares for each stripe; one sampled twice is stored once.
    seed
        Another seed gives another matrix.

    Returns
    -------
    scipy.sparse.csr_array
        float64, with sorted 32-bit indices.
    """
    require_in("rows", rows, LEAF * max(stripes, LEAF), 2**30)
    require_in("per_leaf", per_leaf, 1, LEAF * LEAF)
    if stripes < LEAF or stripes % LEAF:
        raise UserError(f"stripes {stripes} is not possible: use a multiple of {LEAF}")
    groups = stripes // LEAF
    height = rows // LEAF
    starts = (np.arange(groups) * 2 + 1) * height // (2 * groups) - LEAF // 2
    stripe_rows = (starts[:, None] + np.arange(LEAF)).ravel().astype(np.int64)
    leaves, first = _draw_leaves(stripe_rows, height, leaves_per_stripe, seed)
    lengths = np.zeros(rows + 1, np.int64)
    _leaf_entries(stripe_rows, leaves, first, per_leaf, seed, lengths, np.empty(0, np.int32), np.empty(0))
    indptr = np.cumsum(lengths).astype(np.int32)
    indices, values = np.empty(int(indptr[-1]), np.int32), np.empty(int(indptr[-1]))
    _leaf_entries(stripe_rows, leaves, first, per_leaf, seed, indptr.astype(np.int64), indices, values)
    return csr_of_parts(values, indices, indptr)


def _draw_leaves(stripe_rows: Any, width: int, mean: float, seed: int) -> tuple[Any, Any]:
    """Draw the squares of each stripe, sorted, each once; return them one stripe after the other."""
    rng = np.random.default_rng(seed)
    sampled = [
        np.unique(rng.integers(0, width, max(1, int(count)))).astype(np.int64)
        for count in rng.exponential(mean, len(stripe_rows))
    ]
    return np.concatenate(sampled), np.concatenate(([0], np.cumsum([len(each) for each in sampled])))


@njit(parallel=True, cache=True)
def _draw_band(width: int, seed: int, sampled: Any, counts: Any) -> None:
    """Write the different columns of each row in order at the front of its row of `drawn`."""
    rows, per_row = sampled.shape
    for row in prange(rows):
        low, high = max(0, row - width // 2), min(rows, row - width // 2 + width)
        for k in range(per_row):
            share = random_share(seed, 1, np.int64(row) * per_row + k)
            sampled[row, k] = low + np.int64(share * (high - low))
        part = np.sort(sampled[row])
        recorded = 0
        for k in range(per_row):
            if k == 0 or part[k] != part[k - 1]:
                sampled[row, recorded] = part[k]
                recorded += 1
        counts[row + 1] = recorded


@njit(parallel=True, cache=True)
def _pack(sampled: Any, seed: int, indptr: Any, indices: Any, values: Any) -> None:
    for row in prange(len(sampled)):
        for k in range(indptr[row + 1] - indptr[row]):
            place = np.int64(indptr[row]) + k
            indices[place] = sampled[row, k]
            values[place] = 2.0 * random_share(seed, 0, place) - 1.0


@njit(parallel=True, cache=True)
def _write_dense(seed: int, rows: int, indices: Any, values: Any) -> None:
    for row in prange(rows):
        for column in range(rows):
            place = np.int64(row) * rows + column
            indices[place] = column
            values[place] = 2.0 * random_share(seed, 0, place) - 1.0


@njit(parallel=True, cache=True)
def _leaf_entries(
    stripe_rows: Any, leaves: Any, first: Any, per_leaf: int, seed: int, at: Any, indices: Any, values: Any
) -> None:
    """Count the entries of each row (r at r + 1 of `at`), or with room for them write them.

    `at` then holds where each row begins, and is used up.
    """
    counting = len(indices) == 0
    for stripe in prange(len(stripe_rows)):
        row0 = stripe_rows[stripe] * 128
        for leaf in range(first[stripe], first[stripe + 1]):
            places = np.empty(per_leaf, np.int64)
            for k in range(per_leaf):
                bits = random_bits(seed, 1, np.int64(leaf) * per_leaf + k)
                places[k] = np.int64(bits & np.uint64(128 * 128 - 1))
            places = np.sort(places)
            for k in range(per_leaf):
                if k > 0 and places[k] == places[k - 1]:
                    continue
                row = row0 + places[k] // 128
                if counting:
                    at[row + 1] += 1
                    continue
                indices[at[row]] = leaves[leaf] * 128 + places[k] % 128
                values[at[row]] = 2.0 * random_share(seed, 0, at[row]) - 1.0
                at[row] += 1
