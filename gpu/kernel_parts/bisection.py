"""The one bisection of rising numbers that kernels share."""

from typing import Any

import numpy as np

from gpu.runtime.cuda import device_function


@device_function
def first_from(numbers: Any, begin: Any, end: Any, least: Any) -> Any:
    """Return the first place from `begin` to before `end` whose number is `least` or more; `end` if none is.

    Parameters
    ----------
    numbers
        Integers that rise, or stay equal, between the places.
    begin, end
        int64.
    least
        An integer.
    """
    low, high = np.int64(begin), np.int64(end)
    while low < high:
        middle = (low + high) >> 1
        if numbers[np.uint64(middle)] < least:
            low = middle + 1
        else:
            high = middle
    return low
