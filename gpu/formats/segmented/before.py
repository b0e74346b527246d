"""What comes before the slices where columns stand in an order of their own: x in that order."""

import functools
from typing import Any

import numpy as np

from gpu.runtime.cuda import cuda
from gpu.runtime.launches import let_next_begin, wait_for_previous


@functools.cache
def ordered_copy(real: Any) -> Any:
    """Make the kernel ``copied[k] = x[order[k]]``."""

    @cuda.jit
    def kernel(order, count, x, copied):
        """Copy an element a thread.

        Parameters
        ----------
        order
            uint32 of `count`: the column of x that goes to each place.
        count
            N.
        x, copied
            real of N.
        """
        place = cuda.grid(1)
        column = np.uint32(0)
        let_next_begin()
        if place < count:
            column = order[np.uint64(place)]
        wait_for_previous()
        if place < count:
            copied[np.uint64(place)] = x[np.uint64(column)]

    return kernel
