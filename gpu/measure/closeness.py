"""Whether a result on the device is near the exact one, compared there: copying it takes much longer."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpu.measure.equality import BLOCKS
from gpu.runtime.cuda import THREADS_PER_BLOCK, cuda
from gpu.runtime.memory import upload


@cuda.jit
def far_kernel(one, two, number, most, found):
    """Count elements that are farther apart than a distance, or no numbers.

    Parameters
    ----------
    one, two
        Real numbers, `number` of each.
    number
        How many are compared.
    most
        The distance.
    found
        uint64 of 1: the count is added to it.
    """
    at = cuda.grid(1)
    far = 0
    while at < number:
        if one[at] != two[at] and not abs(one[at] - two[at]) <= most:  # infinities have no difference
            far += 1
        at += cuda.gridsize(1)
    if far:
        cuda.atomic.add(found, 0, np.uint64(far))


def far_apart(one: Any, two: Any, most: float) -> int:
    """Count the elements of two device arrays that are farther apart than a distance; NaN is.

    Parameters
    ----------
    one, two
        Contiguous device arrays of Numba, of real numbers; the longer one's end is left out.
    most
        The distance.
    """
    number = min(one.size, two.size)
    found = upload(np.zeros(1, np.uint64))
    far_kernel[BLOCKS, THREADS_PER_BLOCK](one, two, number, most, found)
    return int(found.copy_to_host()[0])
