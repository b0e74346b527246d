"""Matrices of the device and of other libraries, which stand-ins replace here."""

import numpy as np
import pytest
import scipy.sparse
from product_cases import THREADS

import gpu
from gpu.other_matrices import as_scipy
from vecsim.support.errors import UserError

MATRIX = scipy.sparse.csr_array(np.array([[1.0, 0, 2], [0, 0, 0], [0, 3, 0], [4, 5, 6]]))
X = np.array([1.0, 10, 100])


class OfCupy:
    __module__ = "cupyx.scipy.sparse._csr"

    def get(self):
        return MATRIX


class Part:
    """What a tensor's methods return."""

    def __init__(self, array):
        self.array = array

    def detach(self):
        return self

    cpu = detach

    def numpy(self):
        return self.array


class Tensor:
    __module__ = "torch"

    def __init__(self, layout, **parts):
        self.layout, self.shape = f"torch.{layout}", MATRIX.shape
        for name, array in parts.items():
            setattr(self, name, lambda array=array: Part(array))

    def coalesce(self):
        return self


CSC, COO = MATRIX.tocsc(), MATRIX.tocoo()
TENSORS = (
    Tensor("sparse_csr", values=MATRIX.data, col_indices=MATRIX.indices, crow_indices=MATRIX.indptr),
    Tensor("sparse_csc", values=CSC.data, row_indices=CSC.indices, ccol_indices=CSC.indptr),
    Tensor("sparse_coo", values=COO.data, indices=np.array([COO.row, COO.col])),
)


@pytest.mark.parametrize("matrix", [OfCupy(), *TENSORS], ids=lambda each: getattr(each, "layout", "cupy"))
def test_other_libraries(matrix):
    assert (as_scipy(matrix) != MATRIX).nnz == 0


def test_a_sum_on_the_device_is_multiplied():
    total = gpu.add(MATRIX, MATRIX, 2, -0.5)
    built = gpu.prepare(total, "crs", threads_per_block=THREADS)
    np.testing.assert_array_equal(built @ X, 1.5 * (MATRIX @ X))


def test_a_dense_tensor_is_refused():
    with pytest.raises(UserError, match=r"layout strided cannot be prepared: use tensor\.to_sparse_csr"):
        as_scipy(Tensor("strided"))
