import numpy as np
import pytest
import scipy.sparse
from product_cases import THREADS

import gpu
from gpu.choice import estimates
from gpu.cuda import cuda
from isa.errors import UserError
from vecsim.formats import COO, CRS, Sliced

MATRIX = scipy.sparse.csr_array(np.array([[1.0, 0, 2], [0, 0, 0], [0, 3, 0], [4, 5, 6]]))
X = np.array([1.0, 10, 100])
Y = np.array([201.0, 0, 30, 654])


def prepare(matrix=MATRIX, *arguments, **options):
    return gpu.prepare(matrix, *arguments, threads_per_block=THREADS, **options)


def test_what_it_says_of_itself():
    made = prepare(MATRIX, "crs")
    assert (made.shape, made.dtype, made.format, made.nnz) == ((4, 3), np.float64, "crs", 6)
    # Values, columns, row pointers; the five arrays of cut rows are one placeholder element each.
    assert made.nbytes == 6 * 8 + 6 * 4 + 5 * 4 + (4 + 3 * 4 + 8)
    assert repr(made) == "<4 x 3 matrix of 6 float64 entries as crs on the device>"


def test_vectors_of_the_host():
    made = prepare()
    np.testing.assert_array_equal(made @ X, Y)
    np.testing.assert_array_equal(made @ [1, 10, 100], Y)
    out = np.ones(4)
    assert made.matvec(X, out=out, alpha=2, beta=-1) is out
    np.testing.assert_array_equal(out, 2 * Y - 1)


def test_vectors_of_the_device_stay_there():
    made = prepare()
    y = made @ cuda.to_device(X)
    assert not isinstance(y, np.ndarray)
    np.testing.assert_array_equal(y.copy_to_host(), Y)
    out = cuda.to_device(np.full(4, np.nan))
    assert made.matvec(cuda.to_device(X), out=out) is out
    np.testing.assert_array_equal(out.copy_to_host(), Y)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_dtype(dtype):
    made = prepare(MATRIX, dtype=dtype)
    assert made.dtype == dtype
    assert (made @ X.astype(np.float32)).dtype == dtype


def test_host_formats_are_taken_as_they_are():
    for host in (CRS.from_scipy(MATRIX), COO.from_scipy(MATRIX), Sliced.from_scipy(MATRIX, slicing="pellr")):
        made = prepare(host)
        assert made.format == type(host).__name__.lower()
        np.testing.assert_array_equal(made @ X, Y)


def test_linear_operator():
    operator = prepare().aslinearoperator()
    np.testing.assert_array_equal(operator @ X, Y)
    np.testing.assert_array_equal(operator @ X[:, None], Y[:, None])


def test_csr_is_crs():
    assert prepare(MATRIX, "csr").format == "crs"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: m @ np.ones(4), r"x has shape \(4,\), a 4 x 3 matrix needs \(3,\)"),
        (lambda m: m @ np.ones((3, 1)), r"needs \(3,\)"),
        (lambda m: m @ (X * 1j), "complex128"),
        (lambda m: m.matvec(X, beta=1), "needs out"),
        (lambda m: m.matvec(X, out=np.ones(3)), r"out has shape \(3,\)"),
        (lambda m: m.matvec(X, out=np.ones(4, dtype=np.float32)), "out has type float32, the matrix float64"),
        (lambda m: m.matvec(X, out=cuda.to_device(Y)), "same place"),
        (lambda m: m.matvec(cuda.to_device(X), out=np.ones(4)), "same place"),
        (lambda m: m @ cuda.to_device(X.astype(np.float32)), "x has type float32"),
        (lambda m: m @ cuda.to_device(np.ones(2)), r"x has shape \(2,\)"),
    ],
)
def test_wrong_vectors_are_refused(call, message):
    with pytest.raises(UserError, match=message):
        call(prepare())


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((np.eye(3),), {}, "SciPy sparse matrix"),
        ((MATRIX * 1j,), {}, "complex"),
        ((MATRIX, "hyb"), {}, "unknown format 'hyb': use auto or one of crs, "),
        ((MATRIX,), {"dtype": np.float16}, "float32 or float64"),
        ((MATRIX,), {"threads_per_block": 48}, "multiple of 32"),
        ((scipy.sparse.coo_array((2**31, 1)), "coo"), {}, "32 bits"),
    ],
)
def test_wrong_matrices_are_refused(arguments, options, message):
    with pytest.raises(UserError, match=message):
        gpu.prepare(*arguments, **options)


def test_auto_by_the_shape_of_the_rows():
    def best(lengths, value_bytes=8, spread=10**6):
        seconds = estimates(np.asarray(lengths), value_bytes, spread)
        return min(seconds, key=seconds.get)

    # Equal rows: nothing to pad; near columns: short indices.
    assert best(np.full(10**5, 7)) == "sliced-ell"
    assert best(np.full(10**5, 8)) == "sliced-ell-wide"
    assert best(np.full(10**5, 8), spread=60000) == "sliced-ell-short-wide"
    # Long and short rows in turn: sorting saves the padding.
    assert best(np.tile([2, 40], 10**5)) == "sell-c-sigma"
    # One row that one thread would take 30 ms for.
    assert best(np.append(np.full(10**5, 4), 300_000)) == "crs-split"


def test_auto_gives_a_format_that_can_hold_the_matrix():
    rng = np.random.default_rng(5)
    rows = np.concatenate([rng.integers(0, 5000, 8000), np.arange(0, 5000, 40).repeat(500)])
    matrix = scipy.sparse.coo_array(
        (np.ones(len(rows)), (rows, rng.integers(0, 10**6, len(rows)))), shape=(5000, 10**6)
    )
    assert gpu.prepare(matrix).nnz == matrix.tocsr().nnz
