"""Insertion into Compressed Row Storage: a search within the row, then everything behind makes room."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vecsim.formats.array_types import IntArray
from vecsim.formats.insertion.record import (
    Insertion,
    Steps,
    check_room,
    checked_element,
    checked_positions,
    first_not_below,
    steps_of_one,
)

if TYPE_CHECKING:
    from vecsim.formats.crs.container import CRS


def insert_into_crs(crs: CRS, row: int, column: int, value: float) -> Insertion[CRS]:
    """Insert an element; see `CRS.insert`.

    Parameters
    ----------
    crs
        The matrix; it is left as it was.
    row, column
        The position, counted from 0.
    value
        A finite real number.
    """
    rows, columns, new_value = checked_element(crs.shape, crs.values.dtype, row, column, value)
    places, stored = _places(crs, rows, columns)
    parts = steps_of_one((_steps(crs, rows, places, stored),))
    place = int(places[0])
    if stored[0]:
        values = crs.values.copy()
        values[place] = new_value
        return Insertion(replace(crs, values=values), True, parts)
    check_room(crs.nnz)
    rowptr = crs.rowptr.copy()
    rowptr[int(rows[0]) + 1 :] += 1
    matrix = replace(
        crs,
        rowptr=rowptr,
        colidx=np.insert(crs.colidx, place, columns[0]),
        values=np.insert(crs.values, place, new_value),
    )
    return Insertion(matrix, False, parts)


def crs_insertion_steps(crs: CRS, rows: ArrayLike, columns: ArrayLike) -> tuple[Steps[IntArray]]:
    """Count the steps of each of many insertions; see `CRS.insertion_steps`."""
    rows, columns = checked_positions(crs.shape, rows, columns)
    return (_steps(crs, rows, *_places(crs, rows, columns)),)


def _places(crs: CRS, rows: IntArray, columns: IntArray) -> tuple[IntArray, NDArray[np.bool_]]:
    start, end = crs.rowptr[rows].astype(np.int64), crs.rowptr[rows + 1].astype(np.int64)
    return first_not_below(lambda places, _: crs.colidx[places], start, end, columns)


def _steps(crs: CRS, rows: IntArray, places: IntArray, stored: NDArray[np.bool_]) -> Steps[IntArray]:
    start, end = crs.rowptr[rows].astype(np.int64), crs.rowptr[rows + 1].astype(np.int64)
    new = ~stored
    return Steps(
        comparisons=places - start + (places < end),
        displacements=(end - places) * new,
        behind=(crs.nnz - end) * new,
        updates=(crs.shape[0] - rows) * new,
    )
