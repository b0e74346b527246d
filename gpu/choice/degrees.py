"""What segments of columns hold that stand in the order of their entries, most first."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.formats.mixed_sliced.filling import column_counts
from vecsim.formats.thread_count import as_many_threads_as_pay


def shares_by_degree(indices: Any, width: int, columns: int) -> NDArray[np.float64]:
    """Give the share of the entries in each segment of so many columns, those with most entries first.

    Parameters
    ----------
    indices
        The column of each entry.
    width
        Columns of the matrix.
    columns
        Of a segment.
    """
    with as_many_threads_as_pay(len(indices)):
        counts = column_counts(indices, width)
    of_degree = np.bincount(counts)[::-1]
    degrees = np.arange(len(of_degree))[::-1]
    behind, held = (np.append(0, np.cumsum(each)) for each in (of_degree, of_degree * degrees))
    ends = np.minimum(np.arange(-(-width // columns) + 1) * columns, width)
    shares: NDArray[np.float64] = np.diff(np.interp(ends, behind, held)) / max(1, len(indices))
    return shares
