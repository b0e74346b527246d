"""Problems of products with padded rows: ELLPACK, and slices of s rows of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from programs.course.declaration import Setting
from programs.course.problem import Needed, Problem
from vecsim.support.errors import UserError

MOST_PADDED = 1 << 24
"""Elements with their padding that are simulated at most."""


def ellpack(given: Setting) -> Problem:
    """One slice: every row is as wide as the longest."""
    matrix = given.matrix
    rows, width = matrix.shape[0], int(np.diff(matrix.indptr).max(initial=0))
    columns, values = _slice(matrix, 0, rows, rows, width)
    constants = {"ROWS": rows, "WIDTH": width}
    return _product(given, columns, values, {}, constants)


def sliced_ellpack(given: Setting) -> Problem:
    """Slices of s rows, the last filled up with empty rows."""
    matrix, s = given.matrix, given.machine.section_size
    lengths = np.diff(matrix.indptr)
    slices = -(-len(lengths) // s)
    widths = [int(lengths[i * s : (i + 1) * s].max()) for i in range(slices)]
    parts = [_slice(matrix, i * s, min((i + 1) * s, len(lengths)), s, widths[i]) for i in range(slices)]
    columns = np.concatenate([each[0].ravel() for each in parts] or [np.zeros(0, np.int32)])
    values = np.concatenate([each[1].ravel() for each in parts] or [np.zeros(0, given.value_type)])
    pointers = {"SLICEPTR": np.concatenate(([0], np.cumsum(widths))).astype(np.int32)}
    return _product(given, columns, values, pointers, {"ROWS": len(lengths), "SLICES": slices})


def _slice(matrix: Any, first: int, end: int, height: int, width: int) -> tuple[Any, Any]:
    """Return (width, height) columns and values of rows; 0 in padding."""
    if width * height > MOST_PADDED:
        raise UserError(f"rows padded to {width} entries make more than {MOST_PADDED} elements")
    columns = np.zeros((width, height), np.int32)
    values = np.zeros((width, height), matrix.dtype)
    begin, stop = matrix.indptr[first], matrix.indptr[end]
    lengths = np.diff(matrix.indptr[first : end + 1])
    row = np.repeat(np.arange(end - first), lengths)
    place = np.arange(begin, stop) - np.repeat(matrix.indptr[first:end], lengths)
    columns[place, row] = matrix.indices[begin:stop]
    values[place, row] = matrix.data[begin:stop]
    return columns, values


def _product(
    given: Setting, columns: Any, values: Any, more: dict[str, Any], constants: dict[str, int]
) -> Problem:
    matrix, words = given.matrix, given.words
    x = given.numbers(matrix.shape[1])
    y = np.asarray(matrix.astype(np.float64) @ x.astype(np.float64)).astype(given.value_type)
    contiguous = values.size * (words + 1) + matrix.shape[0] * words
    needed = Needed(contiguous, values.size * words, values.size)
    inputs = {"COLIDX": columns, "VALUES": values, "X": x, **more}
    return Problem(inputs, {"Y": y}, matrix.nnz, "non-zero", needed, constants=constants)
