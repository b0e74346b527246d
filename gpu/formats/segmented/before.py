"""What comes before the slices: x in the order of the columns, and y scaled, to which sums are added."""

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


@functools.cache
def copy_and_scale(real: Any) -> Any:
    """Make the kernel that does the same, and ``y = beta y``; y is not read where beta is 0."""

    @cuda.jit
    def kernel(order, count, x, copied, y, beta):
        """Copy an element and scale another a thread.

        Parameters
        ----------
        order, count, x, copied
            As of `ordered_copy`.
        y
            real of M.
        beta
            A scalar of the real type.
        """
        place = cuda.grid(1)
        column = np.uint32(0)
        let_next_begin()
        if place < count:
            column = order[np.uint64(place)]
        wait_for_previous()
        if place < count:
            copied[np.uint64(place)] = x[np.uint64(column)]
        if place < y.size:
            y[np.uint64(place)] = beta * y[np.uint64(place)] if beta != real(0) else real(0)

    return kernel
