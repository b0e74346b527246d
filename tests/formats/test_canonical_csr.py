import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from gpu.format_registry import FORMATS
from gpu.formats.coo.container import COO
from vecsim.formats import CRS
from vecsim.formats.canonical_csr import canonical_csr
from vecsim.support.errors import UserError


def sample(**changes):
    """Return a canonical matrix with some arrays changed."""
    arrays = {"data": [1.0, 2, 3, 4], "indices": [1, 3, 0, 2], "indptr": [0, 2, 2, 4]} | changes
    built = scipy.sparse.csr_array((3, 4))
    for name, values in arrays.items():
        recorded = np.asarray(values)
        setattr(
            built,
            name,
            recorded if name == "data" or recorded.dtype == np.int64 else recorded.astype(np.int32),
        )
    return built


def test_a_canonical_matrix_is_not_copied():
    matrix = scipy.sparse.random_array((40, 50), density=0.2, format="csr", rng=1)
    matrix.sum_duplicates()
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32)
    csr = canonical_csr(matrix)
    for name in ("data", "indices", "indptr"):
        assert np.shares_memory(getattr(csr, name), getattr(matrix, name))


def test_unsorted_entries_and_duplicates_are_put_right_in_a_copy():
    matrix = sample(indices=[3, 1, 2, 2])
    csr = canonical_csr(matrix)
    np.testing.assert_array_equal(csr.toarray(), [[0, 2, 0, 1], [0, 0, 0, 0], [0, 0, 7, 0]])
    assert csr.indices.tolist() == [1, 3, 2]
    assert matrix.indices.tolist() == [3, 1, 2, 2]


def test_a_flag_that_is_wrong_is_not_believed():
    matrix = sample(indices=[3, 1, 2, 2])
    matrix.has_canonical_format = True
    assert canonical_csr(matrix).indices.tolist() == [1, 3, 2]


@pytest.mark.parametrize(
    "changes",
    [
        {"indices": [1, 4, 0, 2]},
        {"indices": [1, -1, 0, 2]},
        {"indptr": [0, 3, 2, 4]},
        {"indptr": [0, 2, 2, 9]},
        {"data": np.ones((4, 1))},
    ],
)
def test_what_is_inconsistent_is_refused(changes):
    matrix = sample(**changes)
    # The same arrays column by column, which SciPy would convert unseen.
    by_columns = scipy.sparse.csc_array(matrix.shape[::-1])
    by_columns.data, by_columns.indices, by_columns.indptr = matrix.data, matrix.indices, matrix.indptr
    for each in (matrix, by_columns):
        with pytest.raises(UserError, match="do not fit together"):
            canonical_csr(each)


@pytest.mark.parametrize(("row", "column"), [(9, 0), (-1, 0), (0, 9), (0, -1)])
def test_entries_outside_of_the_matrix_are_refused(row, column):
    matrix = scipy.sparse.coo_array((3, 4))
    matrix.coords, matrix.data = (np.array([row]), np.array([column])), np.ones(1)
    with pytest.raises(
        UserError, match=f"in {'column' if row == 0 else 'row'} {column + row}, which must be"
    ):
        canonical_csr(matrix)


def test_indices_are_of_32_bits_and_types_as_they_were():
    matrix = sample(indices=np.array([1, 3, 0, 2]), indptr=np.array([0, 2, 2, 4]))
    assert matrix.indices.dtype == np.int64
    csr = canonical_csr(matrix)
    assert csr.indices.dtype == csr.indptr.dtype == np.int32
    assert canonical_csr(matrix.astype(np.float32)).dtype == np.float32
    assert canonical_csr(matrix.astype(np.int8)).dtype == np.float64
    assert np.shares_memory(canonical_csr(matrix).data, matrix.data)


def test_room_after_the_entries_is_left_out():
    csr = canonical_csr(sample(data=[1.0, 2, 3, 4, 5], indices=[1, 3, 0, 2, 9]))
    assert len(csr.data) == len(csr.indices) == 4


@pytest.mark.parametrize("kind", ["csc", "coo", "bsr", "dia", "lil", "dok"])
def test_other_kinds_of_matrices_are_left_as_they_were(kind):
    matrix = scipy.sparse.random_array((12, 12), density=0.3, rng=2).asformat(kind)
    before = matrix.toarray()
    csr = canonical_csr(matrix)
    csr.data[:] = 7
    np.testing.assert_array_equal(matrix.toarray(), before)
    assert (np.diff(csr.indices)[np.diff(np.repeat(np.arange(12), np.diff(csr.indptr))) == 0] > 0).all()


def test_duplicates_of_a_small_type_do_not_overflow():
    matrix = scipy.sparse.coo_array((np.full(3, 100, np.int8), ([0, 0, 0], [1, 1, 1])), shape=(1, 2))
    assert canonical_csr(matrix).data.tolist() == [300.0]


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_does_not_change_with_the_matrix_that_it_was_made_of(name):
    matrix = scipy.sparse.random_array((70, 60), density=0.2, format="csr", rng=3)
    matrix.sum_duplicates()
    built = FORMATS[name].from_scipy(matrix)
    before = built.to_scipy().toarray()
    matrix.data[:] = -1
    matrix.indices[:] = 0
    np.testing.assert_array_equal(built.to_scipy().toarray(), before)


def test_formats_share_arrays_where_they_are_asked_to():
    matrix = scipy.sparse.random_array((70, 60), density=0.2, format="csr", rng=3)
    matrix.sum_duplicates()
    for built in (CRS.from_scipy(matrix, copy=False), COO.from_scipy(matrix, copy=False)):
        assert np.shares_memory(built.values, matrix.data)


@pytest.mark.parametrize("matrix", [np.eye(3), sample().astype(complex)])
def test_what_is_no_real_sparse_matrix_is_refused(matrix):
    with pytest.raises(UserError):
        canonical_csr(matrix)


@given(st.data())
def test_it_is_the_same_matrix_whatever_comes(data):
    rows, columns = data.draw(st.integers(0, 6)), data.draw(st.integers(1, 6))
    count = data.draw(st.integers(0, 20)) if rows else 0
    row = np.array(data.draw(st.lists(st.integers(0, max(0, rows - 1)), min_size=count, max_size=count)), int)
    column = np.array(data.draw(st.lists(st.integers(0, columns - 1), min_size=count, max_size=count)), int)
    order = np.argsort(row, kind="stable")
    indptr = np.concatenate(([0], np.cumsum(np.bincount(row, minlength=rows)[:rows])))
    matrix = scipy.sparse.csr_array((np.arange(1.0, count + 1), column[order], indptr), shape=(rows, columns))
    csr = canonical_csr(matrix)
    np.testing.assert_array_equal(csr.toarray(), matrix.toarray())
    for first, last in zip(csr.indptr[:-1], csr.indptr[1:], strict=True):
        assert (np.diff(csr.indices[first:last]) > 0).all()
