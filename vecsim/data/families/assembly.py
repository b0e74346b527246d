"""From lists of entries, or from a stencil, to a sparse matrix."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


def csr(shape: tuple[int, int], rows: Sequence[Any], columns: Sequence[Any], values: Sequence[Any]) -> Any:
    """Return the csr_array of entries given in parts: sorted, duplicates summed, zeros kept.

    Parameters
    ----------
    shape
        Rows and columns.
    rows, columns
        Index arrays, counted from zero; part k of one belongs to part k of the other.
    values
        What the entries of a part hold; broadcast to its index arrays.
    """
    size = sum(np.size(part) for part in rows)
    i, j = np.empty(size, dtype=np.int32), np.empty(size, dtype=np.int32)
    data = np.empty(size)
    end = 0
    for row, column, value in zip(rows, columns, values, strict=True):
        start, end = end, end + np.size(row)
        i[start:end], j[start:end] = np.ravel(row), np.ravel(column)
        data[start:end] = np.broadcast_to(value, np.shape(row)).ravel()
    # To CSR and at once summed and sorted.
    matrix = scipy.sparse.coo_array((data, (i, j)), shape=shape).tocsr()
    matrix.sum_duplicates()
    return matrix


def stencil(shape: tuple[int, ...], terms: Mapping[Any, Any]) -> Any:
    """Return the matrix that couples every node of a grid with its neighbours.

    Nodes are numbered along the last axis first. Neighbours beyond the edge are left out, as under
    Dirichlet boundaries.

    Parameters
    ----------
    shape
        Nodes along each axis.
    terms
        For the step from a node to a neighbour, a tuple of the length of `shape`, the value in the node's
        row: one number, or an array of that shape.
    """
    node = np.arange(np.prod(shape), dtype=np.int32).reshape(shape)
    rows, columns, values = [], [], []
    for step, value in terms.items():
        here = tuple(
            slice(max(0, -move), max(0, min(n, n - move))) for n, move in zip(shape, step, strict=True)
        )
        there = tuple(
            slice(max(0, move), max(0, min(n, n + move))) for n, move in zip(shape, step, strict=True)
        )
        rows.append(node[here])
        columns.append(node[there])
        values.append(np.asarray(value)[here] if np.ndim(value) else value)
    return csr((node.size, node.size), rows, columns, values)


def coupled(*pairs: tuple[Any, Any]) -> Any:
    """Return the sum of Kronecker products, as csr_array.

    Parameters
    ----------
    *pairs
        Left and right factor of each product, sparse or nested lists; zeros of lists are no entries. With
        the unknowns of a node on the right they stay side by side, on the left all of one kind come first.
    """
    factors = [[scipy.sparse.coo_array(factor) for factor in pair] for pair in pairs]
    return sum(scipy.sparse.kron(left, right, format="csr") for left, right in factors).tocsr()
