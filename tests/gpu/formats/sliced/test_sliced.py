from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse
from format_cases import assert_same, canonical, matrices
from hypothesis import given
from hypothesis import strategies as st
from tiers import examples

from gpu.formats.sliced.container import Sliced
from gpu.formats.sliced.slicing import Slicing
from vecsim.formats import NotRepresentableError
from vecsim.support.errors import UserError

#  1 . 2 .
#  . . . .
#  3 4 5 6
#  . 7 . .
SMALL = scipy.sparse.csr_array(np.array([[1.0, 0, 2, 0], [0, 0, 0, 0], [3, 4, 5, 6], [0, 7, 0, 0]]))
PAD = 2**32 - 1

slicings = st.builds(
    Slicing,
    slice_height=st.sampled_from([None, 1, 3, 8, 32]),
    sorting_window=st.sampled_from([None, 1, 5, 16]),
    threads_per_row=st.sampled_from([1, 2, 8]),
    wide=st.sampled_from([1, 2, 4]),
    row_lengths=st.booleans(),
    row_cap=st.sampled_from([None, 1, 3, 20]),
) | st.builds(
    Slicing,
    slice_height=st.sampled_from([None, 4]),
    sorting_window=st.sampled_from([1, 7]),
    threads_per_row=st.sampled_from([1, 2]),
    index_bits=st.just(16),
    base_per_step=st.booleans(),
    row_cap=st.sampled_from([None, 2]),
)


def test_slices_of_two_rows_by_hand():
    built = Sliced.from_scipy(SMALL, slicing=Slicing(slice_height=2))
    assert built.slice_ptr.tolist() == [0, 2, 6]
    assert built.columns.tolist() == [0, PAD, 2, PAD, 0, 1, 1, PAD, 2, PAD, 3, PAD]
    assert built.values.tolist() == [1, 0, 2, 0, 3, 7, 4, 0, 5, 0, 6, 0]
    assert built.perm.tolist() == built.lengths.tolist() == built.bases.tolist() == []
    assert (built.nnz, built.entries) == (7, 12)


def test_sorted_rows_with_lengths_and_pairs_by_hand():
    built = Sliced.from_scipy(
        SMALL, slicing=Slicing(slice_height=2, sorting_window=None, wide=2, row_lengths=True)
    )
    assert built.perm.tolist() == [2, 0, 3, 1]
    assert built.lengths.tolist() == [4, 2, 1, 0]
    assert built.slice_ptr.tolist() == [0, 2, 3]
    assert built.columns.tolist() == [0, 1, 0, 2, 2, 3, PAD, PAD, 1, PAD, PAD, PAD]


def test_rows_in_pieces_by_hand():
    built = Sliced.from_scipy(SMALL, slicing=Slicing(slice_height=4, row_cap=3))
    assert built.split_rows.tolist() == [2]
    assert built.split_ptr.tolist() == [0, 2]
    # Pieces 0 and 1 of row 2 stand where it stood; the second slice holds row 3 alone.
    assert built.perm.tolist() == [0, 1, 4, 5, 3, PAD, PAD, PAD]


@pytest.mark.parametrize(("per_step", "bases"), [(False, [100, 70]), (True, [100, 160, 70])])
def test_short_indices_by_hand(per_step, bases):
    matrix = scipy.sparse.coo_array(([1.0, 2, 3, 4], ([0, 0, 1, 2], [100, 160, 120, 70])), shape=(4, 200))
    built = Sliced.from_scipy(matrix, slicing=Slicing(slice_height=2, index_bits=16, base_per_step=per_step))
    assert built.bases.tolist() == bases
    second = 0 if per_step else 60
    assert built.columns.tolist() == [0, 20, second, 65535, 0, 65535]


@examples(150)
@given(matrix=matrices(), slicing=slicings)
def test_round_trip_is_lossless_and_valid(matrix, slicing):
    built = Sliced.from_scipy(matrix, slicing=slicing)
    built.check()
    assert built.nnz == canonical(matrix).nnz
    assert_same(built.to_scipy(), matrix)


@given(matrix=matrices(), slicing=slicings)
def test_product_agrees_with_scipy(matrix, slicing):
    x = np.arange(matrix.shape[1]) % 7 - 3
    y = Sliced.from_scipy(matrix, slicing=slicing).matvec(x)
    assert y.dtype == matrix.dtype
    np.testing.assert_array_equal(y, canonical(matrix) @ x.astype(matrix.dtype))


@pytest.mark.parametrize("shape", [(0, 0), (0, 5), (5, 0), (70, 3)])
@given(slicing=slicings)
def test_matrices_without_entries(shape, slicing):
    built = Sliced.from_scipy(scipy.sparse.csr_array(shape), slicing=slicing)
    built.check()
    assert built.entries == 0
    assert built.to_scipy().shape == shape
    np.testing.assert_array_equal(built.matvec(np.ones(shape[1])), np.zeros(shape[0]))


def test_sorting_keeps_windows_and_equal_rows_in_order():
    rng = np.random.default_rng(8)
    lengths = rng.integers(0, 6, 1000)
    matrix = scipy.sparse.csr_array(
        (
            np.ones(lengths.sum()),
            np.concatenate([np.arange(n) for n in lengths]),
            np.append(0, lengths.cumsum()),
        ),
        shape=(1000, 6),
    )
    for window in (7, 64, None):
        built = Sliced.from_scipy(matrix, slicing=Slicing(sorting_window=window))
        run = np.arange(1000) // (window or 1000)
        np.testing.assert_array_equal(built.perm[:1000], np.lexsort((np.arange(1000), -lengths, run)))


def test_what_padding_would_blow_up_is_refused():
    matrix = scipy.sparse.vstack([np.ones((1, 2000)), scipy.sparse.csr_array((5000, 2000))])
    Sliced.from_scipy(matrix, slicing=Slicing(row_cap=8)).check()
    with pytest.raises(NotRepresentableError, match="over the limit of 4: use a smaller slice_height"):
        Sliced.from_scipy(matrix, slicing=Slicing(slice_height=None))


@pytest.mark.parametrize(("apart", "fits"), [(65534, True), (65535, False)])
def test_offsets_beyond_16_bits_are_refused(apart, fits):
    matrix = scipy.sparse.coo_array(([1.0, 2.0], ([0, 1], [5, 5 + apart])), shape=(2, 70000))
    for slicing in (Slicing(index_bits=16), Slicing(index_bits=16, base_per_step=True)):
        if fits:
            assert_same(Sliced.from_scipy(matrix, slicing=slicing).to_scipy(), matrix)
        else:
            with pytest.raises(NotRepresentableError, match="up to 65535 apart"):
                Sliced.from_scipy(matrix, slicing=slicing)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"slice_height": 0}, "slice_height 0"),
        ({"sorting_window": 0}, "sorting_window 0"),
        ({"row_cap": 0}, "row_cap 0"),
        ({"threads_per_row": 3}, "power of two from 1 to 32"),
        ({"wide": 8}, "1, 2, 4"),
        ({"index_bits": 8}, "16 or 32"),
        ({"base_per_step": True}, "needs index_bits 16"),
    ],
)
def test_impossible_arrangements_are_refused(change, message):
    with pytest.raises(UserError, match=message):
        Slicing(**change)


def test_check_names_what_is_broken():
    built = Sliced.from_scipy(SMALL, slicing=Slicing(slice_height=2, sorting_window=None, row_lengths=True))
    built.check()

    def changed(name, place, value):
        array = getattr(built, name).copy()
        array[place] = value
        return {name: array}

    for change, message in [
        (changed("slice_ptr", 1, 7), "slice_ptr must never fall"),
        (changed("perm", 0, 3), "each whole row and each piece once"),
        (changed("columns", 0, 4), r"stand at must be from 0 to 3"),
        (changed("columns", 0, PAD), "padding must have the value 0"),
        (changed("lengths", 0, 3), "lengths must count"),
        ({"lengths": built.lengths[:0]}, "lengths must be kept"),
        ({"columns": built.columns[:-1]}, "whole steps"),
    ]:
        with pytest.raises(ValueError, match=message):
            replace(built, **change).check()


def test_storage_counts_every_array():
    built = Sliced.from_scipy(SMALL, slicing=Slicing(slice_height=2, sorting_window=None, row_lengths=True))
    assert built.storage("image") == built.nbytes == 10 * (8 + 4) + 4 * (3 + 4 + 4) + 4


def test_more_steps_than_can_be_counted(monkeypatch):
    monkeypatch.setattr("gpu.formats.sliced.layout.MOST_STEPS", 9)
    matrix = scipy.sparse.csr_array(np.ones((5, 2)))
    assert Sliced.from_scipy(matrix, slicing=Slicing(slice_height=5)).slices == 1
    with pytest.raises(NotRepresentableError, match=r"10 steps, at most 9 .* larger slice_height"):
        Sliced.from_scipy(matrix, slicing=Slicing(slice_height=1))
