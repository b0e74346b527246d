"""Insertion into Block Based Compression Storage: a search down the block column from its first entry."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from vecsim.formats.array_types import IntArray
from vecsim.formats.insertion.record import Steps, first_not_below
from vecsim.formats.insertion.rules import InsertionRules

if TYPE_CHECKING:
    from vecsim.formats.bbcs.container import BBCS

BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class _Places:
    """Where new elements belong in their block columns, and what is found there.

    Exactly one of the five cases holds for an element.

    Attributes
    ----------
    start, end
        Entries of the block column.
    place
        First entry that stands for the element's position or one after it, or `end`.
    stored
        The entry at `place` has the element's position.
    within_row
        The entry at `place` is a later one of the element's row.
    after_row
        The entry before `place` is the last of the element's row.
    in_run
        The entry at `place` is a zero-row entry, for the element's row among others.
    below
        The row lies below the last non-empty one.
    run
        Rows that the zero-row entry at `place` stands for.
    above
        Empty rows above the element's: of the run, or after the last non-empty row.
    """

    start: IntArray
    end: IntArray
    place: IntArray
    stored: BoolArray
    within_row: BoolArray
    after_row: BoolArray
    in_run: BoolArray
    below: BoolArray
    run: IntArray
    above: IntArray


def _grown(bbcs: BBCS, at: _Places, rows: IntArray, columns: IntArray, value: NDArray[Any]) -> BBCS:
    place = int(at.place[0])
    run, above = int(at.run[0]), int(at.above[0])
    ends_row = not at.within_row[0]
    rows_above = [above] if above else []
    rows_below = [run - 1 - above] if at.in_run[0] and above < run - 1 else []
    # The entries from `first` to `behind` give way to those that stand for empty rows and the new one.
    first, behind = place, place + int(at.in_run[0])
    zero_rows = [*rows_above, 0, *rows_below]
    new = len(rows_above)

    def spliced(array: NDArray[Any], element: Any) -> NDArray[Any]:
        entries = np.zeros(len(zero_rows), dtype=array.dtype)
        entries[new] = element
        return np.concatenate((array[:first], entries, array[behind:]))

    end_of_row = spliced(bbcs.end_of_row, ends_row)
    if at.after_row[0]:
        end_of_row[first - 1] = False
    block_ptr = bbcs.block_ptr.copy()
    block = int(columns[0]) // bbcs.section_size
    block_ptr[block + 1 :] += len(zero_rows) - (behind - first)
    return replace(
        bbcs,
        block_ptr=block_ptr,
        values=spliced(bbcs.values, value),
        column=spliced(bbcs.column, columns[0] % bbcs.section_size),
        end_of_row=end_of_row,
        zero_rows=np.concatenate(
            (bbcs.zero_rows[:first], np.array(zero_rows, np.int32), bbcs.zero_rows[behind:])
        ),
    )


def _places(bbcs: BBCS, rows: IntArray, columns: IntArray) -> _Places:
    size = bbcs.section_size
    block = columns // size
    start, end = bbcs.block_ptr[block], bbcs.block_ptr[block + 1]
    entry_row = bbcs.entry_rows()
    run_length = bbcs.zero_rows.astype(np.int64)
    # The last position that an entry stands for, counted row-wise from the top of its block column.
    last_position = (entry_row + np.maximum(run_length, 1)) * size - 1
    real = run_length == 0
    last_position[real] = entry_row[real] * size + bbcs.column[real]
    place, stored = first_not_below(
        lambda places, _: last_position[places], start, end, rows * size + columns % size
    )
    # A zero-row entry ends at a last column too; only a non-zero stores a position.
    inside = place < end
    run = _at(run_length, place, inside)
    stored &= run == 0
    row_here = _at(entry_row, place, inside)
    row_before = _at(entry_row, place - 1, place > start)
    within_row = inside & (run == 0) & (row_here == rows) & ~stored
    in_run = inside & (run > 0) & (row_here <= rows)
    after_row = ~stored & ~within_row & ~in_run & (place > start) & (row_before == rows)
    below = ~(stored | within_row | in_run | after_row)
    # Nothing follows an element below the last non-empty row, so the entry before `place` ends that row.
    first_free_row = np.where(place > start, row_before + 1, 0)
    above = np.where(in_run, rows - row_here, np.where(below, rows - first_free_row, 0))
    return _Places(start, end, place, stored, within_row, after_row, in_run, below, run * in_run, above)


def _at(array: IntArray, places: IntArray, valid: BoolArray) -> IntArray:
    # What stands at the valid places; 0 at the others.
    taken = np.zeros(len(places), dtype=np.int64)
    taken[valid] = array[places[valid]]
    return taken


def _steps(bbcs: BBCS, at: _Places) -> tuple[Steps[IntArray]]:
    looked_at = at.place - at.start + (at.stored | at.within_row | at.in_run)
    behind_place = at.end - at.place
    # A run of one row is overwritten by the element. A longer one stays where it is with fewer rows, unless
    # the element takes its first row and stands before it.
    shrinks = at.in_run & (at.run > 1)
    displaced = np.zeros_like(at.place)
    ordinary = at.within_row | at.after_row | (shrinks & (at.above == 0))
    displaced[ordinary] = behind_place[ordinary]
    later = shrinks & (at.above > 0)
    displaced[later] = behind_place[later] - 1
    # The length of the block column, unless the element overwrites a zero-row entry; and the flag of the
    # entry that ended the row so far, or the rows of a run.
    grows = ~at.stored & ~(at.in_run & (at.run == 1))
    updates = grows.astype(np.int64) + at.after_row + shrinks
    return (Steps(looked_at, displaced, np.zeros_like(at.place), updates),)


def _stored_at(bbcs: BBCS, at: _Places) -> int | None:
    return int(at.place[0]) if at.stored[0] else None


INSERTION = InsertionRules(_places, _steps, _stored_at, _grown)
