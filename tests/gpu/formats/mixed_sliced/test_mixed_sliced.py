from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from tiers import examples

from gpu.format_registry import FORMATS
from gpu.formats.mixed_sliced.container import MixedSliced
from gpu.formats.mixed_sliced.filling import MANY_ROWS, sorted_in_windows, threads_per_row_for
from gpu.formats.mixed_sliced.slicing import MixedSlicing
from vecsim.formats import NotRepresentableError
from vecsim.support.errors import UserError

SLICINGS = [
    *(each.options["slicing"] for each in FORMATS.values() if each.container is MixedSliced),
    MixedSlicing(hubs=True, sorting_window=7, steps=2, wide=2, thread_lengths=False),
    MixedSlicing(sorting_window=50, steps=1, wide=4),
]
every_slicing = pytest.mark.parametrize("slicing", SLICINGS, ids=lambda each: repr(each)[12:])


def skewed(seed, rows, columns, entries):
    """Entries gather in low rows and columns."""
    rng = np.random.default_rng(seed)
    row = (rows * rng.random(entries) ** 4).astype(int)
    column = (columns * rng.random(entries) ** 3).astype(int)
    return scipy.sparse.coo_array((rng.standard_normal(entries), (row, column)), shape=(rows, columns))


@every_slicing
@examples(25)
@given(
    seed=st.integers(0, 2**32 - 1),
    rows=st.integers(1, 200),
    columns=st.integers(1, 300),
    entries=st.integers(0, 900),
)
def test_there_and_back(slicing, seed, rows, columns, entries):
    matrix = skewed(seed, rows, columns, entries).tocsr()
    built = MixedSliced.from_scipy(matrix, slicing=slicing)
    built.check()
    assert built.shape == matrix.shape
    assert built.nnz == matrix.nnz
    assert (built.to_scipy() != matrix).nnz == 0
    x = np.linspace(-1, 1, columns)
    np.testing.assert_allclose(built.matvec(x), matrix @ x, atol=1e-12)


@every_slicing
@pytest.mark.parametrize("shape", [(0, 0), (0, 4), (4, 0), (4, 4)])
def test_no_entries(slicing, shape):
    built = MixedSliced.from_scipy(scipy.sparse.csr_array(shape), slicing=slicing)
    built.check()
    assert built.to_scipy().shape == shape
    assert built.nnz == 0


def test_one_slice_by_hand():
    # Rows of 1, 3 and 0 entries; with two steps a thread, the row of 3 takes two threads.
    matrix = scipy.sparse.csr_array(np.array([[0, 5.0, 0], [1, 2, 3], [0, 0, 0]]))
    built = MixedSliced.from_scipy(matrix, slicing=MixedSlicing(steps=2))
    assert built.threads_per_row.tolist() == [2]
    assert built.perm[:6].tolist() == [1, 2**32 - 1, 0, 2**32 - 1, 2, 2**32 - 1]
    assert built.step_ptr.tolist() == [0, 2]
    assert built.near_ptr.tolist() == [0, 2]
    assert built.values[:3].tolist() == [1, 2, 5]
    assert built.values[32:35].tolist() == [3, 0, 0]
    assert built.near_columns[:3].tolist() == [1, 2, 2]
    assert built.near_columns[32:35].tolist() == [3, 0, 0]
    assert built.near_lengths[:6].tolist() == [2, 1, 1, 0, 0, 0]
    assert not built.far_lengths.any()


def test_a_row_of_two_warps_by_hand():
    # Rows of 1 and 70 entries; with two steps a thread, the long one takes 64 threads: two slices, the first.
    dense = np.zeros((2, 70))
    dense[0, 5], dense[1] = 100, np.arange(1, 71)
    built = MixedSliced.from_scipy(scipy.sparse.csr_array(dense), slicing=MixedSlicing(steps=2))
    assert built.threads_per_row.tolist() == [64, 64, 1]
    assert built.perm[[0, 32, 64]].tolist() == [1, 2**32 - 1, 0]
    assert built.step_ptr.tolist() == [0, 2, 4, 5]
    assert built.values[:32].tolist() == list(range(1, 33))
    assert built.values[32:64].tolist() == [*range(65, 71), *[0] * 26]
    assert built.values[64:96].tolist() == list(range(33, 65))
    assert not built.values[96:128].any()
    assert built.values[128] == 100


def test_hubs_are_the_columns_with_most_entries():
    matrix = scipy.sparse.csr_array(np.array([[0, 1, 0, 1.0], [0, 0, 0, 1], [1, 1, 0, 1]]))
    built = FORMATS["sell-hubs"].from_scipy(matrix)
    assert built.hubs.tolist() == [3, 1, 0]


@pytest.mark.parametrize("hubs", [False, True])
def test_columns_beyond_16_bits_are_far(hubs):
    rng = np.random.default_rng(3)
    row = np.repeat(np.arange(30), 3000)
    column = rng.integers(0, 200_000, len(row))
    matrix = scipy.sparse.csr_array(scipy.sparse.coo_array((rng.random(len(row)), (row, column))))
    built = MixedSliced.from_scipy(matrix, slicing=MixedSlicing(hubs=hubs, steps=4))
    built.check()
    assert 0 < np.count_nonzero(built.far_columns) < matrix.nnz
    assert (built.to_scipy() != matrix).nnz == 0
    assert built.nbytes == built.storage("image")
    if hubs:
        least = np.bincount(matrix.indices)[built.hubs].min()
        assert least >= np.bincount(built.far_columns[built.far_columns > 0] - 1).max()


def test_hubs_with_equal_counts_are_in_order():
    matrix = scipy.sparse.csr_array(np.ones((2, 50)))
    assert FORMATS["sell-hubs"].from_scipy(matrix).hubs.tolist() == list(range(50))


def test_counting_sorts_a_long_window_as_comparing_does():
    rng = np.random.default_rng(2)
    rows = MANY_ROWS + 100
    near, far = rng.integers(0, 40, rows), rng.integers(0, 3, rows)
    far[::1000] += 5000
    order = sorted_in_windows(near, far, np.array([0, rows]), 4, 256)
    threads_per_row = np.array([threads_per_row_for(entries, 4, 256) for entries in near + far])
    np.testing.assert_array_equal(order, np.lexsort((np.arange(rows), -far, -near, -threads_per_row)))


def test_steps_bound_the_work_of_every_slice():
    matrix = skewed(5, 3000, 3000, 60_000).tocsr()
    for steps in (4, 16):
        built = MixedSliced.from_scipy(
            matrix, slicing=MixedSlicing(hubs=True, sorting_window=None, steps=steps, most_threads_per_row=64)
        )
        # Near and far steps are rounded up apart.
        assert np.diff(built.step_ptr.astype(int)).max() <= steps + 1
        assert set(built.threads_per_row.tolist()) >= {1, 32, 64}
        assert len(built.split_rows) > 0


def test_a_small_matrix_is_not_cut():
    matrix = scipy.sparse.csr_array(np.vstack([np.ones(2000), np.zeros(2000)]))
    assert len(MixedSliced.from_scipy(matrix).split_rows) == 0


def test_padding_beyond_four_times_crs_is_refused():
    # One entry in every 32nd row, four steps wide: 128 places for each.
    rows = 2**15
    row = np.arange(0, rows, 32)
    matrix = scipy.sparse.csr_array(
        scipy.sparse.coo_array((np.ones(len(row)), (row, row)), shape=(rows, rows))
    )
    slicing = MixedSlicing(sorting_window=1, wide=4)
    with pytest.raises(NotRepresentableError, match="larger sorting_window"):
        MixedSliced.from_scipy(matrix, slicing=slicing)


@pytest.mark.parametrize(
    "bad", [{"sorting_window": 0}, {"steps": 0}, {"steps": 256}, {"wide": 3}, {"most_threads_per_row": 16}]
)
def test_impossible_parameters(bad):
    with pytest.raises(UserError, match=next(iter(bad))):
        MixedSlicing(**bad)


@pytest.mark.parametrize(
    ("name", "place", "value"),
    [
        ("perm", 0, 3),
        ("values", -1, 1.0),
        ("threads_per_row", 0, 3),
        ("threads_per_row", -1, 64),
        ("step_ptr", 0, 1),
        ("hubs", 0, 10**6),
    ],
)
def test_check_finds_what_is_broken(name, place, value):
    built = FORMATS["sell-hubs"].from_scipy(skewed(9, 60, 60, 200))
    broken = getattr(built, name).copy()
    broken[place] = value
    with pytest.raises(ValueError, match=name if name != "values" else "padding"):
        replace(built, **{name: broken}).check()
