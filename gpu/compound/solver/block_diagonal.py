"""The preconditioner: each element multiplied by the inverse of its diagonal entry.

For that a matrix of compound entries is written as one of plain numbers, where its product is linear.
"""

from dataclasses import dataclass
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
            f"{entry.name} entries have their own sum: conjugate gradients need s + t, component by component"
        )


def as_blocks(entry: EntryType, components: Any) -> NDArray[np.float64]:
    """Return the matrix of C x C numbers that each entry multiplies elements by.

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
    built = np.empty((count, size, size))
    for column in range(size):
        unit = [np.full(count, float(row == column)) for row in range(size)]
        for row, result in enumerate(entry.multiplied(of_entry, unit)):
            built[:, row, column] = result
    return built


def as_scalars(matrix: CompoundMatrix) -> Any:
    """Return a matrix as csr_array of float64, with C rows and columns for each row and column.

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


ALIKE = 1e-12
"""Diagonal entries that differ from a multiple of 1 by less, relatively, are taken as one number each."""


@dataclass(frozen=True, eq=False)
class BlockDiagonal:
    """The inverses of the diagonal entries.

    Attributes
    ----------
    inverses
        float64: of (n, C, C); or of (n,) where all entries are multiples of 1, as those of Hermitian matrices
        of complex numbers and quaternions are.
    """

    inverses: NDArray[np.float64]

    @property
    def plain(self) -> bool:
        """Whether each is one number."""
        return self.inverses.ndim == 1

    def __matmul__(self, r: NDArray[np.float64]) -> NDArray[np.float64]:
        """Multiply elements of (n, C)."""
        if self.plain:
            return self.inverses[:, None] * r
        built: NDArray[np.float64] = np.einsum("nij,nj->ni", self.inverses, r)
        return built


def require_square(matrix: CompoundMatrix) -> None:
    """Raise UserError unless a matrix is square."""
    rows, columns = matrix.shape
    if rows != columns:
        raise UserError(f"a matrix of {rows} x {columns} cannot be solved for: it must be square")


def preconditioner(matrix: CompoundMatrix, *, wanted: bool) -> BlockDiagonal:
    """Return the inverse of the block diagonal, or ones where none is wanted; raise as `inverse_diagonal`.

    Parameters
    ----------
    matrix
        n x n entries.
    wanted
        Whether.
    """
    require_square(matrix)
    return inverse_diagonal(matrix) if wanted else BlockDiagonal(np.ones(matrix.shape[0]))


def inverse_diagonal(matrix: CompoundMatrix) -> BlockDiagonal:
    """Invert the diagonal entries of a matrix.

    Parameters
    ----------
    matrix
        n x n entries.

    Raises
    ------
    UserError
        It is not square, lacks a diagonal entry, or one has no inverse, naming the row.
    """
    require_linear(matrix.entry)
    require_square(matrix)
    rows = matrix.shape[0]
    row = np.repeat(np.arange(rows), np.diff(matrix.indptr))
    at = np.flatnonzero(matrix.indices == row)
    if len(at) < rows:
        absent = np.setdiff1d(np.arange(rows), row[at])[0]
        raise UserError(f"row {absent} has no diagonal entry: the preconditioner needs one in each row")
    blocks = as_blocks(matrix.entry, [each[at] for each in matrix.components])
    size = blocks.shape[1]
    unit = np.eye(size)
    numbers = np.trace(blocks, axis1=1, axis2=2) / size
    if (np.abs(blocks - numbers[:, None, None] * unit).max(axis=(1, 2)) <= ALIKE * np.abs(numbers)).all():
        if (singular := np.flatnonzero(numbers == 0)).size:
            raise UserError(
                f"the diagonal entry of row {singular[0]} is 0: the preconditioner needs invertible entries"
            )
        return BlockDiagonal(np.asarray(1 / numbers, np.float64))
    if (singular := np.flatnonzero(np.abs(np.linalg.det(blocks)) == 0)).size:
        raise UserError(
            f"the diagonal entry of row {singular[0]} has no inverse: the preconditioner "
            "needs invertible entries"
        )
    return BlockDiagonal(np.asarray(np.linalg.inv(blocks), np.float64))
