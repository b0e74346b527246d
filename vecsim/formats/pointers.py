"""Pointers that cut entries into parts: where each part begins, then the end of the last."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vecsim.formats.array_types import IntArray


def pointers_of(sizes: NDArray[Any]) -> IntArray:
    """Return where parts of these sizes begin, one after the other, then the end of the last; int64."""
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(sizes, dtype=np.int64)))


def sizes_of(pointers: NDArray[np.integer[Any]]) -> IntArray:
    """Return how many elements lie between each pointer and the next, int64."""
    wide: IntArray = pointers.astype(np.int64)
    return wide[1:] - wide[:-1]
