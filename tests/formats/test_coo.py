from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse
from format_cases import assert_same, canonical, matrices
from hypothesis import given

from vecsim.errors import UserError
from vecsim.formats import COO, GPU_FORMATS

SMALL = scipy.sparse.csr_array(np.array([[0.0, 5, 0], [0, 0, 0], [7, 0, 9]]))


def test_arrays_of_a_matrix_by_hand():
    coo = COO.from_scipy(SMALL)
    assert coo.rows.tolist() == [0, 2, 2]
    assert coo.columns.tolist() == [1, 0, 2]
    assert coo.values.tolist() == [5, 7, 9]
    assert coo.rows.dtype == coo.columns.dtype == np.int32


@given(matrix=matrices())
def test_round_trip_and_product(matrix):
    coo = COO.from_scipy(matrix)
    coo.check()
    assert_same(coo.to_scipy(), matrix)
    x = np.arange(matrix.shape[1]) % 7 - 3
    np.testing.assert_array_equal(coo.matvec(x), canonical(matrix) @ x.astype(matrix.dtype))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rows": np.array([0, 2], np.int32)}, "equally long"),
        ({"rows": np.array([0, 2, 3], np.int32)}, r"rows must lie in 0 \.\. 2"),
        ({"columns": np.array([1, 0, 3], np.int32)}, r"columns must lie in 0 \.\. 2"),
        ({"rows": np.array([2, 0, 2], np.int32)}, "never fall"),
        ({"columns": np.array([1, 2, 2], np.int32)}, "rise within a row"),
    ],
)
def test_check_names_what_is_broken(change, message):
    with pytest.raises(ValueError, match=message):
        replace(COO.from_scipy(SMALL), **change).check()


def test_storage():
    coo = COO.from_scipy(SMALL)
    assert coo.storage("image") == coo.nbytes == 3 * 16
    with pytest.raises(UserError, match="use image"):
        coo.storage("paper")


@pytest.mark.parametrize("name", GPU_FORMATS)
def test_formats_for_gpus_by_name(name):
    made = GPU_FORMATS[name](SMALL)
    made.check()
    assert_same(made.to_scipy(), SMALL)
