"""Blocks of consecutive rows with equal work, for kernels whose blocks of threads take one each."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

RECORD = 4
"""Words of the record of a block."""
MARK = 1 << 31
"""Marks the first entry of a long row, and the last of a piece of one."""
LONG_SHARE = 2
"""A row of more than this part of a block is a long one: it has a block to itself."""


@dataclass(frozen=True)
class RowBlocks:
    """How rows are dealt to blocks.

    Attributes
    ----------
    records
        uint32 of 4 a block: its first entry, with the highest bit where it has one long row or a piece of
        one; its first row; its last entry and one, with the highest bit where it has a piece; its last row
        and one.
    pieces
        uint32 of 2 a block: the first block of the row that it has a piece of, and how many blocks have one;
        zeros but for pieces. Empty where no row is in pieces.
    """

    records: NDArray[np.uint32]
    pieces: NDArray[np.uint32]

    def __len__(self) -> int:
        return len(self.records) // RECORD


def row_blocks(rowptr: NDArray[np.int32], places: int, most_times: int) -> RowBlocks:
    """Deal rows to blocks of at most `places` entries and as many rows.

    Parameters
    ----------
    rowptr
        Where each row begins, then the number of entries.
    places
        Entries of a block. A row longer than half of that has one to itself.
    most_times
        A row of more than this many times `places` is cut in pieces of that length, each with a block.
    """
    nothing = np.empty((0, RECORD), dtype=np.uint32), np.empty((0, 2), dtype=np.uint32)
    count, any_pieces = _deal(rowptr, places, most_times, *nothing)
    records = np.empty((count, RECORD), dtype=np.uint32)
    pieces = np.zeros((count if any_pieces else 0, 2), dtype=np.uint32)
    _deal(rowptr, places, most_times, records, pieces)
    return RowBlocks(records.ravel(), pieces.ravel())


@njit(cache=True)
def _deal(rowptr: Any, places: int, most_times: int, records: Any, pieces: Any) -> tuple[int, bool]:
    """Count blocks, say whether rows are in pieces, and write both where there is room."""
    write, any_pieces = len(records) > 0, False
    rows, longest = len(rowptr) - 1, places * most_times
    row, block = 0, 0
    while row < rows:
        begin, end = np.int64(rowptr[row]), np.int64(rowptr[row + 1])
        following = row + 1
        number, mark, piece_mark = 1, 0, 0
        if (end - begin) * LONG_SHARE > places:
            mark = MARK
            if end - begin > longest:
                any_pieces, piece_mark = True, MARK
                number = int((end - begin + longest - 1) // longest)
        else:
            most = min(rows, row + places)
            while (
                following < most
                and rowptr[following + 1] - begin <= places
                and (rowptr[following + 1] - rowptr[following]) * LONG_SHARE <= places
            ):
                following += 1
            end = np.int64(rowptr[following])
        if write:
            for piece in range(number):
                first = begin + piece * longest
                last = end if piece == number - 1 else first + longest
                records[block + piece, 0], records[block + piece, 1] = first + mark, row
                records[block + piece, 2], records[block + piece, 3] = last + piece_mark, following
                if piece_mark:
                    pieces[block + piece, 0], pieces[block + piece, 1] = block, number
        block += number
        row = following
    return block, any_pieces
