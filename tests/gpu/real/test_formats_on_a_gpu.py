"""Every format on a real GPU: its error, equal results from run to run, and NaN."""

import numpy as np
import pytest
import scipy.sparse

import gpu
from gpu.kernel_registry import KERNELS
from vecsim.formats import NotRepresentableError
from vecsim.formats.accuracy import relative_error, rounding_bound

pytestmark = pytest.mark.usefixtures("gpu_with_others")

DTYPES = (np.float32, np.float64)
every_format = pytest.mark.parametrize("format", [*KERNELS, "auto"])


def scattered(rows, columns, entries, seed):
    rng = np.random.default_rng(seed)
    at = rng.integers(0, rows, entries), rng.integers(0, columns, entries)
    return scipy.sparse.csr_array((rng.standard_normal(entries), at), shape=(rows, columns))


def by_lengths(lengths, columns, seed):
    """Return a matrix whose rows have about these lengths, columns anywhere."""
    rng = np.random.default_rng(seed)
    row = np.repeat(np.arange(len(lengths)), lengths)
    entries = rng.standard_normal(len(row))
    at = row, rng.integers(0, columns, len(row))
    return scipy.sparse.csr_array((entries, at), shape=(len(lengths), columns))


def stencil(shape, reach=1):
    """Return the box stencil on a grid, with other values at each point."""
    one = [scipy.sparse.diags_array([1.0] * (2 * reach + 1), offsets=range(-reach, reach + 1), shape=(n, n))
           for n in shape]  # fmt: skip
    built = one[0]
    for other in one[1:]:
        built = scipy.sparse.kron(built, other)
    built = scipy.sparse.csr_array(built)
    built.data = np.random.default_rng(4).standard_normal(built.nnz)
    return built


def blocks(matrix, b):
    """Replace each entry by a dense b x b block."""
    built = scipy.sparse.csr_array(scipy.sparse.kron(matrix, np.ones((b, b))))
    built.data = np.random.default_rng(b).standard_normal(built.nnz)
    return built


def matrices():
    rng = np.random.default_rng(17)
    power = (3 * (1 - rng.random(20_000)) ** -0.9).astype(int).clip(0, 15_000)
    half = np.where(np.arange(5000) % 2, 0, 12)
    yield from {
        "0x0": scipy.sparse.csr_array((0, 0)),
        "no rows": scipy.sparse.csr_array((0, 7)),
        "no columns": scipy.sparse.csr_array((7, 0)),
        "no entries": scipy.sparse.csr_array((100, 40)),
        "1x1": scipy.sparse.csr_array([[2.5]]),
        "one row": scattered(1, 3000, 900, 1),
        "one column": scattered(3000, 1, 900, 2),
        "one entry": scipy.sparse.csr_array(([3.0], ([40_000], [5])), shape=(70_001, 9)),
        "identity": scipy.sparse.eye_array(10_007, format="csr"),
        "last column": scipy.sparse.csr_array((np.ones(99), (np.arange(99), np.full(99, 65_536)))),
        "wide": scattered(300, 200_000, 60_000, 3),
        "tall": scattered(200_000, 300, 300_000, 4),
        "uniform": scattered(50_001, 50_001, 800_000, 5),
        "dense": scipy.sparse.csr_array(rng.standard_normal((700, 700))),
        "dense rows": by_lengths(np.where(np.arange(9000) % 900, 3, 8000), 9000, 6),
        "dense columns": by_lengths(np.where(np.arange(9000) % 900, 3, 8000), 9000, 7).T.tocsr(),
        "a row of 300,000": by_lengths(np.append(np.full(4000, 2), 300_000), 400_000, 8),
        "power law": by_lengths(power, 20_000, 9),
        "power law in columns": by_lengths(power, 20_000, 10).T.tocsr(),
        "every other row empty": by_lengths(half, 5000, 11),
        "rows of a multiple of 512": by_lengths(np.full(600, 1024), 100_000, 12),
        "line": stencil((30_011,)),
        "5 in a row": stencil((20_003,), 2),
        "9-point": stencil((211, 197)),
        "27-point": stencil((31, 33, 29)),
        "blocks of 2": blocks(stencil((91, 83)), 2),
        "blocks of 3": blocks(stencil((17, 19, 13)), 3),
        "blocks of 4": blocks(scattered(2003, 2003, 12_000, 13), 4),
        "diagonals far apart": scipy.sparse.diags_array(
            [1.0, -2.0, 3.0, 4.0], offsets=[-70_000, 0, 1, 90_000], shape=(100_003, 100_003)
        ).tocsr(),
        "explicit zeros": scipy.sparse.csr_array(
            (np.zeros(500), (np.arange(500), np.arange(500)[::-1])), shape=(500, 500)
        ),
        "unsorted with duplicates": scipy.sparse.csr_array(
            (rng.standard_normal(6000), rng.integers(0, 90, 6000), np.arange(0, 6001, 60)), shape=(100, 90)
        ),
    }.items()


MATRICES = list(matrices())


@every_format
@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: dtype.__name__)
def test_products(format, dtype):
    wrong, refused = [], []
    for name, matrix in MATRICES:
        exact = scipy.sparse.csr_array(matrix, dtype=dtype, copy=True)
        exact.sum_duplicates()
        try:
            built = gpu.prepare(matrix, format, dtype=dtype)
        except NotRepresentableError:
            refused.append(name)
            continue
        rng = np.random.default_rng(2)
        x = rng.standard_normal(matrix.shape[1]).astype(dtype)
        y0 = rng.standard_normal(matrix.shape[0]).astype(dtype)
        # What sums are made of rounds too, where duplicates are added up: twice the bound is for those.
        allowed = 2 * rounding_bound(exact, dtype) + 4 * np.finfo(dtype).eps
        y = built.matvec(x, out=np.full(matrix.shape[0], np.nan, dtype=dtype))
        if not relative_error(exact, x, y) <= allowed:
            wrong.append((name, relative_error(exact, x, y)))
        mixed = built.matvec(x, out=y0.copy(), alpha=-2, beta=0.5)
        error = relative_error(exact, x, mixed, alpha=-2, beta=0.5, y0=y0)
        if not error <= allowed:
            wrong.append((name, "alpha and beta", error))
        if KERNELS.get(built.format) and KERNELS[built.format].deterministic:
            again = [built @ x for _ in range(3)]
            if any(other.tobytes() != again[0].tobytes() for other in again):
                wrong.append((name, "differs from run to run"))
    assert not wrong
    assert format != "auto" or not refused
    assert len(refused) < len(MATRICES) - 5


@every_format
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_nan_in_x_reaches_the_rows_of_its_column_alone(format, bad):
    for matrix in (scattered(3001, 401, 9000, 21), stencil((41, 43)), blocks(stencil((23, 21)), 3)):
        try:
            built = gpu.prepare(matrix, format)
        except NotRepresentableError:
            continue
        for column in (0, matrix.shape[1] // 2, matrix.shape[1] - 1):
            x = np.ones(matrix.shape[1])
            x[column] = bad
            reached = np.zeros(matrix.shape[0], dtype=bool)
            reached[matrix[:, [column]].nonzero()[0]] = True
            np.testing.assert_array_equal(~np.isfinite(built @ x), reached)


@every_format
@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: dtype.__name__)
def test_x_may_begin_at_any_element(format, dtype):
    from gpu.runtime.cuda import cuda

    matrix = scattered(2003, 70_001, 30_000, 22).astype(dtype)
    try:
        built = gpu.prepare(matrix, format, dtype=dtype)
    except NotRepresentableError as error:
        pytest.skip(f"{format} does not hold it: {error}")
    for first in (0, 1, 3):
        x = np.random.default_rng(first).standard_normal(matrix.shape[1] + 3).astype(dtype)
        y = (built @ cuda.to_device(x)[first : first + matrix.shape[1]]).copy_to_host()
        of = x[first : first + matrix.shape[1]]
        assert relative_error(matrix, of, y) <= rounding_bound(matrix, dtype) + 4 * np.finfo(dtype).eps


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("rows", [2000, 1_200_000], ids=["y scaled early", "x read early"])
@pytest.mark.parametrize("by_degree", [False, True], ids=["as they are", "by degree"])
def test_segments_read_x_that_the_product_before_wrote(rows, by_degree, dtype):
    """Products one after the other without waiting, each x the y before: nothing may be read too early."""
    from gpu.formats.segmented import SegmentedProduct
    from gpu.formats.segmented.container import SegmentedSliced
    from gpu.runtime.cuda import cuda

    rng = np.random.default_rng(rows)
    at = np.repeat(np.arange(rows), 4), rng.integers(0, rows, 4 * rows)
    matrix = scipy.sparse.csr_array((rng.integers(0, 3, 4 * rows).astype(dtype), at), shape=(rows, rows))
    stored = SegmentedSliced.from_scipy(matrix, by_degree=by_degree)
    x, times = rng.integers(0, 3, rows).astype(dtype), 5
    wanted = x
    for _ in range(times):
        wanted = matrix @ wanted
    for direct in (True, False):
        product = SegmentedProduct(stored, 256, direct=direct)
        vectors = [cuda.to_device(x), cuda.to_device(np.full(rows, np.nan, dtype))]
        for _ in range(20):
            vectors[0].copy_to_device(x)
            for k in range(times):
                product.launch(vectors[k % 2], vectors[(k + 1) % 2], dtype(1), dtype(0), 0)
            # Whole numbers, small enough to be exact in any order.
            np.testing.assert_array_equal(vectors[times % 2].copy_to_host(), wanted)


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("format", ["coo", "sell-segments-direct"])
def test_large_y_is_scaled(format, dtype):
    matrix = scattered(1_200_007, 900, 50_000, 23).astype(dtype)
    x, y0 = np.ones(900, dtype), np.arange(1_200_007, dtype=dtype) % 1000
    built = gpu.prepare(matrix, format, dtype=dtype)
    y = built.matvec(x, out=y0.copy(), alpha=2, beta=0.5)
    error = relative_error(matrix, x, y, alpha=2, beta=0.5, y0=y0)
    assert error <= 2 * rounding_bound(matrix, dtype) + 4 * np.finfo(dtype).eps
