"""Whether results on the device are equal bit for bit, or near an exact one.

They are compared on the device: copying them takes much longer.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gpu.runtime.cuda import SIMULATED, THREADS_PER_BLOCK, cuda
from gpu.runtime.memory import upload


@cuda.jit
def far_kernel(one, two, number, most, result):
    """Count elements that are farther apart than a distance, or no numbers.

    Parameters
    ----------
    one, two
        Real numbers, `number` of each.
    number
        How many are compared.
    most
        The distance.
    result
        uint64 of 1: the count is added to it.
    """
    at = cuda.grid(1)
    far = 0
    while at < number:
        if one[at] != two[at] and not abs(one[at] - two[at]) <= most:  # infinities have no difference
            far += 1
        at += cuda.gridsize(1)
    if far:
        cuda.atomic.add(result, 0, np.uint64(far))


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
    result = upload(np.zeros(1, np.uint64))
    far_kernel[BLOCKS, THREADS_PER_BLOCK](one, two, number, most, result)
    return int(result.copy_to_host()[0])


BLOCKS = 2 if SIMULATED else 1056
"""Eight for each multiprocessor of an H100 or H200."""


@cuda.jit
def differing_kernel(one, two, number, result):
    """Look for words that differ.

    Parameters
    ----------
    one, two
        uint32 of `number`.
    number
        How many are compared.
    result
        int32 of 1: becomes 1 if a word differs.
    """
    at = cuda.grid(1)
    while at < number:
        if one[at] != two[at]:
            result[0] = 1
        at += cuda.gridsize(1)


def are_equal(one: Any, two: Any) -> bool:
    """Return whether two device arrays have the same bits.

    Parameters
    ----------
    one, two
        Contiguous device arrays of Numba, of types of 4 or 8 bytes.
    """
    if one.shape != two.shape or one.dtype != two.dtype:
        return False
    words = [each.view(np.uint32) for each in (one, two)]
    result = upload(np.zeros(1, np.int32))
    differing_kernel[BLOCKS, THREADS_PER_BLOCK](*words, words[0].size, result)
    return int(result.copy_to_host()[0]) == 0
