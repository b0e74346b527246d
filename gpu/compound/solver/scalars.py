"""A matrix of compound entries as a matrix of plain numbers, where its product is linear."""

from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from gpu.compound.compound_matrix import CompoundMatrix
from gpu.compound.entry_type import EntryType
from vecsim.support.errors import UserError


def require_linear(entry: EntryType) -> None:
    """Raise UserError unless elements are added component by component, from 0.

    Parameters
    ----------
    entry
        What entries are.
    """
    plain = EntryType(
        entry.name,
        entry=dict(entry.entry),
        vector=entry.vector,
        product=dict.fromkeys(entry.vector, "0"),
    )
    if entry.sum != plain.sum or any(entry.zero):
        raise UserError(
            f"{entry.name} entries have a sum of their own: conjugate gradients need s + t, component by "
            "component"
        )


def as_blocks(entry: EntryType, components: Any) -> NDArray[np.float64]:
    """Give the matrix of C x C numbers that each entry multiplies elements by.

    Parameters
    ----------
    entry
        What entries are; C is the number of components of an element.
    components
        An array of n for each component of an entry.

    Returns
    -------
    float64 of (n, C, C).
    """
    of_entry = [np.asarray(each, np.float64) for each in components]
    count, size = len(of_entry[0]), len(entry.vector)
    made = np.empty((count, size, size))
    for column in range(size):
        unit = [np.full(count, float(row == column)) for row in range(size)]
        for row, found in enumerate(entry.multiplied(of_entry, unit)):
            made[:, row, column] = found
    return made


def as_scalars(matrix: CompoundMatrix) -> Any:
    """Give a matrix as csr_array of float64, C rows and columns for each of its own.

    Parameters
    ----------
    matrix
        M x N entries whose elements have C components.

    Raises
    ------
    UserError
        The sum of its elements is not plain.
    """
    require_linear(matrix.entry)
    size = len(matrix.entry.vector)
    blocks = as_blocks(matrix.entry, matrix.components)
    shape = (size * matrix.shape[0], size * matrix.shape[1])
    return scipy.sparse.csr_array(
        scipy.sparse.bsr_array((blocks, matrix.indices, matrix.indptr), shape=shape)
    )
