"""HBP in blocks so small that a matrix has many: who takes which, and the sums of a row's blocks."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from product_cases import allowed, relative_error, tiny_matrices
from tiers import examples, one_combination_in

import gpu
from gpu.hbp import active_product as hbp_active
from gpu.hbp import product as hbp
from gpu.hbp.active import ActiveHBP
from gpu.hbp.container import HBP
from gpu.runtime.memory import upload
from vecsim.support.errors import UserError


@pytest.mark.parametrize(
    ("allocation", "direct"), one_combination_in(3, list(hbp.ALLOCATIONS), [False, True])
)
def test_blocks_of_many_warps(monkeypatch, allocation, direct):
    monkeypatch.setattr(hbp, "share_of", lambda blocks, resident: 2)  # three blocks a column are two shares
    dense = np.where(np.random.default_rng(2).random((70, 50)) < 0.15, 2.0, 0)
    dense[:, 20:30] = 0
    dense[33] = 1
    matrix = scipy.sparse.csr_array(dense)
    stored = HBP.from_scipy(matrix, block_rows=32, block_columns=10)
    product = hbp.HBPProduct(stored, 64, allocation, direct=direct)
    assert bool(product.combine) != direct
    x, y = np.arange(50.0), upload(np.ones(70))
    product.launch(upload(x), y, 2.0, 3.0, 0)
    np.testing.assert_array_equal(y.copy_to_host(), 2 * (matrix @ x) + 3)
    product.launch(upload(x), y, 1.0, 0.0, 0)  # all tickets are there again
    np.testing.assert_array_equal(y.copy_to_host(), matrix @ x)


def test_products_of_one_shape_share_their_room():
    matrix = scipy.sparse.eye_array(40, format="csr")
    one = hbp.HBPProduct(HBP.from_scipy(matrix, block_rows=32), 64)
    two = hbp.HBPProduct(HBP.from_scipy(matrix * 2, block_rows=32), 64, room=one.room)
    for product, factor in ((one, 1), (two, 2), (one, 1)):
        y = upload(np.zeros(40))
        product.launch(upload(np.arange(40.0)), y, 1.0, 0.0, 0)
        np.testing.assert_array_equal(y.copy_to_host(), factor * np.arange(40.0))


def test_the_fixed_part_is_what_can_be_handed_out_in_equal_numbers():
    assert [hbp.ALLOCATIONS["by size"](shares, 4) for shares in (3, 4, 7, 8)] == [0, 1, 1, 2]
    assert [hbp.ALLOCATIONS["half"](shares, 4) for shares in (3, 8, 15, 16)] == [0, 1, 1, 2]
    assert [hbp.ALLOCATIONS["fixed"](shares, 4) for shares in (3, 4, 7)] == [1, 1, 2]


def test_blocks_of_more_groups_than_a_warp_has_lanes():
    rng = np.random.default_rng(3)
    dense = np.where(rng.random((1100, 6)) < rng.choice([0, 0.3], 1100)[:, None], 2.0, 0)
    dense[320:384] = 0  # two groups without entries; rows 1056 to 1088 are in the 34th
    matrix = scipy.sparse.csr_array(dense)
    stored = HBP.from_scipy(matrix, block_rows=1120, block_columns=10)
    assert np.any(np.diff(stored.begin_nnz) == 0)
    np.testing.assert_array_equal(gpu.prepare(stored) @ np.arange(6.0), matrix @ np.arange(6.0))


@pytest.mark.parametrize(("blocks", "share"), [(10, 2), (1000, 2), (4800, 12), (10**6, 64)])
def test_shares_are_many_but_not_too_small(blocks, share):
    assert hbp.share_of(blocks, 100) == share


def test_pieces_of_many_blocks():
    dense = np.where(np.random.default_rng(2).random((90, 50)) < 0.15, 2.0, 0)
    dense[:, 20:30] = 0
    dense[33] = 1
    dense[33, 25] = 0
    matrix = scipy.sparse.csr_array(dense)
    stored = ActiveHBP.from_scipy(matrix, block_rows=32, block_columns=10, least=2, longest=2)
    columns = hbp_active.pieces_of(stored)[1]
    assert len(columns) > 4 and set(range(4)) <= set(columns.tolist())
    assert 0 < len(stored.rest_columns) < matrix.nnz
    device = gpu.prepare(stored)
    assert device.format == "hbp-active"
    x, y = np.arange(50.0), np.ones(90)
    np.testing.assert_array_equal(device @ x, matrix @ x)
    device.matvec(x, out=y, alpha=2, beta=3)
    np.testing.assert_array_equal(y, 2 * (matrix @ x) + 3)


def test_sums_are_added_to_y_as_they_come():
    dense = np.where(np.random.default_rng(2).random((90, 50)) < 0.15, 2.0, 0)
    dense[33] = 1
    matrix = scipy.sparse.csr_array(dense)
    stored = ActiveHBP.from_scipy(matrix, block_rows=32, block_columns=10, least=2, longest=2)
    product = hbp_active.ActiveHBPProduct(stored, 64, direct=True)
    assert not product.combine
    x, y = np.arange(50.0), upload(np.ones(90))
    product.launch(upload(x), y, 2.0, 3.0, 0)
    np.testing.assert_array_equal(y.copy_to_host(), 2 * (matrix @ x) + 3)
    slots = np.bincount(hbp_active.rows_of_slots(stored), minlength=90)
    np.testing.assert_array_equal(slots[stored.slot_rows], np.diff(stored.row_places))


@examples(3)
@given(
    matrix=tiny_matrices(),
    block_rows=st.sampled_from([32, 64]),
    block_columns=st.integers(1, 12),
    form=st.sampled_from(["hbp", "hbp-active", "direct"]),
)
def test_any_matrix_in_several_blocks(matrix, block_rows, block_columns, form):
    x = np.linspace(-1, 2, matrix.shape[1]).astype(matrix.dtype)
    if form == "hbp":
        product = gpu.prepare(HBP.from_scipy(matrix, block_rows=block_rows, block_columns=block_columns))
        y = product @ x
        assert y.tobytes() == (product @ x).tobytes()
    else:
        sizes = {"block_rows": block_rows, "block_columns": block_columns, "least": 2, "longest": 3}
        stored = ActiveHBP.from_scipy(matrix, **sizes)
        built = hbp_active.ActiveHBPProduct(stored, 64, direct=form == "direct")
        actual = []
        for _ in range(1 if form == "direct" else 2):
            on_device, real = upload(np.full(matrix.shape[0], np.nan, matrix.dtype)), matrix.dtype.type
            built.launch(upload(x), on_device, real(1), real(0), 0)
            actual.append(on_device.copy_to_host())
        y = actual[0]
        assert {each.tobytes() for each in actual} == {y.tobytes()}
    assert relative_error(y, matrix, x) <= allowed(matrix)


def test_a_row_with_many_sums():
    dense = np.zeros((3, 80))
    dense[1], dense[2, :20] = 2, 3
    matrix = scipy.sparse.csr_array(dense)
    stored = ActiveHBP.from_scipy(matrix, block_columns=10, least=2, longest=2)
    assert np.diff(stored.row_places).tolist() == [40, 10]
    np.testing.assert_array_equal(gpu.prepare(stored) @ np.arange(80.0), matrix @ np.arange(80.0))


@pytest.mark.parametrize("container", [HBP, ActiveHBP])
def test_a_segment_must_fit(container):
    wide = container.from_scipy(scipy.sparse.eye_array(8, format="csr"), block_columns=5000)
    with pytest.raises(UserError, match="blocks of 5000 columns do not fit into shared memory: use 4096"):
        gpu.prepare(wide)
