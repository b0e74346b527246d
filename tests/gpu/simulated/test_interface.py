import sys

import numpy as np
import pytest
import scipy.sparse
from product_cases import THREADS

import gpu
from gpu.format_registry import FORMATS
from gpu.formats.coo.container import COO
from gpu.formats.sliced.container import Sliced
from gpu.formats.sliced.slicing import Slicing
from gpu.runtime import vectors
from gpu.runtime.cuda import cuda
from vecsim.formats import CRS
from vecsim.support.errors import MatrixWarning, UserError

MATRIX = scipy.sparse.csr_array(np.array([[1.0, 0, 2], [0, 0, 0], [0, 3, 0], [4, 5, 6]]))
X = np.array([1.0, 10, 100])
Y = np.array([201.0, 0, 30, 654])


def prepare(matrix=MATRIX, *arguments, **options):
    return gpu.prepare(matrix, *arguments, threads_per_block=THREADS, **options)


def test_what_it_says_of_itself():
    built = prepare(MATRIX, "crs")
    assert (built.shape, built.dtype, built.format, built.nnz) == ((4, 3), np.float64, "crs", 6)
    # Values, columns, row pointers; the five arrays of cut rows are one placeholder element each.
    assert built.nbytes == 6 * 8 + 6 * 4 + 5 * 4 + (4 + 3 * 4 + 8)
    assert repr(built) == "<4 x 3 matrix of 6 float64 entries as crs on the device>"


def test_vectors_of_the_host():
    built = prepare()
    np.testing.assert_array_equal(built @ X, Y)
    np.testing.assert_array_equal(built @ [1, 10, 100], Y)
    out = np.ones(4)
    assert built.matvec(X, out=out, alpha=2, beta=-1) is out
    np.testing.assert_array_equal(out, 2 * Y - 1)


def test_vectors_of_the_device_stay_there():
    built = prepare()
    y = built @ cuda.to_device(X)
    assert not isinstance(y, np.ndarray)
    np.testing.assert_array_equal(y.copy_to_host(), Y)
    out = cuda.to_device(np.full(4, np.nan))
    assert built.matvec(cuda.to_device(X), out=out) is out
    np.testing.assert_array_equal(out.copy_to_host(), Y)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_dtype(dtype):
    built = prepare(MATRIX, dtype=dtype)
    assert built.dtype == dtype
    assert (built @ X.astype(np.float32)).dtype == dtype


def test_host_formats_are_taken_as_they_are():
    for host, name in (
        (CRS.from_scipy(MATRIX), "crs"),
        (COO.from_scipy(MATRIX), "coo"),
        (FORMATS["pellr"].from_scipy(MATRIX), "pellr"),
        (Sliced.from_scipy(MATRIX, slicing=Slicing(row_cap=2)), "sliced"),
    ):
        built = prepare(host)
        assert built.format == name
        np.testing.assert_array_equal(built @ X, Y)


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
        (lambda m: m @ np.ones((4, 2)), r"needs \(3, k\)"),
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
        ((MATRIX * 1j, "crs"), {}, "format 'crs' has no complex values: leave out format"),
        ((MATRIX * 1j,), {"dtype": np.float32}, "use complex64 or complex128"),
        ((MATRIX, "dok"), {}, "unknown format 'dok'; use one of auto, crs, "),
        ((MATRIX,), {"dtype": np.float16}, "float32 or float64"),
        ((MATRIX,), {"dtype": "real"}, "dtype 'real' is not possible"),
        ((MATRIX,), {"threads_per_block": 48}, "multiple of 32"),
        ((MATRIX,), {"threads_per_block": "64"}, "multiple of 32"),
        ((MATRIX, None), {}, "use the names of formats"),
        ((MATRIX,), {"transpose": 3}, "use the names of formats"),
        ((scipy.sparse.coo_array((2**31, 1), dtype=complex),), {}, "32 bits"),
        ((scipy.sparse.coo_array((2**31, 1)), "coo"), {}, "32 bits"),
    ],
)
def test_wrong_matrices_are_refused(arguments, options, message):
    with pytest.raises(UserError, match=message):
        gpu.prepare(*arguments, **options)


def test_values_that_are_lost_are_refused_or_reported():
    large = scipy.sparse.csr_array(np.array([[0, 2**53 + 1], [1, 0]]))
    with pytest.warns(
        MatrixWarning, match=f"the first {2**53 + 1} in row 1, column 2: 64 bits hold all up to 2"
    ):
        prepare(large, "crs")
    with pytest.raises(UserError, match=r"the value 1e\+300 in row 1, column 1 is too large for 32 bits"):
        prepare(scipy.sparse.csr_array([[1e300]]), "crs", dtype=np.float32)
    narrow = prepare(MATRIX, "crs", dtype=np.float32)
    with pytest.raises(UserError, match=r"the value 1e\+300 at element 1 of x is too large for 32 bits"):
        narrow @ np.array([1, 1e300, 1])
    with pytest.raises(UserError, match="x has values of type complex128"):
        prepare(MATRIX, "hisparse").matmat(np.ones((3, 2)) * 1j)


def test_a_number_times_a_matrix():
    built = prepare(MATRIX, "crs", transpose=True)
    for scaled, factor in ((2 * built, 2), (built * -0.5, -0.5), (-built, -1), (3 * (2 * built), 6)):
        np.testing.assert_array_equal(scaled @ X, factor * Y)
        np.testing.assert_array_equal(scaled.T @ np.ones(4), factor * (MATRIX.T @ np.ones(4)))
        np.testing.assert_array_equal(scaled.T.T @ X, factor * Y)
        np.testing.assert_array_equal(scaled @ X[:, None], factor * Y[:, None])
        out = np.ones(4)
        scaled.matvec(X, out=out, alpha=2, beta=-1)
        np.testing.assert_array_equal(out, 2 * factor * Y - 1)
    with pytest.raises(TypeError):
        built * "two"
    with pytest.raises(TypeError):
        built * 1j


def test_a_product_is_on_the_stream_that_x_names(monkeypatch):
    monkeypatch.setattr(vectors, "_external", "stream {}".format)
    built, streams = prepare(MATRIX, "crs"), []
    launch = built._product.launch
    monkeypatch.setattr(
        built._product, "launch", lambda *given: (streams.append(given[-1]), launch(*given[:-1], 0))
    )

    class Named:
        def __init__(self, stream):
            self.array, self.stream = cuda.to_device(X), stream

        @property
        def __cuda_array_interface__(self):
            described = dict(self.array._ary.__array_interface__)
            return described | ({} if self.stream is None else {"stream": self.stream})

    for named in (None, 1, 7):
        built.matvec(Named(named), out=cuda.to_device(Y))
    built.matvec(Named(7), out=cuda.to_device(Y), stream=9)
    assert streams == [0, 0, "stream 7", "stream 9"]


def test_linear_operators_of_other_libraries(monkeypatch):
    with pytest.raises(UserError, match="use 'scipy' or 'cupy'"):
        prepare().aslinearoperator("jax")
    monkeypatch.setitem(sys.modules, "cupyx", None)
    with pytest.raises(UserError, match="CuPy is not installed"):
        prepare().aslinearoperator("cupy")
