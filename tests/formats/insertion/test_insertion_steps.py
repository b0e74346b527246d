"""Steps of insertions against programs that count while they insert, and by hand."""

import numpy as np
import pytest
import scipy.sparse
from format_cases import matrices
from hypothesis import given
from hypothesis import strategies as st
from insertion_by_loops import insert_into_bbcs, insert_into_crs, insert_into_hism, insert_into_jd

from vecsim.formats import BBCS, CRS, JD, HiSM
from vecsim.formats.insertion import Steps
from vecsim.formats.jd.insertion import jd_swap_steps
from vecsim.support.errors import UserError

KINDS = ("comparisons", "displacements", "later", "updates")
ORDERS = (("row", "column"), ("column", "row", "column"))

#  . 5 . 1
#  . . . .
#  7 . 9 .
#  . 2 . .
SMALL = scipy.sparse.csr_array(
    (np.array([5.0, 1.0, 7.0, 9.0, 2.0]), ([0, 0, 2, 2, 3], [1, 3, 0, 2, 1])), shape=(4, 4)
)


def step_numbers(parts):
    return [tuple(np.asarray(getattr(part, kind)).item() for kind in KINDS) for part in parts]


def assert_counted(form, matrix, by_loops, counted=None):
    """Assert that positions all over the matrix, up to 32, take the steps that the loops count."""
    extent = matrix.shape[0] * matrix.shape[1]
    picked = np.random.default_rng(matrix.nnz).choice(extent, min(extent, 32), replace=False)
    rows, columns = np.divmod(picked, matrix.shape[1])
    parts = (counted or type(form).insertion_steps)(form, rows, columns)
    assert all(getattr(part, kind).dtype == np.int64 for part in parts for kind in KINDS)
    counts = np.array([[getattr(part, kind) for kind in KINDS] for part in parts])
    assert (counts >= 0).all()
    for index, (row, column) in enumerate(zip(rows.tolist(), columns.tolist(), strict=True)):
        expected = step_numbers(by_loops(form, row, column))
        assert [tuple(part) for part in counts[:, :, index].tolist()] == expected, (row, column)


@given(matrix=matrices(max_extent=12))
def test_crs_takes_the_steps_of_a_plain_program(matrix):
    assert_counted(CRS.from_scipy(matrix), matrix, insert_into_crs)


@given(matrix=matrices(max_extent=12))
def test_jd_takes_the_steps_of_a_plain_program(matrix):
    assert_counted(JD.from_scipy(matrix), matrix, insert_into_jd)


@given(matrix=matrices(max_extent=12))
def test_jd_with_rows_in_any_order_takes_the_steps_of_a_swap(matrix):
    def swap(jd, row, column):
        return insert_into_jd(jd, row, column, keep_order=False)

    assert_counted(JD.from_scipy(matrix), matrix, swap, jd_swap_steps)


@given(matrix=matrices(max_extent=12), section_size=st.sampled_from([4, 8]))
def test_bbcs_takes_the_steps_of_a_plain_program(matrix, section_size):
    bbcs = BBCS.from_scipy(matrix, section_size=section_size)
    assert_counted(bbcs, matrix, lambda *element: insert_into_bbcs(*element)[0])


@given(matrix=matrices(max_extent=12), place=st.tuples(st.integers(0, 999), st.integers(0, 999)))
def test_the_plain_program_for_bbcs_makes_what_insert_makes(matrix, place):
    row, column = (p % extent for p, extent in zip(place, matrix.shape, strict=True))
    bbcs = BBCS.from_scipy(matrix, section_size=4)
    built = bbcs.insert(row, column, 1.0).matrix
    block = slice(*built.block_ptr[column // 4 : column // 4 + 2])
    entries = zip(built.zero_rows[block], built.column[block], built.end_of_row[block], strict=True)
    assert list(entries) == insert_into_bbcs(bbcs, row, column)[1]


@given(matrix=matrices(max_extent=20), section_size=st.sampled_from([4, 8]), order=st.sampled_from(ORDERS))
def test_hism_takes_the_steps_of_a_plain_program(matrix, section_size, order):
    hism = HiSM.from_scipy(matrix, section_size=section_size, order=order)
    assert_counted(hism, matrix, insert_into_hism)


@given(matrix=matrices(max_extent=20), place=st.tuples(st.integers(0, 999), st.integers(0, 999)))
def test_insert_tells_the_steps_of_its_position(matrix, place):
    row, column = (p % extent for p, extent in zip(place, matrix.shape, strict=True))
    for form in (
        CRS.from_scipy(matrix),
        JD.from_scipy(matrix),
        BBCS.from_scipy(matrix, section_size=4),
        HiSM.from_scipy(matrix, section_size=4),
    ):
        insertion = form.insert(row, column, 1.0)
        expected = step_numbers(form.insertion_steps([row], [column]))
        assert step_numbers(insertion.parts) == expected
        assert insertion.steps.total == sum(sum(part) for part in expected)


@pytest.mark.parametrize(
    ("element", "steps"),
    [
        # Two columns compared; 7 2 (from 2 on: 7 9 2) after make room, and pointers of rows 1, 2, 3, end.
        ((0, 2), Steps(2, 1, 3, 4)),
        ((1, 0), Steps(0, 0, 3, 3)),
        ((3, 3), Steps(1, 0, 0, 1)),
        # Stored: the search alone.
        ((2, 2), Steps(2, 0, 0, 0)),
    ],
)
def test_crs_by_hand(element, steps):
    assert CRS.from_scipy(SMALL).insert(*element, 3.0).parts == (steps,)


@pytest.mark.parametrize(
    ("element", "permutation", "diagonals"),
    [
        # perm 0 2 3 1; diagonals 5 7 2 and 1 9. Row 2 grows to three entries and overtakes row 0: with its
        # two entries and row 0's all move; the third diagonal is new.
        ((2, 1), Steps(2, 2, 0, 0), Steps(2, 4, 0, 0)),
        # Row 3 grows to two: stays third; its entry 2 moves to the second diagonal's end.
        ((3, 0), Steps(4, 0, 0, 0), Steps(1, 1, 0, 1)),
        # Row 1 grows to one: after row 3 it compares with row 3 and stays before it; 1 9 lie after.
        ((1, 2), Steps(5, 2, 0, 0), Steps(0, 1, 2, 2)),
        ((0, 3), Steps(1, 0, 0, 0), Steps(2, 0, 0, 0)),
    ],
)
def test_jd_by_hand(element, permutation, diagonals):
    assert JD.from_scipy(SMALL).insert(*element, 3.0).parts == (permutation, diagonals)


@pytest.mark.parametrize(
    ("element", "steps"),
    [
        # Entries 5 1| (1 row) 7 9| 2|. After 5, before 1.
        ((0, 2), Steps(2, 5, 0, 1)),
        # Into the run of one row: overwritten.
        ((1, 2), Steps(3, 0, 0, 0)),
        # After 9, which ended its row.
        ((2, 3), Steps(5, 1, 0, 2)),
        ((3, 3), Steps(6, 0, 0, 2)),
        ((3, 1), Steps(6, 0, 0, 0)),
    ],
)
def test_bbcs_by_hand(element, steps):
    assert BBCS.from_scipy(SMALL, section_size=4).insert(*element, 3.0).parts == (steps,)


@pytest.mark.parametrize(("row", "displacements"), [(0, 2), (1, 1), (2, 1), (3, 1)])
def test_bbcs_splits_a_run_of_empty_rows(row, displacements):
    # Entries (4 rows) 5|: an element in the first of the rows goes before the run; from the second on, the
    # run stays in place and what is left of it below the element is new.
    matrix = scipy.sparse.csr_array(([5.0], ([4], [0])), shape=(6, 1))
    actual = BBCS.from_scipy(matrix, section_size=4).insert(row, 0, 1.0).steps
    assert actual == Steps(comparisons=1, displacements=displacements, later=0, updates=2)


@pytest.mark.parametrize(
    ("element", "low", "high"),
    [
        # Blocks (0, 0) with 5 1 7 9 2, and (1, 1) with 4. Into the first: one pointer compared.
        ((2, 1), Steps(4, 2, 0, 1), Steps(1, 0, 0, 0)),
        # A new block between both: column-wise (1, 0) stands before (1, 1).
        ((5, 1), Steps(0, 0, 0, 0), Steps(2, 1, 0, 1)),
        ((5, 5), Steps(1, 0, 0, 0), Steps(2, 0, 0, 0)),
    ],
)
def test_hism_by_hand(element, low, high):
    matrix = scipy.sparse.block_diag([SMALL, [[0.0, 0.0], [0.0, 4.0]]], format="coo")
    matrix = scipy.sparse.coo_array(matrix)
    matrix.eliminate_zeros()
    assert HiSM.from_scipy(matrix, section_size=4).insert(*element, 3.0).parts == (low, high)


def test_positions_may_be_none():
    for form in (CRS.from_scipy(SMALL), JD.from_scipy(SMALL), HiSM.from_scipy(SMALL, section_size=4)):
        assert all(part.comparisons.shape == (0,) for part in form.insertion_steps([], []))


@pytest.mark.parametrize(
    ("rows", "columns", "message"),
    [
        ([0, 4], [0, 0], "row 4 does not exist: the matrix has 4 rows, counted from 0"),
        ([0, 0], [0, -1], "column -1 does not exist"),
        ([0, 1], [0], "2 rows and 1 column were given"),
        ([0.5], [0], "row must be an integer or a vector of integers"),
        ([[0]], [[0]], "row must be an integer or a vector of integers"),
    ],
)
def test_what_are_no_positions_is_refused(rows, columns, message):
    for form in (CRS.from_scipy(SMALL), JD.from_scipy(SMALL), BBCS.from_scipy(SMALL, section_size=4)):
        with pytest.raises(UserError, match=message):
            form.insertion_steps(rows, columns)
