"""Exact means over all empty positions against every one of them."""

import numpy as np
import pytest
import scipy.sparse
from format_cases import canonical, matrices
from hypothesis import given
from hypothesis import strategies as st

from vecsim.formats import BBCS, CRS, JD, HiSM
from vecsim.formats.insertion.empty_positions import (
    empty_by_block_array,
    empty_by_block_column,
    empty_by_row,
    empty_in_blocks,
    mean_steps,
)

KINDS = ("comparisons", "displacements", "later", "updates")
ORDERS = (("row", "column"), ("column", "row"), ("row", "row", "column"))


def empty_positions(matrix):
    """Return all rows and columns without an entry."""
    entries = canonical(matrix).tocoo()
    empty = np.ones(matrix.shape, dtype=bool)
    empty[entries.row, entries.col] = False
    return np.nonzero(empty)


def assert_mean(form, groups, rows, columns):
    """Assert that the groups are these positions, and that the mean over both is the same."""
    assert (groups.count > 0).all()
    assert groups.count.sum() == len(rows)
    known = set(zip(rows.tolist(), columns.tolist(), strict=True))
    actual = list(zip(groups.row.tolist(), groups.column.tolist(), strict=True))
    assert len(set(actual)) == len(actual)
    assert known.issuperset(actual)
    if not len(rows):
        with pytest.raises(ValueError, match="empty positions needs at least one"):
            mean_steps(form, groups)
        return
    means = mean_steps(form, groups)
    for mean, part in zip(means, form.insertion_steps(rows, columns), strict=True):
        for kind in KINDS:
            assert getattr(mean, kind) == pytest.approx(getattr(part, kind).mean(), rel=1e-12), kind


@given(matrix=matrices())
def test_mean_of_crs_and_jd(matrix):
    crs = CRS.from_scipy(matrix)
    for form in (crs, JD.from_scipy(matrix)):
        assert_mean(form, empty_by_row(crs), *empty_positions(matrix))


@given(matrix=matrices(), section_size=st.sampled_from([4, 8, 64]))
def test_mean_of_bbcs(matrix, section_size):
    bbcs = BBCS.from_scipy(matrix, section_size=section_size)
    assert_mean(bbcs, empty_by_block_column(bbcs), *empty_positions(matrix))


@given(matrix=matrices(), section_size=st.sampled_from([4, 8, 64]), order=st.sampled_from(ORDERS))
def test_mean_of_hism(matrix, section_size, order):
    hism = HiSM.from_scipy(matrix, section_size=section_size, order=order)
    assert_mean(hism, empty_by_block_array(hism), *empty_positions(matrix))


@given(matrix=matrices(), section_size=st.sampled_from([4, 8, 64]))
def test_mean_over_the_empty_positions_of_stored_blocks(matrix, section_size):
    hism = HiSM.from_scipy(matrix, section_size=section_size)
    entries = canonical(matrix).tocoo()
    blocks = set(zip(entries.row // section_size, entries.col // section_size, strict=True))
    rows, columns = empty_positions(matrix)
    stored = [block in blocks for block in zip(rows // section_size, columns // section_size, strict=True)]
    stored = np.array(stored, dtype=bool)
    for form in (
        hism,
        CRS.from_scipy(matrix),
        JD.from_scipy(matrix),
        BBCS.from_scipy(matrix, section_size=section_size),
    ):
        assert_mean(form, empty_in_blocks(hism), rows[stored], columns[stored])


def test_stored_blocks_must_run_by_row():
    hism = HiSM.from_scipy(scipy.sparse.csr_array(np.eye(3)), section_size=4, order=("column",))
    with pytest.raises(ValueError, match="level 0 must run by row"):
        empty_in_blocks(hism)


@pytest.mark.parametrize("shape", [(0, 0), (0, 5), (5, 0)])
def test_matrices_without_positions(shape):
    matrix = scipy.sparse.csr_array(shape)
    bbcs = BBCS.from_scipy(matrix, section_size=4)
    hism = HiSM.from_scipy(matrix, section_size=4)
    for groups in (
        empty_by_row(CRS.from_scipy(matrix)),
        empty_by_block_column(bbcs),
        empty_by_block_array(hism),
        empty_in_blocks(hism),
    ):
        assert len(groups.count) == 0


def test_a_large_matrix_takes_no_time_for_its_empty_positions():
    # 2**42 positions, three of them taken: a handful of groups a row would be all the work.
    size = 2**21
    matrix = scipy.sparse.coo_array(([1.0, 2.0, 3.0], ([0, 5, size - 1], [7, 7, size - 1])))
    hism = HiSM.from_scipy(matrix, section_size=64)
    groups = empty_by_block_array(hism)
    assert groups.count.sum() == size**2 - 3
    assert len(groups.count) < 50
