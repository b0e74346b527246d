import ctypes
import gc
import sys
import weakref
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse
from product_cases import THREADS

import gpu
from gpu.runtime import vectors
from gpu.runtime.cuda import cuda
from gpu.runtime.vectors import CUDA
from vecsim.support.errors import UserError

MATRIX = scipy.sparse.csr_array(np.array([[1.0, 0, 2], [0, 0, 0], [0, 3, 0], [4, 5, 6]]))
X = np.array([1.0, 10, 100])
Y = np.array([201.0, 0, 30, 654])


@pytest.fixture(scope="module")
def prepared():
    return gpu.prepare(MATRIX, threads_per_block=THREADS)


class ByDLPack:
    """An array that offers itself by DLPack alone, as if it were on a device; the capsule is NumPy's."""

    def __init__(self, array, device=(CUDA, 0), **options):
        self.array, self.device, self.options, self.streams = array, device, options, []

    def __dlpack__(self, *, stream=None):
        self.streams.append(stream)
        return self.array.__dlpack__(**self.options)

    def __dlpack_device__(self):
        return self.device


class ByInterface:
    """An array that offers itself by ``__cuda_array_interface__`` alone."""

    def __init__(self, array, **changes):
        self.__cuda_array_interface__ = array.__array_interface__ | {"version": 3} | changes


def on_device(array):
    return cuda.to_device(array)


@pytest.mark.parametrize("kind", [ByDLPack, ByInterface, on_device])
def test_any_kind_of_vector_is_taken_without_a_copy(prepared, kind):
    out = np.full(4, np.nan)
    given = kind(out)
    assert prepared.matvec(kind(X), out=given) is given
    written = given.copy_to_host() if kind is on_device else out
    np.testing.assert_array_equal(written, Y)


@pytest.mark.parametrize("kind", [ByDLPack, ByInterface, on_device])
def test_without_out_the_result_lies_on_the_device(prepared, kind):
    y = prepared @ kind(X)
    assert not isinstance(y, np.ndarray)
    np.testing.assert_array_equal(y.copy_to_host(), Y)


@pytest.mark.parametrize("kind", [ByDLPack, ByInterface])
@pytest.mark.parametrize("format", ["crs", "coo", "sliced-ell-wide", "sliced-diagonals"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_vectors_may_begin_at_any_element(kind, format, dtype):
    matrix = scipy.sparse.csr_array(np.eye(37, k=1, dtype=dtype) + 2 * np.eye(37, dtype=dtype))
    prepared = gpu.prepare(matrix, format, threads_per_block=THREADS)
    for offset in (1, 3):
        x = np.arange(40, dtype=dtype)[offset : offset + 37]
        out = np.full(41, -1, dtype=dtype)
        prepared.matvec(kind(x), out=kind(out[offset : offset + 37]))
        np.testing.assert_array_equal(out[offset : offset + 37], matrix @ x)
        assert (out[:offset] == -1).all()
        assert (out[offset + 37 :] == -1).all()


@pytest.mark.parametrize("kind", [np.array, list, ByDLPack, ByInterface, on_device])
def test_rows_times_a_matrix(prepared, kind):
    for rows in (np.array([1.0, 2, 3, 4]), np.array([[1.0, 2, 3, 4], [0, 5, 0, 6]])):
        y = kind(rows) @ prepared
        y = y if isinstance(y, np.ndarray) else y.copy_to_host()
        np.testing.assert_array_equal(y, rows @ MATRIX)


def test_dlpack_gets_the_stream_of_the_product(prepared):
    x, out = ByDLPack(X), ByDLPack(np.zeros(4))
    prepared.matvec(x, out=out)
    # The protocol's name of the default stream.
    assert (x.streams, out.streams) == ([1], [1])


def test_a_versioned_capsule(prepared):
    np.testing.assert_array_equal((prepared @ ByDLPack(X, max_version=(1, 0))).copy_to_host(), Y)


def test_a_borrowed_tensor_is_given_back(prepared):
    x = X.copy()
    gone = weakref.ref(x)
    given = ByDLPack(x)
    prepared @ given
    del x, given
    gc.collect()
    assert gone() is None


def test_unknown_elements_by_dlpack_are_refused(prepared, monkeypatch):
    x = ByDLPack(X)
    capsule = X.__dlpack__()
    address = ctypes.pythonapi.PyCapsule_GetPointer
    address.restype, address.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    # The kind of the elements stands after data, device and number of dimensions: 4 is bfloat16.
    ctypes.c_uint8.from_address(address(capsule, b"dltensor") + 20).value = 4
    monkeypatch.setattr(x, "array", SimpleNamespace(__dlpack__=lambda: capsule))
    with pytest.raises(UserError, match="code 4, 64 bits"):
        prepared @ x


def test_vectors_of_the_host_by_dlpack_are_of_the_host(prepared):
    class Pinned(ByDLPack):
        def __array__(self, dtype=None, copy=None):
            return self.array

    y = prepared @ Pinned(X, device=(3, 0))
    assert isinstance(y, np.ndarray)
    np.testing.assert_array_equal(y, Y)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: m @ ByDLPack(X, device=(CUDA, 1)), "x is on GPU 1, the matrix on GPU 0"),
        (lambda m: m @ ByDLPack(X, device=(10, 0)), "DLPack type 10"),
        (lambda m: m.matvec(ByDLPack(X), out=ByDLPack(Y, device=(CUDA, 2))), "out is on GPU 2"),
        (
            lambda m: m.matvec(ByDLPack(X), out=ByDLPack(np.ones(8)[::2])),
            "out on the device must be contiguous",
        ),
        (lambda m: m @ ByDLPack(np.ones(3, dtype=np.float32)), "x has type float32"),
        (lambda m: m @ ByDLPack(np.ones(3, dtype=np.int64)), "x has type int64"),
        (lambda m: m @ ByDLPack(np.ones((2, 1))), r"x has shape \(2, 1\), .* needs \(3, k\)"),
        (lambda m: ByInterface(np.ones((3, 4, 1))) @ m, r"x @ M with a 4 x 3 .* needs \(4,\) or \(k, 4\)"),
        (lambda m: [1.0] * 3 @ m, r"x has shape \(3,\), x @ M"),
        (lambda m: m @ MATRIX.T, "x is a sparse matrix"),
        (lambda m: MATRIX.T @ m, "no array: use M.to_scipy"),
        (lambda m: m @ m, "no array: use M.to_scipy"),
        (lambda m: m @ np.ma.masked_greater(X, 10), "x has masked elements"),
        (lambda m: m @ ByInterface(X, mask=ByInterface(X)), "masked"),
        (lambda m: m.matvec(ByInterface(X), out=ByInterface(Y, data=(Y.ctypes.data, True))), "read-only"),
        (
            lambda m: m @ ByInterface(X, data=(X.ctypes.data + 4, False)),
            "use one aligned to its 8-byte elements",
        ),
        (lambda m: m.matvec(X, out=[0.0] * 4), "out must be an array that can be written, not list"),
        (lambda m: m.matvec(X, out=np.broadcast_to(0.0, 4)), "can be written"),
        (lambda m: m.matvec(X, stream="first"), "str is not a stream"),
        (lambda m: m.matvec(X, stream=-1), "-1 is not a stream"),
        (lambda m: m.matvec(X, alpha="2"), "alpha is a str: use a real number"),
        (lambda m: 10**400 * m, "the factor is too large for 64 bits"),
        (lambda m: m.matvec(X, alpha=1j), "alpha is a complex: use a real number"),
        (lambda m: m.matvec(X, out=np.ones(4), beta=None), "beta is a NoneType"),
        (lambda m: m @ [[1], [1, 2], 3], "x is no array of numbers"),
        (lambda m: m @ {"a": 1}, "x has"),
        (lambda m: m.matmat(ByInterface(np.ones((3, 2))), out=np.ones((4, 2))), "put both in the same place"),
    ],
)
def test_wrong_vectors_end_in_one_line(prepared, call, message):
    with pytest.raises(UserError, match=message) as caught:
        call(prepared)
    assert "\n" not in str(caught.value)


def test_a_product_over_its_own_vector_is_refused():
    square = gpu.prepare(scipy.sparse.eye_array(8, format="csr"), "crs", threads_per_block=THREADS)
    memory = np.ones(12)
    with pytest.raises(UserError, match="share memory"):
        square.matvec(ByInterface(memory[:8]), out=ByInterface(memory[4:]))


def test_the_matrix_of_another_gpu_is_refused(prepared, monkeypatch):
    monkeypatch.setattr("gpu.vector_products.current_device", lambda: 3)
    with pytest.raises(UserError, match="the matrix is on GPU 0, the current one is 3: use `with"):
        prepared @ X


def test_a_tensor_with_a_gradient_says_so(prepared):
    class Recorded:
        @property
        def __cuda_array_interface__(self):
            raise RuntimeError("Use var.detach().\nAnd more")

    with pytest.raises(UserError, match=r"Use var\.detach\(\)\.$"):
        prepared @ Recorded()


def test_the_current_stream_of_torch(monkeypatch):
    class Tensor(ByInterface):
        __module__, device = "torch", "cuda:0"

    def current_stream(device):
        assert device == "cuda:0"
        return SimpleNamespace(cuda_stream=5)

    torch = SimpleNamespace(cuda=SimpleNamespace(current_stream=current_stream))
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setattr(vectors, "_external", lambda handle: ("stream", handle))
    assert vectors.stream_for(None, Tensor(X)) == ("stream", 5)
    assert vectors.stream_for(7, Tensor(X)) == ("stream", 7)


def test_streams_by_handle_and_by_object(monkeypatch):
    monkeypatch.setattr(vectors, "_external", lambda handle: ("stream", handle))
    assert vectors.stream_of(None) == 0
    assert vectors.stream_of(0) == 0
    assert vectors.stream_of(77) == ("stream", 77)
    assert vectors.stream_of(SimpleNamespace(ptr=0)) == 0  # CuPy's null stream
    assert vectors.stream_of(SimpleNamespace(ptr=5)) == ("stream", 5)
    assert vectors.stream_of(SimpleNamespace(cuda_stream=6)) == ("stream", 6)
    own = cuda.stream()
    assert vectors.stream_of(own) is own
    core = SimpleNamespace(__cuda_stream__=lambda: (0, 99))
    assert vectors.stream_of(core) is core
    assert vectors.stream_handle(core) == 99
    assert vectors.stream_handle(0) == 0
