"""The check of kernels over the suite, on a tiny matrix in the simulator."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse
from product_cases import THREADS

import gpu.runtime.cuda
from experiments.gpu_bench import check
from experiments.gpu_bench.matrix_supply import DTYPES, Supplied, rounded_product
from experiments.gpu_bench.suite import SuiteMatrix
from gpu.kernel_registry import KERNELS
from vecsim.formats import NotRepresentableError


@pytest.fixture
def stored(monkeypatch):
    monkeypatch.setattr(gpu.runtime.cuda, "THREADS_PER_BLOCK", THREADS)
    rng = np.random.default_rng(4)
    csr = scipy.sparse.random_array((40, 50), density=0.1, rng=rng, format="csr")
    x = rng.uniform(-1, 1, 50)
    exact = {("spmv", dtype): rounded_product(csr, x, dtype) for dtype in DTYPES}
    return Supplied(SuiteMatrix("tiny", "small", ""), csr, exact)


@pytest.mark.parametrize("name", ["crs", "bbcs", "hyb-third", "pellr"])
def test_right_products_of_both_types_from_one_conversion(stored, name):
    records = check.check_matrix("tiny", name, stored)
    assert [(each.dtype, each.status) for each in records] == [("float64", "ok"), ("float32", "ok")]
    assert records[0].error < 1e-15 < records[1].error < 1e-6


def test_a_wrong_product_is_found_out(stored):
    shifted = {key: replace(each, y=each.y + 1) for key, each in stored.exact.items()}
    records = check.check_matrix("tiny", "crs", replace(stored, exact=shifted))
    assert {each.status for each in records} == {"wrong"}


def test_a_row_that_nobody_writes_is_found_out(stored, monkeypatch):
    nothing = replace(KERNELS["crs"], product=lambda host, threads: _Nothing())
    monkeypatch.setitem(KERNELS, "crs", nothing)
    assert {each.status for each in check.check_matrix("tiny", "crs", stored)} == {"wrong"}


def test_what_refuses_and_what_fails_are_distinguished(stored, monkeypatch):
    def refuse(matrix):
        raise NotRepresentableError("too wide")

    def fail(matrix):
        raise ValueError("broken")

    for convert, status in ((refuse, "not_representable"), (fail, "failed")):
        monkeypatch.setitem(KERNELS, "crs", replace(KERNELS["crs"], convert=convert))
        assert {each.status for each in check.check_matrix("tiny", "crs", stored)} == {status}


class _Nothing:
    device_arrays = ()

    def launch(self, x, y, alpha, beta, stream):
        pass
