"""Problems of the insertion of an element into CRS and HiSM (HiSM paper, Table 3, as cycles)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp

from programs.course.declaration import Setting
from programs.course.problem import Array, Needed, Problem
from programs.hism.reading import read_hism
from programs.loading import layout_for
from vecsim.formats import CRS, HiSM
from vecsim.support.errors import UserError


def crs_insertion(given: Setting) -> Problem:
    """CRS: everything after the element moves; the arrays have room for one more."""
    before, after, position = _inserted(given)
    names = ("ROWPTR", "COLIDX", "VALUES")
    old, new = (CRS.from_scipy(each) for each in (before, after))
    arrays = zip(names, _arrays(old), _arrays(new), strict=True)
    inputs, expected = {"VALUE": _value(after, position)}, {"FOUND": _found(before, after)}
    for name, was, becomes in arrays:
        inputs[name] = np.concatenate([was, np.zeros(len(becomes) - len(was), was.dtype)])
        expected[name] = becomes
    place = int(after.indptr[position[0]] + np.searchsorted(_row(after, position[0]), position[1]))
    behind = after.nnz - 1 - place if after.nnz > before.nnz else 0
    moved = 2 * behind * (1 + given.words) + 2 * (before.shape[0] - position[0])
    constants = {"ROWS": before.shape[0], "NNZ": before.nnz, "ROW": position[0], "COLUMN": position[1]}
    return Problem(inputs, expected, 1, "insertion", Needed(moved), constants=constants)


def hism_insertion(given: Setting) -> Problem:
    """HiSM: the block arrays on the way are looked through, and one is written again."""
    before, after, position = _inserted(given)
    s = given.machine.section_size
    width: Any = given.value_type.itemsize
    hism = HiSM.from_scipy(before, section_size=s)
    image = hism.image(layout_for(width))
    top = np.array([image.symbols["ROOT"], image.symbols["ROOT_LENGTH"]], np.int32)

    def check(memory: Array, symbols: Mapping[str, int]) -> str:
        root, length = memory[symbols["TOP"] :][:8].view("<i4").tolist()
        read = dict(symbols) | {"ROOT": root, "ROOT_LENGTH": length}
        result = read_hism(memory, read, after.shape, s, width)
        result.sort_indices()
        same = np.array_equal(result.indptr, after.indptr) and np.array_equal(result.indices, after.indices)
        return "" if same and np.array_equal(result.data, after.data) else "the matrix is not as expected"

    by_column = sum((order == "column") << level for level, order in enumerate(hism.order))
    inputs = {"TOP": top, "VALUE": _value(after, position)}
    moved = sum(part.displacements for part in hism.insertion_steps([position[0]], [position[1]]))
    words = int(np.sum(moved)) * 2 * (width + 2) // 4
    return Problem(
        inputs,
        {"FOUND": _found(before, after)},
        1,
        "insertion",
        Needed(words),
        image=image,
        room={"FREE": (len(hism.levels) + 2) * 64 + s * s * (width + 12)},
        constants={"ROW": position[0], "COLUMN": position[1], "COLUMN_FIRST": by_column},
        check=check,
    )


def _inserted(given: Setting) -> tuple[Any, Any, tuple[int, int]]:
    """Return a matrix, the same with an element, and where that is: in the middle, if it is not there."""
    before = sp.csr_array(given.matrix)
    before.sum_duplicates()
    rows, columns = before.shape
    if not rows or not columns:
        raise UserError("the matrix has no empty position; use one with an empty position")
    row = rows // 2
    free = np.setdiff1d(np.arange(columns), _row(before, row))
    column = int(free[len(free) // 2]) if len(free) else columns // 2
    coo = before.tocoo()
    there = (coo.row == row) & (coo.col == column)
    entries = np.append(coo.data[~there], given.value_type.type(7))
    where = (np.append(coo.row[~there], row), np.append(coo.col[~there], column))
    after = sp.coo_array((entries, where), before.shape).tocsr()
    after.sort_indices()
    return before, after, (row, column)


def _row(matrix: Any, row: int) -> Any:
    return matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]]


def _arrays(crs: CRS) -> tuple[Array, ...]:
    return crs.rowptr, crs.colidx, crs.values


def _value(after: Any, position: tuple[int, int]) -> Array:
    return np.array([after[position]], after.dtype)


def _found(before: Any, after: Any) -> Array:
    return np.array([after.nnz == before.nnz], np.int32)
