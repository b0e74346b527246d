"""Sums of products of several columns by cuSPARSE, against NumPy."""

import numpy as np
import pytest
import scipy.sparse
from fake_cuda import FakeCusparse, FakeDriver

from experiments.baseline.cusparse_columns import ColumnProducts
from experiments.baseline.cusparse_formats import StoredMatrix
from experiments.baseline.cusparse_library import Cusparse, CusparseError
from gpu.runtime import cuda_driver
from gpu.runtime.cuda_driver import Stream
from vecsim.support.errors import UserError

ROWS, WIDTH, COLUMNS, MATRICES = 7, 5, 4, 3


@pytest.fixture
def driver(monkeypatch) -> FakeDriver:
    actual = FakeDriver(memory=1 << 20)
    monkeypatch.setattr(cuda_driver, "driver", lambda: actual)
    return actual


def stored(dtype):
    rng = np.random.default_rng(1)
    pattern = scipy.sparse.random_array((ROWS, WIDTH), density=0.4, rng=rng, format="csr")
    values = rng.normal(size=(MATRICES, pattern.nnz)).astype(dtype)
    built = StoredMatrix(
        "csr", (ROWS, WIDTH), pattern.nnz, pattern.indptr, pattern.indices.astype(np.int32), values.ravel()
    )
    return built, [scipy.sparse.csr_array((own, *made_of(built)), shape=(ROWS, WIDTH)) for own in values]


def made_of(built):
    return built.columns, built.offsets


@pytest.mark.parametrize(("order", "dtype"), [("row", np.float64), ("column", np.float32)])
def test_the_products_are_summed(driver, order, dtype):
    built, matrices = stored(dtype)
    x = np.random.default_rng(2).normal(size=(MATRICES, WIDTH, COLUMNS)).astype(dtype)
    given = x if order == "row" else x.transpose(0, 2, 1)
    exact = sum(matrix @ each for matrix, each in zip(matrices, x, strict=True))
    library = Cusparse(FakeCusparse())
    with ColumnProducts(built, COLUMNS, order, library=library) as product, Stream() as stream:
        product.write_x(given.ravel())
        for _ in range(2):  # the first product forgets what Y was
            product.enqueue(stream)
        y = product.read_y()
        actual = y.reshape(ROWS, COLUMNS) if order == "row" else y.reshape(COLUMNS, ROWS).T
        np.testing.assert_allclose(actual, exact, rtol=1e-4)
        assert product.nbytes == built.nbytes + MATRICES * 24
        with pytest.raises(UserError, match="3 times 20"):
            product.write_x(given.ravel()[:-1])
    assert not driver.allocated
    assert not driver.alive


@pytest.mark.parametrize("refuse", ["cusparseSpMM_bufferSize", "cusparseCreateDnMat"])
def test_what_cusparse_refuses_leaves_nothing_behind(driver, refuse):
    library = FakeCusparse(refuse=refuse)
    with pytest.raises(CusparseError, match=f"{refuse}: CUSPARSE_STATUS_NOT_SUPPORTED"):
        ColumnProducts(stored(np.float64)[0], COLUMNS, library=Cusparse(library))
    assert list(library.described.values()) == ["handle"]
    assert not driver.allocated
