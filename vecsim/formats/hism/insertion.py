"""Insertion into a Hierarchical Sparse Matrix: from the top down, only in the block arrays on the path."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from vecsim.formats.array_types import IntArray
from vecsim.formats.hism.level import Level
from vecsim.formats.insertion.record import Steps, first_not_below
from vecsim.formats.insertion.rules import InsertionRules
from vecsim.formats.section_size import section_bits

if TYPE_CHECKING:
    from vecsim.formats.hism.container import HiSM

BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class _Path:
    """One level of the ways down to new elements.

    Attributes
    ----------
    array
        Block array on the way; meaningless where there is none.
    start, end
        Its entries; both 0 where there is none.
    place
        First of them that stands at or after the element's position, or `end`.
    exists, matches
        Whether there is an array on the way, and whether it has an entry for the element.
    """

    array: IntArray
    start: IntArray
    end: IntArray
    place: IntArray
    exists: BoolArray
    matches: BoolArray


def _grown(
    hism: HiSM, paths: tuple[_Path, ...], rows: IntArray, columns: IntArray, value: NDArray[Any]
) -> HiSM:
    levels = list(hism.levels)
    place = 0
    for number in reversed(range(len(levels))):
        path, level = paths[number], levels[number]
        if path.matches[0]:
            continue
        row_in_block, column_in_block = _positions(hism, number, rows, columns)
        if path.exists[0]:
            array_ptr, array, place = level.array_ptr.copy(), int(path.array[0]), int(path.place[0])
        else:
            # A new array of one entry, for the pointer that was just placed in the level above.
            array, place = place, int(level.array_ptr[place])
            array_ptr = np.insert(level.array_ptr, array, place)
        array_ptr[array + 1 :] += 1
        levels[number] = Level(
            array_ptr,
            np.insert(level.row, place, row_in_block[0]),
            np.insert(level.column, place, column_in_block[0]),
        )
    return replace(hism, levels=tuple(levels), values=np.insert(hism.values, place, value))


def _positions(hism: HiSM, level: int, rows: IntArray, columns: IntArray) -> tuple[IntArray, IntArray]:
    shift = level * section_bits(hism.section_size)
    mask = hism.section_size - 1
    return rows >> shift & mask, columns >> shift & mask


def _paths(hism: HiSM, rows: IntArray, columns: IntArray) -> tuple[_Path, ...]:
    paths: list[_Path] = []
    array = np.zeros(len(rows), dtype=np.int64)
    exists = np.ones(len(rows), dtype=np.bool_)
    for number in reversed(range(len(hism.levels))):
        path = _path(hism, number, array, exists, *_positions(hism, number, rows, columns))
        paths.append(path)
        # Entry e of a level points to array e of the one below.
        array, exists = path.place, path.matches
    return tuple(reversed(paths))


def _path(
    hism: HiSM, number: int, array: IntArray, exists: BoolArray, rows: IntArray, columns: IntArray
) -> _Path:
    level, size = hism.levels[number], hism.section_size
    by_row = hism.order[number] == "row"
    major, minor = (level.row, level.column) if by_row else (level.column, level.row)
    rank = rows * size + columns if by_row else columns * size + rows
    start, end = np.zeros_like(array), np.zeros_like(array)
    start[exists] = level.array_ptr[array[exists]]
    end[exists] = level.array_ptr[array[exists] + 1]
    place, matches = first_not_below(
        lambda places, _: major[places].astype(np.int64) * size + minor[places], start, end, rank
    )
    return _Path(array, start, end, place, exists, matches)


def _steps(hism: HiSM, paths: tuple[_Path, ...]) -> tuple[Steps[IntArray], ...]:
    parts = []
    for path in paths:
        grows = path.exists & ~path.matches
        parts.append(
            Steps(
                comparisons=path.place - path.start + (path.place < path.end),
                displacements=(path.end - path.place) * grows,
                later=np.zeros_like(path.place),
                # Its length, which the level above holds, or the matrix for the top array.
                updates=grows.astype(np.int64),
            )
        )
    return tuple(parts)


def _stored_at(hism: HiSM, paths: tuple[_Path, ...]) -> int | None:
    return int(paths[0].place[0]) if paths[0].matches[0] else None


INSERTION = InsertionRules(_paths, _steps, _stored_at, _grown)
