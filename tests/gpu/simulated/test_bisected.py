"""What is special about HYB, BiELL, BiJAD and the iterations of warps."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from product_cases import THREADS
from tiers import examples, one_in

import gpu
from experiments.papers.pellr.iterations import (
    ELLR_ROWS,
    EXAMPLE_WIDTH,
    PELLR_ROWS,
    iterations,
    iterations_by_warp,
    sorted_iterations,
)
from experiments.papers.pellr.warp_iterations import counted_iterations
from gpu.format_registry import FORMATS
from gpu.formats.biell.container import BiELL
from gpu.formats.hyb.container import HYB
from vecsim.support.errors import UserError


def matrix_of(lengths, columns=80, seed=3):
    """Make a matrix with rows of these lengths, entries 1, 2, ... so that sums are exact."""
    rng = np.random.default_rng(seed)
    rows = np.repeat(np.arange(len(lengths)), lengths)
    columns_of = [np.sort(rng.choice(columns, length, replace=False)) for length in lengths]
    values = np.arange(1.0, len(rows) + 1)
    return scipy.sparse.coo_array(
        (values, (rows, np.concatenate([*columns_of, []]).astype(int))), shape=(len(lengths), columns)
    ).tocsr()


# Every group of a warp in use; a second warp of one row.
STEEP = [80, 41, 30, 20, 17, 9, 8, 8, *range(7, 0, -1), *[1] * 10, *[0] * 7, 5]


@pytest.mark.parametrize(
    "format", one_in(2, ["biell", "bijad", "hyb", "hyb-third", "crs-half-warp", "hyb-mean", "pellr-near"])
)
def test_rows_of_very_different_lengths_sum_exactly(format):
    matrix = matrix_of(STEEP)
    x = np.arange(80.0) % 7 - 3
    built = gpu.prepare(matrix, format, threads_per_block=THREADS)
    np.testing.assert_array_equal(built @ x, matrix @ x)
    y = built.matvec(x, out=np.ones(len(STEEP)), alpha=3, beta=-2)
    np.testing.assert_array_equal(y, 3 * (matrix @ x) - 2)


def test_host_formats_are_taken_as_they_are():
    matrix = matrix_of(STEEP)
    for host in (HYB.from_scipy(matrix, split=3), BiELL.from_scipy(matrix, sorted_globally=True)):
        built = gpu.prepare(host, threads_per_block=THREADS)
        np.testing.assert_array_equal(built @ np.ones(80), matrix @ np.ones(80))
        assert built.nnz == matrix.nnz


@pytest.mark.parametrize("rows", [ELLR_ROWS, PELLR_ROWS])
def test_the_device_counts_the_iterations_of_the_paper_s_lists(rows):
    lengths = np.concatenate(rows)
    counted = counted_iterations(lengths, width=EXAMPLE_WIDTH, threads_per_block=THREADS)
    np.testing.assert_array_equal(counted, iterations_by_warp(lengths, EXAMPLE_WIDTH))


@examples(10)
@given(
    lengths=st.lists(st.integers(0, 30), max_size=150),
    width=st.sampled_from([1, 4, 8, 32]),
)
def test_the_device_counts_what_the_formula_says(lengths, width):
    lengths = np.array(lengths, dtype=int)
    counted = counted_iterations(lengths, width=width, threads_per_block=THREADS)
    assert counted.sum() == iterations(lengths, width)


def test_the_device_counts_the_formats_own_lengths():
    lengths = np.tile(STEEP, 3)
    matrix = matrix_of(lengths)
    for name, expected in (("ellpack-r", iterations(lengths)), ("pellr", sorted_iterations(lengths))):
        stored = FORMATS[name].from_scipy(matrix).lengths
        assert counted_iterations(stored, threads_per_block=THREADS).sum() == expected


@pytest.mark.parametrize("width", [0, 3, 64])
def test_a_width_that_does_not_divide_a_warp_is_refused(width):
    with pytest.raises(UserError, match=f"warp width of {width} is not possible: use a divisor of 32"):
        counted_iterations(np.ones(4, dtype=int), width=width)
