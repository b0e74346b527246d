from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from gpu.formats.biell.container import BiELL
from vecsim.formats import NotRepresentableError

PAD = NO_ROW = 2**32 - 1


def matrix_of(lengths):
    """Make a matrix whose rows of these lengths begin at column 0, entries 1, 2, ... by row."""
    rows = np.repeat(np.arange(len(lengths)), lengths)
    columns = np.concatenate([np.arange(length) for length in lengths])
    values = np.arange(1.0, len(rows) + 1)
    return scipy.sparse.coo_array((values, (rows, columns)), shape=(len(lengths), max(lengths))).tocsr()


# 18 rows: one of 5 entries, one of 2, the others of 1; the longest in the middle.
LENGTHS = [1] * 4 + [5, 1, 2] + [1] * 11


def test_the_groups_of_a_warp_by_hand():
    built = BiELL.from_scipy(matrix_of(LENGTHS))
    assert built.perm.tolist() == [4, 6, *range(4), 5, *range(7, 18), *[NO_ROW] * 14]
    # Cut at 1 (17th row), nothing for 16, 8, 4 rows; 2 rows up to 2, one row up to 5: a step each.
    assert built.group_ptr.tolist() == [0, 1, 1, 1, 1, 2, 3]
    steps = built.columns.reshape(3, 32).tolist()
    assert steps[0] == [0] * 18 + [PAD] * 14
    # 16 threads a row: entry 1 of row 4 is thread 0's, that of row 6 thread 16's.
    assert [(thread, column) for thread, column in enumerate(steps[1]) if column != PAD] == [(0, 1), (16, 1)]
    assert steps[2] == [2, 3, 4] + [PAD] * 29
    assert built.values.reshape(3, 32)[2, :3].tolist() == [7, 8, 9]
    assert (built.nnz, built.iterations, built.warps) == (23, 3, 1)


def test_two_threads_a_row_take_its_entries_in_turn():
    # 17 rows of 1, so that group 0 ends at 1; 16 go on to 1, 9 of them to 6.
    built = BiELL.from_scipy(matrix_of([6] * 9 + [1] * 23))
    assert np.diff(built.group_ptr.astype(int)).tolist() == [1, 3, 0, 0, 0, 0]
    group = built.columns.reshape(4, 16, 2)[1:]
    np.testing.assert_array_equal(group[:, 0], [[1, 2], [3, 4], [5, PAD]])
    np.testing.assert_array_equal(group[:, 9], [[PAD, PAD]] * 3)


def test_bijad_sorts_all_rows_before_it_cuts_warps():
    lengths = [1] * 32 + [3] * 32
    built = BiELL.from_scipy(matrix_of(lengths), sorted_globally=True)
    assert built.perm.tolist() == [*range(32, 64), *range(32)]
    mixed = matrix_of([1, 3] * 32)
    assert BiELL.from_scipy(mixed, sorted_globally=True).iterations == 3 + 1
    # In each warp 16 rows of 3: one step for all, one of two threads a row for the other two entries.
    assert BiELL.from_scipy(mixed).iterations == 2 * (1 + 1)


@given(lengths=st.lists(st.integers(0, 90), min_size=1, max_size=70))
def test_longer_rows_get_more_threads_and_padding_is_bounded(lengths):
    built = BiELL.from_scipy(matrix_of([*lengths, 90]))
    # More than half of the rows of a group reach its end, but for what a step is rounded up to.
    assert built.iterations * 32 <= 2 * built.nnz + built.warps * 6 * 32
    longest = np.sort([*lengths, 90])[-1]
    assert built.iterations <= longest * built.warps


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"perm": np.zeros(31, np.uint32)}, "32 elements a warp"),
        ({"perm": np.full(32, 5, np.uint32)}, "each row once"),
        ({"group_ptr": np.array([0, 1, 1, 1, 1, 2, 4], np.uint32)}, "group_ptr must end at 3"),
        ({"columns": np.zeros(95, np.uint32)}, "equally long"),
        ({"columns": np.full(96, 9, np.uint32)}, r"rows that the entries stand at|columns must be from"),
        ({"values": np.ones(96)}, "padding must have the value 0"),
        ({"perm": np.array([*range(18), *[NO_ROW] * 14], np.uint32)}, ""),
    ],
)
def test_check_names_what_is_broken(change, message):
    broken = replace(BiELL.from_scipy(matrix_of(LENGTHS)), **change)
    if not message:  # the rows are other ones, but a valid matrix
        broken.check()
        return
    with pytest.raises(ValueError, match=message):
        broken.check()


def test_check_knows_the_order_of_rows_and_entries():
    built = BiELL.from_scipy(matrix_of([1, 3] * 32))
    swapped = replace(built, perm=np.roll(built.perm, 32))
    with pytest.raises(ValueError, match="rows must stay in their warp"):
        swapped.check()
    columns = built.columns.reshape(-1, 32).copy()
    columns[0, 20], columns[0, 3] = PAD, PAD
    values = np.where(columns == PAD, 0, built.values.reshape(-1, 32))
    with pytest.raises(ValueError, match="lengths must not rise"):
        replace(built, columns=columns.ravel(), values=values.ravel()).check()
    columns = built.columns.copy()
    columns[columns == 2] = 0
    with pytest.raises(ValueError, match="columns must rise"):
        replace(built, columns=columns).check()


def test_storage_and_refusal():
    built = BiELL.from_scipy(matrix_of(LENGTHS))
    assert built.storage("image") == built.nbytes == 7 * 4 + 32 * 4 + 96 * 12
    # Two steps of 32 a warp for three entries.
    lengths = np.zeros(32 * 4000, dtype=int)
    lengths[::32], lengths[1::32] = 2, 1
    with pytest.raises(NotRepresentableError, match=r"padding would make [\d,]+ bytes, \d\.\d times CRS"):
        BiELL.from_scipy(matrix_of(lengths))
