"""What the generators of random matrices share: hashed random numbers, and entries as keys of their place.

A random number is a hash of a seed, a stream and a counter (SplitMix64: Steele, Lea and Flood, "Fast
splittable pseudorandom number generators", 2014), so loops that draw them give the same on any number of
threads. A key holds row and column; keys in any order, some several times, become CSR.
"""

from typing import Any

import numpy as np
import scipy.sparse
from numba import njit, prange

from vecsim.support.errors import UserError

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST_MULTIPLIER, _SECOND_MULTIPLIER = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


@njit(cache=True)
def random_bits(seed: Any, stream: Any, number: Any) -> Any:
    """Return 64 random bits for a number of a stream, two rounds of SplitMix64."""
    z = np.uint64(seed) * _GOLDEN + np.uint64(stream)
    for _ in range(2):
        z = (z ^ (z >> np.uint64(30))) * _FIRST_MULTIPLIER
        z = (z ^ (z >> np.uint64(27))) * _SECOND_MULTIPLIER
        z = (z ^ (z >> np.uint64(31))) + np.uint64(number) * _GOLDEN
    z = (z ^ (z >> np.uint64(30))) * _FIRST_MULTIPLIER
    z = (z ^ (z >> np.uint64(27))) * _SECOND_MULTIPLIER
    return z ^ (z >> np.uint64(31))


@njit(cache=True)
def random_share(seed: Any, stream: Any, number: Any) -> Any:
    """Return a random number in [0, 1) for a number of a stream."""
    return np.float64(random_bits(seed, stream, number) >> np.uint64(11)) * 2.0**-53


NOTHING = np.uint64(2**64 - 1)
"""The key of no entry."""
LOW_HALF = np.uint64(2**32 - 1)
_CHUNKS = 64
"""Work is cut in this many parts whatever the number of threads."""
_BUCKETS = 4096


def require_in(name: str, value: int, lowest: int, highest: int) -> None:
    """Raise UserError unless a size lies in its range.

    Parameters
    ----------
    name, value
        What it is called, and the size.
    lowest, highest
        The range.
    """
    if not lowest <= value <= highest:
        raise UserError(f"{name} {value} is not possible: use {lowest} to {highest}")


def require_share(name: str, share: float) -> None:
    """Raise UserError unless a share is a probability."""
    if not 0 <= share <= 1:
        raise UserError(f"{name} {share} is not possible: use a probability, 0 to 1")


def require_exponent(name: str, exponent: float) -> None:
    """Raise UserError unless the exponent of a power law is above 1."""
    if exponent <= 1:
        raise UserError(f"{name} {exponent} is not possible: use more than 1")


@njit(cache=True)
def key(row: Any, column: Any) -> Any:
    """Return the key of a position."""
    return (np.uint64(row) << np.uint64(32)) | np.uint64(column)


@njit(cache=True)
def power_law(share: Any, exponent: Any, least: Any, most: Any) -> Any:
    """Turn a number in [0, 1) into a Pareto variable.

    Parameters
    ----------
    share
        The number.
    exponent
        Of the power law, above 1.
    least, most
        Where the variable begins, and where it is cut off.
    """
    return min(float(most), least * (1.0 - share) ** (-1.0 / (exponent - 1.0)))


@njit(parallel=True, cache=True)
def power_law_counts(rows: int, exponent: float, most: int, least: float, seed: Any) -> Any:
    """Draw a count for each row, int64, by a power law.

    Parameters
    ----------
    rows
        How many.
    exponent, most, least
        As of `power_law`.
    seed
        uint64.
    """
    counts = np.empty(rows, np.int64)
    for row in prange(rows):
        counts[row] = int(power_law(random_share(seed, 1, row), exponent, least, most))
    return counts


def csr_of_keys(keys: Any, rows: int, columns: int, seed: int, symmetric: bool) -> Any:
    """Store each position once, with its value.

    Parameters
    ----------
    keys
        uint64, of `key`, or NOTHING; in any order.
    rows, columns
        Of the matrix.
    seed
        Of the values, which are hashes of positions, uniform in [-1, 1).
    symmetric
        Whether mirrored positions have equal values.

    Returns
    -------
    scipy.sparse.csr_array
        float64, with sorted 32-bit indices.
    """
    rows_per_bucket = -(-rows // _BUCKETS)
    counts = _bucket_counts(keys, rows_per_bucket)
    # Where each chunk writes in each bucket: bucket after bucket, in it chunk after chunk.
    places = np.concatenate(([0], np.cumsum(counts.T.ravel())))
    starts = np.ascontiguousarray(places[::_CHUNKS])
    sorted_keys = np.empty(int(places[-1]), dtype=np.uint64)
    _scatter(
        keys, rows_per_bucket, np.ascontiguousarray(places[:-1].reshape(_BUCKETS, _CHUNKS).T), sorted_keys
    )
    recorded = _sort_each_bucket(sorted_keys, starts)
    indptr = np.zeros(rows + 1, dtype=np.int32)
    first = np.concatenate(([0], np.cumsum(recorded)))
    indices, values = np.empty(int(first[-1]), dtype=np.int32), np.empty(int(first[-1]))
    _write(sorted_keys, starts, first, np.uint64(seed), symmetric, indptr, indices, values)
    np.cumsum(indptr, out=indptr)
    return csr_of_parts(values, indices, indptr, columns)


def csr_of_parts(values: Any, indices: Any, indptr: Any, columns: int | None = None) -> Any:
    """Return the csr_array of arrays whose columns rise in every row.

    Parameters
    ----------
    values, indices, indptr
        As SciPy has them.
    columns
        Of the matrix; as many as rows without it.
    """
    rows = len(indptr) - 1
    matrix = scipy.sparse.csr_array((values, indices, indptr), shape=(rows, columns or rows))
    matrix.has_canonical_format = True
    return matrix


@njit(parallel=True, cache=True)
def _bucket_counts(keys: Any, rows_per_bucket: int) -> Any:
    counts = np.zeros((_CHUNKS, _BUCKETS), np.int64)
    for chunk in prange(_CHUNKS):
        for k in range(len(keys) * chunk // _CHUNKS, len(keys) * (chunk + 1) // _CHUNKS):
            if keys[k] != NOTHING:
                counts[chunk, int(keys[k] >> np.uint64(32)) // rows_per_bucket] += 1
    return counts


@njit(parallel=True, cache=True)
def _scatter(keys: Any, rows_per_bucket: int, places: Any, scattered: Any) -> None:
    for chunk in prange(_CHUNKS):
        for k in range(len(keys) * chunk // _CHUNKS, len(keys) * (chunk + 1) // _CHUNKS):
            if keys[k] != NOTHING:
                bucket = int(keys[k] >> np.uint64(32)) // rows_per_bucket
                scattered[places[chunk, bucket]] = keys[k]
                places[chunk, bucket] += 1


@njit(parallel=True, cache=True)
def _sort_each_bucket(keys: Any, starts: Any) -> Any:
    """Sort each bucket, move its different keys to its front, and count them."""
    recorded = np.zeros(_BUCKETS, np.int64)
    for bucket in prange(_BUCKETS):
        part = np.sort(keys[starts[bucket] : starts[bucket + 1]])
        for k in range(len(part)):
            if k == 0 or part[k] != part[k - 1]:
                keys[starts[bucket] + recorded[bucket]] = part[k]
                recorded[bucket] += 1
    return recorded


@njit(parallel=True, cache=True)
def _write(
    keys: Any, starts: Any, first: Any, seed: Any, symmetric: bool, indptr: Any, indices: Any, values: Any
) -> None:
    """Write columns and values, and the length of row r at r + 1 of `indptr`."""
    for bucket in prange(_BUCKETS):
        for k in range(first[bucket + 1] - first[bucket]):
            whole = keys[starts[bucket] + k]
            row, column = whole >> np.uint64(32), whole & LOW_HALF
            place = first[bucket] + k
            indptr[np.int64(row) + 1] += 1
            indices[place] = np.int32(column)
            mirrored = symmetric and row > column
            position = key(column, row) if mirrored else whole
            values[place] = 2.0 * random_share(seed, 0, position) - 1.0
