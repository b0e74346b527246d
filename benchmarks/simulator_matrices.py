"""The matrices of the simulator's benchmark: real files where they are available, stand-ins where not."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse

from vecsim.data import find_builtin, load, read, values_as
from vecsim.data.search_path import find_file, matrix_folders
from vecsim.support.errors import UserError

SMALL = ("pde2961", "bcspwr10", "add32")
"""Below 30,000 non-zeros: an engine in plain Python takes seconds on each."""

LISTED = (*SMALL, "memplus", "bcsstk13", "mbeause", "bcsstk29", "laplace2d-448", "laplace2d-1415")
"""The list of the benchmark; the stencils have 1,001,728 and 10,005,465 non-zeros."""


@dataclass(frozen=True, eq=False)
class Subject:
    """A matrix to measure on.

    Attributes
    ----------
    name
        As tables show it; a stand-in says so.
    csr
        csr_array of float32, its indices int32.
    stand_in
        Whether it was generated in place of a file.
    """

    name: str
    csr: Any
    stand_in: bool


@dataclass(frozen=True)
class Shape:
    """What a stand-in has in common with the matrix that it stands for.

    Attributes
    ----------
    rows, nnz
        Order and stored entries, exactly.
    lengths, distances
        Entries of a row, and how far those off the diagonal lie from it, at the shares ``SHARES``.
    alike
        Neighbouring rows of about one length.
    together
        Entries that lie side by side in a row.
    """

    rows: int
    nnz: int
    lengths: list[int]
    distances: list[int]
    alike: int
    together: int


SHARES = (0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999, 1)
"""Shares of the rows, or of the entries, that are at most as long, or as far."""

SHAPES: dict[str, Shape] = {
    name: Shape(**shape)
    for name, shape in tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")).items()
}
"""Of the listed matrices that vecsim cannot generate, measured on the files of the SuiteSparse collection."""


def subject(name: str) -> Subject:
    """Return a matrix by the name of a built-in, a file of VECSIM_MATRICES, a stand-in, or a path.

    Raises
    ------
    UserError
        It is none of these, or its file cannot be read.
    """
    file = find_file(name, matrix_folders())
    stand_in = False
    if find_builtin(name) is not None:
        csr = load(name).csr
    elif file is not None:
        csr = read(file).csr
    elif name in SHAPES:
        csr, stand_in = generate(SHAPES[name]), True
    else:
        matrix = load(name)
        name, csr = matrix.name, matrix.csr
    if csr.nnz == 0:
        raise UserError(f"{name} has no entries to measure on")
    return Subject(f"{name} (stand-in)" if stand_in else name, _narrow(csr), stand_in)


def _narrow(csr: Any) -> Any:
    # Values and indices of 32 bits, whatever made the matrix: SciPy is at its fastest with these.
    values = values_as(csr, 4)[0].data
    indices, indptr = (array.astype(np.int32) for array in (csr.indices, csr.indptr))
    return scipy.sparse.csr_array((values, indices, indptr), shape=csr.shape)


def generate(shape: Shape) -> Any:
    """Make the stand-in of a shape, the same one every time.

    Like its model are order, entries and the distribution of row lengths, and roughly the distances from
    the diagonal and how entries cluster; values are anything in [0.5, 1.5), for no cycle depends on them.

    Returns
    -------
    csr_array of float64.
    """
    rng = np.random.Generator(np.random.PCG64(shape.nnz))
    lengths = _neighbours_alike(_row_lengths(shape), shape.alike, rng)
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    row = np.repeat(np.arange(shape.rows), lengths)
    in_row = np.arange(shape.nnz) - indptr[row]
    columns = _columns(shape, row, in_row, lengths[row], rng)
    csr = scipy.sparse.csr_array((0.5 + rng.random(shape.nnz), columns, indptr), shape=(shape.rows,) * 2)
    csr.sort_indices()
    return csr


def _row_lengths(shape: Shape) -> npt.NDArray[np.int64]:
    # Rising; what rounding and the straight lines between the shares leave over is dealt out evenly,
    # never beyond the shortest and the longest row.
    middle = (np.arange(shape.rows) + 0.5) / shape.rows
    lengths = np.rint(np.interp(middle, SHARES, shape.lengths)).astype(np.int64)
    lengths[-1] = shape.lengths[-1]
    while (missing := shape.nnz - int(lengths.sum())) != 0:
        step = 1 if missing > 0 else -1
        free = np.flatnonzero((lengths + step >= shape.lengths[0]) & (lengths + step <= shape.lengths[-1]))
        dealt = min(abs(missing), len(free))
        lengths[free[np.arange(dealt) * len(free) // dealt]] += step
    return lengths


def _neighbours_alike(
    lengths: npt.NDArray[np.int64], alike: int, rng: np.random.Generator
) -> npt.NDArray[np.int64]:
    group = np.arange(len(lengths)) // alike
    order = np.argsort(rng.random(group[-1] + 1)[group], kind="stable")
    return lengths[order]


def _columns(
    shape: Shape,
    row: npt.NDArray[np.int64],
    in_row: npt.NDArray[np.int64],
    length: npt.NDArray[np.int64],
    rng: np.random.Generator,
) -> npt.NDArray[np.int64]:
    # Entries that lie together share a distance; the first group of a row lies on the diagonal.
    group, place = np.divmod(in_row, shape.together)
    first = np.arange(len(row)) - place
    distance = np.rint(np.interp(rng.random(len(row)), SHARES, shape.distances)).astype(np.int64)[first]
    distance *= np.where(rng.random(len(row)) < 0.5, -1, 1)[first]
    distance[group == 0] = 0
    column = row + distance
    column = np.where((column < 0) | (column >= shape.rows), row - distance, column)
    column = np.sort(row * shape.rows + np.clip(column, 0, shape.rows - 1)) % shape.rows
    # An entry whose place is taken moves to the next free one, all back if the row would be left: its
    # columns rise, for both that which is accumulated and the limit do.
    apart = np.maximum.accumulate(row * (2 * shape.rows) + column - in_row) - row * (2 * shape.rows) + in_row
    columns: npt.NDArray[np.int64] = np.minimum(apart, shape.rows - length + in_row)
    return columns
