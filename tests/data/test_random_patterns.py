import numpy as np
import pytest
from test_stencils import assert_canonical

from vecsim.data.synthetic.keyed_entries import random_bits, random_share
from vecsim.data.synthetic.random_patterns import band, dense, localised
from vecsim.support.errors import UserError


@pytest.mark.ci
def test_entries_of_a_band_lie_in_it_and_anywhere():
    matrix = band(2000, 100, 30, seed=2)
    assert_canonical(matrix)
    rows, columns = matrix.tocoo().coords
    away = columns - rows
    assert away.min() == -50 and away.max() == 49
    lengths = np.diff(matrix.indptr)
    # 30 draws of 100 hit 100 (1 - 0.99^30) different ones.
    assert lengths[100:-100].mean() == pytest.approx(100 * (1 - 0.99**30), rel=0.02)
    assert lengths.max() <= 30
    counts = np.bincount(away[(rows > 100) & (rows < 1900)] + 50)
    assert counts.std() / counts.mean() < 0.1


def test_a_dense_matrix_has_no_zeros():
    matrix = dense(40)
    assert_canonical(matrix)
    assert np.count_nonzero(matrix.toarray()) == 1600


def test_localised_entries_lie_in_few_stripes_and_squares():
    matrix = localised(128 * 1000, 256, 64, 20.0, seed=4)
    assert_canonical(matrix)
    rows, columns = matrix.tocoo().coords
    stripes = np.unique(rows // 128)
    assert 200 < len(stripes) <= 256
    assert len(np.unique(np.diff(stripes)[np.diff(stripes) > 1])) == 1  # two groups, one gap
    squares = len(np.unique(rows.astype(np.int64) // 128 * 1000 + columns // 128))
    assert 60 < matrix.nnz / squares <= 64
    assert squares == pytest.approx(256 * 20, rel=0.3)


def test_the_same_seed_gives_the_same_matrix():
    first, again, other = (localised(128 * 200, 128, 8, 5.0, seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.indices, again.indices)
    np.testing.assert_array_equal(first.data, again.data)
    assert first.nnz != other.nnz or (first.indices != other.indices).any()


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda: band(10, 20, 3), "width 20"),
        (lambda: band(10, 5, 0), "per_row 0"),
        (lambda: dense(50_000), "rows 50000"),
        (lambda: localised(128 * 1000, 100, 64, 2.0), "stripes 100"),
    ],
)
def test_what_cannot_be_made_is_refused_by_name(make, name):
    with pytest.raises(UserError, match=name):
        make()


def test_shares_are_uniform_and_streams_apart():
    shares = np.array([random_share(7, 1, k) for k in range(4000)])
    assert shares.min() >= 0 and shares.max() < 1
    assert shares.mean() == pytest.approx(0.5, abs=0.02)
    assert np.histogram(shares, 10, (0, 1))[0].std() < 40
    assert random_bits(7, 1, 5) != random_bits(7, 2, 5) != random_bits(8, 2, 5)
