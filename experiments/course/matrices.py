"""Random matrices of the exercises on sparse products: random shapes, structures and values."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from experiments.course.exercise import NamedMatrix
from vecsim.support.suggestions import counted

LARGEST = 30
"""Values are whole numbers from 1 to this, and negative ones: sums of a row are exact in float32."""
SLICE = 64
"""Rows and columns of a block."""

Mask = npt.NDArray[np.bool_]


def rows_of_all_kinds(random: np.random.Generator) -> list[NamedMatrix]:
    """Return few rows, a grid, rows with some empty ones, and an arrow with a row of over 64 entries."""
    grid, scattered, arrow = _size(random, 7, 10), _size(random, 110, 170), _size(random, 140, 181)
    few = random.random((_size(random, 2, 6),) * 2) < 0.6
    few[0, 0], few[-1] = True, False
    return [
        _matrix(random, "few", few),
        _matrix(random, "grid", _grid(random, grid)),
        _matrix(random, "scattered", _scattered(random, scattered)),
        _matrix(random, "arrow", _arrow(random, arrow)),
    ]


def one_block(random: np.random.Generator) -> list[NamedMatrix]:
    """Draw matrices of at most 64 x 64: a grid, a diagonal, a dense one, one of few entries, an empty one."""
    diagonal, dense = _size(random, 20, 41), _size(random, 30, 51)
    few = np.zeros((3, 3), bool)
    few.ravel()[random.choice(9, 4, replace=False)] = True
    return [
        _matrix(random, "grid", _grid(random, _size(random, 7, 9))),
        _matrix(random, "diagonal", random.permutation(np.eye(diagonal, dtype=bool))),
        _matrix(random, "dense", random.random((dense, dense)) < 0.97),
        _matrix(random, "few", few),
        _matrix(random, "empty", np.zeros((_size(random, 2, 60),) * 2, bool)),
    ]


def few_blocks(random: np.random.Generator) -> list[NamedMatrix]:
    """Draw a matrix of one block, and of two to four by as many."""
    return [
        _matrix(random, "one block", _scattered(random, _size(random, 40, SLICE))),
        _matrix(random, "grid", _grid(random, _size(random, 9, 11))),
        _matrix(random, "grid", _grid(random, _size(random, 11, 13))),
        _matrix(random, "scattered", _scattered(random, _size(random, 200, 241))),
    ]


def _size(random: np.random.Generator, low: int, high: int) -> int:
    return int(random.integers(low, high))


def _grid(random: np.random.Generator, side: int) -> Mask:
    """Draw neighbours in a grid of side * side points, and a few entries anywhere."""
    line = np.eye(side, dtype=bool)
    near = np.eye(side, k=1, dtype=bool) | np.eye(side, k=-1, dtype=bool)
    whole = np.kron(line, line | near) | np.kron(near, line)
    return np.asarray((whole & (random.random(whole.shape) < 0.9)) | (random.random(whole.shape) < 0.01))


def _scattered(random: np.random.Generator, rows: int) -> Mask:
    """Draw rows of up to 9 entries; at least the tenth part is empty, and so are both ends."""
    result = random.random((rows, rows)) < random.uniform(0, 9, rows)[:, None] / rows
    result[[0, -1, *random.choice(rows, rows // 10, replace=False)]] = False
    return result


def _arrow(random: np.random.Generator, rows: int) -> Mask:
    """Draw a full row and a full column, a diagonal, and a few entries anywhere."""
    result = np.eye(rows, dtype=bool) | (random.random((rows, rows)) < 0.003)
    result[random.integers(rows)] = random.random(rows) < 0.95
    result[:, random.integers(rows)] = True
    return result


def _matrix(random: np.random.Generator, kind: str, entries: Mask) -> NamedMatrix:
    from scipy.sparse import csr_array

    csr = csr_array(entries.astype(np.float32))
    csr.data = whole_numbers(random, csr.nnz)
    return NamedMatrix(f"{kind}, {counted(csr.shape[0], 'row')}", csr)


def whole_numbers(random: np.random.Generator, count: int, most: int = LARGEST) -> npt.NDArray[np.float32]:
    """Draw whole numbers from 1 to `most`, and negative ones."""
    numbers: npt.NDArray[Any] = random.integers(1, most + 1, count) * random.choice((-1, 1), count)
    return numbers.astype(np.float32)
