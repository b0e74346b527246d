"""Matrices with hubs: what each number of the generator does."""

import numpy as np
import pytest

from vecsim.data.synthetic.power_laws import bipartite, hubs
from vecsim.support.errors import UserError


def lengths(matrix):
    return np.diff(matrix.indptr), np.bincount(matrix.indices, minlength=matrix.shape[1])


def test_rows_alike_and_columns_alike():
    matrix = hubs(300, 5000, 12, seed=3)
    matrix.check_format(full_check=True)
    assert matrix.shape == (300, 5000)
    rows, columns = lengths(matrix)
    assert 11.5 < rows.mean() <= rows.max() == 12
    assert columns.max() < 8
    again = hubs(300, 5000, 12, seed=3)
    assert (matrix != again).nnz == 0
    assert (matrix != hubs(300, 5000, 12, seed=4)).nnz > 0


def test_power_laws_of_rows_and_of_columns():
    rows, columns = lengths(hubs(20_000, 20_000, 10, row_exponent=2.0))
    assert 7 < rows.mean() < 13 and rows.max() > 400 and columns.max() < 40
    # P(k or more) ~ 1 / k: ten times as long, a tenth as many.
    assert 6 < (rows >= 10).sum() / (rows >= 100).sum() < 16
    rows, columns = lengths(hubs(20_000, 20_000, 10, column_exponent=2.0))
    assert rows.max() == 10 and columns.max() > 5000
    assert 6 < (columns >= 10).sum() / (columns >= 100).sum() < 16


def test_near_the_diagonal_dense_rows_and_both_directions():
    matrix = hubs(2000, 4000, 8, local=1.0, window=32)
    row = np.repeat(np.arange(2000), np.diff(matrix.indptr))
    assert np.abs(matrix.indices - 2 * row).max() <= 16
    rows, _ = lengths(hubs(2000, 4000, 4, dense_rows=3, dense_share=0.5))
    assert (rows > 1000).sum() == 3
    matrix = hubs(500, 500, 6, row_exponent=2.2, mirrored=True)
    assert (matrix != matrix.T).nnz == 0


def test_two_sets():
    matrix = bipartite(300, 100, 5, column_exponent=2.5)
    assert matrix.shape == (400, 400)
    assert (matrix != matrix.T).nnz == 0
    assert matrix[:300, :300].nnz == matrix[300:, 300:].nnz == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"row_exponent": 1.0}, "row_exponent 1.0 is not possible: use more than 1"),
        ({"local": 2}, "local 2 is not possible: use a probability"),
        ({"mirrored": True}, "columns 20 is not possible: use 10 to 10"),
    ],
)
def test_what_is_not_possible(arguments, message):
    with pytest.raises(UserError, match=message):
        hubs(10, 20, 3, **arguments)
