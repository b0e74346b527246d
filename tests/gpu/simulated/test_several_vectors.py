"""Products with several vectors, at once or one after the other."""

import numpy as np
import pytest
import scipy.sparse
from product_cases import THREADS

import gpu
from gpu.formats.sliced.slicing import Slicing
from gpu.kernel_parts.several_vectors import Share, share_for
from gpu.runtime.cuda import cuda
from vecsim.support.errors import UserError

MATRIX = scipy.sparse.csr_array(np.array([[1.0, 0, 2], [0, 0, 0], [0, 3, 0], [4, 5, 6]]))
X = np.array([[1.0, 2], [10, 20], [100, 300]])
Y = np.array([[1.0, 2], [3, 4], [5, 6], [7, 8]])


def prepare(format="crs", matrix=MATRIX, **options):
    return gpu.prepare(matrix, format, threads_per_block=THREADS, **options)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("format", ["sell-near", "crs", "hisparse"])
def test_rows_or_columns_side_by_side_on_the_host_and_the_device(format, order):
    built, x, y = prepare(format), np.asarray(X, order=order), np.asarray(Y, order=order)
    expected = MATRIX @ X
    np.testing.assert_array_equal(built @ x, expected)
    out = y.copy(order="K")
    assert built.matmat(x, out=out, alpha=2, beta=-1) is out
    np.testing.assert_array_equal(out, 2 * expected - Y)
    on_device, result = cuda.to_device(x), built @ cuda.to_device(x)
    assert not isinstance(result, np.ndarray)
    np.testing.assert_array_equal(result.copy_to_host(), expected)
    out = cuda.to_device(y)
    assert built.matmat(on_device, out=out, alpha=2, beta=-1) is out
    np.testing.assert_array_equal(out.copy_to_host(), 2 * expected - Y)


BLOCKS = scipy.sparse.csr_array(np.kron(np.eye(9) + np.eye(9, k=1), np.ones((3, 3)))[:25, :26])
BLOCKS.data = np.arange(1.0, BLOCKS.nnz + 1) % 13
CUT = Slicing(threads_per_row=2, row_cap=3)
AT_ONCE = {
    "sliced-ell-short-wide": (4, 64),
    "sliced-ell-4-threads": (3, 18),
    "sliced-ell-32-threads": (4,),
    "sell-c-sigma-blocks-3": (2, 12),
    "sliced-deltas": (5, 20),
    "sliced-diagonals": (2, 9),
    "sell-near-wide": (1, 8),
    "crs": (2, 7),
    "crs-adaptive": (3, 8),
}


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("format", AT_ONCE)
def test_formats_that_multiply_several_at_once(format, order):
    dtype = np.float32 if format.startswith("sliced") else np.float64
    built = prepare(format, BLOCKS.astype(dtype))
    nbytes = built.nbytes
    for count in AT_ONCE[format]:
        x = np.asarray(np.arange(26 * count).reshape(26, count) % 7, dtype=dtype, order=order)
        y = np.asarray(np.ones((25, count)), dtype=dtype, order=order)
        np.testing.assert_array_equal(built @ x, BLOCKS @ x)
        out = built.matmat(cuda.to_device(x), out=cuda.to_device(y), alpha=2, beta=-1)
        np.testing.assert_array_equal(out.copy_to_host(), 2 * (BLOCKS @ x) - 1)
    if format != "crs-adaptive":
        assert built.nbytes == nbytes


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize(
    "format", [Slicing(threads_per_row=2, row_cap=3), "crs-split", "crs-adaptive"], ids=str
)
def test_rows_in_pieces(format, order):
    dense = np.zeros((7, 1100))
    dense[[1, 4], :] = np.arange(1100) % 5
    dense[range(7), range(7)] = 1
    dense = dense[:, :40] if isinstance(format, Slicing) else dense
    built, before = prepare(format, scipy.sparse.csr_array(dense)), 0
    for count in (5, 40) if format == CUT else (5,):
        x = np.asarray(np.arange(dense.shape[1] * count).reshape(-1, count) % 3, dtype=float, order=order)
        y = np.asarray(np.ones((7, count)), order=order)
        out = built.matmat(cuda.to_device(x), out=cuda.to_device(y), alpha=2, beta=-1)
        np.testing.assert_array_equal(out.copy_to_host(), 2 * (dense @ x) - 1)
        assert built.nbytes > before
        before = built.nbytes


def test_elements_that_the_matrix_has_no_entry_for_are_not_read():
    x = np.ones((26, 4))
    x[25] = np.nan
    expected = BLOCKS @ x
    for format in ("sliced-diagonals", "sliced-deltas", "sell-c-sigma-blocks-3"):
        np.testing.assert_array_equal(prepare(format, BLOCKS) @ x, expected)


def test_shares_of_a_thread():
    def share(count, itemsize, **changes):
        return share_for(
            count, itemsize, **{"by_columns": False, "aligned": True, "most_parts": 32} | changes
        )

    assert share(4, 8) == Share(2, 1, 2)
    assert share(4, 4) == Share(4, 1, 1)
    assert share(64, 8) == Share(2, 4, 8)
    assert share(6, 4) == Share(2, 1, 4)
    assert share(4, 8, aligned=False) == Share(1, 1, 4)
    assert share(16, 8, most_parts=1) == Share(2, 4, 1)
    assert share(20, 8, by_columns=True) == Share(1, 7, 1, by_columns=True)


def test_copies_of_columns_are_allocated_once_and_counted():
    built = prepare("coo")
    nbytes = built.nbytes
    for _ in range(2):
        built.matmat(cuda.to_device(X), out=cuda.to_device(Y))
        assert built.nbytes == nbytes + 8 * (X.size + Y.size)
    by_columns = prepare("coo")
    by_columns.matmat(cuda.to_device(np.asfortranarray(X)), out=cuda.to_device(np.asfortranarray(Y)))
    assert by_columns.nbytes == nbytes


def test_strided_arrays_are_copied_into_room_that_is_kept():
    built, wide = prepare(), np.arange(24.0).reshape(3, 8)
    there = cuda.to_device(wide)
    for part in (np.s_[:, ::2], np.s_[:, 1:3], np.s_[::-1, ::-3], np.s_[:, 2]):
        np.testing.assert_array_equal((built @ there[part]).copy_to_host(), MATRIX @ wide[part])
        nbytes = built.nbytes
        built @ there[part]
        assert built.nbytes == nbytes


def test_one_column_and_lists():
    built = prepare(transpose="crs")
    np.testing.assert_array_equal(built @ X[:, :1], MATRIX @ X[:, :1])
    one = cuda.to_device(X[:, :1].copy())
    np.testing.assert_array_equal((built @ one).copy_to_host(), MATRIX @ X[:, :1])
    np.testing.assert_array_equal(built @ X.tolist(), MATRIX @ X)
    np.testing.assert_array_equal(built.T @ Y, MATRIX.T @ Y)
    assert (built @ np.ones((3, 0))).shape == (4, 0)
    assert (prepare(matrix=scipy.sparse.csr_array((0, 3))) @ np.ones((3, 2))).shape == (0, 2)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: m.matmat(X, beta=1), "needs out"),
        (lambda m: m.matmat(X, out=np.ones((4, 3))), r"out has shape \(4, 3\)"),
        (lambda m: m @ cuda.to_device(X.astype(np.float32)), "x has type float32"),
        (
            lambda m: m.matmat(cuda.to_device(X), out=cuda.to_device(np.ones((4, 4)))[:, ::2]),
            "row by row or column by column",
        ),
        (lambda m: m.matmat(X * 1j), "complex"),
    ],
)
def test_what_is_refused(call, message):
    with pytest.raises(UserError, match=message):
        call(prepare())


def test_memory_that_both_have_is_refused():
    square = prepare(matrix=scipy.sparse.eye_array(3, format="csr"))
    x = cuda.to_device(X)
    with pytest.raises(UserError, match="share memory"):
        square.matmat(x, out=x)
