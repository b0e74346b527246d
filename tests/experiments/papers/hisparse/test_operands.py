"""What is added, as other processes make it, and the samples that kernels are compiled for beforehand."""

import numpy as np
import pytest

from experiments.gpu_bench.matrix_supply import make, supply
from experiments.gpu_bench.suite import SuiteMatrix
from experiments.papers.hisparse.moved import moved
from experiments.papers.hisparse.operands import arrays, operands

pytestmark = pytest.mark.ci

TINY = SuiteMatrix(
    "tiny",
    "other",
    "a stencil",
    generator="stencils.grid_diffusion",
    arguments={"points": (1, 3, 4), "seed": 1},
)


def check(given, csr):
    second = moved(csr)
    for actual, wanted in (
        (given.first, csr),
        (given.second, second),
        (given.first_turned, csr.T),
        (given.second_turned, second.T),
    ):
        assert actual.has_canonical_format
        np.testing.assert_array_equal(actual.toarray(), wanted.toarray())
    assert {each.dtype for each in vars(given.astype("float32")).values()} == {np.dtype(np.float32)}


def test_operands_are_made_where_they_are_missing():
    supplied = make(TINY, transposed=False)
    check(operands(supplied), supplied.csr)


def test_operands_come_from_other_processes():
    with supply([TINY], transposed=False, more=arrays) as matrices:
        supplied = next(matrices)
        assert len(supplied.more) == 9
        check(operands(supplied), supplied.csr)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.nightly
def test_there_is_a_sample_for_each_number_of_warps(dtype):
    from experiments.papers.hisparse.compilation import SAMPLES, matrix_of_warps
    from gpu.hisparse.container import HiSparse
    from gpu.hisparse.product.product import MOST_WARPS, chunks_of
    from gpu.hisparse.product.segments import arranged_leaves

    for warps in SAMPLES["product"]:
        leaves = arranged_leaves(HiSparse.from_scipy(matrix_of_warps(warps, dtype)))
        assert chunks_of(leaves.direct, MOST_WARPS).warps == warps
        assert chunks_of(leaves.transposed, MOST_WARPS).warps == warps
