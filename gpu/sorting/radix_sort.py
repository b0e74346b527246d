"""Sorting keys on the device, with what goes with them.

The bound of a pass is 32 bytes a key: it is read twice and written once, its payload read and written once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from gpu.runtime.cuda import cuda
from gpu.runtime.launches import Launch
from gpu.runtime.memory import all_or_nothing
from gpu.sorting.prefix_sums import SCAN_THREADS, offsets_kernel
from gpu.sorting.sort_kernels import (
    DIGIT_BITS,
    DIGITS,
    SORT_THREADS,
    TILE,
    count_digits_kernel,
    move_kernel,
)


def digit_shifts(used: int) -> Iterator[int]:
    """Give where the digits begin that a sort has to look at.

    Parameters
    ----------
    used
        The bits that a key may have set.
    """
    shift = 0
    while used >> shift:
        shift += (used >> shift & -(used >> shift)).bit_length() - 1
        yield shift
        shift += DIGIT_BITS


def sort_pairs(keys: Any, payload: Any, number: int, used: int, stream: Any = 0) -> tuple[Any, Any]:
    """Sort keys by rising value; those that are equal stay in their order.

    Parameters
    ----------
    keys
        int64 device array, not negative; its content is lost.
    payload
        int32 device array, one a key, likewise.
    number
        How many there are.
    used
        The bits that a key may have set.
    stream
        0, or an object of Numba or cuda.core.

    Returns
    -------
    tuple
        Keys and payload in order, in these arrays or in others.

    Raises
    ------
    OutOfDeviceMemoryError
        The device has too little memory.
    """
    blocks = -(-number // TILE)
    shifts = list(digit_shifts(used)) if number > 1 else []
    if not shifts:
        return keys, payload
    counts, offsets, *other = all_or_nothing(
        lambda: (
            cuda.device_array(DIGITS * blocks, np.int32),
            cuda.device_array(DIGITS * blocks + 1, np.int32),
            cuda.device_array(number, np.int64),
            cuda.device_array(number, np.int32),
        )
    )
    given, taken = (keys, payload), (other[0], other[1])
    for shift in shifts:
        for kernel, grid, arguments in (
            (count_digits_kernel, (blocks, SORT_THREADS), (given[0], number, shift, counts)),
            (offsets_kernel, (1, SCAN_THREADS), (counts, DIGITS * blocks, offsets)),
            (move_kernel, (blocks, SORT_THREADS), (*given, number, shift, offsets, *taken)),
        ):
            Launch(kernel, *grid, arguments, np.float64)(None, None, 0.0, 0.0, stream)
        given, taken = taken, given
    return given
