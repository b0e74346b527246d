"""All empty positions of a matrix in few groups, for exact means over what may be inserted.

Between two neighbouring entries every insertion takes the same steps, so the mean over all of the M x N
positions needs no more than a few per entry, row and block column.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vecsim.formats.array_types import IntArray
from vecsim.formats.insertion.record import Steps

if TYPE_CHECKING:
    from vecsim.formats.bbcs.container import BBCS
    from vecsim.formats.crs.container import CRS
    from vecsim.formats.hism.container import HiSM
    from vecsim.formats.jd.container import JD


@dataclass(frozen=True, eq=False)
class EmptyPositions:
    """Groups of positions without an entry; within a group, insertions take the same steps.

    Attributes
    ----------
    row, column
        int64, one position of each group.
    count
        int64, positions in each group, at least 1.
    """

    row: IntArray
    column: IntArray
    count: IntArray


def mean_steps(matrix: CRS | JD | BBCS | HiSM, positions: EmptyPositions) -> tuple[Steps[float], ...]:
    """Return the mean steps, by part as `insertion_steps`, of an insertion at any of the positions alike.

    Raises
    ------
    ValueError
        If there are no positions.
    """
    return mean_over(positions, matrix.insertion_steps(positions.row, positions.column))


def mean_over(positions: EmptyPositions, parts: tuple[Steps[IntArray], ...]) -> tuple[Steps[float], ...]:
    """Return the mean over all positions, alike, of steps that were counted for each group of them.

    Raises
    ------
    ValueError
        If there are no positions.
    """
    if not len(positions.count):
        raise ValueError("a mean over empty positions needs at least one")
    share = positions.count / positions.count.sum(dtype=np.float64)
    return tuple(
        Steps(
            comparisons=float(share @ part.comparisons),
            displacements=float(share @ part.displacements),
            later=float(share @ part.later),
            updates=float(share @ part.updates),
        )
        for part in parts
    )


def empty_by_row(crs: CRS) -> EmptyPositions:
    """Group all empty positions of a matrix by what CRS, and JD, distinguish: gaps within rows."""
    rows, columns = crs.coordinates()
    row, first, stop = _gaps(rows, columns, np.full(crs.shape[0], crs.shape[1], dtype=np.int64))
    return EmptyPositions(row, first, stop - first)


def empty_by_block_column(bbcs: BBCS) -> EmptyPositions:
    """Group all empty positions by what BBCS distinguishes: gaps in rows, the first of empty rows."""
    size = bbcs.section_size
    rows, columns = bbcs.coordinates()
    width = np.minimum(size, bbcs.shape[1] - size * np.arange(bbcs.blocks))
    block = columns // size
    # Row-wise through a block column, counted from its top.
    offset = rows * width[block] + columns % size
    block, start, stop = _gaps(block, offset, width * bbcs.shape[0])
    width = width[block]
    # Cut where steps may change: at the end of the first row, after the first whole one and the last.
    first_whole, end_whole = -(-start // width), stop // width
    rows_cut = np.stack([first_whole, first_whole + 1, end_whole])
    cuts = np.concatenate(([start], rows_cut * width, [stop]))
    cuts = np.maximum.accumulate(np.clip(cuts, start, stop))
    first, count = cuts[:-1].ravel(), np.diff(cuts, axis=0).ravel()
    pieces = len(cuts) - 1
    block, width = np.tile(block, pieces), np.tile(width, pieces)
    some = count > 0
    row, column = np.divmod(first[some], width[some])
    return EmptyPositions(row, block[some] * size + column, count[some])


def empty_by_block_array(hism: HiSM) -> EmptyPositions:
    """Group all empty positions by what HiSM distinguishes: gaps within the block arrays of each level."""
    groups = []
    rows = np.zeros(1, dtype=np.int64)
    columns = np.zeros(1, dtype=np.int64)
    for number in reversed(range(len(hism.levels))):
        level = hism.levels[number]
        unit = hism.section_size**number
        groups.append(_empty_in_level(hism, number, rows, columns))
        lengths = np.diff(level.array_ptr)
        rows = np.repeat(rows, lengths) + level.row.astype(np.int64) * unit
        columns = np.repeat(columns, lengths) + level.column.astype(np.int64) * unit
    return EmptyPositions(
        np.concatenate([group.row for group in groups]),
        np.concatenate([group.column for group in groups]),
        np.concatenate([group.count for group in groups]),
    )


def empty_in_blocks(hism: HiSM) -> EmptyPositions:
    """Group the empty positions of the non-empty level-0 blocks by what any of the formats distinguishes.

    Raises
    ------
    ValueError
        If level 0 does not run by row: gaps in rows are not gaps of its arrays then.
    """
    if hism.order[0] != "row":
        raise ValueError("level 0 must run by row")
    size, low = hism.section_size, hism.levels[0]
    rows, columns = hism.coordinates()
    lengths = np.diff(low.array_ptr)
    filled = lengths > 0  # all, but the one array of a matrix of one level without entries
    starts, blocks = low.array_ptr[:-1][filled], np.arange(np.count_nonzero(filled))
    block_row, block_column = (axis[starts] // size * size for axis in (rows, columns))
    array = np.repeat(blocks, lengths[filled])
    height = np.minimum(size, hism.shape[0] - block_row)
    width = np.minimum(size, hism.shape[1] - block_column)
    # One strip a row of a block.
    first_strip: IntArray = np.cumsum(height) - height
    array_of_strip = np.repeat(blocks, height)
    strip, first, stop = _gaps(
        first_strip[array] + low.row, low.column.astype(np.int64), width[array_of_strip]
    )
    array = array_of_strip[strip]
    return EmptyPositions(
        block_row[array] + strip - first_strip[array], block_column[array] + first, stop - first
    )


def _empty_in_level(hism: HiSM, number: int, row: IntArray, column: IntArray) -> EmptyPositions:
    # `row` and `column` are the first of the area that each block array of the level covers.
    level, unit, by_row = hism.levels[number], hism.section_size**number, hism.order[number] == "row"
    heights = np.minimum(unit * hism.section_size, hism.shape[0] - row)
    widths = np.minimum(unit * hism.section_size, hism.shape[1] - column)
    major_extent, minor_extent = (heights, widths) if by_row else (widths, heights)
    major, minor = (level.row, level.column) if by_row else (level.column, level.row)
    # In blocks of the level below, as many as the matrix has in the array's area.
    majors, minors = -(-major_extent // unit), -(-minor_extent // unit)
    array = np.repeat(np.arange(level.arrays), np.diff(level.array_ptr))
    offset = major * minors[array] + minor
    array, start, stop = _gaps(array, offset, majors * minors)

    def positions_before(blocks: IntArray) -> IntArray:
        whole, rest = np.divmod(blocks, minors[array])
        before = np.minimum(whole * unit, major_extent[array])
        breadth = np.minimum(unit, major_extent[array] - before)
        positions: IntArray = before * minor_extent[array] + breadth * rest * unit
        return positions

    # `rest` is never the last block of its row of blocks, so those before it are whole.
    count = positions_before(stop) - positions_before(start)
    first_major, first_minor = np.divmod(start, minors[array])
    down, right = (first_major, first_minor) if by_row else (first_minor, first_major)
    return EmptyPositions(row[array] + down * unit, column[array] + right * unit, count)


def _gaps(strip: IntArray, offset: IntArray, extent: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Find the runs without entries in strips.

    Parameters
    ----------
    strip, offset
        Strip of each entry and its offset in there, sorted by both.
    extent
        Offsets in each strip.

    Returns
    -------
    strip, start, stop
        Each run [start, stop) that is not empty.
    """
    # An entry past the end of each strip closes its last run.
    ends = np.cumsum(np.bincount(strip, minlength=len(extent)))
    strip = np.insert(strip, ends, np.arange(len(extent)))
    stop = np.insert(offset.astype(np.int64), ends, extent)
    start = np.zeros_like(stop)
    same = strip[1:] == strip[:-1]
    start[1:][same] = stop[:-1][same] + 1
    some = start < stop
    return strip[some], start[some], stop[some]
