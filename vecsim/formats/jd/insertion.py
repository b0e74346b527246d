"""Insertion into Jagged Diagonals: the row grows by an entry and moves up among the sorted rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vecsim.formats.array_types import IntArray
from vecsim.formats.insertion.record import Steps, checked_positions, first_not_below
from vecsim.formats.insertion.rules import InsertionRules

if TYPE_CHECKING:
    from vecsim.formats.jd.container import JD


@dataclass(frozen=True, eq=False)
class _Places:
    """Where the rows of the new elements stand and will stand, and the elements in them.

    Attributes
    ----------
    position, moved_to
        Place of the row in the permutation, now and with the element.
    length
        Entries of the row now.
    diagonal
        Entries of the row left of the element: the diagonal that takes it.
    longer
        Rows longer than the row now is, and so the entries of diagonal `length`.
    much_longer
        Rows longer by two or more.
    stored
        Whether the position is stored already.
    """

    position: IntArray
    moved_to: IntArray
    length: IntArray
    diagonal: IntArray
    longer: IntArray
    much_longer: IntArray
    stored: NDArray[np.bool_]


def _grown(jd: JD, at: _Places, rows: IntArray, columns: IntArray, value: NDArray[Any]) -> JD:
    position, moved_to, length = int(at.position[0]), int(at.moved_to[0]), int(at.length[0])
    diag_ptr = jd.diag_ptr.copy() if length < jd.diagonals else np.append(jd.diag_ptr, jd.diag_ptr[-1:])
    diag_ptr[length + 1 :] += 1
    perm = jd.perm
    if moved_to < position:
        perm = perm.copy()
        perm[moved_to + 1 : position + 1] = jd.perm[moved_to:position]
        perm[moved_to] = jd.perm[position]

    def grown(array: NDArray[Any], new: Any) -> NDArray[Any]:
        own = np.insert(array[jd.diag_ptr[:length] + position], int(at.diagonal[0]), new)
        longer_array = np.insert(array, int(jd.diag_ptr[length]) + moved_to, own[length])
        # In every diagonal that the row had already, it goes to its new place and those it passes step down.
        passed = jd.diag_ptr[:length, np.newaxis] + np.arange(moved_to, position)
        longer_array[passed + 1] = array[passed]
        longer_array[jd.diag_ptr[:length] + moved_to] = own[:length]
        return longer_array

    return replace(
        jd,
        perm=perm,
        diag_ptr=diag_ptr,
        colidx=grown(jd.colidx, columns[0]),
        values=grown(jd.values, value),
    )


def jd_swap_steps(jd: JD, rows: ArrayLike, columns: ArrayLike) -> tuple[Steps[IntArray], Steps[IntArray]]:
    """Count the steps of insertions into jagged diagonals whose rows of equal length stand in any order.

    No product needs the order that `JD` keeps. Without it, the row changes places with the first one of its
    length and then grows by an entry at the end of the diagonal that takes one. Otherwise as
    `JD.insertion_steps`.
    """
    at = _places(jd, *checked_positions(jd.shape, rows, columns))
    new = ~at.stored
    # Rows that are longer stand before all others, so theirs is the number of the first that is not.
    swaps = at.position > at.longer
    permutation, diagonals = _steps(jd, at)
    return (
        replace(permutation, comparisons=at.position + 1, displacements=2 * (swaps & new)),
        replace(diagonals, displacements=np.where(swaps, 2 * at.length, at.length - at.diagonal) * new),
    )


def _places(jd: JD, rows: IntArray, columns: IntArray) -> _Places:
    position_of_row = np.empty(jd.shape[0], dtype=np.int64)
    position_of_row[jd.perm] = np.arange(jd.shape[0])
    position = position_of_row[rows]
    # Diagonal k has an entry of the row if it is longer than the row's position.
    diagonal_lengths = np.diff(jd.diag_ptr).astype(np.int64)
    length = jd.diagonals - np.searchsorted(diagonal_lengths[::-1], position, side="right")

    def column_in_diagonal(diagonals: IntArray, which: IntArray) -> NDArray[np.int32]:
        result: NDArray[np.int32] = jd.colidx[jd.diag_ptr[diagonals] + position[which]]
        return result

    diagonal, stored = first_not_below(column_in_diagonal, np.zeros_like(length), length, columns)
    rows_longer_than = np.append(diagonal_lengths, (0, 0))
    longer, much_longer = rows_longer_than[length], rows_longer_than[length + 1]
    # Rows of the length that the row will have lie from `much_longer` to `longer`, by their number.
    moved_to, _ = first_not_below(lambda places, _: jd.perm[places], much_longer, longer, rows)
    return _Places(position, moved_to, length, diagonal, longer, much_longer, stored)


def _steps(jd: JD, at: _Places) -> tuple[Steps[IntArray], Steps[IntArray]]:
    new = ~at.stored
    moves = at.moved_to < at.position
    passed_rows = at.position - at.moved_to
    # The new place is sought downwards from the last row of the new length.
    sought = at.longer - at.moved_to + (at.moved_to > at.much_longer)
    none = np.zeros_like(at.position)
    permutation = Steps(
        comparisons=at.position + 1 + sought * new,
        displacements=(passed_rows + 1) * (moves & new),
        later=none,
        updates=none,
    )
    in_shared_diagonals = np.where(moves, at.length * (passed_rows + 1), at.length - at.diagonal)
    diagonals = Steps(
        comparisons=at.diagonal + (at.diagonal < at.length),
        displacements=(in_shared_diagonals + at.longer - at.moved_to) * new,
        later=(jd.nnz - jd.diag_ptr[np.minimum(at.length + 1, jd.diagonals)].astype(np.int64)) * new,
        updates=(jd.diagonals - at.length) * new,
    )
    return permutation, diagonals


def _stored_at(jd: JD, at: _Places) -> int | None:
    return int(jd.diag_ptr[at.diagonal[0]] + at.position[0]) if at.stored[0] else None


INSERTION = InsertionRules(_places, _steps, _stored_at, _grown)
