"""Elements of x copied into another order, so that a product reads them side by side."""

import functools
from typing import Any

import numpy as np

from gpu.runtime.cuda import SIMULATED, cuda
from gpu.runtime.kernel_sequence import let_next_begin, wait_for_previous
from gpu.runtime.launches import BETA, Launch, X, Y, launches_of

COPY_THREADS = 64 if SIMULATED else 256
"""Of a block."""
ELEMENTS = 2
"""Of a thread."""


def ordered_copies(real: Any, order: Any, copied: Any, rows: int) -> list[Launch]:
    """Return the launch that copies x in this order and scales y.

    Parameters
    ----------
    real
        np.float32 or np.float64.
    order, copied
        uint32 and real of N, on the device: the column at each place, and what is written.
    rows
        Elements of y that are scaled; 0 where y stays as it is.
    """
    blocks = -(-max(len(order), rows) // (ELEMENTS * COPY_THREADS))
    return launches_of(
        ordered_copy(real), blocks, COPY_THREADS, [order, len(order), X, copied, rows, Y, BETA], real
    )


@functools.cache
def ordered_copy(real: Any) -> Any:
    """Make the kernel ``copied[k] = x[order[k]]`` and ``y = beta y``."""

    @cuda.jit
    def kernel(order, count, x, copied, rows, y, beta):
        """Copy and scale elements in turn.

        Parameters
        ----------
        order
            uint32 of `count`: the column of x that goes to each place.
        count
            N.
        x, copied
            real of N.
        rows
            Of y that are scaled.
        y
            real; not read where beta is 0.
        beta
            A scalar of the real type.
        """
        place, all_ = np.int64(cuda.grid(1)), np.int64(cuda.gridsize(1))
        column = np.uint32(0)
        let_next_begin()
        if place < count:
            column = order[np.uint64(place)]
        wait_for_previous()
        row = place
        while row < rows:
            y[np.uint64(row)] = beta * y[np.uint64(row)] if beta != real(0) else real(0)
            row += all_
        while place < count:
            copied[np.uint64(place)] = x[np.uint64(column)]
            place += all_
            if place < count:
                column = order[np.uint64(place)]

    return kernel
