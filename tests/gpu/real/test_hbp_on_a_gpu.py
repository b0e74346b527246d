"""HBP made on a real GPU: the host's orders and arrays; products of all forms, with equal bits in every run.

Those named `small` are what compute-sanitizer looks at: CONTRIBUTING.md says how.
"""

from dataclasses import fields

import numpy as np
import pytest
import scipy.sparse
from probed_tables import could_be_probed

from gpu.hbp.active import ActiveHBP
from gpu.hbp.container import HBP
from gpu.hbp.ordering import METHODS, ordered
from vecsim.formats.accuracy import relative_error, rounding_bound

pytestmark = pytest.mark.usefixtures("gpu_with_others")

SIZES = {"small": (300, 400), "large": (70_000, 30_000)}
"""Rows and columns."""


def skewed(size, dtype=np.float64):
    """Rows of unlike length, many without entries in a block, one with an entry in every third column."""
    rows, columns = SIZES[size]
    rng = np.random.default_rng(rows)
    lengths = (2 * (1 - rng.random(rows)) ** -0.7).astype(int).clip(0, columns // 4)
    lengths[rng.random(rows) < 0.3] = 0
    row = np.append(np.repeat(np.arange(rows), lengths), np.full(columns // 3, rows // 2))
    column = np.append(rng.integers(0, columns, lengths.sum()), np.arange(columns // 3) * 3)
    entries = rng.standard_normal(len(row)).astype(dtype)
    return scipy.sparse.csr_array((entries, (row, column)), (rows, columns))


def assert_same(actual, wanted, name):
    actual = actual.copy_to_host() if hasattr(actual, "copy_to_host") else actual
    np.testing.assert_array_equal(actual, wanted, name)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("size", SIZES)
def test_the_arrays_are_those_of_the_host(size, dtype):
    from gpu.hbp.building.blocks import hbp_on_device
    from gpu.sums.device_csr import DeviceCsr

    matrix = skewed(size, dtype)
    exact, built = HBP.from_scipy(matrix), hbp_on_device(DeviceCsr.from_scipy(matrix))
    assert built.hash == exact.hash
    for each in fields(exact):
        if isinstance(getattr(exact, each.name), np.ndarray):
            assert_same(getattr(built, each.name), getattr(exact, each.name), each.name)


@pytest.mark.parametrize("method", METHODS[1:])
@pytest.mark.parametrize("size", SIZES)
def test_every_order_is_that_of_the_host(size, method):
    from gpu.hbp.building.blocks import BlockedRows
    from gpu.sums.device_csr import DeviceCsr

    matrix = skewed(size)
    rows = BlockedRows(DeviceCsr.from_scipy(matrix))
    rows.count()
    counts = rows.counts.copy_to_host().reshape(-1, rows.block_rows)
    chosen = rows.chosen_hash()
    whole = np.zeros(rows.down * rows.block_rows, np.int32)
    whole[: matrix.shape[0]] = np.diff(matrix.indptr)
    whole = np.repeat(whole.reshape(rows.down, rows.block_rows), rows.across, 0)
    exact = ordered(counts, method, chosen, whole)
    rows.put_in_order(method, chosen)
    assert_same(rows.order, exact.order.ravel(), "order")
    if method == "dynamic":
        assert_same(rows.begins, exact.group_begins.ravel(), "begins")


@pytest.mark.parametrize("method", ["probing", "probing-words"])
@pytest.mark.parametrize("size", SIZES)
def test_probing_finds_a_place_for_each_row(size, method):
    from gpu.hbp.building.blocks import BlockedRows
    from gpu.sums.device_csr import DeviceCsr

    rows = BlockedRows(DeviceCsr.from_scipy(skewed(size)))
    rows.count()
    chosen, places = rows.chosen_hash(), rows.block_rows
    rows.put_in_order(method, chosen)
    counts = rows.counts.copy_to_host().reshape(-1, places)
    order = rows.order.copy_to_host().reshape(-1, places)
    assert (np.sort(order, axis=1) == np.arange(places)).all()
    hashes = chosen(counts) % places
    fullest = np.argsort(-counts.sum(axis=1))[:50]
    assert all(could_be_probed(order[block], hashes[block]) for block in fullest)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("size", SIZES)
def test_the_repaired_form_is_that_of_the_host(size, dtype):
    from gpu.hbp.building.active import active_on_device
    from gpu.sums.device_csr import DeviceCsr

    matrix = skewed(size, dtype)
    exact, built = ActiveHBP.from_scipy(matrix), active_on_device(DeviceCsr.from_scipy(matrix))
    assert built.hash == exact.hash
    for each in fields(exact):
        if isinstance(getattr(exact, each.name), np.ndarray):
            assert_same(getattr(built, each.name), getattr(exact, each.name), each.name)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("form", ["hbp", "hbp-active"])
def test_products(form, size, dtype):
    import gpu

    matrix = skewed(size, dtype)
    x = np.random.default_rng(1).standard_normal(matrix.shape[1]).astype(dtype)
    product = gpu.prepare(matrix, format=form)
    actual = [product @ x for _ in range(3)]
    # What comes twice is added up with rounding, too.
    assert relative_error(matrix, x, actual[0]) <= 2 * rounding_bound(matrix, dtype)
    assert {each.tobytes() for each in actual} == {actual[0].tobytes()}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("size", SIZES)
def test_sums_added_as_they_come(size, dtype):
    import gpu

    matrix = skewed(size, dtype)
    rng = np.random.default_rng(1)
    x = rng.standard_normal(matrix.shape[1]).astype(dtype)
    y0 = rng.standard_normal(matrix.shape[0]).astype(dtype)
    product = gpu.prepare(matrix, format="hbp-active-direct")
    allowed = 2 * rounding_bound(matrix, dtype) + 4 * np.finfo(dtype).eps
    for _ in range(3):
        assert relative_error(matrix, x, product @ x) <= allowed
    mixed = product.matvec(x, out=y0.copy(), alpha=-2, beta=0.5)
    assert relative_error(matrix, x, mixed, alpha=-2, beta=0.5, y0=y0) <= allowed


@pytest.mark.parametrize("size", SIZES)
def test_what_was_made_on_the_device_is_multiplied_as_it_is(size):
    from gpu.hbp.active_product import ActiveHBPProduct
    from gpu.hbp.building.active import active_on_device
    from gpu.hbp.building.blocks import hbp_on_device
    from gpu.hbp.product import HBPProduct
    from gpu.runtime.memory import upload
    from gpu.sums.device_csr import DeviceCsr

    matrix = skewed(size)
    x = np.random.default_rng(1).standard_normal(matrix.shape[1])
    for product in (
        HBPProduct(hbp_on_device(DeviceCsr.from_scipy(matrix)), 256),
        ActiveHBPProduct(active_on_device(DeviceCsr.from_scipy(matrix)), 256),
    ):
        y = upload(np.full(matrix.shape[0], np.nan))
        product.launch(upload(x), y, 1.0, 0.0, 0)
        assert relative_error(matrix, x, y.copy_to_host()) <= 2 * rounding_bound(matrix, np.float64)


@pytest.mark.parametrize("direct", [False, True])
@pytest.mark.parametrize("allocation", ["by size", "half", "fixed", "competitive"])
@pytest.mark.parametrize("size", SIZES)
def test_the_published_form_in_every_allocation(size, allocation, direct):
    from gpu.hbp.building.blocks import hbp_on_device
    from gpu.hbp.product import HBPProduct
    from gpu.runtime.memory import upload
    from gpu.sums.device_csr import DeviceCsr

    matrix = skewed(size)
    rng = np.random.default_rng(1)
    x, y0 = rng.standard_normal(matrix.shape[1]), rng.standard_normal(matrix.shape[0])
    product = HBPProduct(
        hbp_on_device(DeviceCsr.from_scipy(matrix), method="probing"), 256, allocation, direct=direct
    )
    allowed = 2 * rounding_bound(matrix, np.float64) + 4 * np.finfo(np.float64).eps
    for _ in range(2):  # all tickets are there again
        y = upload(y0)
        product.launch(upload(x), y, -2.0, 0.5, 0)
        assert relative_error(matrix, x, y.copy_to_host(), alpha=-2, beta=0.5, y0=y0) <= allowed
