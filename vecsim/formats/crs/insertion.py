"""Insertion into Compressed Row Storage: a search within the row, then everything after makes room."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from vecsim.formats.array_types import IntArray
from vecsim.formats.insertion.record import Steps, first_not_below
from vecsim.formats.insertion.rules import InsertionRules

if TYPE_CHECKING:
    from vecsim.formats.crs.container import CRS


@dataclass(frozen=True, eq=False)
class _Places:
    """Where new elements belong in their rows.

    Attributes
    ----------
    row, start, end
        The row, and its entries.
    place
        The first of them that stands at the element's column or after it, or `end`.
    stored
        Whether the position is stored already.
    """

    row: IntArray
    start: IntArray
    end: IntArray
    place: IntArray
    stored: NDArray[np.bool_]


def _grown(crs: CRS, at: _Places, rows: IntArray, columns: IntArray, value: NDArray[Any]) -> CRS:
    place = int(at.place[0])
    rowptr = crs.rowptr.copy()
    rowptr[int(rows[0]) + 1 :] += 1
    return replace(
        crs,
        rowptr=rowptr,
        colidx=np.insert(crs.colidx, place, columns[0]),
        values=np.insert(crs.values, place, value),
    )


def _places(crs: CRS, rows: IntArray, columns: IntArray) -> _Places:
    start, end = crs.rowptr[rows].astype(np.int64), crs.rowptr[rows + 1].astype(np.int64)
    place, stored = first_not_below(lambda places, _: crs.colidx[places], start, end, columns)
    return _Places(rows, start, end, place, stored)


def _steps(crs: CRS, at: _Places) -> tuple[Steps[IntArray]]:
    new = ~at.stored
    steps = Steps(
        comparisons=at.place - at.start + (at.place < at.end),
        displacements=(at.end - at.place) * new,
        later=(crs.nnz - at.end) * new,
        updates=(crs.shape[0] - at.row) * new,
    )
    return (steps,)


def _stored_at(crs: CRS, at: _Places) -> int | None:
    return int(at.place[0]) if at.stored[0] else None


INSERTION = InsertionRules(_places, _steps, _stored_at, _grown)
