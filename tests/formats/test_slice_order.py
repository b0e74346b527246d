import numpy as np
import pytest
import scipy.sparse
from format_cases import assert_same, matrices
from hypothesis import given

from vecsim.formats import GPU_FORMATS, SLICINGS, Sliced, Slicing
from vecsim.formats.slice_order import slices_by_first_row


def matrix_of(lengths):
    rows = np.repeat(np.arange(len(lengths)), lengths)
    columns = np.concatenate([np.arange(length) for length in lengths])
    values = np.arange(1.0, len(rows) + 1)
    return scipy.sparse.coo_array((values, (rows, columns)), shape=(len(lengths), max(lengths))).tocsr()


def test_slices_stand_in_the_order_of_their_first_rows():
    # Sorted: rows 3, 4 | 2, 5 | 0, 1, of lengths 3, 2, 1.
    matrix = matrix_of([1, 1, 2, 3, 3, 2])
    sorted_ = Sliced.from_scipy(
        matrix, slicing=Slicing(slice_height=2, sorting_window=None, row_lengths=True)
    )
    assert sorted_.perm.tolist() == [3, 4, 2, 5, 0, 1]
    made = slices_by_first_row(sorted_)
    made.check()
    assert made.perm.tolist() == [0, 1, 2, 5, 3, 4]
    assert made.lengths.tolist() == [1, 1, 2, 2, 3, 3]
    assert made.slice_ptr.tolist() == [0, 1, 3, 6]
    assert_same(made.to_scipy(), matrix)


def test_long_slices_stay_in_front():
    matrix = matrix_of([1] * 20 + [30, 30] + [1] * 20 + [20, 20])
    slicing = Slicing(slice_height=2, sorting_window=None, row_lengths=True)
    made = slices_by_first_row(Sliced.from_scipy(matrix, slicing=slicing))
    assert made.perm[:6].tolist() == [20, 21, 42, 43, 0, 1]


@given(matrix=matrices())
def test_it_stays_the_same_matrix(matrix):
    made = GPU_FORMATS["pellr-near"](matrix)
    made.check()
    assert_same(made.to_scipy(), matrix)
    sorted_ = Sliced.from_scipy(matrix, slicing="pellr")
    assert made.nbytes == sorted_.nbytes
    np.testing.assert_array_equal(np.sort(np.diff(made.slice_ptr)), np.sort(np.diff(sorted_.slice_ptr)))


def test_rows_in_order_stay_as_they_are():
    whole = Sliced.from_scipy(matrix_of([2, 1]), slicing=SLICINGS["sliced-ell"])
    assert slices_by_first_row(whole) is whole


@pytest.mark.parametrize(
    "slicing", [Slicing(index_bits=16), Slicing(row_cap=1), Slicing(block=2, sorting_window=None)]
)
def test_what_it_does_not_order(slicing):
    with pytest.raises(ValueError, match="32-bit columns, single entries and whole rows"):
        slices_by_first_row(Sliced.from_scipy(matrix_of([3, 1, 2]), slicing=slicing))
