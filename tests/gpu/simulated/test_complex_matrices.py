"""Complex matrices, by the kernels of compound entries."""

import pickle

import numpy as np
import pytest
import scipy.sparse
from product_cases import THREADS

import gpu
from gpu.runtime.cuda import cuda
from vecsim.support.errors import UserError

DENSE = np.array([[1, 0, 2j], [0, 0, 0], [0, 3 - 1j, 0], [4, 5j, 6]])
MATRIX = scipy.sparse.csr_array(DENSE)
LONG = scipy.sparse.csr_array(np.vstack([np.arange(1, 41) * (1 - 2j), np.eye(1, 40), np.zeros((38, 40))]))
X = np.array([1, 10j, 100 - 1j])
Y = DENSE @ X


def prepare(matrix=MATRIX, **options):
    return gpu.prepare(matrix, threads_per_block=THREADS, **options)


def test_products_of_the_host_and_the_device():
    built = prepare()
    assert (built.dtype, built.format, built.nnz) == (np.complex128, "complex", 6)
    np.testing.assert_array_equal(built @ X, Y)
    np.testing.assert_array_equal(built @ X.real, DENSE @ X.real)
    y = built @ cuda.to_device(X)
    np.testing.assert_array_equal(y.copy_to_host(), Y)
    out = built.matvec(cuda.to_device(X), out=cuda.to_device(Y), alpha=2j, beta=1 - 1j)
    np.testing.assert_array_equal(out.copy_to_host(), 2j * Y + (1 - 1j) * Y)


def test_real_matrices_in_a_complex_type_and_single_precision():
    built = prepare(MATRIX.real, dtype=">c8")
    assert built.dtype == np.complex64
    np.testing.assert_array_equal(built @ X, DENSE.real @ X)


def test_rows_of_very_different_length():
    np.testing.assert_array_equal(prepare(LONG) @ np.ones(40), LONG @ np.ones(40))


@pytest.mark.parametrize("order", "CF")
def test_several_and_strided_vectors(order):
    built, x = prepare(), np.asarray(np.outer(X, [1, 2j]), order=order)
    np.testing.assert_array_equal(built @ x, DENSE @ x)
    np.testing.assert_array_equal((built @ cuda.to_device(x)).copy_to_host(), DENSE @ x)
    strided = cuda.to_device(np.repeat(X, 2))[::2]
    np.testing.assert_array_equal((built @ strided).copy_to_host(), Y)


def test_transposes_factors_and_copies(tmp_path):
    built, v = 2j * prepare(), np.arange(4) + 1j
    np.testing.assert_array_equal(built.T @ v, 2j * (DENSE.T @ v))
    operator = built.aslinearoperator()
    np.testing.assert_array_equal(operator.rmatvec(v), np.conj(2j * DENSE.T) @ v)
    np.testing.assert_array_equal(built.rmatvec(v, alpha=1j), np.conj(2j * DENSE.T) @ v * 1j)
    np.testing.assert_array_equal(v @ built, v @ (2j * DENSE))
    with pytest.raises(UserError, match=r"takes no out or stream, and x with conj"):
        built.rmatvec(v, out=X.copy())
    built.save(tmp_path / "M.npz")
    for copied in (gpu.load(tmp_path / "M.npz"), pickle.loads(pickle.dumps(built))):
        np.testing.assert_array_equal(copied @ X, 2j * Y)
    assert (built.to_scipy() != 2j * MATRIX).nnz == 0
    np.testing.assert_array_equal(built.diagonal(), 2j * np.diagonal(DENSE))


@pytest.mark.parametrize("matrix", [MATRIX, LONG.astype(np.complex64)])
def test_new_values(matrix):
    new, x = matrix.copy(), np.arange(matrix.shape[1]) * 1j
    new.data = np.arange(1, matrix.nnz + 1) * (2 - 3j)
    built, v = prepare(matrix, updatable=True), np.arange(matrix.shape[0])
    np.testing.assert_array_equal(built.T @ v, matrix.T @ v)
    for values in (new.data, cuda.to_device(new.data.astype(matrix.dtype))):
        built.update_values(0 * new.data)
        built.update_values(values)
        np.testing.assert_array_equal(built @ x, new @ x)
        np.testing.assert_array_equal(built.T @ v, new.T @ v)
    assert (built.to_scipy() != new).nnz == (built.T.to_scipy() != new.T).nnz == 0
    with pytest.raises(UserError, match="data has shape"):
        built.update_values(new.data[1:])
