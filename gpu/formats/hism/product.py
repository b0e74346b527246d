"""The product of HiSM: the leaves of the hierarchy one after the other, in its own order."""

import functools
from typing import Any

import numpy as np

from gpu.kernel_parts.partial_row_sums import PER_THREAD, Decode, RowPartsProduct, row_parts
from gpu.runtime.cuda import device_function
from vecsim.formats import HiSM
from vecsim.formats.hism.image import default_position_bytes


@functools.cache
def decoders(position_bytes: int) -> Decode:
    """Make the readers of a thread's positions; where the row changes, a part ends."""
    return tuple(_decoder(position_bytes, entry) for entry in range(PER_THREAD))


def _decoder(position_bytes: int, entry: int) -> Any:
    in_word = PER_THREAD // position_bytes
    bits = 8 * position_bytes
    word, shift = entry // in_word, entry % in_word * bits
    next_word, next_shift = (entry + 1) % PER_THREAD // in_word, (entry + 1) % in_word * bits
    in_lane = entry + 1 < PER_THREAD
    position = (1 << bits) - 1

    @device_function
    def decode(columns: Any, rows: Any, following: Any) -> Any:
        behind = rows[next_word] if in_lane else following
        row = np.uint32(rows[word] >> np.uint32(shift)) & np.uint32(position)
        next_row = np.uint32(behind >> np.uint32(next_shift)) & np.uint32(position)
        return np.uint32(columns[word] >> np.uint32(shift)) & np.uint32(position), row != next_row, True

    return decode


class HiSMProduct(RowPartsProduct):
    """A `HiSM` matrix on the device, and the launches of its product.

    Values and positions of level 0 are those of the memory image, positions of one byte for sections up to
    256. The levels above are walked once, here, and leave the first column of each leaf.
    """

    def __init__(self, matrix: HiSM, threads_per_block: int) -> None:
        position_bytes = default_position_bytes(matrix.section_size)
        position = f"u{position_bytes}"
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
            decoders(position_bytes),
            _leaf_columns(matrix)[: len(starts)],
            parts,
            threads_per_block,
        )


def _leaf_columns(matrix: HiSM) -> Any:
    """Return the first column of each leaf, from the positions in the levels above."""
    columns = np.zeros(1, dtype=np.int64)
    for level in reversed(matrix.levels[1:]):
        columns = np.repeat(columns * matrix.section_size, np.diff(level.array_ptr)) + level.column
    return columns * matrix.section_size
