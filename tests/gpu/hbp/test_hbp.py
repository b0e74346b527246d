"""HBP: the hash by hand, rows that collide, the arrays of the paper's figure, and what it is for."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse
from format_cases import assert_right, matrices
from hypothesis import given
from hypothesis import strategies as st
from tiers import examples

from gpu.hbp.container import HBP
from gpu.hbp.hashing import RowHash, place_rows, place_rows_in_turn
from vecsim.data import load
from vecsim.data.synthetic.random_graphs import kronecker
from vecsim.formats import NotRepresentableError
from vecsim.support.errors import UserError


def placed(hashes, block_rows, rule=place_rows):
    order = np.empty(len(hashes), np.int32)
    rule(np.array(hashes, np.int64), block_rows, order)
    return order.tolist()


def test_the_hash_by_hand():
    # Four entries count as one, as in figure 4 of the paper; 512 rows leave 56 places for each of nine.
    row_hash = RowHash(a=2, b=56, c=14, d=56)
    assert row_hash(np.array([0, 1, 3, 4, 7, 8, 33])).tolist() == [0, 14, 42, 56, 98, 112, 8 * 56 + 14]
    assert row_hash(np.array([10**6])).tolist() == [8 * 56 + 14 * 10**6 % 56]


def test_the_parameters_follow_from_the_sample():
    assert RowHash.sampled(np.array([0, 0]), 512) == RowHash(0, 56, 56, 56)
    assert RowHash.sampled(np.arange(9), 512).a == 0
    assert RowHash.sampled(np.repeat([30, 3], [50, 50]), 512) == RowHash(2, 56, 14, 56)
    # Few rows may be over 8: 1 of 100 does not decide, 10 of 100 do.
    assert RowHash.sampled(np.repeat([3, 300], [99, 1]), 512).a == 0
    assert RowHash.sampled(np.repeat([3, 300], [90, 10]), 512).a == 6


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ((32, 1, 1, 1), "a = 32 of a hash is not possible: use 0 to 31"),
        ((0, -1, 1, 1), "b = -1 of a hash is not possible: use 0 to 4294967295"),
        ((0, 1, 1 << 32, 1), "c = 4294967296 of a hash is not possible"),
        ((0, 1, 1, 0), "d = 0 of a hash is not possible: use 1 to 4294967295"),
    ],
)
def test_numbers_that_are_not_possible(numbers, message):
    with pytest.raises(UserError, match=message):
        RowHash(*numbers)


def test_the_sample_is_reproducible_from_its_seed():
    # 5 % of the rows, the limit, are over 8: it depends on the sample on which side of it they are.
    counts = np.repeat([3, 12], [19_000, 1000])
    actual = [RowHash.sampled(counts, 512, seed).a for seed in range(20)]
    assert set(actual) == {0, 1}
    assert actual == [RowHash.sampled(counts, 512, seed).a for seed in range(20)]


def test_rows_that_collide_go_to_the_next_free_place():
    assert placed([0, 0, 1, 3], 4) == [0, 1, 2, 3]
    assert placed([3, 3, 3, 0], 4) == [1, 2, 3, 0]
    assert placed([2, 2, 2, 2, 1, 1, 0, 0], 4) == [2, 3, 0, 1, 2, 3, 0, 1]
    # As they stand, row 0 is at the place 1 before row 3 comes.
    assert placed([1, 1, 0, 0], 4, place_rows_in_turn) == [2, 0, 1, 3]


def probed(hashes, rows):
    """Place rows one after the other, each at its hash or the next place that is free."""
    taken = [-1] * len(hashes)
    for row in rows:
        place = hashes[row]
        while taken[place % len(taken)] >= 0:
            place += 1
        taken[place % len(taken)] = row
    return taken


@given(hashes=st.lists(st.integers(0, 15), min_size=16, max_size=16))
@examples(30)
def test_they_go_where_probing_would_put_them(hashes):
    rows = range(16)
    assert placed(hashes, 16, place_rows_in_turn) == probed(hashes, rows)
    # In the order of the hash, that begins somewhere: after the last one comes the first.
    orders = [sorted(rows, key=lambda row: (hashes[row] - first) % 16) for first in rows]
    assert placed(hashes, 16) in [probed(hashes, order) for order in orders]


def test_the_arrays_by_hand():
    dense = np.zeros((32, 8))
    dense[3, [0, 2, 5]] = [1, 2, 3]
    dense[7, [1, 6]] = [4, 5]
    dense[9, 7] = 6
    built = HBP.from_scipy(scipy.sparse.csr_array(dense), block_rows=32, block_columns=4)
    assert built.hash == RowHash(0, 3, 3, 3)
    # Rows without entries come to the place 0 and those after it, so that the others move on. Left block:
    # rows 7 and 3 have 1 and 2 entries. Right block: rows 3, 7 and 9 have one each, one after the other.
    filled = [30, 31, 32 + 29, 32 + 30, 32 + 31]
    assert built.output_hash[filled].tolist() == [7, 3, 3, 7, 9]
    assert np.flatnonzero(built.zero_row >= 0).tolist() == filled
    assert built.zero_row[filled].tolist() == [30, 30, 29, 29, 29]
    assert built.begin_nnz.tolist() == [0, 3, 6]
    assert built.columns.tolist() == [1, 0, 2, 5, 6, 7]
    assert built.values.tolist() == [4, 1, 2, 3, 5, 6]
    assert built.add_sign.tolist() == [-1, 1, -1, -1, -1, -1]
    assert built.structure() == {"blocks": 2, "slots": 64, "zero_slots": 59, "hash": (0, 3, 3, 3)}


@pytest.mark.parametrize("blocks", [(32, 1), (32, 16), (64, 7), (512, 4096)])
@given(matrix=matrices())
@examples(15)
def test_any_matrix_in_any_blocks(blocks, matrix):
    assert_right(HBP.from_scipy(matrix, block_rows=blocks[0], block_columns=blocks[1]), matrix)


def test_a_dense_row_and_a_block_of_zero_rows():
    dense = np.zeros((70, 90))
    dense[40] = 1
    built = HBP.from_scipy(scipy.sparse.csr_array(dense), block_rows=32, block_columns=30)
    assert_right(built, scipy.sparse.csr_array(dense))
    assert built.structure()["blocks"] == 9
    assert built.row_counts().tolist().count(30) == 3


def deviations(matrix):
    """Standard deviations of the entries of rows in each group of 32, before and after the hash."""
    after = matrix.row_counts().reshape(-1, matrix.block_rows)
    before = np.empty_like(after)
    np.put_along_axis(before, matrix.output_hash.reshape(after.shape).astype(np.int64), after, axis=1)
    filled = after.any(axis=1)
    return [counts[filled].reshape(-1, 32).std(axis=1) for counts in (before, after)]


@pytest.mark.nightly
def test_the_balance_of_a_power_law():
    before, after = deviations(HBP.from_scipy(kronecker(11, 16)))
    assert len(before) == len(after) == 4 * 16
    assert after.mean() / before.mean() == pytest.approx(0.21, abs=0.02)


def test_the_hash_makes_rows_of_a_warp_alike():
    # As many rows of each length from 0 to 8 as the hash has places for, in turn.
    lengths = np.arange(504) * 5 % 9
    matrix = scipy.sparse.csr_array(np.arange(8) < lengths[:, None], dtype=float)
    before, after = deviations(HBP.from_scipy(matrix))
    assert before[:-1].min() > 2.4
    assert after.mean() < 0.4


def test_two_conversions_give_the_same_arrays():
    csr = load("primes-1500").csr
    one, two = HBP.from_scipy(csr, seed=7), HBP.from_scipy(csr, seed=7)
    for name in ("columns", "values", "add_sign", "zero_row", "output_hash", "begin_nnz"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))


def test_what_is_not_possible():
    eye = scipy.sparse.eye_array(5, format="csr")
    with pytest.raises(UserError, match="blocks of 33 rows are not possible: use a multiple of 32"):
        HBP.from_scipy(eye, block_rows=33)
    with pytest.raises(UserError, match="blocks of 0 columns are not possible"):
        HBP.from_scipy(eye, block_columns=0)
    wide = scipy.sparse.csr_array(([1.0], ([0], [0])), shape=(100_000, 100_000))
    with pytest.raises(NotRepresentableError, match=r"slots, one for each row of each block, .* times CRS"):
        HBP.from_scipy(wide)


@pytest.mark.parametrize(
    ("name", "change", "broken"),
    [
        ("output_hash", lambda a: a * 0, "each row must have one slot"),
        ("zero_row", lambda a: a * 0 - 1, "zero_row must count|every entry must be on the way"),
        ("add_sign", lambda a: a * 0, "add_sign must be -1 or lead on"),
        ("add_sign", lambda a: a * 0 - 1, "every entry must be on the way of a row"),
        ("columns", lambda a: a + 1000, "columns must be from 0"),
        ("columns", lambda a: 89 - a, "columns must be in their block"),
        ("begin_nnz", lambda a: a[::-1], "begin_nnz must"),
    ],
)
def test_what_is_broken_is_named(name, change, broken):
    rng = np.random.default_rng(1)
    matrix = scipy.sparse.random_array((70, 90), density=0.2, rng=rng, format="csr")
    built = HBP.from_scipy(matrix, block_rows=32, block_columns=30)
    with pytest.raises(ValueError, match=broken):
        replace(built, **{name: change(getattr(built, name))}).check()
