"""Iterations of warps, counted on the device: a warp goes on while any of its threads has an entry left."""

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.runtime.cuda import EVERY_LANE, THREADS_PER_BLOCK, WARP, cuda, require_gpu
from gpu.runtime.memory import upload
from vecsim.support.errors import UserError


@functools.cache
def counting_kernel() -> Any:
    """Make the kernel: a thread steps through one row; groups of `width` threads count their steps."""

    @cuda.jit
    def kernel(lengths, positions, width, counts):
        """Count the steps of a row a thread.

        Parameters
        ----------
        lengths
            uint32 of `positions`: entries of each row.
        positions
            Rows.
        width
            Threads of a group, a divisor of 32.
        counts
            int64, one a group of threads: its iterations.
        """
        thread = cuda.grid(1)
        lane = thread % WARP
        group = ((np.int64(1) << width) - 1) << (lane // width * width)
        length = np.int64(lengths[np.uint64(thread)]) if thread < positions else np.int64(0)
        step = np.int64(0)
        counted = np.int64(0)
        going = np.int64(cuda.ballot_sync(EVERY_LANE, step < length))
        while going != 0:
            if going & group != 0:
                counted += 1
            step += 1
            going = np.int64(cuda.ballot_sync(EVERY_LANE, step < length))
        if lane % width == 0 and thread < positions:
            counts[np.uint64(thread // width)] = counted

    return kernel


def counted_iterations(
    lengths: NDArray[np.integer[Any]], *, width: int = WARP, threads_per_block: int = THREADS_PER_BLOCK
) -> NDArray[np.int64]:
    """Count the iterations that each warp takes with one thread a row and one entry an iteration.

    Parameters
    ----------
    lengths
        Entries of the row of each thread: `Sliced.lengths`, or the row lengths of a matrix in its order.
    width
        Threads of a warp: the 32 of the device, or a divisor, counted within its warps.

    Returns
    -------
    ndarray
        int64, one for each warp of `width` threads.

    Raises
    ------
    UserError
        If there is no GPU, or the width does not divide 32.
    """
    if not 1 <= width <= WARP or WARP % width:
        raise UserError(f"a warp width of {width} is not possible: use a divisor of {WARP}")
    require_gpu()
    positions = len(lengths)
    if not positions:
        return np.zeros(0, np.int64)
    counts = upload(np.zeros(-(-positions // width), np.int64))
    blocks = -(-positions // threads_per_block)
    counting_kernel()[blocks, threads_per_block](upload(lengths.astype(np.uint32)), positions, width, counts)
    counted: NDArray[np.int64] = counts.copy_to_host()
    return counted
