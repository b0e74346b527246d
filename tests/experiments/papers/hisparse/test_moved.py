"""B of the sums: A with its entries moved by a normal deviate of sigma 10."""

import numpy as np
import scipy.sparse

from experiments.papers.hisparse.moved import SIGMA, moved


def single(extent, at):
    """Return a matrix of one entry in each row `at`, on the diagonal."""
    return scipy.sparse.coo_array((np.ones(len(at)), (at, at)), shape=(extent, extent)).tocsr()


def test_moves_are_normal_and_the_same_each_time():
    a = single(4_000_000, np.arange(500, 3_999_500, 1000))
    b = moved(a)
    assert b.shape == a.shape
    assert (b.nnz, b.sum()) == (a.nnz, a.sum())
    assert b.indices.dtype == b.indptr.dtype == np.int32
    rows = np.repeat(np.arange(b.shape[0]), np.diff(b.indptr))
    for places in (rows, b.indices):
        moves = (places + 500) % 1000
        moves = np.where(moves > 500, moves - 1000, moves)
        assert abs(moves.mean()) < 1
        assert abs(moves.std() - SIGMA) < 0.5
    assert (moved(a) != b).nnz == 0
    assert (moved(a, seed=1) != b).nnz > 0


def test_nothing_leaves_the_matrix_and_what_meets_is_added():
    a = scipy.sparse.csr_array(np.ones((3, 5), np.float32))
    b = moved(a)
    assert (b.shape, b.dtype, b.sum()) == ((3, 5), np.float32, 15)
    assert b.has_canonical_format
    assert b.nnz < 15
    assert moved(scipy.sparse.csr_array((0, 4))).nnz == 0
