"""Files that store half of a matrix: what may stand in them, and the other half."""

from typing import Any

import numpy as np
import scipy.sparse

GENERAL, SYMMETRIC, SKEW_SYMMETRIC, HERMITIAN = "general", "symmetric", "skew-symmetric", "hermitian"


def most_entries(symmetry: str, stored: int) -> int:
    """Return how many entries the whole matrix can have of a file that stores this many."""
    return stored if symmetry == GENERAL else 2 * stored


def first_misplaced(symmetry: str, rows: Any, columns: Any, values: Any) -> int | None:
    """Return the number of the first entry that such a file cannot hold; None if there is none.

    Half-stored files hold what is on and below the diagonal; skew-symmetric ones nothing on it, hermitian
    ones nothing imaginary there.

    Parameters
    ----------
    symmetry
        ``general``, ``symmetric``, ``skew-symmetric`` or ``hermitian``.
    rows, columns
        Integers, from any common number on.
    values
        As many.
    """
    if symmetry == GENERAL:
        return None
    wrong = rows <= columns if symmetry == SKEW_SYMMETRIC else rows < columns
    if symmetry == HERMITIAN and np.iscomplexobj(values):
        wrong |= (rows == columns) & (values.imag != 0)
    return int(np.argmax(wrong)) if wrong.any() else None


def why_misplaced(symmetry: str, row: int, column: int) -> str:
    """Return what is wrong with the entry that `first_misplaced` gave; row and column count from 1."""
    if row == column and symmetry == HERMITIAN:
        return f"the diagonal of a hermitian matrix is real, but the entry of row {row} is not"
    where = "on the diagonal" if row == column else "above the diagonal"
    stored = "below the diagonal" if symmetry == SKEW_SYMMETRIC else "on and below the diagonal"
    return (
        f"the entry in row {row}, column {column} is {where}: a file of a {symmetry} matrix stores what is "
        f"{stored}"
    )


def expanded(symmetry: str, shape: tuple[int, int], rows: Any, columns: Any, values: Any) -> Any:
    """Return the whole matrix of what a file stores.

    Parameters
    ----------
    symmetry
        As in `first_misplaced`.
    shape
        Rows and columns.
    rows, columns, values
        The stored entries, rows and columns from 0.

    Returns
    -------
    scipy.sparse.coo_array
        The stored entries, then their images.
    """
    if symmetry != GENERAL:
        beside = rows != columns
        image = values[beside]
        if symmetry == SKEW_SYMMETRIC:
            image = -image
        elif symmetry == HERMITIAN:
            image = np.conj(image)
        rows, columns = np.concatenate((rows, columns[beside])), np.concatenate((columns, rows[beside]))
        values = np.concatenate((values, image))
    return scipy.sparse.coo_array((values, (rows, columns)), shape=shape)
