"""Random matrices whose rows are samples without repetition: uniform, power law, banded, of blocks.

A row has as many entries as its definition says, also where that is nearly all of its columns; the other
generators store a repeated column once. As there, every random number is a hash of the seed and of its
purpose (`keyed_entries`), in 64-bit integers, and a value is a hash of its position, uniform in [-1, 1).

Measured at 20 million entries on one core of a busy server: at most 4.1 s and 0.5 GB, 1.1 to 2.0 times as
long as two hashes an entry and writing them (``python -m benchmarks.generators``).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from vecsim.data.synthetic.keyed_entries import (
    csr_of_parts,
    key,
    random_share,
    require_in,
    require_share,
)
from vecsim.support.errors import UserError

Counts = NDArray[np.int64]
"""A number for each row."""

MOST_ENTRIES = 2**31 - 1
"""Of a matrix, so that 32-bit indices count them."""
MOST_EXPONENT = 20
"""Of a power law, so that powers of 2^27 rows are finite; rows are then all but alike."""
_VALUE, _LENGTH, _INSIDE, _OUTSIDE = range(4)
"""Streams of random numbers, by purpose."""


def uniform_rows(rows: int, per_row: int, seed: int = 1) -> Any:
    """Return a square matrix with `per_row` entries in each row, every set of columns equally likely.

    The directed random graph of fixed out-degree, a relative of the uniform random graph G(n, M) of P. Erdős
    and A. Rényi ("On random graphs I", Publicationes Mathematicae 6, 1959).

    Parameters
    ----------
    rows
        Rows and columns.
    per_row
        Entries of each row.
    seed
        Another seed gives another matrix.

    Returns
    -------
    scipy.sparse.csr_array
        float64, with sorted 32-bit indices.

    Raises
    ------
    UserError
        If a number is out of its range.
    """
    require_in("N", rows, 1, 2**30)
    require_in("K", per_row, 1, rows)
    return _csr(rows, rows, np.full(rows, per_row, np.int64), np.zeros(rows, np.int64), seed)


def power_law_rows(rows: int, mean: int, exponent: float, seed: int = 1) -> Any:
    """Return a square matrix whose row lengths follow a power law, their columns uniform.

    A row has k entries or more with probability ``(least / k)**(exponent - 1)``, at most 1, k up to `rows`:
    the continuous power law ``p(x) ~ x**-exponent`` from `least` on, rounded down (A. Clauset, C. R. Shalizi
    and M. E. J. Newman, "Power-law distributions in empirical data", SIAM Review 51(4), 2009, section 2 and
    appendix D). `least` is such that the expected length is `mean`. If it is below 1, some rows are empty.

    Parameters
    ----------
    rows
        Rows and columns.
    mean
        Expected entries of a row.
    exponent
        Above 1, at most 20; the smaller, the longer the longest rows.
    seed
        Another seed gives another matrix.

    Returns
    -------
    scipy.sparse.csr_array
        float64, with sorted 32-bit indices.

    Raises
    ------
    UserError
        If a number is out of its range.
    """
    require_in("N", rows, 1, 2**27)
    require_in("M", mean, 1, rows)
    if not 1 < exponent <= MOST_EXPONENT:
        raise UserError(f"A {exponent} is not possible: use more than 1, at most {MOST_EXPONENT}")
    lengths = _power_law_lengths(rows, exponent, _least(rows, mean, exponent), np.uint64(seed))
    return _csr(rows, rows, lengths, np.zeros(rows, np.int64), seed)


def banded_rows(rows: int, half_bandwidth: int, per_row: int, outliers: float, seed: int = 1) -> Any:
    """Return a square band matrix with a share of its entries moved out of the band.

    The band has ``|i - j| <= half_bandwidth`` (G. H. Golub and C. F. Van Loan, "Matrix Computations", section
    1.2). Each entry of a row leaves it with probability `outliers`, for a column anywhere outside, as edges
    of a ring lattice are rewired in the small-world model of D. J. Watts and S. H. Strogatz (Nature 393,
    1998). The columns are samples without repetition, inside and outside.

    Parameters
    ----------
    rows
        Rows and columns.
    half_bandwidth
        Columns of the band on each side of the diagonal.
    per_row
        Entries of each row; fewer in the first and last rows if their part of the band has fewer columns.
    outliers
        A probability, 0 to 1.
    seed
        Another seed gives another matrix.

    Returns
    -------
    scipy.sparse.csr_array
        float64, with sorted 32-bit indices.

    Raises
    ------
    UserError
        If a number is out of its range, or there is no place for the outliers.
    """
    require_in("N", rows, 1, 2**30)
    require_in("W", half_bandwidth, 0, rows - 1)
    require_in("K", per_row, 1, min(rows, 2 * half_bandwidth + 1))
    require_share("P", outliers)
    if outliers and 2 * half_bandwidth + 1 + per_row > rows:
        raise UserError(f"P {outliers} is not possible: outside the band must be K columns, N - 2 W - 1 >= K")
    row = np.arange(rows)
    band = np.minimum(row + half_bandwidth, rows - 1) - np.maximum(row - half_bandwidth, 0) + 1
    outside = _outlier_counts(rows, per_row, outliers, np.uint64(seed))
    return _csr(rows, half_bandwidth, np.minimum(per_row - outside, band), outside, seed)


def blocks(rows: int, edge: int, per_row: int, seed: int = 1) -> Any:
    """Return a square matrix of dense square blocks, the same number in each block row, anywhere.

    The Kronecker product of `uniform_rows` and a dense block: the pattern that register blocking is made for
    (E.-J. Im, K. Yelick and R. Vuduc, "Sparsity: Optimization framework for sparse matrix kernels",
    International Journal of High Performance Computing Applications 18(1), 2004).

    Parameters
    ----------
    rows
        Rows and columns, a multiple of `edge`.
    edge
        Rows and columns of a block.
    per_row
        Blocks of each block row.
    seed
        Another seed gives another matrix.

    Returns
    -------
    scipy.sparse.csr_array
        float64, with sorted 32-bit indices.

    Raises
    ------
    UserError
        If a number is out of its range.
    """
    require_in("N", rows, 1, 2**30)
    require_in("B", edge, 1, rows)
    if rows % edge:
        raise UserError(f"B {edge} is not possible: N must be a multiple of B, and {rows} is not")
    require_in("K", per_row, 1, rows // edge)
    pattern = uniform_rows(rows // edge, per_row, seed)
    indptr = _indptr(np.full(rows, edge * per_row, np.int64))
    indices = np.empty(int(indptr[-1]), np.int32)
    _expand(pattern.indices.reshape(-1, per_row), edge, indices.reshape(-1, edge, per_row, edge))
    return _with_values(indptr, indices, seed)


def _least(rows: int, mean: int, exponent: float) -> float:
    """Return the least of a power law that ends at `rows` and has this mean once it is rounded down.

    That mean is the sum of the probabilities of k or more over k from 1 to `rows`.
    """
    power = exponent - 1
    # The sum of k^-power over k above each number, from the smallest terms on.
    above = np.cumsum(np.append(np.arange(1.0, rows + 1) ** -power, 0.0)[::-1])[::-1]

    def mean_for(least: float) -> float:
        whole = min(int(least), rows)
        return whole + float(least**power * above[whole])

    low, high = 0.0, float(rows)
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if mean_for(middle) < mean else (low, middle)
    return high


def _csr(rows: int, half: int, inside: Counts, outside: Counts, seed: int) -> Any:
    """Return the matrix with these counts of entries up to `half` columns from the diagonal and beyond."""
    indptr = _indptr(inside + outside)
    indices = np.empty(int(indptr[-1]), np.int32)
    _write_columns(half, inside, outside, np.uint64(seed), indices)
    return _with_values(indptr, indices, seed)


def _indptr(lengths: Counts) -> NDArray[np.int32]:
    total = int(lengths.sum())
    if total > MOST_ENTRIES:
        raise UserError(f"{total:,} entries are not possible: use {MOST_ENTRIES:,} at most")
    return np.concatenate((np.zeros(1, np.int32), np.cumsum(lengths, dtype=np.int32)))


def _with_values(indptr: NDArray[np.int32], indices: NDArray[np.int32], seed: int) -> Any:
    values = np.empty(len(indices))
    _write_values(indptr, indices, np.uint64(seed), values)
    return csr_of_parts(values, indices, indptr)


@njit(cache=True)
def _power_law_lengths(rows: int, exponent: float, least: float, seed: Any) -> Any:
    lengths = np.empty(rows, np.int64)
    for row in range(rows):
        share = 1.0 - random_share(seed, _LENGTH, row)
        lengths[row] = int(min(float(rows), least * share ** (-1.0 / (exponent - 1.0))))
    return lengths


@njit(cache=True)
def _outlier_counts(rows: int, per_row: int, outliers: float, seed: Any) -> Any:
    counts = np.zeros(rows, np.int64)
    for row in range(rows):
        for k in range(per_row):
            counts[row] += random_share(seed, _LENGTH, key(row, k)) < outliers
    return counts


@njit(cache=True)
def _write_columns(half: int, inside: Any, outside: Any, seed: Any, indices: Any) -> None:
    """Write the columns of each row in order, row after row."""
    rows = len(inside)
    most = max(1, np.max(inside), np.max(outside))
    others, left_out, table = np.empty(most, np.int32), np.empty(most, np.int32), np.empty(3 * most, np.int32)
    place = 0
    for row in range(rows):
        low, high = max(0, row - half), min(rows, row + half + 1)
        _sample(seed, _OUTSIDE, row, rows - (high - low), others[: outside[row]], left_out, table)
        first = 0
        while first < outside[row] and others[first] < low:
            indices[place + first] = others[first]
            first += 1
        near = place + first
        place = near + inside[row]
        _sample(seed, _INSIDE, row, high - low, indices[near:place], left_out, table)
        for k in range(near, place):
            indices[k] += low
        for k in range(first, outside[row]):
            indices[place] = others[k] + (high - low)
            place += 1


@njit(cache=True)
def _sample(seed: Any, stream: int, row: int, choices: int, sample: Any, left_out: Any, table: Any) -> None:
    """Fill a sample with different numbers below `choices`, in order: what is left out, if that is less."""
    if 2 * len(sample) <= choices:
        _sample_few(seed, stream, row, choices, sample, table)
        return
    others = left_out[: choices - len(sample)]
    _sample_few(seed, stream, row, choices, others, table)
    passed = 0
    for number in range(choices):
        if passed < len(others) and others[passed] == number:
            passed += 1
        else:
            sample[number - passed] = number


@njit(cache=True)
def _sample_few(seed: Any, stream: int, row: int, choices: int, sample: Any, table: Any) -> None:
    """Fill a sample with the first different numbers of a random sequence, sorted.

    In the table a number stands at its share of 2 n places, or after what is smaller and is there already.
    """
    size = len(sample)
    scale = 2 * size / max(1, choices)
    table[: 3 * size] = -1
    different = attempt = 0
    while different < size:
        number = np.int32(random_share(seed, stream, key(row, attempt)) * choices)
        attempt += 1
        place = int(number * scale)
        while table[place] >= 0 and table[place] < number:
            place += 1
        if table[place] == number:
            continue
        different += 1
        while number >= 0:
            table[place], number = number, table[place]
            place += 1
    place = 0
    for k in range(size):
        while table[place] < 0:
            place += 1
        sample[k] = table[place]
        place += 1


@njit(cache=True)
def _expand(pattern: Any, edge: int, columns: Any) -> None:
    """Write the columns of blocks: of each block row, each row in it, each block and each column in it."""
    block_rows, per_row = pattern.shape
    for block_row in range(block_rows):
        for inner in range(edge):
            for block in range(per_row):
                for column in range(edge):
                    columns[block_row, inner, block, column] = pattern[block_row, block] * edge + column


@njit(cache=True)
def _write_values(indptr: Any, indices: Any, seed: Any, values: Any) -> None:
    for row in range(len(indptr) - 1):
        for place in range(indptr[row], indptr[row + 1]):
            values[place] = 2.0 * random_share(seed, _VALUE, key(row, indices[place])) - 1.0
