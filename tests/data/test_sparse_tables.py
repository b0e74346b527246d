"""Documents, constraints, few entries, shuffled grids: each by its definition."""

import numpy as np
import pytest
from test_stencils import assert_canonical

from vecsim.data.families.poisson import laplace3d
from vecsim.data.synthetic.sparse_tables import (
    few_dense_rows,
    hypersparse,
    shuffled_grid,
    staircase,
    zipf_columns,
)
from vecsim.support.errors import UserError


@pytest.mark.ci
def test_zipf_columns_fall_by_their_rank():
    matrix = zipf_columns(20_000, 10, 0.5)
    assert_canonical(matrix)
    counts = np.sort(np.bincount(matrix.indices, minlength=20_000))[::-1]
    # Of rank r: 200,000 r^-0.5 over the sum of these up to 20,000, about 2 sqrt(20,000).
    for rank in (100, 1000, 5000):
        expected = 200_000 * rank**-0.5 / (2 * 20_000**0.5)
        assert counts[rank - 20 : rank + 20].mean() == pytest.approx(expected, rel=0.1)


@pytest.mark.ci
def test_few_rows_are_dense():
    lengths = np.diff(few_dense_rows(4000, 6, 3, 0.5).indptr)
    assert (lengths > 1500).sum() == 3
    assert (lengths <= 6).sum() == 3997


def test_hypersparse_entries_are_anywhere():
    matrix = hypersparse(100_000, 20_000)
    assert_canonical(matrix)
    assert 19_950 < matrix.nnz <= 20_000
    # Rows with an entry: n (1 - exp(-entries / n)).
    assert (np.diff(matrix.indptr) > 0).sum() == pytest.approx(100_000 * (1 - np.exp(-0.2)), rel=0.02)
    assert np.histogram(matrix.indices, 10, (0, 100_000))[0] == pytest.approx(matrix.nnz / 10, rel=0.1)


@pytest.mark.ci
def test_a_staircase_has_two_steps_in_a_period():
    matrix = staircase(20, 30, 50, 8)
    assert_canonical(matrix)
    assert matrix.shape == (600, 1000)
    row = np.repeat(np.arange(600), np.diff(matrix.indptr))
    steps = row // 30 - matrix.indices // 50
    assert set(steps) == {0, 1}
    assert (steps[row >= 30] == 0).mean() == pytest.approx(0.5, abs=0.03)


@pytest.mark.parametrize("run", [1, 4, 7, 216])
def test_a_shuffled_grid_is_a_grid_in_another_order(run):
    matrix, grid = shuffled_grid(6, run, 5), laplace3d(6)
    assert_canonical(matrix)
    runs = -(-216 // run)
    old = (np.random.default_rng(5).permutation(runs)[:, None] * run + np.arange(run)).ravel()
    old = old[old < 216]
    np.testing.assert_array_equal(matrix.toarray(), grid.toarray()[np.ix_(old, old)])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: zipf_columns(9, 2, 0.0), "A 0.0 is not possible: use more than 0"),
        (lambda: few_dense_rows(9, 10, 1, 0.5), "K 10 is not possible: use 1 to 9"),
        (lambda: hypersparse(9, 10), "E 10 is not possible: use 1 to 9"),
        (lambda: staircase(0, 2, 2, 1), "T 0 is not possible"),
        (lambda: shuffled_grid(2, 9), "R 9 is not possible: use 1 to 8"),
    ],
)
def test_what_is_not_possible(call, message):
    with pytest.raises(UserError, match=message):
        call()
