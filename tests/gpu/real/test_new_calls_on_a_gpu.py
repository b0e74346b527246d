"""New values, several vectors and matrices of other libraries, on a real GPU."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.sparse

import gpu
from gpu.formats.sliced.slicing import Slicing
from gpu.kernel_registry import KERNELS
from vecsim.formats import NotRepresentableError

pytestmark = pytest.mark.usefixtures("gpu_with_others")

RNG = np.random.default_rng(5)
OF_AUTO = [name for name, kernel in KERNELS.items() if kernel.work is not None]


def matrix_of(dtype, seed=1):
    """Return a matrix of 4 x 4 blocks near the diagonal; whole numbers, so sums are exact."""
    rng = np.random.default_rng(seed)
    band = scipy.sparse.diags_array([1.0, 1, 1], offsets=[-1, 0, 1], shape=(600, 600))
    matrix = scipy.sparse.csr_array(scipy.sparse.kron(band, np.ones((4, 4))))
    matrix.data = rng.integers(1, 9, matrix.nnz).astype(dtype)
    return matrix


def prepared(matrix, name, **options):
    try:
        return gpu.prepare(matrix, name, **options)
    except NotRepresentableError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("name", OF_AUTO)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_new_values_in_every_format_of_auto(dtype, name):
    from gpu.runtime.cuda import cuda

    x, out = RNG.integers(0, 9, 2400).astype(dtype), cuda.to_device(np.zeros(2400, dtype))
    built, x_there = prepared(matrix_of(dtype), name, updatable=True), cuda.to_device(x)
    for seed in range(2, 8):
        new = matrix_of(dtype, seed)
        # Nothing waits between the product before, the new values and the product after.
        built.matvec(x_there, out=out)
        built.update_values(cuda.to_device(new.data))
        built.matvec(x_there, out=out)
        np.testing.assert_array_equal(out.copy_to_host(), new @ x, err_msg=str(seed))
    assert (built.to_scipy() != new).nnz == 0
    np.testing.assert_array_equal(built.diagonal(), new.diagonal())
    np.testing.assert_array_equal(built.T @ x, new.T @ x)
    built.T.update_values(cuda.to_device(matrix_of(dtype).data))
    for each, exact in ((built, matrix_of(dtype)), (3 * built.T, 3 * matrix_of(dtype).T)):
        np.testing.assert_array_equal(each @ x, exact @ x)


def test_several_vectors_of_any_order():
    from gpu.runtime.cuda import cuda

    matrix, x = matrix_of(np.float64), RNG.integers(0, 9, (2400, 5)).astype(float)
    for name in ("crs", "sell-near", "coo", "sliced-diagonals", "sell-segments", "hisparse"):
        built = gpu.prepare(matrix, name)
        for order in "CF":
            given, out = np.asarray(x, order=order), np.asarray(np.ones((2400, 5)), order=order)
            np.testing.assert_array_equal(built @ given, matrix @ x)
            result = built.matmat(cuda.to_device(given), out=cuda.to_device(out), alpha=2, beta=-1)
            np.testing.assert_array_equal(result.copy_to_host(), 2 * (matrix @ x) - 1)


@pytest.mark.parametrize("name", OF_AUTO)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_several_vectors_at_once(dtype, name):
    from gpu.runtime.cuda import cuda

    matrix = matrix_of(dtype)
    built = prepared(matrix, name)
    for count in (1, 3, 4, 16, 33):
        x = RNG.integers(0, 9, (2400, count)).astype(dtype)
        for order in "CF":
            given = np.asarray(x, order=order)
            there, out = cuda.to_device(given), cuda.to_device(np.ones_like(given))
            result = built.matmat(there, out=out, alpha=2, beta=-1).copy_to_host()
            np.testing.assert_array_equal(result, 2 * (matrix @ x) - 1, err_msg=f"{count} {order}")
    # Begins at no multiple of 16 bytes.
    shifted = cuda.to_device(np.arange(2400 * 4 + 1, dtype=dtype) % 9)[1:].reshape(2400, 4)
    result = (built @ shifted).copy_to_host()
    np.testing.assert_array_equal(result, matrix @ shifted.copy_to_host())


@pytest.mark.parametrize("name", ["crs-split", "crs-adaptive", "sell-near", Slicing(row_cap=64)], ids=str)
def test_several_vectors_and_rows_in_pieces(name):
    from gpu.runtime.cuda import cuda

    long = scipy.sparse.csr_array(RNG.integers(0, 3, (3, 2400)).astype(float))
    matrix = scipy.sparse.vstack([long, matrix_of(np.float64), long], format="csr")
    built = gpu.prepare(matrix, name)
    for count in (3, 8, 40):
        x = RNG.integers(0, 9, (2400, count)).astype(float)
        for order in "CF":
            out = cuda.to_device(np.asarray(np.ones((2406, count)), order=order))
            result = built.matmat(cuda.to_device(np.asarray(x, order=order)), out=out, alpha=2, beta=-1)
            np.testing.assert_array_equal(result.copy_to_host(), 2 * (matrix @ x) - 1)


def test_products_with_several_vectors_are_captured():
    from gpu.runtime.cuda import cuda
    from gpu.runtime.cuda_driver import Stream

    matrix, x = matrix_of(np.float64), RNG.integers(0, 9, (2400, 3)).astype(float)
    built, given, out = gpu.prepare(matrix, "crs"), cuda.to_device(x), cuda.to_device(np.zeros((2400, 3)))
    built.matmat(given, out=out)

    def enqueue(into):
        built.matmat(given, out=out, stream=into.address)

    with Stream() as stream, stream.capture(enqueue) as graph:
        given.copy_to_device(2 * x)
        graph.launch(stream)
        stream.synchronize()
    np.testing.assert_array_equal(out.copy_to_host(), 2 * (matrix @ x))


@pytest.mark.parametrize("tune", [True, "full"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_fastest_of_few_is_right(dtype, tune):
    matrix, x = matrix_of(dtype), np.ones(2400, dtype)
    np.testing.assert_array_equal(gpu.prepare(matrix, tune=tune) @ x, matrix @ x)


def test_matrices_of_cupy_and_torch():
    matrix, x = matrix_of(np.float64), np.ones(2400)
    cupy = pytest.importorskip("cupyx.scipy.sparse")
    for form in (cupy.csr_matrix, cupy.csc_matrix, cupy.coo_matrix):
        given = form(cupy.csr_matrix(scipy.sparse.csr_matrix(matrix)))
        for name in ("auto", "crs", "crs-adaptive", "crs-split"):
            built = gpu.prepare(given, name, transpose="crs")
            np.testing.assert_array_equal(built @ x, matrix @ x)
            np.testing.assert_array_equal(built.T @ x, matrix.T @ x)
    torch = pytest.importorskip("torch")
    parts = (torch.from_numpy(each.copy()) for each in (matrix.indptr, matrix.indices, matrix.data))
    tensor = torch.sparse_csr_tensor(*parts, size=matrix.shape).cuda()
    for given in (tensor, tensor.to_sparse_coo(), tensor.to_sparse_csc()):
        for name in ("auto", "crs"):
            np.testing.assert_array_equal(gpu.prepare(given, name) @ x, matrix @ x)


@pytest.mark.parametrize("name", ["crs", "crs-scalar", "crs-split", "crs-adaptive"])
def test_sums_are_multiplied_where_they_are(name, monkeypatch):
    matrix, x = matrix_of(np.float64), np.ones(2400)
    total = gpu.add(matrix, matrix, 2, 1, transpose_b=True)
    exact = 2 * matrix + matrix.T
    with monkeypatch.context() as patched:
        patched.setattr(gpu.DeviceCsr, "to_scipy", lambda each: pytest.fail("copied to the host"))
        built = gpu.prepare(total, name)
    np.testing.assert_array_equal(built @ x, exact @ x)
    built.update_values(np.arange(built.nnz, dtype=float))
    back = built.to_scipy()
    np.testing.assert_array_equal(back.data, np.arange(built.nnz))
    np.testing.assert_array_equal(built @ x, back @ x)
    assert (total.to_scipy() != exact).nnz == 0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_conjugate_gradients_with_new_values(dtype):
    grid = scipy.sparse.diags_array([-1.0, 2.5, -1.0], offsets=[-1, 0, 1], shape=(5000, 5000), format="csr")
    built, b, tolerance = (
        gpu.prepare(grid, dtype=dtype),
        np.ones(5000),
        1e-10 if dtype == np.float64 else 1e-5,
    )
    for factor in (1, 3):
        built.update_values((factor * grid.data).astype(dtype))
        solution = gpu.solve(built, b, tolerance=tolerance)
        assert solution.converged
        np.testing.assert_allclose(factor * (grid @ solution.x), b, rtol=1000 * tolerance)


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_complex_matrices(dtype):
    from gpu.runtime.cuda import cuda

    matrix = matrix_of(np.float64).astype(dtype)
    matrix.data = matrix.data * (1 - 2j)
    x = (RNG.integers(0, 9, 2401) + 1j * RNG.integers(0, 9, 2401)).astype(dtype)
    built, whole = gpu.prepare(matrix, dtype=dtype), cuda.to_device(x)
    # The second x does not begin at a multiple of 16 bytes in complex64.
    for part in (np.s_[:2400], np.s_[1:]):
        np.testing.assert_array_equal((built @ whole[part]).copy_to_host(), matrix @ x[part])
    out = built.matvec(x[1:], out=x[:2400].copy(), alpha=2j, beta=1 - 1j)
    np.testing.assert_array_equal(out, 2j * (matrix @ x[1:]) + (1 - 1j) * x[:2400])
    several = np.stack([x[:2400], x[1:]], axis=1)
    np.testing.assert_array_equal(built @ several, matrix @ several)
    np.testing.assert_array_equal(built.T @ x[1:], matrix.T @ x[1:])
    for factor in (3, 5j):
        built.update_values(cuda.to_device((factor * matrix.data).astype(dtype)))
        np.testing.assert_array_equal((built @ whole[1:]).copy_to_host(), factor * (matrix @ x[1:]))
        np.testing.assert_array_equal(built.T @ x[1:], factor * (matrix.T @ x[1:]))
    assert (built.to_scipy() != 5j * matrix).nnz == 0


def test_threads_share_a_matrix():
    from gpu.runtime.cuda import cuda

    matrix, wrong = matrix_of(np.float64), []
    built = gpu.prepare(matrix, "coo")

    def multiply(seed):
        x = np.random.default_rng(seed).integers(0, 9, (2400, 6)).astype(float)
        # Strided vectors and columns one by one go through room that the matrix has once.
        vector, several = cuda.to_device(x)[:, 1], cuda.to_device(x)
        for _ in range(50):
            y, z = built @ vector, built @ several
            if (y.copy_to_host() != matrix @ x[:, 1]).any() or (z.copy_to_host() != matrix @ x).any():
                wrong.append(seed)

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(multiply, range(4)))
    assert not wrong


def test_solvers_and_streams_of_cupy():
    cupy = pytest.importorskip("cupy")
    linalg = pytest.importorskip("cupyx.scipy.sparse.linalg")
    grid = scipy.sparse.diags_array([-1.0, 2.1, -1.0], offsets=[-1, 0, 1], shape=(5000, 5000), format="csr")
    built = gpu.prepare(grid, updatable=True)
    b = cupy.ones(5000)
    x, status = linalg.cg(built.aslinearoperator("cupy"), b, rtol=1e-10)
    assert status == 0
    np.testing.assert_allclose(grid @ x.get(), 1.0, rtol=1e-7)
    built.update_values(cupy.asarray(3 * grid.data))
    x, status = linalg.cg((2 * built).aslinearoperator("cupy"), b, rtol=1e-10)
    np.testing.assert_allclose(6 * (grid @ x.get()), 1.0, rtol=1e-7)
    for factor in (1, 4):
        built.update_values(cupy.asarray(factor * grid.data))
        solution = gpu.solve(built, b, x0=x, tolerance=1e-10)
        assert solution.converged and isinstance(solution.x, cupy.ndarray)
        np.testing.assert_allclose(factor * (grid @ solution.x.get()), 1.0, rtol=1e-7)
    assert gpu.solve(built, b, x0=solution.x, tolerance=1e-8).iterations == 0
    built.update_values(cupy.asarray(3 * grid.data))
    with cupy.cuda.Stream(non_blocking=True) as stream:
        slow = cupy.random.random((4000, 4000))
        for _ in range(4):
            slow = slow @ slow / 1000
        late = b * 2 + 0 * slow[0, 0]
        y = built @ late  # on CuPy's current stream, so after what makes `late`
        result = y.get()
        stream.synchronize()
    np.testing.assert_allclose(result, 3 * (grid @ np.full(5000, 2.0)))
