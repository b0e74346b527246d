"""HBP made on the device: the host's orders and arrays."""

import numpy as np
import pytest
import scipy.sparse
from probed_tables import could_be_probed
from tiers import one_combination_in, one_in

from gpu.hbp.building.blocks import NO_HASH, BlockedRows, hash_of_counts, hbp_on_device
from gpu.hbp.building.counted_order import (
    BY_COUNTING,
    ORDER_THREADS,
    counted_order_kernel,
    warps_that_count,
)
from gpu.hbp.building.probed_order import PROBING, probing_grid, probing_kernel
from gpu.hbp.building.row_hash import divides_by_product, numbers_of
from gpu.hbp.container import HBP
from gpu.hbp.hashing import RowHash
from gpu.hbp.ordering import ordered
from gpu.hbp.product import HBPProduct
from gpu.runtime.launches import enqueue
from gpu.runtime.memory import upload
from gpu.sums.device_csr import DeviceCsr
from vecsim.support.errors import UserError

ARRAYS = ("columns", "values", "add_sign", "zero_row", "output_hash", "begin_nnz")


def unlike(rows=70, columns=90, seed=1):
    """Rows of unlike length, many without entries in a block, one dense."""
    rng = np.random.default_rng(seed)
    lengths = rng.choice([0, 0, 1, 2, 5, 30, 60], rows)
    dense = np.arange(columns) < lengths[:, None]
    dense = rng.permuted(dense, axis=1).astype(float)
    dense[rows // 2] = 1
    dense[:, columns // 3 : columns // 3 + 10] = 0
    matrix = scipy.sparse.csr_array(dense)
    matrix.data = np.arange(1.0, matrix.nnz + 1)
    return matrix


@pytest.mark.parametrize(
    ("block_rows", "block_columns"), [(64, 40), pytest.param(32, 1000, marks=pytest.mark.ci)]
)
def test_the_arrays_are_those_of_the_host(block_rows, block_columns):
    matrix = unlike()
    exact = HBP.from_scipy(matrix, block_rows=block_rows, block_columns=block_columns)
    built = hbp_on_device(DeviceCsr.from_scipy(matrix), block_rows=block_rows, block_columns=block_columns)
    assert built.hash == exact.hash
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(built, name).copy_to_host(), getattr(exact, name), name)


def test_only_the_order_by_the_hash_chooses_one(monkeypatch):
    monkeypatch.setattr(BlockedRows, "chosen_hash", lambda rows: pytest.fail("a hash was chosen"))
    matrix = DeviceCsr.from_scipy(unlike(20, 20))
    assert hbp_on_device(matrix, block_rows=32, method="classes").hash == NO_HASH
    given = RowHash(1, 2, 3, 4)
    assert hbp_on_device(matrix, block_rows=32, row_hash=given).hash == given


def test_what_is_on_the_device_is_multiplied_as_it_is():
    built = hbp_on_device(DeviceCsr.from_scipy(unlike(20, 20)), block_rows=32, block_columns=30)
    product = HBPProduct(built, 64)
    assert product.device_arrays[0] is built.columns


@pytest.mark.parametrize(
    ("method", "most"),
    [
        ("sort", 6080),
        ("dynamic", 2432),
        ("classes", 8128),
        ("hash", 6112),
        ("probing", 12_288),
        ("probing-words", 23_104),
    ],
)
def test_blocks_too_large_for_shared_memory_are_refused(method, most):
    matrix = DeviceCsr.from_scipy(unlike(20, 20))
    with pytest.raises(UserError, match=f"order {method} of 32000 rows is not possible: use {most} or fewer"):
        BlockedRows(matrix, 32_000, 30).put_in_order(method, RowHash(1, 1, 1, 1))


@pytest.mark.parametrize("method", BY_COUNTING)
def test_counts_of_any_size_are_put_in_order(method):
    rng = np.random.default_rng(2)
    counts = np.concatenate([rng.integers(0, 1 << bits, 32, dtype=np.int64) for bits in (1, 15, 31)])
    counts = np.stack([counts, np.zeros(96), np.full(96, 2**31 - 1)]).astype(np.int32)
    order, warps = upload(np.zeros(counts.size, np.int32)), warps_that_count(96, method)
    row_hash = RowHash(3, 10, 9, 7)
    kernel, grid = counted_order_kernel(96, method), (-(-3 // warps), 32 * warps)
    enqueue(kernel, grid, (upload(counts.ravel()), 3, *numbers_of(row_hash), order), 0)
    exact = ordered(counts, method, row_hash).order
    np.testing.assert_array_equal(order.copy_to_host().reshape(3, 96), exact)


@pytest.mark.parametrize(("method", "divides"), one_combination_in(3, PROBING, [False, True]))
def test_rows_are_inserted_at_the_next_free_place(method, divides):
    counts = np.random.default_rng(1).choice([0, 0, 0, 1, 2, 5, 30, 2**31 - 1], (3, 64)).astype(np.int32)
    counts[1] = 0
    row_hash = RowHash(1, 6, 3, 7)
    if divides:
        counts, row_hash = np.minimum(counts, 90), RowHash(1, 7, 3, 7)
        assert divides_by_product(row_hash, 64, 90)
    order = upload(np.full(counts.size, -1, np.int32))
    arguments = (upload(counts.ravel()), 3, *numbers_of(row_hash), order)
    enqueue(probing_kernel(64, method, divides), probing_grid(64, 3, method), arguments, 0)
    for own, actual in zip(counts, order.copy_to_host().reshape(3, 64), strict=True):
        hashes = row_hash(own) % 64
        assert sorted(actual) == list(range(64))
        assert could_be_probed(actual, hashes)
    by_count = np.argsort(-counts[0], kind="stable")
    assert not could_be_probed(by_count, row_hash(counts[0]) % 64)


@pytest.mark.parametrize("method", PROBING)
def test_blocks_of_probed_rows_are_multiplied(method):
    matrix = unlike(70, 50, seed=2)
    built = hbp_on_device(DeviceCsr.from_scipy(matrix), block_rows=32, block_columns=30, method=method)
    assert built.hash == HBP.from_scipy(matrix, block_rows=32, block_columns=30).hash
    y = upload(np.zeros(70))
    HBPProduct(built, 64).launch(upload(np.arange(50.0)), y, 1.0, 0.0, 0)
    np.testing.assert_array_equal(y.copy_to_host(), matrix @ np.arange(50.0))


def test_remainders_are_found_by_a_product_where_that_is_exact():
    # The largest multiples of c that are allowed, and those before them: there the product is furthest off.
    for row_hash in (
        RowHash(2, 56, 14, 56),
        RowHash(0, 675, 675, 675),
        RowHash(1, 3, 1, 3),
        RowHash(0, 5, 9, 7),
    ):
        _, _, c, d, inverse = numbers_of(row_hash)
        most = ((1 << 32) - 1) // (c * d)
        assert divides_by_product(row_hash, 8192, most)
        assert not divides_by_product(row_hash, 8192, most + 1)
        for count in range(most - 2000, most + 1):
            assert count * c * inverse >> 32 == count * c // d
    assert not divides_by_product(RowHash(0, 8, 1, 1), 512, 5)
    assert not divides_by_product(RowHash(0, 64, 14, 56), 512, 5)  # its places must be brought below 512


@pytest.mark.parametrize("method", one_in(2, ["hash", "own", "classes", "dynamic", "sort", "sell"]))
def test_every_order_is_that_of_the_host(method):
    matrix = unlike(60, 200, seed=3)
    rows = BlockedRows(DeviceCsr.from_scipy(matrix), 64, 150)
    rows.count()
    counts = rows.counts.copy_to_host().reshape(-1, 64)
    assert counts.max() > 127  # two digits
    assert counts.sum() == matrix.nnz
    # As full as a table can be, and all rows in few places: every row but one moves on.
    crowded = RowHash(5, 60, 1, 3)
    whole = np.repeat(np.pad(np.diff(matrix.indptr), (0, 4))[None].astype(np.int32), len(counts), 0)
    exact = ordered(counts, method, crowded, whole)
    rows.put_in_order(method, crowded)
    np.testing.assert_array_equal(rows.order.copy_to_host().reshape(-1, 64), exact.order)
    if method == "dynamic":
        np.testing.assert_array_equal(rows.begins.copy_to_host().reshape(-1, 64), exact.group_begins)


def test_the_chosen_hash_is_that_of_all_rows():
    rows = BlockedRows(DeviceCsr.from_scipy(unlike(60, 200, seed=3)), 64, 150)
    rows.count()
    assert rows.chosen_hash() == RowHash.sampled(rows.counts.copy_to_host(), 64)
    assert rows.chosen_hash().a > 0


@pytest.mark.parametrize("blocks", [1, 2, 512])
def test_the_counts_of_all_blocks_of_threads_choose(monkeypatch, blocks):
    monkeypatch.setattr("gpu.hbp.building.blocks.OVER_BLOCKS", blocks)
    counts = np.ones(4 * ORDER_THREADS + 5, np.int32)
    chosen = []
    # 8 is in the last class as it is, 9 when it is halved. All that are large stand after the first threads.
    for large in (8, 9, 17, 18):
        counts[ORDER_THREADS:] = large
        chosen.append(hash_of_counts(upload(counts), len(counts), 64).a)
        assert chosen[-1] == RowHash.sampled(counts, 64).a
    assert chosen == [0, 1, 1, 2]


def test_what_is_not_possible():
    matrix = DeviceCsr.from_scipy(unlike(5, 50))
    with pytest.raises(UserError, match="blocks of 33 rows are not possible: use a multiple of 32"):
        BlockedRows(matrix, 33)
    with pytest.raises(
        UserError, match="order fast is not possible: use own, hash, classes, sort, dynamic, sell, probing"
    ):
        BlockedRows(matrix).put_in_order("fast")
