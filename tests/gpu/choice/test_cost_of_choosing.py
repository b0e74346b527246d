"""Choosing a format is linear in the entries and gives up early, whatever the matrix looks like."""

import time

import numpy as np
import pytest
import scipy.sparse

from gpu.choice import work_counts
from gpu.choice.cost_model import ranked
from gpu.choice.structure import Structure
from gpu.formats.sliced_diagonals import filling
from gpu.formats.sliced_diagonals.container import SlicedDiagonals
from gpu.kernel_registry import work_counts_of
from vecsim.formats.canonical_csr import is_canonical

pytestmark = pytest.mark.nightly


def arrow(rows, at=0):
    """Return a matrix with one full row and one full column, and two diagonals: four entries a row."""
    every = np.arange(rows, dtype=np.int32)
    one = np.full(rows, at, dtype=np.int32)
    places = np.concatenate((every, every[:-1], one, every)), np.concatenate((every, every[1:], every, one))
    built = scipy.sparse.csr_array((np.ones(len(places[0])), places), shape=(rows, rows))
    built.sum_duplicates()
    return built


def seconds(work, times=3):
    """Return the least CPU time of several runs, after one that compiles."""
    work()
    spent = []
    for _ in range(times):
        began = time.process_time()
        work()
        spent.append(time.process_time() - began)
    return max(min(spent), 1e-4)


@pytest.mark.parametrize("at", [0, 499_999])
def test_one_full_row_and_column_cost_a_few_passes(at):
    matrix = arrow(500_000, at)
    one_pass = seconds(lambda: is_canonical(matrix.indptr, matrix.indices, matrix.shape[1]))
    # The pass takes 2 ms; a sort in quadratic time took 2 s.
    assert seconds(lambda: next(ranked(work_counts_of(), matrix))) < 50 * one_pass


def test_diagonals_are_not_sought_where_one_row_has_too_many(monkeypatch):
    def counted(*arguments):
        raise AssertionError("the diagonals of all slices were sought")

    monkeypatch.setattr(work_counts, "counted", counted)
    assert work_counts.diagonals_of_rows(Structure.of(arrow(300_000))) is None


def test_diagonals_of_a_slice_with_a_full_row_take_as_long_as_sorting_them():
    # Its diagonals rise in the first row, and those of the others lie before them: Numba's sort would take
    # quadratic time. Enough entries elsewhere that diagonals are possible.
    rows, full = 40_000, 160_000
    first = np.zeros(full, np.int32), np.arange(full, dtype=np.int32)
    second = np.arange(1, rows, dtype=np.int32), np.zeros(rows - 1, np.int32)
    others = (
        np.repeat(np.arange(32, rows, dtype=np.int32), 20),
        np.tile(np.arange(20, dtype=np.int32), rows - 32),
    )
    row, column = (np.concatenate(each) for each in zip(first, second, others, strict=True))
    matrix = scipy.sparse.csr_array((np.ones(len(row)), (row, column)), shape=(rows, full))
    matrix.sum_duplicates()
    slice_ = matrix[:32]
    keys = np.concatenate([slice_.indices[slice_.indptr[k] : slice_.indptr[k + 1]] - k for k in range(32)])
    shuffled = np.random.default_rng(0).permutation(keys)  # sorted ones take no time
    sorting = seconds(lambda: np.sort(shuffled, kind="stable"))
    assert seconds(lambda: filling.counted(slice_.indptr, slice_.indices)) < 100 * sorting


@pytest.mark.parametrize("rows", [1, 2, 3, 5, 31, 32])
def test_merged_rows_are_sorted_keys(rows):
    rng = np.random.default_rng(rows)
    dense = rng.random((rows, 400)) < rng.random((rows, 1))
    matrix = scipy.sparse.csr_array(dense.astype(float))
    matrix.sort_indices()
    row, column = dense.nonzero()
    expected = np.sort((column - row) * 32 + row)
    actual = filling._sorted_keys(matrix.indptr, matrix.indices, 0, rows)
    np.testing.assert_array_equal(actual, expected)


def test_a_full_row_before_entries_of_the_first_column_is_converted():
    matrix = scipy.sparse.lil_array((64, 3000))
    matrix[0] = 1.5
    matrix[1:, 0] = 2.5
    matrix = scipy.sparse.csr_array(matrix)
    built = SlicedDiagonals.from_scipy(matrix)
    built.check()
    assert (built.to_scipy() != matrix).nnz == 0
