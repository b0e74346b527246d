from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse
from format_cases import SECTION_SIZES, Memory, assert_holds, matrices
from hypothesis import given
from hypothesis import strategies as st

from vecsim.formats import BBCS, Layout

# Section size 4; block columns 0-3, 4-7 (empty), 8-9.
#  . . . . | . . . . | . .
#  . . . . | . . . . | . .
#  1 . 2 . | . . . . | 0 .      (the 0 is stored)
#  . . . . | . . . . | . 4
#  . . . 3 | . . . . | . .
SMALL = scipy.sparse.csr_array(
    (np.array([1.0, 2.0, 0.0, 4.0, 3.0]), ([2, 2, 2, 3, 4], [0, 2, 8, 9, 3])), shape=(5, 10)
)


def test_arrays_of_a_matrix_by_hand():
    bbcs = BBCS.from_scipy(SMALL, section_size=4)
    assert bbcs.block_ptr.tolist() == [0, 5, 5, 8]
    assert bbcs.zero_rows.tolist() == [2, 0, 0, 1, 0, 2, 0, 0]
    assert bbcs.values.tolist() == [0, 1, 2, 0, 3, 0, 0, 4]
    assert bbcs.column.tolist() == [0, 0, 2, 0, 3, 0, 0, 1]
    assert bbcs.end_of_row.tolist() == [False, False, True, False, True, False, True, True]
    assert (bbcs.nnz, bbcs.entries, bbcs.zero_row_entries, bbcs.blocks) == (5, 8, 3, 3)


def test_image_bytes_of_a_matrix_by_hand():
    image = BBCS.from_scipy(SMALL, section_size=4).image(Layout(0, 4))
    one = np.float32(1).tobytes()
    # Column in bits 0-1, end of row in bit 2, zero row in bit 3.
    assert image.data[:10].tobytes() == bytes([2, 0, 0, 0, 0b1000]) + one + bytes([0b0000])
    assert image.data[14] == 0b0110


@given(
    matrix=matrices(),
    value_bytes=st.sampled_from([4, 8]),
    section_size=st.sampled_from((*SECTION_SIZES, 128, 4096)),
)
def test_image_read_by_loops(matrix, value_bytes, section_size):
    layout = Layout(4096, value_bytes)
    image = BBCS.from_scipy(matrix, section_size=section_size).image(layout)
    memory, s = Memory(image), image.symbols
    bits = section_size.bit_length() - 1
    assert s["DESCRIPTOR_BYTES"] == (1 if section_size <= 64 else 2)
    assert s["BLOCKS"] == -(-matrix.shape[1] // section_size)
    assert (s["ROWS"], s["COLS"]) == matrix.shape
    assert memory.word(s["BLOCKPTR"]) == s["ENTRIES"]
    actual = []
    for block in range(s["BLOCKS"]):
        address = memory.word(s["BLOCKPTR"] + 4 * block)
        assert address % 16 == 0
        row = 0
        for _ in range(memory.word(s["BLOCKLEN"] + 4 * block)):
            descriptor = memory.read("B" if s["DESCRIPTOR_BYTES"] == 1 else "H", address + value_bytes)
            if descriptor >> (bits + 1) & 1:
                row += memory.word(address)
            else:
                column = block * section_size + descriptor % section_size
                actual.append((row, column, memory.value(address, layout)))
                row += descriptor >> bits & 1
            address += value_bytes + s["DESCRIPTOR_BYTES"]
    assert len(actual) == s["NNZ"]
    assert_holds(actual, matrix)


def test_more_block_columns_than_16_bits_count():
    matrix = scipy.sparse.coo_array(([1.0, 2.0, 3.0], ([0, 1, 1], [4 * 2**16 + 5, 3, 4 * 2**16])))
    bbcs = BBCS.from_scipy(matrix, section_size=4)
    bbcs.check()
    assert bbcs.blocks == 2**16 + 2
    np.testing.assert_array_equal(bbcs.to_scipy().tocoo().data, [1, 2, 3])


def change_one(name, position, value):
    array = getattr(BBCS.from_scipy(SMALL, section_size=4), name).copy()
    array[position] = value
    return {name: array}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"section_size": 6}, "power of two"),
        ({"section_size": 8}, "block_ptr must have 3"),
        (change_one("block_ptr", 3, 7), "end at 8"),
        ({"column": np.zeros(3, np.uint16)}, "equally long"),
        (change_one("column", 1, 4), r"column must be from 0 to 3"),
        (change_one("zero_rows", 0, -1), "negative"),
        (change_one("end_of_row", 0, True), "must not end a row"),
        (change_one("values", 0, 1.0), "value 0 and column 0"),
        (change_one("column", 0, 1), "value 0 and column 0"),
        (change_one("end_of_row", 4, False), "last entry of a block column"),
        (change_one("end_of_row", 2, False), "within a row"),
        (change_one("zero_rows", 6, 1), "must not"),
        (change_one("column", 1, 2), "rise within a row"),
        (change_one("zero_rows", 0, 3), "rows that the entries stand at"),
        (change_one("column", 7, 2), "columns that the entries stand at"),
    ],
)
def test_check_names_what_is_broken(change, message):
    with pytest.raises(ValueError, match=message):
        replace(BBCS.from_scipy(SMALL, section_size=4), **change).check()


def test_storage():
    bbcs = BBCS.from_scipy(SMALL, section_size=4)
    assert bbcs.storage("paper") == 5 * 5
    assert bbcs.storage("image") == 9 * 8 + 8 * 3
