"""Matrices of the device and of other libraries, which stand-ins replace here."""

from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse
from product_cases import THREADS

import gpu
from gpu.kernel_registry import kernels_of
from gpu.other_matrices import taken_from
from gpu.runtime.cuda import cuda
from vecsim.formats import CRS
from vecsim.support.errors import UserError

MATRIX = scipy.sparse.csr_array(np.array([[1.0, 0, 2], [0, 0, 0], [0, 3, 0], [4, 5, 6]]))
X, V = np.array([1.0, 10, 100]), np.array([1.0, 2, 3, 4])


class DeviceArray:
    """An array as CuPy has it: with ``astype``."""

    def __init__(self, array):
        self.view = cuda.to_device(array)
        self.__cuda_ndarray__, self.dtype = False, array.dtype

    def astype(self, dtype):
        return cuda.to_device(self.view.copy_to_host().astype(dtype))


class OfCupy:
    """CSR of CuPy, or what its ``tocsr`` makes CSR of."""

    __module__ = "cupyx.scipy.sparse._csr"

    def __init__(self, matrix, canonical=True):
        self.matrix, self.has_canonical_format = matrix, canonical
        self.dtype, self.shape = matrix.dtype, matrix.shape

    def tocsr(self):
        csr = OfCupy(self.matrix.tocsr(), self.has_canonical_format)
        csr.indptr, csr.indices = (DeviceArray(each) for each in (csr.matrix.indptr, csr.matrix.indices))
        csr.data = cuda.to_device(csr.matrix.data)
        return csr

    def copy(self):
        return self

    def sum_duplicates(self):
        self.matrix.sum_duplicates()
        self.__dict__.update(OfCupy(self.matrix).tocsr().__dict__)

    def get(self):
        return self.matrix


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
        self.layout, self.shape, self.is_cuda = f"torch.{layout}", MATRIX.shape, False
        for name, array in parts.items():
            setattr(self, name, lambda array=array: Part(array))

    def coalesce(self):
        return self


class TensorOfTheDevice:
    """A tensor in CSR, with 64-bit columns as torch has them."""

    __module__ = "torch"
    layout, shape, is_cuda, dtype = "torch.sparse_coo", MATRIX.shape, True, "torch.float64"

    def coalesce(self):
        return self

    to_sparse_csr = coalesce

    def crow_indices(self):
        return SimpleNamespace(int=lambda: cuda.to_device(MATRIX.indptr))

    def col_indices(self):
        return SimpleNamespace(int=lambda: cuda.to_device(MATRIX.indices))

    def values(self):
        return SimpleNamespace(detach=lambda: cuda.to_device(MATRIX.data))


TWICE = scipy.sparse.csr_array(
    (np.ones(3), np.array([1, 1, 0], np.int32), np.array([0, 2, 3], np.int32)), shape=(2, 2)
)
CSC, COO = MATRIX.tocsc(), MATRIX.tocoo()
OF_THE_HOST = (
    Tensor("sparse_csr", values=MATRIX.data, col_indices=MATRIX.indices, crow_indices=MATRIX.indptr),
    Tensor("sparse_csc", values=CSC.data, row_indices=CSC.indices, ccol_indices=CSC.indptr),
    Tensor("sparse_coo", values=COO.data, indices=np.array([COO.row, COO.col])),
    OfCupy(MATRIX.astype(np.int64)),
)
OF_THE_DEVICE = (OfCupy(MATRIX), OfCupy(COO), OfCupy(CSC), TensorOfTheDevice())


@pytest.mark.parametrize("matrix", OF_THE_HOST, ids=lambda each: getattr(each, "layout", "cupy"))
def test_other_libraries(matrix):
    assert (taken_from(matrix) != MATRIX).nnz == 0


@pytest.mark.parametrize("matrix", OF_THE_DEVICE, ids=["csr", "coo", "csc", "torch"])
def test_what_is_on_the_device_stays_there(matrix):
    taken = taken_from(matrix)
    assert isinstance(taken, gpu.DeviceCsr)
    assert (taken.to_scipy() != MATRIX).nnz == 0


def test_duplicates_are_summed_in_a_copy():
    assert taken_from(OfCupy(TWICE.copy(), canonical=False)).to_scipy().toarray().tolist() == [[0, 2], [1, 0]]
    parts = SimpleNamespace(format="csr", shape=(2, 2), **{
        name: cuda.to_device(getattr(TWICE, name)) for name in ("indptr", "indices", "data")
    })  # fmt: skip
    with pytest.raises(UserError, match="not canonical"):
        taken_from(parts)


@pytest.mark.parametrize("format", kernels_of(CRS))
def test_a_sum_on_the_device_is_multiplied_without_the_host(format, monkeypatch):
    total = gpu.add(MATRIX, MATRIX, 2, -0.5)
    with monkeypatch.context() as patched:
        patched.setattr(gpu.DeviceCsr, "to_scipy", lambda each: pytest.fail("copied to the host"))
        built = gpu.prepare(total, format, threads_per_block=THREADS, transpose=format)
    np.testing.assert_array_equal(built @ X, 1.5 * (MATRIX @ X))
    np.testing.assert_array_equal(built.T @ V, 1.5 * (MATRIX.T @ V))
    built.update_values(MATRIX.data)
    np.testing.assert_array_equal(built @ X, MATRIX @ X)
    np.testing.assert_array_equal(built.T @ V, MATRIX.T @ V)
    # The sum keeps its values.
    assert (total.to_scipy() != 1.5 * MATRIX).nnz == 0
    assert (built.to_scipy() != MATRIX).nnz == 0


def test_other_formats_and_types_go_by_the_host():
    total = gpu.DeviceCsr.from_scipy(MATRIX)
    for options in ({}, {"format": "sliced-ell"}, {"format": "crs", "dtype": np.float32}):
        built = gpu.prepare(total, threads_per_block=THREADS, **options)
        np.testing.assert_array_equal(built @ X, MATRIX @ X)
    empty = gpu.DeviceCsr.from_scipy(scipy.sparse.csr_array((4, 3)))
    assert not (gpu.prepare(empty, "crs", threads_per_block=THREADS) @ X).any()


def test_a_dense_tensor_is_refused():
    with pytest.raises(UserError, match=r"layout strided cannot be prepared: use tensor\.to_sparse_csr"):
        taken_from(Tensor("strided"))
