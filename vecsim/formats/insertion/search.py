"""Binary search in many sorted slices at once; the places are those that a linear search finds."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vecsim.formats.array_types import IntArray

Key = Callable[[IntArray, IntArray], NDArray[Any]]
"""The sorted key at `places` of the slices numbered `which`."""


def first_not_below(
    key: Key, start: IntArray, end: IntArray, target: IntArray
) -> tuple[IntArray, NDArray[np.bool_]]:
    """Find in each slice the first place whose key is not below the target.

    Parameters
    ----------
    key
        Called with places and the numbers of their slices; only places within a slice are asked for.
    start, end
        int64, the slices [start, end), one a target.
    target
        What is looked for, one a slice.

    Returns
    -------
    places
        int64; `end` where all keys are below the target.
    found
        bool, whether the key at the place equals the target.
    """
    low, high = start.copy(), end.copy()
    slices = np.flatnonzero(low < high)
    while len(slices):
        middle = (low[slices] + high[slices]) >> 1
        below = key(middle, slices) < target[slices]
        low[slices[below]] = middle[below] + 1
        high[slices[~below]] = middle[~below]
        slices = slices[low[slices] < high[slices]]
    inside = np.flatnonzero(low < end)
    found = np.zeros(len(low), dtype=np.bool_)
    found[inside] = key(low[inside], inside) == target[inside]
    return low, found
