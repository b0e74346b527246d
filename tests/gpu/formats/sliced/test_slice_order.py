import numpy as np
import scipy.sparse
from format_cases import matrices
from hypothesis import given

from gpu.format_registry import FORMATS
from gpu.formats.sliced.container import Sliced
from gpu.formats.sliced.ellpack_r import slices_by_first_row
from gpu.formats.sliced.slicing import Slicing


def matrix_of(lengths):
    rows = np.repeat(np.arange(len(lengths)), lengths)
    columns = np.concatenate([np.arange(length) for length in lengths])
    values = np.arange(1.0, len(rows) + 1)
    return scipy.sparse.coo_array((values, (rows, columns)), shape=(len(lengths), max(lengths))).tocsr()


SORTED = Slicing(slice_height=2, sorting_window=None, row_lengths=True)


def test_slices_are_taken_in_the_order_of_their_first_rows():
    # Sorted: rows 3, 4 | 2, 5 | 0, 1, of lengths 3, 2, 1.
    sorted_ = Sliced.from_scipy(matrix_of([1, 1, 2, 3, 3, 2]), slicing=SORTED)
    assert sorted_.perm.tolist() == [3, 4, 2, 5, 0, 1]
    assert slices_by_first_row(sorted_).tolist() == [2, 1, 0]


def test_long_slices_stay_in_front():
    matrix = matrix_of([1] * 20 + [30, 30] + [1] * 20 + [20, 20])
    sorted_ = Sliced.from_scipy(matrix, slicing=SORTED)
    order = slices_by_first_row(sorted_)
    assert sorted_.perm.reshape(-1, 2)[order][:3].tolist() == [[20, 21], [42, 43], [0, 1]]


@given(matrix=matrices())
def test_each_slice_is_taken_once(matrix):
    for slicing in (SORTED, FORMATS["pellr"].options["slicing"], Slicing()):
        built = Sliced.from_scipy(matrix, slicing=slicing)
        assert sorted(slices_by_first_row(built).tolist()) == list(range(built.slices))


def test_rows_in_order_stay_in_order():
    built = Sliced.from_scipy(matrix_of([2, 1] * 40))
    assert slices_by_first_row(built).tolist() == [0, 1, 2]
