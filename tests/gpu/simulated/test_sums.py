"""Sums of CSR matrices on the device: what SciPy gives, to the last bit, whatever is transposed."""

from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from tiers import examples, one_in

import gpu
from gpu.runtime.cuda import cuda
from gpu.sums import bucket_transposition, transposition
from gpu.sums.block_share import STEP
from gpu.sums.bucket_transposition import BucketTransposition
from gpu.sums.scattered_transposition import ScatteredTransposition
from gpu.sums.sorted_transposition import SortedTransposition
from vecsim.support.errors import UserError


@st.composite
def pairs(draw):
    """Two matrices of one shape and type, with duplicates, explicit zeros and places that both have."""
    rows, columns = draw(st.integers(0, 12)), draw(st.integers(0, 40))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    dtype = draw(st.sampled_from([np.float32, np.float64]))
    results = []
    for _ in range(2):
        entries = draw(st.integers(0, 150)) if rows and columns else 0
        row, column = rng.integers(0, max(1, rows), entries), rng.integers(0, max(1, columns), entries)
        values = rng.integers(-2, 3, entries).astype(dtype)
        results.append(scipy.sparse.coo_array((values, (row, column)), shape=(rows, columns)))
    return results


def summed(matrix):
    csr = scipy.sparse.csr_array(matrix)
    csr.sum_duplicates()
    return csr


def check(actual, exact):
    exact = summed(exact)
    assert actual.shape == exact.shape and actual.dtype == exact.dtype
    for part in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(actual, part), getattr(exact, part), err_msg=part)


def by_places(first, second, alpha, beta):
    """Add by plain loops: every place of A or B has an entry."""
    actual = {}
    for factor, matrix in ((alpha, first), (beta, second)):
        coo = summed(matrix).tocoo()
        for row, column, value in zip(*coo.coords, coo.data, strict=True):
            scaled = matrix.dtype.type(factor) * value
            actual[row, column] = actual[row, column] + scaled if (row, column) in actual else scaled
    at = sorted(actual)
    places = [row for row, _ in at], [column for _, column in at]
    values = np.array([actual[each] for each in at], first.dtype)
    return scipy.sparse.coo_array((values, places), shape=first.shape).tocsr()


@examples(12)
@given(pair=pairs(), factors=st.sampled_from([(1, 1), (0.1, -0.1), (-2, 0)]))
def test_a_sum_has_every_place_of_both(pair, factors):
    check(gpu.add(*pair, *factors).to_scipy(), by_places(*pair, *factors))


@examples(8)
@given(pair=pairs(), transposed=st.sampled_from([(True, False), (False, True), (True, True)]))
def test_transposed_operands(pair, transposed):
    given_ = [each.T if turn else each for each, turn in zip(pair, transposed, strict=True)]
    actual = gpu.add(*given_, 3, -1, transpose_a=transposed[0], transpose_b=transposed[1])
    check(actual.to_scipy(), by_places(*pair, 3, -1))


@examples(4)
@given(pair=pairs())
def test_zeros_are_left_out_where_that_is_asked(pair):
    exact = by_places(*pair, 1, -1)
    exact.eliminate_zeros()
    check(gpu.add(*pair, 1, -1, drop_zeros=True).to_scipy(), exact)


@pytest.mark.parametrize("columns", one_in(4, [STEP // 2, STEP // 2 - 1, STEP, STEP + 1]))
def test_pairs_at_the_end_of_a_share_are_not_parted(columns):
    # Rows that both have in full: a block's share ends before, within or after a pair.
    one = scipy.sparse.csr_array(np.arange(1.0, 3 * columns + 1).reshape(3, columns))
    results = gpu.add(one, one)
    assert results.nnz == one.nnz
    check(results.to_scipy(), one + one)


def test_many_empty_rows_are_shares_too():
    one = scipy.sparse.csr_array(([1.0], ([STEP], [2])), shape=(2 * STEP, 5))
    two = scipy.sparse.csr_array(([2.0, 4.0], ([0, STEP], [1, 2])), shape=(2 * STEP, 5))
    check(gpu.add(one, two).to_scipy(), one + two)


@pytest.mark.parametrize("shape", [(4, 3), (12, 1), (1, 12)])
def test_long_columns_of_scattered_matrices_are_sorted(monkeypatch, shape):
    monkeypatch.setattr(transposition, "LONGEST_COLUMN", 0)
    monkeypatch.setattr(BucketTransposition, "is_possible", lambda matrix: False)
    one = scipy.sparse.csr_array(np.arange(1.0, 13).reshape(shape))
    assert isinstance(transposition.transposition_of(gpu.DeviceCsr.from_scipy(one)), SortedTransposition)
    check(gpu.add(one.T, one, transpose_b=True).to_scipy(), 2 * one.T)


def scattered(rows, columns, entries, seed):
    rng = np.random.default_rng(seed)
    at = rng.integers(0, rows, entries), rng.integers(0, columns, entries)
    return scipy.sparse.csr_array((rng.standard_normal(entries), at), shape=(rows, columns))


@pytest.mark.nightly
@pytest.mark.parametrize("sizes", [(130, 9, 700), (9, 700, 500), (400, 3, 30)])
def test_entries_are_sorted_by_buckets_and_one_by_one(sizes):
    # Buckets of several tiles; more buckets than are sorted at once; empty rows.
    matrix = gpu.DeviceCsr.from_scipy(scattered(*sizes, 1))
    exact = matrix.to_scipy().T.tocsr()
    for kind in (BucketTransposition, ScatteredTransposition, SortedTransposition):
        work = kind(matrix)
        work.launch()
        check(work.result.to_scipy(), exact)


@pytest.mark.ci
def test_where_a_chunk_has_many_buckets_entries_are_placed_one_by_one(monkeypatch):
    matrix = gpu.DeviceCsr.from_scipy(scattered(3, 600, 20, 2))
    assert isinstance(transposition.transposition_of(matrix), BucketTransposition)
    monkeypatch.setattr(bucket_transposition, "MOST_BUCKETS_A_CHUNK", 1)
    assert isinstance(transposition.transposition_of(matrix), ScatteredTransposition)


def on_device(indptr, indices, data, shape):
    arrays = np.array(indptr, np.int32), np.array(indices, np.int32), np.array(data, float)
    placed = [cuda.to_device(each) for each in arrays]
    return SimpleNamespace(indptr=placed[0], indices=placed[1], data=placed[2], shape=shape)


def test_csr_arrays_of_other_libraries():
    one = on_device([0, 1, 3], [1, 0, 2], [1, 2, 3], (2, 3))
    actual = gpu.add(one, gpu.DeviceCsr.from_scipy(scipy.sparse.eye_array(2, 3)), 2, 1)
    assert actual.to_scipy().toarray().tolist() == [[1, 2, 0], [4, 1, 6]]
    assert (actual.nnz, actual.dtype, actual.nbytes) == (5, np.float64, 12 + 20 + 40)
    assert repr(actual) == "<2 x 3 CSR matrix of 5 float64 entries on the device>"


@pytest.mark.parametrize(
    ("indptr", "indices", "message"),
    [
        ([0, 1, 3], [1, 2, 0], "not canonical"),
        ([0, 1, 3], [1, 2, 2], "not canonical"),
        ([0, 1, 3], [1, 0, 3], "not canonical"),
        ([0, 4, 3], [1, 0, 2], "not canonical"),
        ([0, 1, 2], [1, 0, 2], "from 0 to 2: they must go from 0 to 3"),
        ([0, 3], [1, 0, 2], "a matrix of 2 rows needs"),
    ],
)
def test_arrays_that_are_no_canonical_matrix_are_refused(indptr, indices, message):
    wrong = on_device(indptr, indices, [1, 2, 3], (2, 3))
    with pytest.raises(UserError, match=message):
        gpu.add(wrong, wrong)


def test_operands_without_a_sum_are_refused():
    one = scipy.sparse.csr_array(np.ones((2, 3)))
    for other, options, message in (
        (one.T, {}, "A is 2 x 3 and B 3 x 2: a sum needs equal shapes"),
        (one, {"transpose_b": True}, "A is 2 x 3 and B\\^T 3 x 2"),
        (one.astype(np.float32), {}, "A has type float64 and B float32"),
        (np.ones((2, 3)), {}, "B is ndarray: use a SciPy matrix"),
    ):
        with pytest.raises(UserError, match=message):
            gpu.add(one, other, **options)
    for wrong in (lambda: gpu.DeviceCsr.from_scipy(one) @ np.ones(3), lambda: np.ones(2) @ gpu.add(one, one)):
        with pytest.raises(UserError, match="is not multiplied"):
            wrong()
    with pytest.raises(UserError, match="alpha is a NoneType: use a real number"):
        gpu.add(one, one, None)
    arrays = [on_device([0, 1], [0], [1], (1, 1)).__dict__[name] for name in ("indptr", "indices", "data")]
    for shape in ((1,), None, (1, 1.5), (1, -1), (1, 2**31)):
        with pytest.raises(UserError, match=r"shape .* is not possible"):
            gpu.DeviceCsr.from_arrays(*arrays, shape)
    with pytest.raises(UserError, match="values are on the host"):
        gpu.DeviceCsr.from_arrays(*arrays[:2], np.ones(1), (1, 1))
    with pytest.raises(UserError, match="dtype int32 is not possible"):
        gpu.DeviceCsr.from_scipy(one, np.int32)
