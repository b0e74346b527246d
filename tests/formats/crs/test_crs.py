from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse
from format_cases import Memory, assert_holds, canonical, matrices
from hypothesis import given
from hypothesis import strategies as st

from vecsim.formats import CRS, Layout

#  . 5 .
#  . . .
#  7 0 9      (the 0 is stored)
SMALL = scipy.sparse.csr_array(
    (np.array([5.0, 7.0, 0.0, 9.0]), np.array([1, 0, 1, 2]), np.array([0, 1, 1, 4])), shape=(3, 3)
)


def test_arrays_of_a_matrix_by_hand():
    crs = CRS.from_scipy(SMALL)
    assert crs.rowptr.tolist() == [0, 1, 1, 4]
    assert crs.colidx.tolist() == [1, 0, 1, 2]
    assert crs.values.tolist() == [5, 7, 0, 9]
    assert crs.rowptr.dtype == crs.colidx.dtype == np.int32


@given(matrix=matrices(), value_bytes=st.sampled_from([4, 8]), base=st.sampled_from([0, 4100]))
def test_image_read_by_loops(matrix, value_bytes, base):
    layout = Layout(base, value_bytes)
    image = CRS.from_scipy(matrix).image(layout)
    memory, s = Memory(image), image.symbols
    assert all(s[name] % 16 == 0 for name in ("ROWPTR", "COLIDX", "VALUES"))
    actual = []
    for row in range(s["ROWS"]):
        for e in range(memory.word(s["ROWPTR"] + 4 * row), memory.word(s["ROWPTR"] + 4 * row + 4)):
            value = memory.value(s["VALUES"] + value_bytes * e, layout)
            actual.append((row, memory.word(s["COLIDX"] + 4 * e), value))
    assert len(actual) == s["NNZ"]
    assert (s["ROWS"], s["COLS"]) == matrix.shape
    assert_holds(actual, canonical(matrix))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rowptr": np.array([0, 1, 4], np.int32)}, "rowptr must have 4"),
        ({"rowptr": np.array([1, 1, 1, 4], np.int32)}, "start at 0"),
        ({"rowptr": np.array([0, 2, 1, 4], np.int32)}, "never fall"),
        ({"rowptr": np.array([0, 1, 1, 3], np.int32)}, "end at 4"),
        ({"colidx": np.array([1, 0, 1], np.int32)}, "equally long"),
        ({"colidx": np.array([1, 0, 1, 3], np.int32)}, "from 0 to 2"),
        ({"colidx": np.array([-1, 0, 1, 2], np.int32)}, "from 0 to 2"),
        ({"colidx": np.array([1, 1, 0, 2], np.int32)}, "rise within a row"),
        ({"colidx": np.array([1, 0, 0, 2], np.int32)}, "rise within a row"),
    ],
)
def test_check_names_what_is_broken(change, message):
    with pytest.raises(ValueError, match=message):
        replace(CRS.from_scipy(SMALL), **change).check()


def test_storage():
    crs = CRS.from_scipy(SMALL)
    assert crs.storage("paper") == 8 * 4 + 8 * 3
    assert crs.storage("image") == 12 * 4 + 4 * 4
