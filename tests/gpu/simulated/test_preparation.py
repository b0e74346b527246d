import weakref
from collections import namedtuple
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.linalg
from product_cases import THREADS
from tiers import one_combination_in, one_in

import gpu
from gpu.formats.sliced.slicing import Slicing
from gpu.runtime import memory
from gpu.runtime.cuda import cuda
from gpu.runtime.cuda_driver import OutOfDeviceMemoryError
from vecsim.formats import CRS, NotRepresentableError
from vecsim.support.errors import UserError

MATRIX = scipy.sparse.csr_array(np.array([[1.0, 0, 2], [0, 0, 0], [0, 3, 0], [4, 5, 6]]))
X = np.array([1.0, 10, 100])
V = np.array([1.0, 2, 3, 4])


def prepare(*arguments, **options):
    return gpu.prepare(*arguments, threads_per_block=THREADS, **options)


@pytest.mark.parametrize(
    ("matrix", "transpose"),
    one_combination_in(
        4, (MATRIX, MATRIX.tocoo(), CRS.from_scipy(MATRIX)), (True, "coo", Slicing(threads_per_row=2))
    ),
    ids=lambda each: str(each) if isinstance(each, bool | str | Slicing) else type(each).__name__,
)
def test_a_transposed_copy(matrix, transpose):
    built = prepare(matrix, "crs", transpose=transpose)
    assert built.format == "crs"
    if transpose == "coo":
        assert built.T.format == "coo"
    np.testing.assert_array_equal(built @ X, MATRIX @ X)
    np.testing.assert_array_equal(built.T @ V, MATRIX.T @ V)
    np.testing.assert_array_equal(built.rmatvec(V, out=X.copy(), alpha=2, beta=-1), 2 * (MATRIX.T @ V) - X)
    assert built.T.shape == (3, 4)
    np.testing.assert_array_equal(built.T.T @ X, MATRIX @ X)
    np.testing.assert_array_equal(built.T.rmatvec(X), MATRIX @ X)


def test_bytes_of_both_are_counted():
    alone, transposed = prepare(MATRIX, "crs"), prepare(MATRIX.T, "coo")
    both = prepare(MATRIX, "crs", transpose="coo")
    assert both.nbytes == both.T.nbytes == alone.nbytes + transposed.nbytes


def test_the_first_use_makes_a_transposed_copy():
    for matrix in (MATRIX, CRS.from_scipy(MATRIX)):
        built = prepare(matrix, "crs")
        nbytes = built.nbytes
        np.testing.assert_array_equal(built.aslinearoperator().rmatvec(V), MATRIX.T @ V)
        assert built.nbytes == built.T.nbytes > nbytes
        assert (built.T.to_scipy() != MATRIX.T).nnz == 0


def test_scipy_takes_both_products():
    built = prepare(MATRIX, transpose=True)
    for operator in (built.aslinearoperator(), scipy.sparse.linalg.aslinearoperator(built)):
        np.testing.assert_array_equal(operator @ X, MATRIX @ X)
        np.testing.assert_array_equal(operator.matvec(X[:, None]), (MATRIX @ X)[:, None])
        np.testing.assert_array_equal(operator.rmatvec(V), MATRIX.T @ V)
    solution = scipy.sparse.linalg.lsqr(built.aslinearoperator(), V)[0]
    np.testing.assert_allclose(MATRIX.T @ (MATRIX @ solution), MATRIX.T @ V, rtol=1e-6)


def test_a_host_format_is_converted_where_another_is_asked_for():
    host = CRS.from_scipy(MATRIX)
    assert prepare(host, "coo").format == "coo"
    built = prepare(host, dtype=np.float32)
    assert built.dtype == np.float32
    np.testing.assert_array_equal(built @ X.astype(np.float32), MATRIX @ X)


def test_auto_says_what_it_took():
    assert prepare(MATRIX).format in gpu.KERNELS


def test_duplicates_are_summed_and_order_does_not_matter():
    matrix = scipy.sparse.csr_array(
        (np.array([1.0, 2, 4, 8]), np.array([2, 0, 2, 2]), np.array([0, 3, 4])), shape=(2, 3)
    )
    for name in ("auto", "crs", "coo", "sliced-ell"):
        np.testing.assert_array_equal(prepare(matrix, name) @ X, [502, 800])
    assert matrix.indices.tolist() == [2, 0, 2, 2]


@pytest.mark.parametrize(
    "matrix", [scipy.sparse.coo_array((2**31, 1)), scipy.sparse.coo_array((1, 2**31))], ids=str
)
@pytest.mark.parametrize("format", ["auto", "crs", "sliced-ell", Slicing()], ids=str)
def test_too_many_rows_or_columns(matrix, format):
    with pytest.raises(UserError, match="rows, columns and entries must each be at most 2147483647"):
        prepare(matrix, format)


def test_too_many_entries(monkeypatch):
    monkeypatch.setattr("vecsim.formats.canonical_csr.MAX_COUNT", 5)
    with pytest.raises(UserError, match="with 6 entries cannot be counted"):
        prepare(MATRIX)


def test_what_has_no_product_is_refused():
    with pytest.raises(UserError, match="SciPy sparse matrix is needed, not ndarray"):
        prepare(np.eye(3))


Memory = namedtuple("Memory", "free total")


class Device:
    """A device of this many bytes, that knows which arrays are on it."""

    def __init__(self, total):
        self.total, self.references, self.put = total, [], cuda.to_device

    @property
    def arrays(self):
        self.references = [there for there in self.references if there() is not None]
        return [there() for there in self.references]

    def get_memory_info(self):
        return Memory(self.total - sum(array.nbytes for array in self.arrays), self.total)

    def to_device(self, array):
        if array.nbytes > self.get_memory_info().free:
            raise MemoryError
        built = self.put(array)
        self.references.append(weakref.ref(built))
        return built


@pytest.fixture
def device_of(monkeypatch):
    """Let the device have this many bytes."""

    def with_bytes(total):
        device = Device(total)
        monkeypatch.setattr(memory.cuda, "to_device", device.to_device)
        monkeypatch.setattr(memory.cuda, "current_context", lambda: device)
        return device

    return with_bytes


@pytest.mark.parametrize("format", ["crs", "sliced-ell", "coo", "auto"])
def test_out_of_memory_is_reported_before_the_conversion(device_of, monkeypatch, format):
    device = device_of(100)
    for name, kernel in list(gpu.KERNELS.items()):
        never = replace(kernel, convert=lambda matrix: pytest.fail("converted"))
        monkeypatch.setitem(gpu.KERNELS, name, never)
    matrix = scipy.sparse.random_array((60, 60), density=0.5, rng=np.random.default_rng(1), format="csr")
    with pytest.raises(OutOfDeviceMemoryError, match=r"too little memory: \d+ bytes are needed, 100 are"):
        prepare(matrix, format)
    assert not device.arrays


@pytest.mark.parametrize("format", one_in(3, gpu.KERNELS))
def test_out_of_memory_frees_what_had_found_room(device_of, monkeypatch, format):
    matrix = scipy.sparse.random_array((60, 60), density=0.5, rng=np.random.default_rng(1), format="csr")
    whole = prepare(matrix, format).nbytes
    monkeypatch.setattr("gpu.preparation._require_room", lambda *arguments, **options: None)
    device = device_of(whole - 8)
    with pytest.raises(OutOfDeviceMemoryError) as caught:
        prepare(matrix, format)
    # While the error is still held.
    assert "too little memory" in str(caught.value)
    assert not device.arrays


def test_out_of_memory_for_the_transposed_copy_frees_both(device_of, monkeypatch):
    matrix = scipy.sparse.random_array((60, 60), density=0.5, rng=np.random.default_rng(1), format="csr")
    monkeypatch.setattr("gpu.preparation._require_room", lambda *arguments, **options: None)
    device = device_of(prepare(matrix, "crs").nbytes * 3 // 2)
    with pytest.raises(OutOfDeviceMemoryError) as caught:
        prepare(matrix, "crs", transpose="crs")
    assert not device.arrays
    assert caught.value.args


@pytest.mark.ci
def test_memory_is_back_at_its_start_after_100_conversions(device_of):
    device = device_of(10**9)
    for seed in range(25):
        rng = np.random.default_rng(seed)
        matrix = scipy.sparse.random_array((40, 30), density=0.2, rng=rng, format="csr")
        for format in ("auto", "crs-split", "coo", "pellr"):
            prepare(matrix, format, transpose="crs")
    assert not device.arrays


def test_a_single_slice_of_a_skewed_matrix_is_refused_and_auto_takes_another():
    row = np.zeros(300, dtype=int)
    matrix = scipy.sparse.csr_array((np.ones(300), (row, np.arange(300))), shape=(320, 300))
    with pytest.raises(NotRepresentableError, match="over the limit of 4"):
        prepare(matrix, "ell")
    y = prepare(matrix) @ np.ones(300)
    assert (y[0], abs(y[1:]).max()) == (300, 0)
