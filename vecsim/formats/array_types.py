"""Types of the arrays that formats are made of."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.floating[Any]]
IntArray = NDArray[np.int64]
UIntArray = NDArray[np.uint32]
Shape = tuple[int, int]
"""Rows M and columns N."""
