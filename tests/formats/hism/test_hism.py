from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse
from format_cases import SECTION_SIZES, Memory, assert_holds, assert_same, matrices
from hypothesis import given
from hypothesis import strategies as st

from vecsim.formats import HiSM, Layout
from vecsim.support.errors import UserError

ORDERS = (("row", "column", "row"), ("column", "row"), ("row",))

# Section size 4, 8 x 8: blocks (0, 0) with three entries, (1, 0) with one, (0, 1) with one.
SMALL = scipy.sparse.csr_array(
    (np.array([1.0, 2.0, 3.0, 4.0, 0.0]), ([0, 3, 3, 5, 2], [2, 0, 1, 3, 7])), shape=(8, 8)
)


def hism(order=("row", "column", "row")):
    return HiSM.from_scipy(SMALL, section_size=4, order=order)


def test_arrays_of_a_matrix_by_hand():
    built = hism()
    low, high = built.levels
    assert low.array_ptr.tolist() == [0, 3, 4, 5]
    assert low.row.tolist() == [0, 3, 3, 1, 2]
    assert low.column.tolist() == [2, 0, 1, 3, 3]
    assert built.values.tolist() == [1, 2, 3, 4, 0]
    # Column-wise: down the block column before the next.
    assert high.array_ptr.tolist() == [0, 3]
    assert high.row.tolist() == [0, 1, 0]
    assert high.column.tolist() == [0, 0, 1]
    assert (built.level_entries, built.level_arrays) == ((5, 3), (3, 1))


def test_order_turns_each_level():
    built = hism(order=("column", "row"))
    assert built.values.tolist() == [2, 3, 1, 0, 4]
    assert built.levels[1].row.tolist() == [0, 0, 1]


@pytest.mark.parametrize(
    ("size", "section_size", "levels"),
    [
        *((1, 4, 1), (3, 4, 1), (4, 4, 1), (5, 4, 2), (16, 4, 2), (17, 4, 3), (257, 4, 5)),
        *((1, 64, 1), (63, 64, 1), (64, 64, 1), (65, 64, 2), (4096, 64, 2), (4097, 64, 3)),
        *((256, 256, 1), (257, 256, 2), (4096, 4096, 1), (4097, 4096, 2)),
    ],
)
def test_number_of_levels(size, section_size, levels):
    for shape in ((size, 1), (1, size), (size, size)):
        corner = scipy.sparse.coo_array(([2.0], ([shape[0] - 1], [shape[1] - 1])), shape=shape)
        built = HiSM.from_scipy(corner, section_size=section_size)
        built.check()
        assert built.level_entries == (1,) * levels
        assert built.order == ("row", "column", "row", "row", "row")[:levels]
        assert_same(built.to_scipy(), corner)


@pytest.mark.parametrize("section_size", [4, 4096])
def test_columns_up_to_31_bits(section_size):
    last = 2**31 - 2
    ends = scipy.sparse.coo_array(([1.0, 2.0], ([0, 2], [0, last])), shape=(3, last + 1))
    built = HiSM.from_scipy(ends, section_size=section_size)
    built.check()
    rows, columns = built.coordinates()
    assert sorted(zip(rows.tolist(), columns.tolist(), strict=True)) == [(0, 0), (2, last)]


@given(
    matrix=matrices(),
    value_bytes=st.sampled_from([4, 8]),
    section_size=st.sampled_from(SECTION_SIZES),
    order=st.sampled_from(ORDERS),
    wide=st.booleans(),
)
def test_image_read_by_loops(matrix, value_bytes, section_size, order, wide):
    layout = Layout(4096, value_bytes)
    built = HiSM.from_scipy(matrix, section_size=section_size, order=order)
    image = built.image(layout, position_bytes=2 if wide else None)
    memory, s = Memory(image), image.symbols
    assert s["POSITION_BYTES"] == (2 if wide or section_size > 256 else 1)
    assert (s["ROWS"], s["COLS"]) == matrix.shape

    def walk(address, length, level, row, column):
        assert address % 16 == 0
        size = (value_bytes if level == 0 else 4) + 2 * s["POSITION_BYTES"]
        lengths = -(-(address + size * length) // 16) * 16
        ranks = []
        for _ in range(length):
            at = address + size - 2 * s["POSITION_BYTES"]
            code = "B" if s["POSITION_BYTES"] == 1 else "H"
            c, r = memory.read(code, at), memory.read(code, at + s["POSITION_BYTES"])
            ranks.append((r, c) if built.order[level] == "row" else (c, r))
            here = (row * section_size + r, column * section_size + c)
            if level == 0:
                actual.append((*here, memory.value(address, layout)))
            else:
                child = memory.word(lengths + 4 * (len(ranks) - 1))
                assert child > 0
                walk(memory.word(address), child, level - 1, *here)
            address += size
        assert ranks == sorted(set(ranks))

    actual = []
    walk(s["ROOT"], s["ROOT_LENGTH"], s["LEVELS"] - 1, 0, 0)
    assert len(actual) == s["NNZ"]
    assert_holds(actual, matrix)


@pytest.mark.parametrize("section_size", [512, 4096])
def test_one_byte_does_not_hold_the_positions_of_a_large_section(section_size):
    built = HiSM.from_scipy(SMALL, section_size=section_size)
    with pytest.raises(UserError, match="use 2 bytes"):
        built.image(Layout(0, 4), position_bytes=1)
    with pytest.raises(UserError, match="1 or 2 bytes"):
        built.image(Layout(0, 4), position_bytes=4)


@pytest.mark.parametrize("order", [(), ("rows",), ("row", "diagonal")])
def test_an_impossible_order_is_refused(order):
    with pytest.raises(UserError, match="'row' or 'column'"):
        hism(order)


def broken_level(number, **change):
    levels = list(hism().levels)
    levels[number] = replace(levels[number], **change)
    return {"levels": tuple(levels)}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"levels": hism().levels[:1]}, "needs 2 levels"),
        ({"order": ("row",)}, "name every level"),
        ({"order": ("column", "column")}, "level 0: entries of an array must run by column"),
        ({"order": ("row", "row")}, "level 1: entries of an array must run by row"),
        ({"values": np.ones(4)}, "one element an entry"),
        (broken_level(0, array_ptr=np.array([0, 3, 3, 5])), "no empty block array"),
        (broken_level(0, array_ptr=np.array([0, 4, 5])), "array_ptr must have 4"),
        (broken_level(0, array_ptr=np.array([0, 4, 3, 5])), "never fall"),
        (broken_level(0, row=np.array([0, 3, 3, 1], np.uint16)), "equally long"),
        (broken_level(0, row=np.array([0, 3, 3, 1, 4], np.uint16)), r"level 0: row must be from 0 to 3"),
        (broken_level(0, row=np.array([3, 0, 3, 1, 2], np.uint16)), "level 0: entries of an array"),
        (broken_level(1, row=np.array([0, 2, 0], np.uint16)), "rows that the entries stand at"),
        (broken_level(1, column=np.array([0, 0, 2], np.uint16)), "columns that the entries stand at"),
        (broken_level(1, column=np.array([0, 0, 0], np.uint16)), "each position once"),
    ],
)
def test_check_names_what_is_broken(change, message):
    with pytest.raises(ValueError, match=message):
        replace(hism(), **change).check()


def test_storage():
    assert hism().storage("paper") == 5 * (5 + 3)
    assert hism().storage("image") == (8 + 2) * 5 + (4 + 2 + 4) * 3
