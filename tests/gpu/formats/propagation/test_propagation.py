"""Propagation blocking on the host: parts, bins and super-blocks of matrices that can be followed by hand."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse
from format_cases import assert_right, matrices
from hypothesis import given
from hypothesis import strategies as st
from tiers import examples

from gpu.formats.propagation import container
from gpu.formats.propagation.container import PropagationBlocks
from gpu.formats.propagation.sizes import PADDING
from vecsim.formats import NotRepresentableError
from vecsim.support.errors import UserError


def test_a_matrix_by_hand():
    matrix = scipy.sparse.csr_array(np.array([[1.0, 2, 0, 3], [0, 0, 0, 0], [4, 0, 5, 0]]))
    built = PropagationBlocks.from_scipy(matrix, parts=2, bin_entries=8, super_entries=8)
    built.check()
    # Columns 0 and 1 have three entries, 2 and 3 two: a group each. One bin has all rows.
    assert built.part_columns.tolist() == [[0, 2], [2, 2]]
    assert built.values.tolist() == [1, 2, 4, 0, 3, 5, 0, 0]
    assert built.columns.tolist() == [0, 1, 0, 0, 1, 0, 0, 0]
    assert built.destinations.tolist() == [0, 1]
    assert built.bin_rows.tolist() == [[0, 3]]
    # Row 0 is the longer slot, rank 0; the third diagonal is that of row 0 alone.
    assert built.row_slots.tolist() == [0, 1, 1, 2]
    assert built.ranks.tolist() == [0, 1]
    assert built.diagonals[0, :5].tolist() == [0, 2, 4, 5, 5]
    assert built.places.tolist() == [0, 2, 1, PADDING, 4, 3, PADDING, PADDING]


def test_bins_and_super_blocks():
    matrix = scipy.sparse.csr_array(np.ones((6, 4)))
    built = PropagationBlocks.from_scipy(matrix, parts=1, bin_entries=8, super_entries=16)
    assert built.bin_rows.tolist() == [[0, 2], [2, 2], [4, 2]]
    assert built.super_bins.tolist() == [0, 2, 3]
    assert built.items.tolist() == [0, 4, 6]
    # The groups of the second super-block are counted again.
    assert built.destinations.tolist() == [0, 1, 2, 3, 0, 1]


def test_a_row_longer_than_a_bin_has_its_own_bins():
    dense = np.zeros((4, 20))
    dense[[0, 2, 3], 0] = 1
    dense[1] = np.arange(1, 21)
    built = PropagationBlocks.from_scipy(scipy.sparse.csr_array(dense), parts=1, bin_entries=8)
    assert built.bin_rows.tolist() == [[0, 1], [1, 1], [1, 1], [1, 1], [2, 2]]
    assert_right(built, scipy.sparse.csr_array(dense))


def test_a_column_with_most_entries_has_several_parts():
    dense = np.zeros((12, 5))
    dense[:, 2] = np.arange(1, 13)
    dense[0] = 7
    built = PropagationBlocks.from_scipy(scipy.sparse.csr_array(dense), parts=5)
    assert built.part_columns.tolist() == [[0, 2], [2, 1], [2, 1], [2, 1], [3, 2]]
    assert_right(built, scipy.sparse.csr_array(dense))


def test_parts_are_as_many_as_must_be_to_be_narrow():
    matrix = scipy.sparse.csr_array(np.ones((2, 30)))
    built = PropagationBlocks.from_scipy(matrix, parts=2, widest_part=7)
    assert built.part_columns[:, 1].max() <= 7
    assert built.parts == 5
    assert_right(built, matrix)


def test_long_rows_have_several_slots():
    matrix = scipy.sparse.csr_array(np.ones((2, 70)))
    built = PropagationBlocks.from_scipy(matrix)
    assert built.row_slots.tolist() == [0, 3, 6]
    assert built.ranks.tolist() == [0, 1, 4, 2, 3, 5]
    assert_right(built, matrix)


@examples(60)
@given(
    matrix=matrices(),
    parts=st.integers(1, 6),
    widest=st.integers(1, 70),
    of_bin=st.integers(4, 40),
    of_super=st.integers(1, 60),
)
def test_any_matrix_in_any_sizes(matrix, parts, widest, of_bin, of_super):
    built = PropagationBlocks.from_scipy(
        matrix, parts=parts, widest_part=widest, bin_entries=of_bin, super_entries=of_super
    )
    assert_right(built, matrix)
    assert np.diff(built.bin_groups).max(initial=0) * 4 <= of_bin
    assert built.bin_rows[:, 1].max(initial=0) <= of_bin
    assert built.part_columns[:, 1].max(initial=0) <= widest


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"widest_part": 0}, "parts of 0 columns are not possible: use 1 to 65536"),
        ({"widest_part": 65537}, "parts of 65537 columns are not possible"),
        ({"bin_entries": 3}, "bins of 3 entries are not possible: use 4 to 65532"),
        ({"bin_entries": 65533}, "bins of 65533 entries are not possible"),
        ({"parts": 0}, "0 parts are not possible: use 1 to 65535"),
        ({"super_entries": 0}, "super-blocks of 0 entries are not possible: use 1 or more"),
    ],
)
def test_impossible_sizes_are_refused(options, message):
    with pytest.raises(UserError, match=message):
        PropagationBlocks.from_scipy(scipy.sparse.eye_array(3, format="csr"), **options)


def test_padding_that_is_too_much_is_refused(monkeypatch):
    monkeypatch.setattr(container, "ALWAYS_MADE_BYTES", 0)
    with pytest.raises(NotRepresentableError, match=r"padding would make .* use fewer parts"):
        PropagationBlocks.from_scipy(scipy.sparse.eye_array(40, format="csr"), parts=40)


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("destinations", lambda array: array * 0, "destinations must name each group once"),
        ("places", lambda array: np.where(array == 1, 0, array), "each place once"),
        ("ranks", lambda array: array * 0, "each rank once"),
        ("values", lambda array: array + 1, "padding must have the value 0"),
        ("columns", lambda array: array + 9, "columns must be in their part"),
        ("bin_rows", lambda array: array + np.array([[1, 0]]), "bins must have the rows in order"),
        ("diagonals", lambda array: array[:, ::-1], "the first diagonal must begin at 0"),
        ("items", lambda array: array + 1, "items must start at 0"),
        ("row_slots", lambda array: array[1:], "row_slots must have one a row and a bin"),
    ],
)
def test_what_is_broken_is_named(name, change, message):
    matrix = scipy.sparse.csr_array(np.array([[1.0, 2, 0, 3], [0, 0, 0, 0], [4, 0, 5, 0]]))
    built = PropagationBlocks.from_scipy(matrix, parts=2)
    array = getattr(built, name)
    broken = replace(built, **{name: change(array).astype(array.dtype)})
    with pytest.raises(ValueError, match=message):
        broken.check()
