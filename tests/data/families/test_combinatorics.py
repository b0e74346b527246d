"""Subsets and chessboards, small ones against their definition, written again as plain loops."""

from itertools import combinations

import numpy as np
from dense_matrices import same_entries

from vecsim.data.families.combinatorics import (
    block_design,
    chessboard_boundary,
    trefethen,
    trefethen_minor,
)


def test_block_design_by_loops():
    pairs, triples = list(combinations(range(5), 2)), list(combinations(range(5), 3))
    expected = [[set(pair) <= set(triple) for triple in triples] for pair in pairs]
    same_entries(block_design(5, 3), np.array(expected))


def test_a_boundary_has_no_boundary():
    for rows, columns in ((4, 4), (4, 5), (5, 4)):
        for dimension in (2, 3):
            upper = chessboard_boundary(rows, columns, dimension)
            lower = chessboard_boundary(rows, columns, dimension - 1)
            # Columns are numbered from last to first, rows are not.
            assert not (upper @ lower[::-1]).toarray().any()
            assert set(np.diff(upper.indptr)) == {dimension + 1}


def test_chessboard_by_hand():
    # Placements of two rooks on 2 x 2 squares: the diagonals 00 11, then 01 10; each joins two squares.
    expected = [[0, 0, 1, -1], [1, -1, 0, 0]]
    np.testing.assert_array_equal(chessboard_boundary(2, 2, 1).toarray(), expected)


def test_trefethen_entry_by_entry():
    expected = [
        [2, 1, 1, 0, 1],
        [1, 3, 1, 1, 0],
        [1, 1, 5, 1, 1],
        [0, 1, 1, 7, 1],
        [1, 0, 1, 1, 11],
    ]
    np.testing.assert_array_equal(trefethen(5).toarray(), expected)
    np.testing.assert_array_equal(trefethen_minor(4).toarray(), np.array(expected)[1:, 1:])
    assert trefethen(20000).data.max() == 224737
