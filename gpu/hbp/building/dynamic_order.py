"""Sorted rows of blocks cut into groups by the dynamic programme of DP2D, on the device: a warp a block."""

import functools
from typing import Any

import numpy as np

from gpu.hbp.building.counted_order import warps_with
from gpu.hbp.ordering import GROUP_COST
from gpu.runtime.cuda import EVERY_LANE, WARP, cuda
from gpu.runtime.kernel_sequence import begin_in_sequence


def warps_that_cut(block_rows: int) -> int:
    """Give 1, for a block of threads that cuts a block of so many rows, or 0 where that is too large."""
    return min(1, warps_with((8 + 8 + 4) * (block_rows + 1)))


@functools.cache
def cut_kernel(block_rows: int) -> Any:
    """Make the kernel for blocks of so many rows, a multiple of 32; one a block of 32 threads."""
    words, sums = block_rows // WARP, block_rows + 1

    @cuda.jit
    def kernel(counts, order, begins):
        """Cut the rows of a block into groups of at most 32 with the least padding.

        Parameters
        ----------
        counts
            int32: entries of each row of each block.
        order
            int32, as many: which row stands at each place, by rising counts.
        begins
            uint8, as many, written: whether a group begins there.
        """
        before = cuda.shared.array(sums, np.int64)
        cost = cuda.shared.array(sums, np.int64)
        start = cuda.shared.array(sums, np.int32)
        lane = np.int32(cuda.threadIdx.x)
        first = np.int64(cuda.blockIdx.x) * block_rows
        begin_in_sequence()
        carried = np.int64(0)
        for batch in range(words):
            at = np.uint64(first + batch * WARP + lane)
            begins[at] = np.uint8(0)
            through = np.int64(counts[np.uint64(first + order[at])])
            distance = np.int32(1)
            while distance < WARP:
                earlier = np.int64(cuda.shfl_up_sync(EVERY_LANE, through, distance))
                if lane >= distance:
                    through += earlier
                distance = np.int32(distance * 2)
            before[batch * WARP + lane + 1] = carried + through
            carried += np.int64(cuda.shfl_sync(EVERY_LANE, through, WARP - 1))
        if lane == 0:
            before[0], cost[0] = np.int64(0), np.int64(0)
        cuda.syncwarp()
        for end in range(1, block_rows + 1):
            # A lane tries the group that begins so many rows before: the least cost, then the longest.
            begin = np.int64(end - WARP + lane)
            found = np.int64(1) << np.int64(62)
            if begin >= 0:
                longest = before[end] - before[end - 1]
                padding = longest * (end - begin) - (before[end] - before[begin])
                found = (cost[begin] + padding + GROUP_COST) * WARP + np.int64(lane)
            distance = np.int32(WARP // 2)
            while distance > 0:
                found = min(found, np.int64(cuda.shfl_xor_sync(EVERY_LANE, found, distance)))
                distance = np.int32(distance // 2)
            if lane == 0:
                cost[end] = found // WARP
                start[end] = np.int32(end - WARP + found % WARP)
            cuda.syncwarp()
        if lane == 0:
            behind = np.int32(block_rows)
            while behind > 0:
                behind = start[behind]
                begins[np.uint64(first + behind)] = np.uint8(1)

    return kernel
