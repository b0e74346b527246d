import itertools

import numpy as np
import pytest
from fake_cuda import FakeCusparse, FakeDriver
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from tiers import one_combination_in

from experiments.baseline.cusparse import METHODS, SparseProduct
from experiments.baseline.cusparse_formats import (
    block_fill,
    canonical_csr,
    sell_places,
    to_bsr,
    to_coo,
    to_csr,
    to_sell,
)
from experiments.baseline.cusparse_library import Cusparse, CusparseError
from gpu.runtime import cuda_driver, library_search
from gpu.runtime.cuda_driver import NoGpuError, OutOfDeviceMemoryError, Stream
from vecsim.support.errors import UserError

SHAPES = [(9, 9), (7, 11), (33, 5), (64, 32), (1, 1)]


@pytest.fixture
def driver(monkeypatch) -> FakeDriver:
    actual = FakeDriver(memory=1 << 24)
    monkeypatch.setattr(cuda_driver, "driver", lambda: actual)
    return actual


def random(shape, dtype, seed=3, density=0.3):
    generator = np.random.default_rng(seed)
    held = generator.random(shape) < density
    return sparse.csr_matrix(np.where(held, generator.standard_normal(shape), 0).astype(dtype))


def product(matrix, x, method, *, y=None, captured=False, **how):
    """Multiply by cuSPARSE and return y."""
    with (
        SparseProduct(method, METHODS[method].store(matrix), matrix.shape, **how) as built,
        Stream() as stream,
    ):
        built.write_x(x)
        if y is not None:
            built.write_y(y)
        if captured:
            with stream.capture(built.enqueue) as graph:
                graph.launch(stream)
                return built.read_y()
        built.enqueue(stream)
        return built.read_y()


def error(y, matrix, x, *, alpha=1.0, beta=0.0, y0=None):
    """Return the largest error against what rounding can explain, as the package reports it."""
    wide = matrix.astype(np.float64)
    before = np.zeros(matrix.shape[0]) if y0 is None else y0.astype(np.float64)
    exact = alpha * (wide @ x.astype(np.float64)) + beta * before
    scale = abs(alpha) * (abs(wide) @ abs(x.astype(np.float64))) + abs(beta) * abs(before)
    return np.max(abs(y - exact) / np.where(scale > 0, scale, 1), initial=0)


@pytest.mark.parametrize(
    ("method", "shape", "dtype"), one_combination_in(7, METHODS, SHAPES, (np.float32, np.float64))
)
def test_every_method_describes_the_matrix_to_cusparse(driver, method, shape, dtype):
    matrix = random(shape, dtype)
    x = np.random.default_rng(4).standard_normal(shape[1]).astype(dtype)
    y0 = np.random.default_rng(5).standard_normal(shape[0]).astype(dtype)
    how = {"alpha": 2.0, "beta": -0.5}
    y = product(matrix, x, method, y=y0, library=Cusparse(FakeCusparse()), **how)
    assert error(y, matrix, x, y0=y0, **how) < 20 * np.finfo(dtype).eps
    assert not driver.allocated
    assert not driver.alive


@pytest.mark.parametrize("method", [name for name, method in METHODS.items() if method.transposes])
def test_every_method_with_a_transposed_product_gives_it(driver, method):
    matrix = random((7, 11), np.float64)
    x = np.arange(7.0)
    y = product(matrix, x, method, transposed=True, library=Cusparse(FakeCusparse()))
    np.testing.assert_allclose(y, matrix.T @ x, rtol=1e-13, atol=1e-13)


def test_blocks_have_no_transposed_product(driver):
    matrix = random((6, 6), np.float64)
    with pytest.raises(UserError, match="no transposed product for bsr_3_row; use a transposed matrix"):
        product(matrix, np.zeros(6), "bsr_3_row", transposed=True, library=Cusparse(FakeCusparse()))


def test_beta_zero_does_not_read_y(driver):
    matrix = random((6, 6), np.float64)
    y = product(matrix, np.ones(6), "csr_alg1", y=np.full(6, np.nan), library=Cusparse(FakeCusparse()))
    assert np.isfinite(y).all()


def test_a_product_is_prepared_once_and_runs_on_the_stream_given(driver):
    library = FakeCusparse()
    stored = to_csr(random((6, 6), np.float64))
    with SparseProduct("csr_alg2", stored, (6, 6), library=Cusparse(library)) as built, Stream() as stream:
        prepared = len(library.calls)
        assert library.calls.count("cusparseSpMV_preprocess") == 1
        assert library.calls.count("cusparseSpMV_bufferSize") == 1
        built.enqueue(stream)
        built.enqueue(stream)
        assert library.calls[prepared:] == ["cusparseSetStream", "cusparseSpMV"] * 2
        assert library.streams == [None, stream.address, stream.address]
        assert built.nbytes == stored.nbytes + 40
    assert list(library.described.values()) == ["handle"]


def test_a_product_is_prepared_after_the_stream_of_another_is_gone(driver):
    library = Cusparse(FakeCusparse(driver=driver))
    matrix = random((6, 6), np.float64)
    for _ in range(2):
        y = product(matrix, np.ones(6), "csr_alg1", library=library)
        np.testing.assert_allclose(y, matrix @ np.ones(6), rtol=1e-13)


def test_a_format_without_preprocessing_is_taken_as_it_is(driver):
    library = Cusparse(FakeCusparse(refuse="cusparseSpMV_preprocess"))
    stored = to_sell(random((6, 6), np.float64), 16)
    with SparseProduct("sell_16", stored, (6, 6), library=library) as built:
        assert built.preprocess_us == 0


@pytest.mark.parametrize("refuse", ["cusparseSpMV_bufferSize", "cusparseCreateBsr", "cusparseCreateDnVec"])
def test_what_cusparse_refuses_is_an_error_by_name_and_leaves_nothing_behind(driver, refuse):
    library = FakeCusparse(refuse=refuse)
    with pytest.raises(CusparseError, match=f"{refuse}: CUSPARSE_STATUS_NOT_SUPPORTED"):
        product(random((6, 6), np.float64), np.zeros(6), "bsr_2_row", library=Cusparse(library))
    assert list(library.described.values()) == ["handle"]
    assert not driver.allocated


def test_too_little_memory_leaves_nothing_behind(driver):
    driver.memory = 100
    library = FakeCusparse()
    with pytest.raises(OutOfDeviceMemoryError):
        product(random((6, 6), np.float64), np.zeros(6), "csr_alg1", library=Cusparse(library))
    assert not driver.allocated
    assert list(library.described.values()) == ["handle"]


@pytest.mark.parametrize("x", [np.zeros(5), np.zeros(6, np.float32), np.zeros((6, 1))])
def test_a_vector_of_another_length_or_type_is_refused(driver, x):
    with pytest.raises(UserError, match="a vector of 6 float64 is needed"):
        product(random((6, 6), np.float64), x, "csr_alg1", library=Cusparse(FakeCusparse()))


@pytest.mark.parametrize("shape", [(0, 0), (0, 4), (4, 0), (5, 5)])
@pytest.mark.parametrize("method", METHODS)
def test_matrices_without_non_zeros_are_stored(driver, method, shape):
    stored = METHODS[method].store(sparse.csr_matrix(shape))
    assert stored.nnz == stored.values.size == 0
    y = product(sparse.csr_matrix(shape), np.ones(shape[1]), method, library=Cusparse(FakeCusparse()))
    np.testing.assert_array_equal(y, np.zeros(shape[0]))


def test_sliced_ell_by_hand():
    matrix = sparse.csr_matrix(np.array([[1.0, 0, 2], [0, 3, 0], [0, 0, 0]]))
    stored = to_sell(matrix, 2)
    np.testing.assert_array_equal(stored.offsets, [0, 4, 4])
    np.testing.assert_array_equal(stored.columns, [0, 1, 2, -1])
    np.testing.assert_array_equal(stored.values, [1, 3, 2, 0])


def test_blocks_by_hand_in_both_orders():
    matrix = sparse.csr_matrix(np.array([[1.0, 2, 0], [3, 4, 0], [0, 0, 5]]))
    by_row, by_column = to_bsr(matrix, 2, "row"), to_bsr(matrix, 2, "column")
    np.testing.assert_array_equal(by_row.values, [1, 2, 3, 4, 5, 0, 0, 0])
    np.testing.assert_array_equal(by_column.values, [1, 3, 2, 4, 5, 0, 0, 0])
    np.testing.assert_array_equal(by_row.offsets, [0, 1, 2])
    np.testing.assert_array_equal(by_row.columns, [0, 1])
    assert by_row.shape == (4, 4)


def test_duplicates_are_summed_and_columns_sorted():
    matrix = sparse.coo_matrix(([1.0, 2, 4, 8], ([0, 0, 0, 1], [2, 0, 2, 1])), shape=(2, 3))
    stored = to_coo(matrix)
    np.testing.assert_array_equal(stored.offsets, [0, 0, 1])
    np.testing.assert_array_equal(stored.columns, [0, 2, 1])
    np.testing.assert_array_equal(stored.values, [2, 5, 8])
    assert stored.offsets.dtype == stored.columns.dtype == np.int32


def test_the_caller_s_matrix_is_left_alone():
    matrix = sparse.csr_matrix((np.ones(2), np.array([1, 0]), np.array([0, 2])), shape=(1, 2))
    canonical_csr(matrix)
    np.testing.assert_array_equal(matrix.indices, [1, 0])


def test_a_type_that_is_not_timed_is_refused():
    with pytest.raises(UserError, match="the values are int64; cuSPARSE takes float32, float64, complex64"):
        to_csr(sparse.csr_matrix(np.eye(2, dtype=np.int64)))


@given(st.integers(0, 40), st.integers(1, 20), st.sampled_from([1, 4, 16, 32]), st.integers(0, 99))
def test_slices_hold_every_row_in_order(rows, columns, size, seed):
    matrix = random((rows, columns), np.float64, seed)
    stored = to_sell(matrix, size)
    held = [[] for _ in range(rows)]
    for number, (start, end) in enumerate(itertools.pairwise(stored.offsets)):
        for place in range(start, end):
            if stored.columns[place] >= 0:
                row = number * size + (place - start) % size
                held[row].append((int(stored.columns[place]), float(stored.values[place])))
    expected = [list(zip(row.indices.tolist(), row.data.tolist(), strict=True)) for row in matrix]
    assert held == expected


def test_no_library_is_said_in_one_line(driver, monkeypatch):
    from experiments.baseline import cusparse_library

    monkeypatch.setattr(library_search, "load", lambda name: None)
    monkeypatch.setattr(cusparse_library, "driver", lambda: driver)
    cusparse_library.cusparse.cache_clear()
    with pytest.raises(NoGpuError, match="cuSPARSE was not found: pip install"):
        cusparse_library.cusparse()


def test_libraries_in_wheels_and_next_to_cupy_are_candidates(tmp_path, monkeypatch):
    places = ["nvidia/cu13/lib", "nvidia/cusparse/lib", "cupy/.data/lib"]
    for place in places:
        (tmp_path / place).mkdir(parents=True)
        (tmp_path / place / "libcusparse.so.12").touch()
    monkeypatch.syspath_prepend(tmp_path)
    actual = list(library_search.candidates("cusparse"))
    assert actual[0] == "libcusparse.so.12"
    assert actual[1:4] == [str(tmp_path / place / "libcusparse.so.12") for place in places]


def test_a_file_that_is_no_library_is_passed_over(tmp_path, monkeypatch):
    (tmp_path / "nvidia/cu13/lib").mkdir(parents=True)
    (tmp_path / "nvidia/cu13/lib/libcusparse.so.12").write_text("no library")
    monkeypatch.setattr("sys.path", [str(tmp_path)])
    monkeypatch.setattr(library_search.importlib, "import_module", _absent)
    monkeypatch.setattr(library_search, "SUFFIXES", {"nothing_of_the_kind": ("12",)})
    assert library_search.load("nothing_of_the_kind") is None


def _absent(name):
    raise ImportError(name)


@pytest.mark.gpu
@pytest.mark.usefixtures("gpu_to_itself")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_cusparse_is_right_and_can_be_captured(method, transposed, dtype):
    if transposed and not METHODS[method].transposes:
        pytest.skip("cuSPARSE has no such product")
    for shape in (*SHAPES, (1000, 1500)):
        matrix = random(shape, dtype, density=0.1)
        operated = matrix.T if transposed else matrix
        x = np.random.default_rng(4).standard_normal(operated.shape[1]).astype(dtype)
        y0 = np.full(operated.shape[0], 3, dtype)
        how = {"alpha": 2.0, "beta": -0.5}
        for captured in (False, True):
            y = product(matrix, x, method, y=y0, transposed=transposed, captured=captured, **how)
            limit = 1e-12 if dtype == np.float64 else 1e-5
            assert error(y, operated, x, y0=y0, **how) < limit, shape


@pytest.mark.gpu
@pytest.mark.usefixtures("gpu_to_itself")
def test_a_hundred_products_leave_the_memory_as_it_was():
    stored = to_csr(random((2000, 2000), np.float64))
    SparseProduct("csr_alg1", stored, (2000, 2000)).close()
    before = cuda_driver.free_bytes()
    for _ in range(100):
        SparseProduct("csr_alg1", stored, (2000, 2000)).close()
    assert cuda_driver.free_bytes() >= before - (4 << 20)


def test_the_fill_of_blocks_and_the_places_of_slices_are_counted_without_converting():
    for shape in SHAPES:
        matrix = random(shape, np.float64)
        for block in (2, 3, 4):
            stored = to_bsr(matrix, block, "row").values.size
            assert block_fill(matrix, block) == (matrix.nnz / stored if stored else 1)
        for height in (16, 32):
            assert sell_places(matrix, height) == to_sell(matrix, height).values.size
    assert block_fill(sparse.csr_matrix((4, 4)), 2) == 1


def test_a_matrix_that_is_sorted_already_is_not_copied():
    matrix = random((6, 6), np.float64)
    assert canonical_csr(matrix).data is matrix.data
    is_transposed = matrix[:, ::-1]  # unsorted
    before = is_transposed.indices.copy()
    canonical = canonical_csr(is_transposed)
    assert canonical.has_sorted_indices and (is_transposed.indices == before).all()
