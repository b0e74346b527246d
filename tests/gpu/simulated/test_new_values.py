"""New values of the same pattern, for every format that `auto` may take."""

import numpy as np
import pytest
import scipy.sparse
from product_cases import THREADS

import gpu
from gpu.formats.sliced.slicing import Slicing
from gpu.kernel_registry import KERNELS
from gpu.runtime.cuda import cuda
from vecsim.formats import CRS
from vecsim.support.errors import UserError

OF_AUTO = [name for name, kernel in KERNELS.items() if kernel.work is not None]


def matrix_of(dtype, seed=1):
    """Return blocks near the diagonal, so that every format can hold them, and a long row."""
    rng = np.random.default_rng(seed)
    dense = np.kron(np.eye(12) + np.eye(12, k=1), np.ones((3, 3)))[:34, :35]
    dense[5, ::3] = 1
    matrix = scipy.sparse.csr_array(dense)
    matrix.data = rng.uniform(1, 2, matrix.nnz)
    return matrix.astype(dtype)


def prepare(matrix, format="auto", **options):
    return gpu.prepare(matrix, format, threads_per_block=THREADS, **options)


@pytest.mark.parametrize("dtype", [np.float32, pytest.param(np.float64, marks=pytest.mark.ci)])
@pytest.mark.parametrize("name", OF_AUTO)
def test_every_format_of_auto_stores_what_a_conversion_would(name, dtype):
    old, new = matrix_of(dtype), matrix_of(dtype, seed=2)
    built, expected = prepare(old, name, updatable=True), prepare(new, name)
    built.update_values(cuda.to_device(new.data))
    np.testing.assert_array_equal(built.stored_values.copy_to_host(), expected.stored_values.copy_to_host())


@pytest.mark.parametrize("name", ["crs-adaptive", "sell-near", "sliced-deltas"])
def test_products_have_the_new_values(name):
    old, new = matrix_of(np.float64), matrix_of(np.float64, seed=2)
    built, x = prepare(old, name, updatable=True), np.arange(1.0, 36.0)
    first = built @ x
    built.update_values(new.data)
    np.testing.assert_allclose(built @ x, new @ x)
    built.update_values(old.data)
    np.testing.assert_array_equal(built @ x, first)


def test_the_order_is_that_of_sorted_csr_and_the_transposed_copy_follows():
    new = matrix_of(np.float64, seed=3)
    shuffled = new.tocoo()
    order = np.random.default_rng(4).permutation(new.nnz)
    given = scipy.sparse.coo_array(
        (np.ones(new.nnz), (shuffled.row[order], shuffled.col[order])), shape=new.shape
    )
    for transpose in (False, True, "crs", "coo", "sliced-ell"):
        built = prepare(given, "crs", transpose=transpose, updatable=transpose == "coo")
        np.testing.assert_allclose(built.T @ np.arange(34.0), given.T @ np.arange(34.0))
        built.update_values(new.data)
        np.testing.assert_allclose(built @ np.arange(35.0), new @ np.arange(35.0))
        np.testing.assert_allclose(built.T @ np.arange(34.0), new.T @ np.arange(34.0))
        built.T.update_values(2 * new.data)
        np.testing.assert_allclose(built @ np.arange(35.0), 2 * (new @ np.arange(35.0)))


def test_formats_in_the_order_of_csr_need_no_option_and_few_bytes():
    matrix = matrix_of(np.float64)
    built = prepare(matrix, "crs")
    built.update_values(list(range(matrix.nnz)))
    np.testing.assert_array_equal(built.stored_values.copy_to_host(), np.arange(matrix.nnz))
    assert built.nbytes == prepare(matrix, "crs", updatable=True).nbytes
    alone, updatable = (prepare(matrix, "sliced-ell", updatable=each) for each in (False, True))
    assert updatable.nbytes == alone.nbytes + 4 * len(alone.stored_values) + 4
    alone.update_values(matrix.data)
    assert updatable.nbytes == alone.nbytes


def test_a_transpose_that_is_made_later_has_the_new_values():
    old, new = matrix_of(np.float64), matrix_of(np.float64, seed=5)
    built = 2 * prepare(old, "sliced-ell")
    nbytes = built.nbytes
    built.update_values(new.data)
    np.testing.assert_allclose(built.rmatvec(np.ones(34)), 2 * (new.T @ np.ones(34)))
    assert built.nbytes > nbytes
    built.T.update_values(old.data)
    np.testing.assert_allclose(built.T @ np.ones(34), 2 * (old.T @ np.ones(34)))
    np.testing.assert_allclose(built.T.T @ np.ones(35), 2 * (old @ np.ones(35)))


def test_the_pattern_is_that_of_the_moment_of_preparing():
    matrix = matrix_of(np.float64)
    built, expected = prepare(matrix, "sliced-ell"), matrix.copy()
    matrix.data[::2] = 0
    matrix.eliminate_zeros()
    assert (built.to_scipy() != expected).nnz == 0


@pytest.mark.parametrize(
    "name", ["crs", "coo", "sell-c-sigma-blocks-3", "sliced-diagonals", "hyb", "hisparse"]
)
def test_the_way_back_to_scipy(name):
    matrix = matrix_of(np.float32)
    built = prepare(matrix, name)
    for actual, exact in ((built, matrix), (2 * built, 2 * matrix), (built.T, matrix.T)):
        back = actual.to_scipy()
        assert back.dtype == np.float32 and back.has_canonical_format
        assert (back != exact).nnz == 0 and back.nnz == matrix.nnz
    for factor in (1, -3):
        np.testing.assert_array_equal((factor * built).diagonal(), factor * matrix.diagonal())
    np.testing.assert_array_equal(built.T.diagonal(), matrix.diagonal())
    if name not in ("hyb", "hisparse"):
        built.update_values(matrix.data[::-1])
        np.testing.assert_array_equal(built.to_scipy().data, matrix.data[::-1])
        np.testing.assert_array_equal(built.diagonal(), built.to_scipy().diagonal())


def test_empty_matrices_and_arrangements():
    prepare(scipy.sparse.csr_array((3, 4)), "sliced-ell", updatable=True).update_values([])
    matrix = matrix_of(np.float64)
    built = prepare(matrix, Slicing(slice_height=8, threads_per_row=2, row_cap=5), updatable=True)
    built.update_values(3 * matrix.data)
    np.testing.assert_allclose(built @ np.ones(35), 3 * (matrix @ np.ones(35)))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda m: prepare(m, "hyb").update_values(m.data),
            "in hyb cannot be replaced: prepare a SciPy matrix",
        ),
        (lambda m: prepare(CRS.from_scipy(m)).update_values(m.data), "in crs cannot be replaced"),
        (lambda m: prepare(m, "crs").update_values(m.data[1:]), "data has shape"),
        (lambda m: prepare(m, "crs").update_values(m.data * 1j), "data"),
        (lambda m: prepare(m, "crs").update_values(cuda.to_device(m.data.astype("f4"))), "has type float32"),
        (lambda m: prepare(m, "hisparse", updatable=True), "format hisparse cannot be updatable"),
        (lambda m: prepare(CRS.from_scipy(m), updatable=True), "needs a SciPy matrix"),
    ],
)
def test_what_is_refused(call, message):
    with pytest.raises(UserError, match=message):
        call(matrix_of(np.float64))
