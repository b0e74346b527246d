from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse
from format_cases import Memory, assert_holds, matrices
from hypothesis import given
from hypothesis import strategies as st

from vecsim.formats import JD, Layout

#  . 5 . .
#  . . . .
#  7 0 9 .      (the 0 is stored)
#  . 2 . 3
SMALL = scipy.sparse.csr_array(
    (np.array([5.0, 7.0, 0.0, 9.0, 2.0, 3.0]), np.array([1, 0, 1, 2, 1, 3]), np.array([0, 1, 1, 4, 6])),
    shape=(4, 4),
)


def int32(*values):
    return np.array(values, dtype=np.int32)


def test_arrays_of_a_matrix_by_hand():
    jd = JD.from_scipy(SMALL)
    assert jd.perm.tolist() == [2, 3, 0, 1]
    assert jd.diag_ptr.tolist() == [0, 3, 5, 6]
    assert jd.colidx.tolist() == [0, 1, 1, 1, 3, 2]
    assert jd.values.tolist() == [7, 2, 5, 0, 3, 9]
    assert jd.diagonals == 3


def test_rows_of_equal_length_keep_their_order():
    assert JD.from_scipy(scipy.sparse.csr_array(np.eye(5))).perm.tolist() == [0, 1, 2, 3, 4]


@given(matrix=matrices(), value_bytes=st.sampled_from([4, 8]))
def test_image_read_by_loops(matrix, value_bytes):
    layout = Layout(4096, value_bytes)
    image = JD.from_scipy(matrix).image(layout)
    memory, s = Memory(image), image.symbols
    assert all(s[name] % 16 == 0 for name in ("DIAGPTR", "COLIDX", "VALUES", "PERM"))
    actual = []
    for diagonal in range(s["DIAGONALS"]):
        first = memory.word(s["DIAGPTR"] + 4 * diagonal)
        for e in range(first, memory.word(s["DIAGPTR"] + 4 * diagonal + 4)):
            row = memory.word(s["PERM"] + 4 * (e - first))
            value = memory.value(s["VALUES"] + value_bytes * e, layout)
            actual.append((row, memory.word(s["COLIDX"] + 4 * e), value))
    assert len(actual) == s["NNZ"]
    assert (s["ROWS"], s["COLS"]) == matrix.shape
    assert_holds(actual, matrix)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"perm": int32(2, 3, 0)}, "4 elements"),
        ({"perm": int32(2, 3, 0, 4)}, "from 0 to 3"),
        ({"perm": int32(2, 3, 0, 0)}, "each row once"),
        ({"diag_ptr": int32(0, 3, 5, 5)}, "end at 6"),
        ({"diag_ptr": int32(0, 5, 3, 6)}, "never fall"),
        ({"diag_ptr": int32(0, 2, 5, 6)}, "must not grow"),
        ({"diag_ptr": int32(0, 3, 6, 6)}, "may be empty"),
        ({"diag_ptr": int32(0, 5, 6)}, "longer than the matrix"),
        ({"colidx": int32(0, 1, 1, 1, 3)}, "equally long"),
        ({"colidx": int32(0, 1, 1, 1, 4, 2)}, "from 0 to 3"),
        ({"colidx": int32(0, 1, 1, 0, 3, 2)}, "rise along a row"),
        ({"colidx": int32(0, 1, 1, 1, 3, 1)}, "rise along a row"),
    ],
)
def test_check_names_what_is_broken(change, message):
    with pytest.raises(ValueError, match=message):
        replace(JD.from_scipy(SMALL), **change).check()


def test_check_refuses_an_unstable_permutation():
    jd = JD.from_scipy(scipy.sparse.csr_array(np.eye(3)))
    with pytest.raises(ValueError, match="keep their order"):
        replace(jd, perm=int32(1, 0, 2)).check()


def test_storage():
    jd = JD.from_scipy(SMALL)
    assert jd.storage("paper") == 8 * 6 + 4 * 4
    assert jd.storage("image") == 12 * 6 + 4 * 4 + 4 * 4
