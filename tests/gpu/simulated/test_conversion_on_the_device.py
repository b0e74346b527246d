"""COO sorted and built into HiSparse on the device: the tree that the host makes."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from tiers import examples

import gpu
from gpu.hisparse.building.from_coo import tree_from_coo, used_bits
from gpu.hisparse.container import HiSparse
from gpu.runtime.memory import upload
from gpu.sorting.radix_sort import digit_shifts, sort_pairs
from vecsim.support.errors import UserError


def check(rows, columns, values, shape, node_size=4):
    built = gpu.DeviceHiSparse.from_coo(rows, columns, values, shape, node_size=node_size).to_hisparse()
    built.check()
    exact = HiSparse.from_scipy(scipy.sparse.coo_array((values, (rows, columns)), shape), node_size=node_size)
    assert built.structure() == exact.structure()
    assert (built.nnz, built.dtype, built.levels) == (exact.nnz, exact.dtype, exact.levels)
    for actual, wanted in zip(built.triplets(), exact.triplets(), strict=True):
        np.testing.assert_array_equal(actual, wanted)
    np.testing.assert_array_equal(np.signbit(built.triplets()[2]), np.signbit(exact.triplets()[2]))


def random_matrix(shape, entries, seed, dtype=np.float64):
    rng = np.random.default_rng(seed)
    rows, columns = (rng.integers(0, side, entries).astype(np.int32) for side in shape)
    return rows, columns, rng.integers(-2, 3, entries).astype(dtype)


def test_duplicates_in_disorder():
    rows, columns = np.array([9, 0, 9, 3, 9], np.int64), np.array([1, 0, 1, 2, 0], np.int64)
    check(rows, columns, np.array([1, 2, 4, -0.0, 8]), (10, 3))


@pytest.mark.ci
@examples(10)
@given(
    shape=st.tuples(st.integers(1, 30), st.integers(1, 70)),
    entries=st.sampled_from([0, 1, 9, 90]),
    seed=st.integers(0, 99),
    dtype=st.sampled_from([np.float32, np.float64]),
)
def test_the_tree_is_that_of_the_host(shape, entries, seed, dtype):
    check(*random_matrix(shape, entries, seed, dtype), shape)


@pytest.mark.ci
def test_dense_leaves_and_a_stored_negative_zero():
    rows, columns = (each.ravel().astype(np.int32) for each in np.indices((8, 4)))
    for zeros in (0, 1):
        values = np.arange(1.0, 33.0)
        values[:zeros] = -0.0
        keep = np.arange(32) != 5
        check(rows[keep], columns[keep], values[keep], (8, 4))


@pytest.mark.parametrize("count", [1, 70])
def test_a_sort_is_stable(count):
    keys = np.random.default_rng(0).integers(0, 5, count).astype(np.int64) << 9
    actual, order = sort_pairs(upload(keys), upload(np.arange(count, dtype=np.int32)), count, 7 << 9)
    exact = np.argsort(keys, kind="stable")
    np.testing.assert_array_equal(order.copy_to_host()[:count], exact)
    np.testing.assert_array_equal(actual.copy_to_host()[:count], keys[exact])


def test_only_digits_that_can_differ_are_sorted():
    assert list(digit_shifts(0)) == []
    assert list(digit_shifts(0xFF0)) == [4]
    assert list(digit_shifts(0x1FF)) == [0, 8]
    assert used_bits((1000, 4), 8, 2) == 0x0300_FF03
    assert used_bits((1, 1), 2, 1) == 0


@pytest.mark.parametrize(
    ("rows", "values", "message"),
    [
        (
            [0, 5],
            [1.0, 2.0],
            "an entry is outside the matrix of 5 x 5: rows and columns must be from 0 to the shape - 1",
        ),
        ([0, -1], [1.0, 2.0], "an entry is outside"),
        ([0], [1.0, 2.0], "rows, columns and values have 1, 2 and 2 elements"),
        ([0, 1], [1, 2], "values must be a vector of float32 or float64, not int64"),
    ],
)
def test_what_is_no_matrix(rows, values, message):
    with pytest.raises(UserError, match=message):
        tree_from_coo(np.array(rows), np.array([0, 1]), np.array(values), (5, 5), 4)


@pytest.mark.parametrize("shape", [None, (5,), (5, -1), (5, 2**31), (5, 1.5)])
def test_what_is_no_shape(shape):
    with pytest.raises(UserError, match=r"shape .* is not possible"):
        tree_from_coo(np.array([0]), np.array([0]), np.ones(1), shape, 4)
