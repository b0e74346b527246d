from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse

from gpu.formats.coo.container import COO

SMALL = scipy.sparse.csr_array(np.array([[0.0, 5, 0], [0, 0, 0], [7, 0, 9]]))


def test_arrays_of_a_matrix_by_hand():
    coo = COO.from_scipy(SMALL)
    assert coo.rows.tolist() == [0, 2, 2]
    assert coo.columns.tolist() == [1, 0, 2]
    assert coo.values.tolist() == [5, 7, 9]
    assert coo.rows.dtype == coo.columns.dtype == np.int32


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rows": np.array([0, 2], np.int32)}, "equally long"),
        ({"rows": np.array([0, 2, 3], np.int32)}, r"rows must be from 0 to 2"),
        ({"columns": np.array([1, 0, 3], np.int32)}, r"columns must be from 0 to 2"),
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
