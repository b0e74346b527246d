"""Block designs, boundary maps of chessboards, and primes."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vecsim.data.families.assembly import IntArray, csr

BoolArray = NDArray[np.bool_]


def block_design(points: int, size: int) -> Any:
    """Return which of the pairs of `points` points lie in which of their subsets of `size`.

    A row for each pair, a column for each subset, both in lexicographic order; 1 where the pair lies in
    the subset. Source: M. Giesbrecht, JGD_BIBD of the SuiteSparse collection. Compared with: bibd_9_3 and
    bibd_9_5, every entry; the larger ones, the collection's index.
    """
    subsets = _faces(np.ones((points, points), dtype=np.bool_), size)
    number = np.full((points, points), -1)
    number[np.triu_indices(points, 1)] = np.arange(points * (points - 1) // 2)
    first, second = np.triu_indices(size, 1)
    rows = number[subsets[:, first], subsets[:, second]]
    columns = np.broadcast_to(np.arange(len(subsets))[:, None], rows.shape)
    return csr((points * (points - 1) // 2, len(subsets)), [rows], [columns], [1])


def chessboard_boundary(rows: int, columns: int, dimension: int) -> Any:
    """Return a boundary map of the chessboard complex.

    A face is a set of squares of the board that share no row or column; row by row the faces of
    `dimension` + 1 squares, and by column those of one square less, +1 or -1 by the place of the square
    left out. Squares are numbered as the placements of a rook in every row, in lexicographic order, first
    meet them; faces in lexicographic order, the columns from last to first. Source: V. Welker,
    JGD_Homology of the SuiteSparse collection. Compared with: ch3-3-b1, ch3-3-b2, ch4-4-b1 to ch4-4-b3,
    ch5-5-b1 and ch5-5-b3, every entry; the larger ones, the collection's index.
    """
    # A rook in every row needs as many columns.
    rows, columns = sorted((rows, columns))
    squares = sorted(np.ndindex(rows, columns), key=lambda square: _first_placement(square, rows, columns))
    row, column = np.array(squares).T
    compatible = (row[:, None] != row) & (column[:, None] != column)
    return _boundary(compatible, dimension)


def _first_placement(square: tuple[int, int], rows: int, columns: int) -> tuple[tuple[int, ...], int]:
    row, column = square
    others = iter([k for k in range(columns) if k != column])
    return tuple(column if k == row else next(others) for k in range(rows)), row


def _boundary(compatible: BoolArray, dimension: int) -> Any:
    faces, facets = _faces(compatible, dimension + 1), _faces(compatible, dimension)
    weight = len(compatible) ** np.arange(dimension)[::-1]
    # Increasing, as the faces are in lexicographic order.
    code = facets @ weight
    without = [np.delete(faces, place, axis=1) @ weight for place in range(dimension + 1)]
    columns = len(facets) - 1 - np.searchsorted(code, without)
    rows = np.broadcast_to(np.arange(len(faces)), columns.shape)
    signs = (-1.0) ** (np.arange(dimension + 1) + dimension + 1)
    return csr((len(faces), len(facets)), list(rows), list(columns), list(signs))


def _faces(compatible: BoolArray, size: int) -> IntArray:
    # All sets of `size` pairwise compatible elements, one a row, in lexicographic order.
    later = np.triu(compatible, 1)
    faces = np.arange(len(compatible))[:, None]
    allowed = later
    for _ in range(size - 1):
        face, element = np.nonzero(allowed)
        faces = np.column_stack([faces[face], element])
        allowed = allowed[face] & later[element]
    return faces


def trefethen(size: int) -> Any:
    """Return the matrix of primes of order `size`.

    The first `size` primes on the diagonal, 1 where rows and columns are 1, 2, 4, 8, ... apart. Source:
    N. Trefethen, SIAM News 35(1), 2002, problem 7. Compared with: Trefethen_20, every entry; the larger
    ones, the collection's index.
    """
    return _powers_apart(_primes(size))


def trefethen_minor(size: int) -> Any:
    """Return `trefethen` of order `size` + 1 without its first row and column.

    Compared with: Trefethen_20b, every entry; Trefethen_200b and Trefethen_20000b, the collection's index.
    """
    return _powers_apart(_primes(size + 1)[1:])


def _powers_apart(diagonal: IntArray) -> Any:
    size = len(diagonal)
    node = np.arange(size)
    rows, columns = [node], [node]
    values: list[Any] = [diagonal]
    step = 1
    while step < size:
        rows += [node[step:], node[:-step]]
        columns += [node[:-step], node[step:]]
        values += [1, 1]
        step *= 2
    return csr((size, size), rows, columns, values)


def _primes(count: int) -> IntArray:
    # The k-th prime lies below k (ln k + ln ln k) for k >= 6.
    limit = max(15, int(count * (np.log(count) + np.log(np.log(max(count, 3))))) + 1)
    prime = np.ones(limit, dtype=np.bool_)
    prime[:2] = False
    for factor in range(2, int(limit**0.5) + 1):
        if prime[factor]:
            prime[factor * factor :: factor] = False
    return np.flatnonzero(prime)[:count]
