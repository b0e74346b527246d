"""HBP with slots for rows that have entries alone."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse
from format_cases import assert_right, matrices
from hypothesis import given
from tiers import examples

from vecsim.errors import UserError
from vecsim.formats import HBP, ActiveHBP, NotRepresentableError


@pytest.mark.parametrize("blocks", [(1, 1), (32, 16), (64, 7), (512, 4096)])
@given(matrix=matrices())
@examples(15)
def test_any_matrix_in_any_blocks(blocks, matrix):
    assert_right(ActiveHBP.from_scipy(matrix, block_rows=blocks[0], block_columns=blocks[1]), matrix)


def test_the_arrays_by_hand():
    dense = np.zeros((40, 8))
    dense[3, [0, 2, 5]] = [1, 2, 3]
    dense[7, [1, 6]] = [4, 5]
    dense[39, 7] = 6
    made = ActiveHBP.from_scipy(scipy.sparse.csr_array(dense), block_rows=32, block_columns=4)
    assert made.rows.tolist() == [7, 3, 3, 7, 39]
    assert made.group_slots.tolist() == [0, 2, 4, 5]
    assert made.group_begins.tolist() == [0, 3, 5, 6]
    assert made.group_columns.tolist() == [0, 1, 1]
    assert made.columns.tolist() == [1, 0, 2, 1, 2, 3]
    assert made.values.tolist() == [4, 1, 2, 3, 5, 6]
    assert made.steps.tolist() == [0, 1, 0, 0, 0, 0]
    assert made.row_slots.tolist() == [1, 2, 0, 3, 4]
    assert np.diff(made.row_pointers)[[3, 7, 39]].tolist() == [2, 2, 1]


def test_bytes_do_not_grow_with_rows_times_columns_of_blocks():
    n = 60_000
    csr = scipy.sparse.diags_array([np.ones(n)] * 3, offsets=[-1, 0, 1], shape=(n, n)).tocsr()
    made = ActiveHBP.from_scipy(csr)
    # An entry has its value, two bytes and one; a row in a block 8, and M + 1 pointers and the groups.
    assert made.nbytes < 11 * csr.nnz + 8 * len(made.rows) + 4 * (n + 1) + 12 * (len(made.group_columns) + 1)
    with pytest.raises(NotRepresentableError):
        HBP.from_scipy(csr)


def test_what_is_not_possible():
    with pytest.raises(UserError, match="blocks of 70000 columns are not possible: use 1 to 65536"):
        ActiveHBP.from_scipy(scipy.sparse.eye_array(5), block_columns=70_000)


@pytest.mark.parametrize(
    ("name", "change", "broken"),
    [
        ("steps", lambda a: a * 0, "every entry must be on the way of a row"),
        ("rows", lambda a: a[::-1], "row_slots must be those of their row"),
        ("row_slots", lambda a: a * 0, "row_slots must name each slot once"),
        ("group_columns", lambda a: a[::-1], "columns of blocks must ascend"),
        ("columns", lambda a: a + 1000, "columns must lie in the matrix"),
        ("group_begins", lambda a: a[::-1], "group_begins must"),
    ],
)
def test_what_is_broken_is_named(name, change, broken):
    rng = np.random.default_rng(1)
    matrix = scipy.sparse.random_array((70, 90), density=0.2, rng=rng, format="csr")
    made = ActiveHBP.from_scipy(matrix, block_rows=32, block_columns=30)
    with pytest.raises(ValueError, match=broken):
        replace(made, **{name: change(getattr(made, name))}).check()
