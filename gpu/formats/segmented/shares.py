"""Which slices each block of threads multiplies: neighbours, so that all blocks take about as long.

A block pays for the entries and slots of its slices and for each segment of x that it brings. The costs are
in bytes of entries; they were fitted to the cycles that blocks took on an H200 (benchmarks/README.md).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.formats.segmented.container import SegmentedSliced
from gpu.formats.segmented.slices import SHARE
from gpu.runtime.cuda import WARP

SLICE_BYTES = 64
"""What a slice costs beside its entries."""
STORED_SLOT_BYTES = 4
"""What a slot costs whose sum is stored."""
ADDED_SLOT_BYTES, MOST_ADDED_SLOT_BYTES, SLOT_BYTES_PER_MB_OF_Y = 12.0, 32.0, 0.8
"""What one costs whose sum is added to y, more the less of y stays in the L2 cache."""
SEGMENT_COST = 0.7
"""What a byte of a segment of x costs."""
TRIALS = 12
"""Steps of the bisection for the least cost of a block with which all slices are dealt."""


def shares_of(
    matrix: SegmentedSliced, blocks: int, *, direct: bool
) -> tuple[NDArray[np.uint32], NDArray[np.int32]]:
    """Deal slices to blocks of threads, neighbours to each, cut where segments end.

    Parameters
    ----------
    matrix
        The matrix.
    blocks
        Blocks of threads at most.
    direct
        Whether sums of slots are added to y as they come.

    Returns
    -------
    shares, begins
        `SHARE` words each: segment, first slice, the one behind its last, the element of the segment that is
        brought first; and where those of each block begin, with the end.
    """
    if not matrix.slices:
        return np.zeros(0, np.uint32), np.zeros(1, np.int32)
    before = np.concatenate((np.zeros(1), np.cumsum(_costs_of_slices(matrix, direct))))
    first = np.flatnonzero(np.diff(matrix.slice_segments, prepend=-1))
    segments = matrix.slice_segments[first].astype(np.int64)
    brought = np.minimum(matrix.segment_columns, matrix.shape[1] - segments * matrix.segment_columns)
    bringing = SEGMENT_COST * matrix.values.dtype.itemsize * brought
    dealt = _dealt_evenly(before, np.append(first[1:], matrix.slices), bringing, blocks)
    every = [share for of_block in dealt for share in of_block]
    shares = np.zeros((len(every), SHARE), np.uint32)
    shares[:, :3] = every
    shares[:, 3] = _turns(shares[:, 0], brought)
    shares[:, 0] = segments[shares[:, 0]]
    begins = np.cumsum([0, *map(len, dealt)]).astype(np.int32)
    return shares.ravel(), begins


def _turns(segments: NDArray[np.uint32], brought: NDArray[np.int64]) -> NDArray[np.int64]:
    """Give where each share begins to bring its segment: those of one far apart, at different sectors."""
    count = np.bincount(segments, minlength=len(brought))
    nth = np.arange(len(segments)) - (np.cumsum(count) - count)[segments]
    turns: NDArray[np.int64] = brought[segments] * nth // count[segments] // WARP * WARP
    return turns


def _costs_of_slices(matrix: SegmentedSliced, direct: bool) -> NDArray[np.float64]:
    step_bytes = WARP * (matrix.values.dtype.itemsize + matrix.columns.dtype.itemsize)
    slot_bytes = float(STORED_SLOT_BYTES)
    if direct:
        y_megabytes = matrix.shape[0] * matrix.values.dtype.itemsize / 1e6
        slot_bytes = min(MOST_ADDED_SLOT_BYTES, ADDED_SLOT_BYTES + SLOT_BYTES_PER_MB_OF_Y * y_megabytes)
    costs = np.diff(matrix.step_ptr) * float(step_bytes) + SLICE_BYTES
    result: NDArray[np.float64] = costs + slot_bytes * np.diff(matrix.slot_ptr)
    return result


def _dealt_evenly(before: Any, ends: Any, bringing: Any, blocks: int) -> list[list[tuple[int, int, int]]]:
    """Fill so many blocks at most, the dearest of which costs little more than it must; see `_dealt`."""
    even = (before[-1] + bringing.sum()) / blocks
    least, most = even, even + 2 * bringing.max() + np.diff(before).max()
    dealt = _dealt(before, ends, bringing, most)
    while len(dealt) > blocks:
        least, most = most, 2 * most
        dealt = _dealt(before, ends, bringing, most)
    for _ in range(TRIALS):
        middle = (least + most) / 2
        tried = _dealt(before, ends, bringing, middle)
        if len(tried) > blocks:
            least = middle
        else:
            most, dealt = middle, tried
    return dealt


def _dealt(before: Any, ends: Any, bringing: Any, limit: float) -> list[list[tuple[int, int, int]]]:
    """Fill one block after the other up to a limit of cost; each has a slice at least.

    Parameters
    ----------
    before
        (S + 1,) floats: what all slices before each cost.
    ends, bringing
        Where the slices of each segment end, and what it costs to bring it.
    limit
        Of the cost of a block.

    Returns
    -------
    list
        For each block its shares: which segment, the first slice, the one behind the last.
    """
    dealt: list[list[tuple[int, int, int]]] = []
    slice_, segment, count = 0, 0, len(before) - 1
    while slice_ < count:
        shares: list[tuple[int, int, int]] = []
        left = limit
        while slice_ < count:
            left -= float(bringing[segment])
            reached = int(np.searchsorted(before, before[slice_] + left, "right")) - 1
            if shares and reached <= slice_:
                break
            last = min(max(reached, slice_ + 1), int(ends[segment]))
            left -= float(before[last] - before[slice_])
            shares.append((segment, slice_, last))
            slice_ = last
            if slice_ < ends[segment]:
                break
            segment += 1
        dealt.append(shares)
    return dealt
