"""Rows cut by segments of the columns: what is stored, where, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from tiers import examples

from gpu.formats.segmented.container import SegmentedSliced
from gpu.formats.segmented.conversion import even_columns
from vecsim.support.errors import UserError


def random_matrix(rows, columns, density, seed=1, dtype=np.float64):
    rng = np.random.default_rng(seed)
    dense = np.where(rng.random((rows, columns)) < density, rng.integers(1, 9, (rows, columns)), 0)
    return scipy.sparse.csr_array(dense.astype(dtype))


@examples(25)
@given(
    shape=st.tuples(st.integers(0, 60), st.integers(0, 60)),
    segment_columns=st.none() | st.integers(1, 70),
    steps=st.integers(1, 16),
    window=st.sampled_from([1, 5, 1024]),
    by_degree=st.booleans(),
    seed=st.integers(0, 100),
)
def test_a_matrix_comes_back(shape, segment_columns, steps, window, by_degree, seed):
    matrix = random_matrix(*shape, 0.3, seed)
    options = {"segment_columns": segment_columns, "steps": steps, "window": window, "by_degree": by_degree}
    stored = SegmentedSliced.from_scipy(matrix, **options)
    stored.check()
    assert stored.nnz == matrix.nnz
    np.testing.assert_array_equal(stored.to_scipy().toarray(), matrix.toarray())
    x = np.arange(shape[1], dtype=float)
    np.testing.assert_array_equal(stored.matvec(x), matrix @ x)


def test_slots_of_a_matrix_by_hand():
    # Row 0 has entries in both segments of two columns, row 1 in the second, row 2 none.
    matrix = scipy.sparse.csr_array(np.array([[1.0, 2, 0, 3], [0, 0, 4, 0], [0, 0, 0, 0]]))
    stored = SegmentedSliced.from_scipy(matrix, segment_columns=2)
    assert stored.row_pointers.tolist() == [0, 2, 3, 3]
    assert stored.slice_segments.tolist() == [0, 1]
    assert stored.step_ptr.tolist() == [0, 2, 3]
    assert stored.columns[[0, 32, 64, 65]].tolist() == [1, 2, 2, 1]
    assert stored.values[[0, 32, 64, 65]].tolist() == [1.0, 2.0, 3.0, 4.0]
    assert stored.structure()["slots"] == 3


def test_a_long_slot_has_all_threads_and_one_longer_is_cut():
    matrix = scipy.sparse.csr_array(np.ones((1, 600)))
    stored = SegmentedSliced.from_scipy(matrix)
    assert stored.threads_per_slot.tolist() == [32, 32, 32]
    assert stored.row_slots.tolist() == [0, 1, 2]


def test_hubs_stand_first_where_that_is_asked_for():
    matrix = random_matrix(40, 30, 0.1)
    hub = scipy.sparse.csr_array(
        matrix + scipy.sparse.csr_array((np.ones(40), (range(40), [17] * 40)), (40, 30))
    )
    assert SegmentedSliced.from_scipy(hub, by_degree=True).column_order[0] == 17
    assert len(SegmentedSliced.from_scipy(hub).column_order) == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"segment_columns": 0}, "segments of 0 columns"),
        ({"segment_columns": 65_536}, "segments of 65536 columns"),
        ({"window": 0}, "windows of 0 slots"),
        ({"steps": 17}, "slices of 17 steps"),
    ],
)
def test_impossible_sizes_are_refused(options, message):
    with pytest.raises(UserError, match=message):
        SegmentedSliced.from_scipy(random_matrix(4, 4, 0.5), **options)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda s: {"values": s.values + 1}, "padding must have the value 0"),
        (lambda s: {"row_slots": s.row_slots * 0}, "row_slots must name each slot once"),
        (lambda s: {"threads_per_slot": s.threads_per_slot + 2}, "threads a slot must be"),
        (lambda s: {"slice_segments": s.slice_segments[::-1].copy()}, "segments of slices must ascend"),
        (lambda s: {"column_order": np.zeros(20, np.uint32)}, "column_order must name each column once"),
    ],
)
def test_broken_invariants_are_named(change, message):
    stored = SegmentedSliced.from_scipy(random_matrix(30, 20, 0.3), segment_columns=7)
    with pytest.raises(ValueError, match=message):
        replace(stored, **change(stored)).check()


def test_few_segments_are_alike_many_are_full():
    assert even_columns(0, 100) == 32
    assert even_columns(20, 100) == 32
    assert even_columns(320, 100) == 96
    assert even_columns(321, 100) == 96
    assert even_columns(390, 100) == 100
    assert even_columns(401, 100) == 100
    matrix = random_matrix(30, 30_000, 0.01)
    assert SegmentedSliced.from_scipy(matrix).segment_columns == 15_008
    assert SegmentedSliced.from_scipy(matrix, by_degree=True).segment_columns == 28_672
