"""The product of HiSM: the leaves of the hierarchy one behind the other, in its own order."""

from typing import Any

import numpy as np

from vecsim.formats import HiSM
from vecsim.formats.hism_image import default_position_bytes

from .cuda import device_function
from .row_parts import RowPartsProduct, row_parts


@device_function
def decode(columns: Any, rows: Any, at: Any) -> Any:
    """Read the positions of an entry; where the row changes, a part ends."""
    following = at + np.uint64(1)
    ended = False
    if following < np.uint64(rows.size):
        ended = rows[at] != rows[following]
    return np.uint32(columns[at]), ended, True


class HiSMProduct(RowPartsProduct):
    """A `HiSM` matrix on the device, and the launches of its product.

    Values and positions of level 0 are those of the memory image, positions of one byte for sections up to
    256. The levels above are walked once, here, and leave the first column of each leaf.
    """

    def __init__(self, matrix: HiSM, threads_per_block: int) -> None:
        position = f"u{default_position_bytes(matrix.section_size)}"
        leaves = matrix.levels[0]
        rows, _ = matrix.coordinates()
        changes = np.append(rows[1:] != rows[:-1], np.True_)[: len(rows)]
        starts = leaves.array_ptr[:-1][np.diff(leaves.array_ptr) > 0]
        changes[starts[1:] - 1] = True
        parts = row_parts(rows, changes, np.ones(len(rows), dtype=np.bool_), starts, matrix.shape[0])
        super().__init__(
            matrix.values,
            leaves.column.astype(position),
            leaves.row.astype(position),
            decode,
            _leaf_columns(matrix)[: len(starts)],
            parts,
            threads_per_block,
        )


def _leaf_columns(matrix: HiSM) -> Any:
    """Give the first column of each leaf, from the positions in the levels above."""
    columns = np.zeros(1, dtype=np.int64)
    for level in reversed(matrix.levels[1:]):
        columns = np.repeat(columns * matrix.section_size, np.diff(level.array_ptr)) + level.column
    return columns * matrix.section_size
