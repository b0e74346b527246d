"""Random matrices of documents, constraints and lists of edges, and grids without their order.

As in `random_graphs`, every random number is a hash of the seed and of its purpose (`keyed_entries`), and a
position sampled more than once is stored once.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse
from numba import njit, prange

from vecsim.data.families.poisson import laplace3d
from vecsim.data.synthetic.keyed_entries import csr_of_keys, key, random_share, require_in, require_share
from vecsim.data.synthetic.power_laws import hubs
from vecsim.support.errors import UserError

MOST_KEYS = 2**31 - 1
"""Sampled entries of a matrix."""


def zipf_columns(rows: int, per_row: int, exponent: float, seed: int = 1) -> Any:
    """Return a square matrix whose rows draw their columns by Zipf's law, as documents draw words.

    The column of rank r is sampled in proportion to ``r**-exponent`` (G. K. Zipf, "Human
    behavior and the principle of least effort", 1949). Ranks are scattered over the columns.

    Parameters
    ----------
    rows
        Rows and columns.
    per_row
        Samples for each row.
    exponent
        Above 0; 1 is that of words.
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
    require_in("K", per_row, 1, MOST_KEYS // rows)
    if not 0 < exponent <= 20:
        raise UserError(f"A {exponent} is not possible: use more than 0, at most 20")
    return hubs(rows, rows, per_row, seed, column_exponent=1 + 1 / exponent)


def few_dense_rows(rows: int, per_row: int, dense_rows: int, share: float, seed: int = 1) -> Any:
    """Return a square matrix of short rows and a few dense ones, all columns alike.

    Constraints that sum many variables, the transposed matrix of dense columns (K. D. Andersen, "A modified
    Schur-complement method for handling dense columns in interior-point methods for linear programming", ACM
    Transactions on Mathematical Software 22, 1996).

    Parameters
    ----------
    rows
        Rows and columns.
    per_row
        Samples of each short row.
    dense_rows
        Dense rows, anywhere.
    share
        Samples of a dense row over the columns, 0 to 1.
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
    require_in("K", per_row, 1, min(rows, MOST_KEYS // rows))
    require_in("R", dense_rows, 0, rows)
    require_share("P", share)
    return hubs(rows, rows, per_row, seed, dense_rows=dense_rows, dense_share=share)


def hypersparse(rows: int, entries: int, seed: int = 1) -> Any:
    """Return a square matrix with fewer entries than rows, each anywhere.

    What 2-D partitions of graphs leave to each processor (A. Buluç and J. R. Gilbert, "On the representation
    and multiplication of hypersparse matrices", IPDPS 2008).

    Parameters
    ----------
    rows
        Rows and columns.
    entries
        Samples, at most as many as rows.
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
    require_in("E", entries, 1, rows)
    return csr_of_keys(_anywhere_keys(rows, entries, np.uint64(seed)), rows, rows, seed, False)


def staircase(periods: int, height: int, width: int, per_row: int, seed: int = 1) -> Any:
    """Return the constraint matrix of a staircase linear programme.

    The constraints of a period have variables of it and of the period before (R. Fourer, "Solving staircase
    linear programs by the simplex method, 1: inversion", Mathematical Programming 23, 1982); here all of
    these are alike.

    Parameters
    ----------
    periods
        Their number.
    height, width
        Constraints and variables of a period.
    per_row
        Samples of each constraint.
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
    require_in("T", periods, 1, 2**30)
    require_in("M", height, 1, 2**30 // periods)
    require_in("N", width, 1, 2**30 // periods)
    rows, columns = periods * height, periods * width
    require_in("K", per_row, 1, MOST_KEYS // rows)
    keys = _staircase_keys(rows, height, width, per_row, np.uint64(seed))
    return csr_of_keys(keys, rows, columns, seed, False)


def shuffled_grid(points: int, run: int, seed: int = 1) -> Any:
    """Return the seven-point Laplacian of a cube whose points are renumbered at random.

    Parameters
    ----------
    points
        Points along an edge of the cube.
    run
        Neighbouring rows that stay together.
    seed
        Another seed gives another order.

    Returns
    -------
    scipy.sparse.csr_array
        float64, with sorted 32-bit indices.

    Raises
    ------
    UserError
        If a number is out of its range.
    """
    require_in("N", points, 2, 224)
    rows = points**3
    require_in("R", run, 1, rows)
    grid = laplace3d(points).tocoo()
    runs = -(-rows // run)
    old = (np.random.default_rng(seed).permutation(runs)[:, None] * run + np.arange(run)).ravel()
    place = np.empty(rows, np.int32)
    place[old[old < rows]] = np.arange(rows, dtype=np.int32)
    shuffled = scipy.sparse.csr_array((grid.data, (place[grid.row], place[grid.col])), shape=grid.shape)
    shuffled.sum_duplicates()
    return shuffled


@njit(parallel=True, cache=True)
def _anywhere_keys(rows: int, entries: int, seed: Any) -> Any:
    keys = np.empty(entries, np.uint64)
    for entry in prange(entries):
        row = int(random_share(seed, 2, entry) * rows)
        keys[entry] = key(row, int(random_share(seed, 3, entry) * rows))
    return keys


@njit(parallel=True, cache=True)
def _staircase_keys(rows: int, height: int, width: int, per_row: int, seed: Any) -> Any:
    keys = np.empty(rows * per_row, np.uint64)
    for entry in prange(rows * per_row):
        row = entry // per_row
        period = row // height
        first, last = max(0, period - 1) * width, (period + 1) * width
        keys[entry] = key(row, first + int(random_share(seed, 2, entry) * (last - first)))
    return keys
