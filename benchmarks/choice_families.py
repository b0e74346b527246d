"""Families of generated matrices, each a function that makes one of a random generator.

The recipes of `benchmarks.choice_matrices` are made of them.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from vecsim.data.builtin import load_builtin
from vecsim.data.synthetic import random_graphs

Integers = NDArray[np.int64]
Generate = Callable[[np.random.Generator], Any]


def _at(rows: Any, columns: Any, shape: tuple[int, int]) -> Any:
    inside = (columns >= 0) & (columns < shape[1])
    rows, columns = rows[inside], columns[inside]
    return scipy.sparse.csr_array((np.ones(len(rows), dtype=np.float32), (rows, columns)), shape=shape)


def stencil(grid: tuple[int, ...], box: bool = False) -> Generate:
    """Neighbours on a grid: along the axes, or all around."""

    def generate(rng: np.random.Generator) -> Any:
        lines = [scipy.sparse.diags_array([1.0, 1, 1], offsets=[-1, 0, 1], shape=(n, n)) for n in grid]
        if box:
            result = lines[0]
            for line in lines[1:]:
                result = scipy.sparse.kron(result, line, format="csr")
            return result
        count = int(np.prod(grid))
        result = scipy.sparse.csr_array((count, count))
        for axis, line in enumerate(lines):
            before, after = int(np.prod(grid[:axis])), int(np.prod(grid[axis + 1 :]))
            inner = scipy.sparse.kron(line, scipy.sparse.eye_array(after), format="csr")
            result = result + scipy.sparse.kron(scipy.sparse.eye_array(before), inner, format="csr")
        return result

    return generate


def diagonals(rows: int, offsets: tuple[int, ...], share: float = 1.0) -> Generate:
    """Diagonals at these offsets, each entry there with probability `share`."""

    def generate(rng: np.random.Generator) -> Any:
        row = np.repeat(np.arange(rows), len(offsets))
        column = row + np.tile(np.array(offsets), rows)
        retained = rng.random(len(row)) < share
        return _at(row[retained], column[retained], (rows, rows))

    return generate


def lengths_of(kind: str, rows: int, mean: float, rng: np.random.Generator) -> Integers:
    """Return row lengths of a distribution with about this mean.

    Parameters
    ----------
    kind
        equal, uniform, geometric, two (one row in ten is long), turns (short and long by turns), falling, or
        the exponent of a power law.
    rows
        Number of lengths.
    mean
        Entries of a row in the mean, about.
    rng
        Draws them.
    """
    if kind == "equal":
        sampled = np.full(rows, mean)
    elif kind == "uniform":
        sampled = rng.uniform(0, 2 * mean + 1, rows)
    elif kind == "geometric":
        sampled = rng.geometric(1 / (mean + 1), rows) - 1
    elif kind == "two":
        sampled = np.where(rng.random(rows) < 0.1, 5.5 * mean, 0.5 * mean)
    elif kind == "turns":
        sampled = np.where(np.arange(rows) % 2, 0.2 * mean, 1.8 * mean)
    elif kind == "falling":
        sampled = np.linspace(2 * mean, 0, rows)
    else:
        exponent = float(kind)
        sampled = (1 - rng.random(rows)) ** (-1 / (exponent - 1))
        sampled = np.minimum(sampled * mean / sampled.mean(), rows / 2)
    lengths: Integers = np.maximum(0, np.asarray(sampled)).astype(np.int64)
    return lengths


def rows_by_length(
    kind: str,
    rows: int,
    mean: float,
    *,
    columns: int | None = None,
    width: int | None = None,
    sorted_: str = "",
) -> Generate:
    """Rows with lengths of a distribution; columns anywhere, near the diagonal, or by a power law.

    Parameters
    ----------
    kind, rows, mean
        As of `lengths_of`.
    columns
        N; None is as many as rows.
    width
        Columns about the diagonal that entries stand within; None lets them stand anywhere.
    sorted_
        "popular" draws columns by a power law; otherwise all are alike. Not used with `width`.
    """

    def generate(rng: np.random.Generator) -> Any:
        lengths = lengths_of(kind, rows, mean, rng)
        row = np.repeat(np.arange(rows), lengths)
        total = columns or rows
        if width is not None:
            column = row * total // rows + rng.integers(-(width // 2), width // 2 + 1, len(row))
        elif sorted_ == "popular":
            column = (total * rng.random(len(row)) ** 3).astype(np.int64)
            column = rng.permutation(total)[column]
        else:
            column = rng.integers(0, total, len(row))
        return _at(row, column, (rows, total))

    return generate


def full(rows: int, columns: int) -> Generate:
    """Every entry."""

    def generate(rng: np.random.Generator) -> Any:
        row, column = np.divmod(np.arange(rows * columns), columns)
        return _at(row, column, (rows, columns))

    return generate


def recursive(scale: int, edge_factor: int, *, symmetric: bool = True) -> Generate:
    """An R-MAT graph with the probabilities of Graph500, its nodes renumbered."""

    def generate(rng: np.random.Generator) -> Any:
        edges, rows = edge_factor << scale, 1 << scale
        row, column = np.zeros(edges, dtype=np.int64), np.zeros(edges, dtype=np.int64)
        for bit in range(scale):
            sampled = rng.random(edges)
            down = sampled > 0.76
            right = ((sampled > 0.57) & ~down) | (sampled > 0.95)
            row |= down.astype(np.int64) << bit
            column |= right.astype(np.int64) << bit
        order = rng.permutation(rows)
        row, column = order[row], order[column]
        if symmetric:
            row, column = np.concatenate((row, column)), np.concatenate((column, row))
        return _at(row, column, (rows, rows))

    return generate


def blocks(of: Generate, b: int, share: float = 1.0) -> Generate:
    """Replace each entry by a block of b x b, a share of its elements."""

    def generate(rng: np.random.Generator) -> Any:
        coarse = scipy.sparse.coo_array(of(rng))
        row = (coarse.row[:, None].astype(np.int64) * b + np.repeat(np.arange(b), b)).ravel()
        column = (coarse.col[:, None].astype(np.int64) * b + np.tile(np.arange(b), b)).ravel()
        retained = slice(None) if share == 1 else rng.random(len(row)) < share
        shape = (coarse.shape[0] * b, coarse.shape[1] * b)
        return _at(row[retained], column[retained], shape)

    return generate


def shuffled(of: Generate, run: int = 1) -> Generate:
    """Renumber rows and columns at random, runs of this many together."""

    def generate(rng: np.random.Generator) -> Any:
        result = scipy.sparse.csr_array(of(rng))
        runs = rng.permutation(-(-result.shape[0] // run))
        order = (runs[:, None] * run + np.arange(run)).ravel()
        order = order[order < result.shape[0]]
        return result[order][:, order]

    return generate


def dense_lines(of: Generate, count: int, length: int, *, columns: bool) -> Generate:
    """Add a few long rows, and columns.

    Parameters
    ----------
    of
        Makes the matrix that they are added to.
    count
        Number of long rows, and of long columns.
    length
        Entries of each, before equal places are summed.
    columns
        Whether columns are added too.
    """

    def generate(rng: np.random.Generator) -> Any:
        result = scipy.sparse.csr_array(of(rng))
        row = np.repeat(rng.integers(0, result.shape[0], count), length)
        column = rng.integers(0, result.shape[1], count * length)
        lines = _at(row, column, result.shape)
        return result + lines + (lines.T if columns else 0 * lines)

    return generate


def local_squares(rows: int, squares: int, side: int, entries: int) -> Generate:
    """Squares anywhere, each with entries at random.

    Parameters
    ----------
    rows
        M and N.
    squares
        Their number.
    side
        Rows and columns of a square.
    entries
        Of a square, before equal places are summed.
    """

    def generate(rng: np.random.Generator) -> Any:
        corner = rng.integers(0, rows // side, (2, squares)) * side
        row = np.repeat(corner[0], entries) + rng.integers(0, side, squares * entries)
        column = np.repeat(corner[1], entries) + rng.integers(0, side, squares * entries)
        return _at(row, column, (rows, rows))

    return generate


def mesh(points: int, dimensions: int, neighbours: int) -> Generate:
    """The nearest points of points at random, numbered along cells: an unstructured mesh, about."""

    def generate(rng: np.random.Generator) -> Any:
        from scipy.spatial import cKDTree

        places = rng.random((points, dimensions))
        cells = max(1, round(points ** (1 / dimensions) / 4))
        cell = np.zeros(points, dtype=np.int64)
        for axis in range(dimensions):
            cell = cell * cells + (places[:, axis] * cells).astype(np.int64)
        places = places[np.argsort(cell, kind="stable")]
        near = cKDTree(places).query(places, k=neighbours, workers=1)[1]
        row, column = np.repeat(np.arange(points), neighbours), near.ravel()
        both = np.concatenate((row, column)), np.concatenate((column, row))
        return _at(*both, (points, points))

    return generate


def web(pages: int, mean_links: float, copied: float, local: float) -> Generate:
    """Links of pages that copy those of others (`vecsim.data.synthetic.random_graphs.web`).

    Parameters
    ----------
    pages
        M and N.
    mean_links, copied, local
        As of `vecsim.data.synthetic.random_graphs.web`.
    """

    def generate(rng: np.random.Generator) -> Any:
        return random_graphs.web(
            pages, int(rng.integers(2**31)), mean_links=mean_links, copied=copied, local=local
        )

    return generate


def circuit(nodes: int, fanout_exponent: float, wire_exponent: float, rails: int, share: float) -> Generate:
    """Short wires, power-law fan-out and rails (`vecsim.data.synthetic.random_graphs.circuit`).

    Parameters
    ----------
    nodes
        M and N.
    fanout_exponent, wire_exponent, rails
        As of `vecsim.data.synthetic.random_graphs.circuit`.
    share
        `rail_share` there.
    """

    def generate(rng: np.random.Generator) -> Any:
        return random_graphs.circuit(
            nodes,
            int(rng.integers(2**31)),
            fanout_exponent=fanout_exponent,
            wire_exponent=wire_exponent,
            rails=rails,
            rail_share=share,
        )

    return generate


def named(name: str) -> Generate:
    """Take the pattern of a built-in matrix; its name has the seed."""

    def generate(rng: np.random.Generator) -> Any:
        return load_builtin(name).csr

    return generate
