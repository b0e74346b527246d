"""From the matrices of elements to that of the whole."""

from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


def dofs_of(nodes: IntArray, dofs_per_node: int) -> IntArray:
    """Return the unknowns of elements whose nodes have `dofs_per_node` unknowns each, side by side.

    int64 of (E, k) becomes int64 of (E, k * dofs_per_node).
    """
    dofs = nodes[..., None] * dofs_per_node + np.arange(dofs_per_node)
    return dofs.reshape(*nodes.shape[:-1], -1)


def assemble(
    dofs: IntArray, matrices: FloatArray, size: int, coupled: NDArray[np.bool_] | None = None
) -> Any:
    """Add element matrices up.

    Every place that an element touches is an entry of the result, also where the values add up to zero:
    so finite-element codes store their matrices, and so the files of the collections count them.

    Parameters
    ----------
    dofs
        int64 of (E, k): the unknowns of each element, -1 for one that is held and drops out.
    matrices
        float64 of (E, k, k), or (k, k) if all elements are alike.
    size
        Unknowns in all.
    coupled
        bool of (k, k): the places that an element touches; None for all.

    Returns
    -------
    scipy.sparse.csr_array
        float64 of (size, size), sorted, without duplicates.
    """
    width = dofs.shape[1]
    i, j = np.nonzero(np.ones((width, width)) if coupled is None else coupled)
    index = dofs.astype(np.int32)
    rows, columns = index[:, i].ravel(), index[:, j].ravel()
    values = np.broadcast_to(matrices, (len(dofs), width, width))[:, i, j].ravel()
    if dofs.min(initial=0) < 0:
        free = (rows >= 0) & (columns >= 0)
        rows, columns, values = rows[free], columns[free], values[free]
    csr = scipy.sparse.coo_array((values, (rows, columns)), shape=(size, size)).tocsr()
    csr.sum_duplicates()
    return csr


def renumbered(free: NDArray[np.bool_]) -> IntArray:
    """Return the new number of each unknown when only the `free` ones stay, -1 for the others."""
    return np.where(free, np.cumsum(free) - 1, -1)
