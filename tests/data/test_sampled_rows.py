"""Random rows by their definitions: lengths, places, shares; and what is not possible."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from test_stencils import assert_canonical

from vecsim.data.synthetic.sampled_rows import banded_rows, blocks, power_law_rows, uniform_rows
from vecsim.support.errors import UserError


def positions(matrix):
    return matrix.tocoo().coords


def lengths(matrix):
    return np.diff(matrix.indptr)


def test_uniform_columns_are_equally_likely():
    matrix = uniform_rows(4000, 10)
    assert_canonical(matrix)
    assert (lengths(matrix) == 10).all()
    assert -1 <= matrix.data.min() < -0.99 and 0.99 < matrix.data.max() < 1
    counts = np.bincount(matrix.indices, minlength=4000)
    # A column is in each row with probability 10 / 4000: about Poisson, so mean and variance are alike.
    assert counts.var() / counts.mean() == pytest.approx(1, abs=0.1)
    rows, columns = positions(matrix)
    assert abs(np.corrcoef(rows, columns)[0, 1]) < 4 / np.sqrt(40_000)


@given(st.integers(1, 70).flatmap(lambda n: st.tuples(st.just(n), st.integers(1, n))), st.integers(0, 2**32))
def test_uniform_rows_of_any_shape(shape, seed):
    rows, per_row = shape
    matrix = uniform_rows(rows, per_row, seed)
    assert_canonical(matrix)
    assert matrix.shape == (rows, rows)
    assert (lengths(matrix) == per_row).all()
    assert matrix.indices.min() >= 0 and matrix.indices.max() < rows


def test_every_set_of_columns_is_equally_likely():
    # Inner rows of a band of five columns: three of them, or all but two, are ten sets.
    for per_row in (2, 3):
        matrix = banded_rows(20_004, 2, per_row, 0.0)
        inner = np.flatnonzero(lengths(matrix) == per_row)[2:-2]
        sets = matrix.indices[matrix.indptr[inner][:, None] + np.arange(per_row)] - inner[:, None]
        counts = np.unique(sets, axis=0, return_counts=True)[1]
        assert len(counts) == 10
        assert ((counts - 2000) ** 2 / 2000).sum() < 27.9  # chi-square of 9 degrees of freedom, 0.1 %


@pytest.mark.parametrize("exponent", [1.8, 2.2, 3.0])
def test_power_law_of_row_lengths(exponent):
    matrix = power_law_rows(30_000, 8, exponent)
    assert_canonical(matrix)
    sample = lengths(matrix)
    # P(k or more) falls by 4^(A - 1) from k = 16 to 64, a count with a binomial error of both ends.
    shares = [(sample >= k).mean() for k in (16, 64)]
    error = np.sqrt(sum(1 / (30_000 * share) for share in shares))
    assert np.log(shares[0] / shares[1]) == pytest.approx((exponent - 1) * np.log(4), abs=4 * error)
    if exponent == 3:  # below, a few rows decide the mean of a sample
        assert sample.mean() == pytest.approx(8, rel=0.06)


def test_power_law_by_hand():
    # With A = 2 and l < 1, P(k or more) = l / k and the mean is l (1 + 1/2 + ... + 1/N) = M.
    harmonic = (1 / np.arange(1, 20_001)).sum()
    share = (lengths(power_law_rows(20_000, 1, 2.0)) > 0).mean()
    assert share == pytest.approx(1 / harmonic, abs=4 * np.sqrt(0.1 / 20_000))
    # A steep law leaves rows all but alike.
    assert lengths(power_law_rows(20_000, 9, 20.0)).mean() == pytest.approx(9, rel=0.01)
    # All rows are full where the mean is the maximum.
    assert power_law_rows(30, 30, 2.0).nnz == 900


@given(st.integers(1, 60), st.data(), st.sampled_from([1.01, 1.5, 2.0, 5.0]), st.integers(0, 9))
def test_power_law_rows_of_any_shape(rows, data, exponent, seed):
    matrix = power_law_rows(rows, data.draw(st.integers(1, rows)), exponent, seed)
    assert_canonical(matrix)
    assert matrix.shape == (rows, rows)
    assert lengths(matrix).max() <= rows


def test_a_full_band_is_that_of_scipy():
    full = scipy.sparse.diags_array([1.0] * 7, offsets=range(-3, 4), shape=(40, 40))
    assert (abs(banded_rows(40, 3, 7, 0.0)).sign() != full).nnz == 0


def test_share_and_places_of_outliers():
    rows, half = 20_000, 50
    matrix = banded_rows(rows, half, 8, 0.1)
    assert_canonical(matrix)
    assert lengths(matrix).min() == lengths(matrix).max() == 8
    row, column = positions(matrix)
    out = abs(row - column) > half
    assert out.mean() == pytest.approx(0.1, abs=4 * np.sqrt(0.1 * 0.9 / matrix.nnz))
    # Outliers have any column, the others any in the band.
    assert np.histogram(column[out], 10, (0, rows))[0] == pytest.approx(out.sum() / 10, rel=0.1)
    inner = ~out & (row >= half) & (row < rows - half)
    assert np.bincount((column - row)[inner] + half) == pytest.approx(inner.sum() / 101, rel=0.15)


@given(st.integers(1, 50), st.data(), st.integers(0, 9))
def test_bands_of_any_shape(rows, data, seed):
    half = data.draw(st.integers(0, rows - 1))
    per_row = data.draw(st.integers(1, min(rows, 2 * half + 1)))
    room = 2 * half + 1 + per_row <= rows
    share = data.draw(st.sampled_from([0.0, 0.3, 1.0] if room else [0.0]))
    matrix = banded_rows(rows, half, per_row, share, seed)
    assert_canonical(matrix)
    row, column = positions(matrix)
    out = abs(row - column) > half
    assert not out.any() if share == 0 else share < 1 or out.all()
    band = np.minimum(np.arange(rows) + half, rows - 1) - np.maximum(np.arange(rows) - half, 0) + 1
    in_band = np.bincount(row[~out], minlength=rows)
    assert (in_band == np.minimum(per_row - np.bincount(row[out], minlength=rows), band)).all()


@given(st.integers(1, 12), st.integers(1, 9), st.data(), st.integers(0, 9))
def test_blocks_are_dense_and_aligned(block_rows, edge, data, seed):
    per_row = data.draw(st.integers(1, block_rows))
    matrix = blocks(block_rows * edge, edge, per_row, seed)
    assert_canonical(matrix)
    blocked = matrix.tobsr((edge, edge))
    assert (np.diff(blocked.indptr) == per_row).all()
    assert matrix.nnz == block_rows * per_row * edge * edge
    assert (blocked.data != 0).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: uniform_rows(5, 6), "K 6 is not possible: use 1 to 5"),
        (lambda: uniform_rows(2**20, 2**12), "4,294,967,296 entries are not possible"),
        (lambda: power_law_rows(5, 6, 2.0), "M 6 is not possible"),
        (lambda: power_law_rows(5, 2, 1.0), "A 1.0 is not possible: use more than 1, at most 20"),
        (lambda: banded_rows(9, 9, 3, 0.0), "W 9 is not possible: use 0 to 8"),
        (lambda: banded_rows(9, 1, 4, 0.0), "K 4 is not possible: use 1 to 3"),
        (lambda: banded_rows(9, 3, 3, 0.5), "P 0.5 is not possible: outside the band"),
        (lambda: blocks(10, 4, 1), "B 4 is not possible: N must be a multiple of B, and 10 is not"),
        (lambda: blocks(12, 4, 4), "K 4 is not possible: use 1 to 3"),
    ],
)
def test_what_is_not_possible(call, message):
    with pytest.raises(UserError, match=message):
        call()
