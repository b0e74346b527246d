from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse
from format_cases import assert_same, canonical, matrices
from hypothesis import given
from hypothesis import strategies as st

from gpu.formats.coo.container import COO
from gpu.formats.hyb.container import HYB, SPLITS, split_width
from vecsim.support.errors import UserError

#  1 2 3 4
#  5 . . .
#  6 . 7 .
SMALL = scipy.sparse.csr_array(np.array([[1.0, 2, 3, 4], [5, 0, 0, 0], [6, 0, 7, 0]]))


def test_both_parts_by_hand():
    built = HYB.from_scipy(SMALL, split=2)
    assert built.ell.to_scipy().toarray().tolist() == [[1, 2, 0, 0], [5, 0, 0, 0], [6, 0, 7, 0]]
    assert built.rest.rows.tolist() == [0, 0]
    assert built.rest.columns.tolist() == [2, 3]
    assert built.rest.values.tolist() == [3, 4]
    assert (built.nnz, built.width) == (7, 2)
    assert built.dtype == np.float64


def test_the_two_rules_of_the_paper_by_hand():
    lengths = np.array([9, 4, 2, 1, 1, 1])
    # Two of six rows have 4 or more entries, one has 5.
    assert split_width(lengths, "third", 8) == 4
    assert split_width(lengths, "mean", 8) == 3
    assert split_width(np.array([1, 0, 0, 0]), "mean", 8) == 1
    assert [split_width(np.zeros(3, int), rule, 8) for rule in SPLITS] == [0, 0, 0]


def test_our_rule_weighs_padding_against_the_rest():
    # Few rows are longer, and padding them away would cost more than the launches of a rest.
    lengths = np.full(400_000, 5)
    lengths[:40] = 300
    assert split_width(lengths, "bytes", 8) == 5
    # Equal rows leave no rest, and neither do small matrices, where a launch is expensive.
    assert split_width(np.full(10**6, 7), "bytes", 4) == 7
    assert split_width(np.array([3, 1, 1, 9]), "bytes", 8) == 9


@given(matrix=matrices(), split=st.sampled_from(SPLITS) | st.integers(0, 6))
def test_round_trip_and_product(matrix, split):
    built = HYB.from_scipy(matrix, split=split)
    built.check()
    assert_same(built.to_scipy(), matrix)
    assert built.nnz == canonical(matrix).nnz
    x = np.arange(matrix.shape[1]) % 7 - 3
    np.testing.assert_array_equal(built.matvec(x), canonical(matrix) @ x.astype(matrix.dtype))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"shape": (3, 5)}, "the matrix's shape"),
        ({"width": 1}, "at most 1 entry a row"),
        ({"rest": COO.from_scipy(SMALL.astype(np.float32))}, "one type of values"),
        ({"rest": COO.from_scipy(SMALL)}, "only rows that fill ELL"),
    ],
)
def test_check_names_what_is_broken(change, message):
    with pytest.raises(ValueError, match=message):
        replace(HYB.from_scipy(SMALL, split=2), **change).check()


def test_storage_and_wrong_splits():
    built = HYB.from_scipy(SMALL, split=2)
    assert built.storage("image") == built.nbytes == built.ell.nbytes + 2 * 16
    with pytest.raises(UserError, match="unknown split 'half': use one of bytes, third, mean, or a width"):
        HYB.from_scipy(SMALL, split="half")
    with pytest.raises(UserError, match="width of -1"):
        HYB.from_scipy(SMALL, split=-1)
