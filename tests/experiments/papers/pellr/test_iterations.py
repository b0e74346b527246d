import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from experiments.papers.pellr.iterations import (
    ELLR_ROWS,
    EXAMPLE_WIDTH,
    PELLR_ROWS,
    PRINTED_ITERATIONS,
    iterations,
    iterations_by_warp,
    sorted_iterations,
    work,
)

ELLR, PELLR = np.concatenate(ELLR_ROWS), np.concatenate(PELLR_ROWS)
row_lengths = st.lists(st.integers(0, 60), max_size=100)
widths = st.sampled_from([1, 2, 8, 32])


def test_the_printed_lists_take_the_printed_iterations():
    assert iterations(ELLR, EXAMPLE_WIDTH) == PRINTED_ITERATIONS["ELLPACK-R"] == 18
    assert iterations(PELLR, EXAMPLE_WIDTH) == PRINTED_ITERATIONS["PELLR"] == 14
    np.testing.assert_array_equal(iterations_by_warp(ELLR, EXAMPLE_WIDTH), [4, 3, 7, 4])


def test_the_printed_lists_are_no_permutation_of_each_other():
    assert (len(ELLR), ELLR.sum()) == (26, 78)
    assert (len(PELLR), PELLR.sum()) == (26, 77)
    assert sorted_iterations(ELLR, EXAMPLE_WIDTH) == 15
    assert [work(each, EXAMPLE_WIDTH) for each in (ELLR, PELLR)] == [124, 122]
    assert [work(each, EXAMPLE_WIDTH, missing_rows=False) for each in (ELLR, PELLR)] == [130, 128]


@given(lengths=row_lengths, width=widths, seed=st.integers(0, 2**32 - 1))
def test_a_permutation_keeps_the_work_and_sorting_takes_the_fewest_iterations(lengths, width, seed):
    permuted = np.random.default_rng(seed).permutation(np.array(lengths, dtype=int))
    for missing_rows in (True, False):
        same = work(lengths, width, missing_rows=missing_rows)
        assert work(permuted, width, missing_rows=missing_rows) == same
    assert sorted_iterations(lengths, width) == sorted_iterations(permuted, width)
    assert sorted_iterations(lengths, width) <= iterations(permuted, width)


@given(lengths=row_lengths, width=widths)
def test_iterations_are_bounded_by_the_entries_and_by_equal_rows(lengths, width):
    taken = iterations(lengths, width)
    assert -(-sum(lengths) // width) <= taken <= sum(lengths)
    assert iterations([7] * 40, width) == 7 * -(-40 // width)
    assert iterations(lengths, 1) == sum(lengths)


def test_work_counts_a_row_without_entries_as_minus_one():
    assert work([3, 0], 2) == 4
    assert work([3], 2) == 4
    assert work([3], 2, missing_rows=False) == 5
    assert work([], 32) == iterations([], 32) == 0
