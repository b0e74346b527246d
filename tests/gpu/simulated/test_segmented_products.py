"""Segments of x in shared memory, in the simulator: shares over several segments, and both ways to add."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from product_cases import THREADS, allowed, relative_error, tiny_matrices
from tiers import examples

from gpu.formats.segmented import SegmentedProduct
from gpu.formats.segmented.container import SegmentedSliced
from gpu.formats.segmented.product import shares_of
from gpu.formats.segmented.rows import WINDOW, windows_of
from gpu.formats.segmented.slices import SHARE
from gpu.runtime.cuda import cuda


def multiplied(product, rows, x, alpha=1.0, beta=0.0, y0=None):
    real = x.dtype.type
    y = cuda.to_device(np.full(rows, np.nan, real) if y0 is None else y0)
    product.launch(cuda.to_device(x), y, real(alpha), real(beta), 0)
    return y.copy_to_host()


def whole_numbers(rows, columns, density, dtype=np.float64):
    rng = np.random.default_rng(5)
    dense = np.where(rng.random((rows, columns)) < density, rng.integers(1, 9, (rows, columns)), 0)
    dense[3] = 1  # a long row
    return scipy.sparse.csr_array(dense.astype(dtype))


@pytest.mark.parametrize("direct", [False, True])
@pytest.mark.parametrize("by_degree", [False, pytest.param(True, marks=pytest.mark.ci)])
def test_several_segments_a_share_and_several_shares_a_segment(direct, by_degree):
    matrix = whole_numbers(40, 50, 0.3, np.float32 if by_degree else np.float64)
    for columns in (7, 50):
        stored = SegmentedSliced.from_scipy(matrix, segment_columns=columns, steps=3, by_degree=by_degree)
        product = SegmentedProduct(stored, THREADS, direct=direct)
        x, y0 = np.arange(50, dtype=matrix.dtype), np.arange(40, dtype=matrix.dtype)
        np.testing.assert_array_equal(multiplied(product, 40, x), matrix @ x)
        np.testing.assert_array_equal(multiplied(product, 40, x, 2, 3, y0), 2 * (matrix @ x) + 3 * y0)


def test_many_slots_of_a_row_are_added_by_a_warp():
    matrix = whole_numbers(4, 90, 0.1)
    stored = SegmentedSliced.from_scipy(matrix, segment_columns=2)
    assert np.diff(stored.row_pointers)[3] == 45
    x = np.arange(90.0)
    np.testing.assert_array_equal(multiplied(SegmentedProduct(stored, THREADS), 4, x), matrix @ x)


def test_what_is_next_to_x_is_not_read_for_padding():
    matrix = whole_numbers(9, 12, 0.3)
    x = np.arange(12.0)
    x[0] = np.inf
    product = SegmentedProduct(SegmentedSliced.from_scipy(matrix), THREADS)
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(
            np.isfinite(multiplied(product, 9, x)), ~(matrix[:, [0]].toarray() > 0)[:, 0]
        )


def test_rows_of_several_windows():
    rng = np.random.default_rng(8)
    lengths = np.where(np.arange(300) % 90 == 5, 40, rng.integers(0, 4, 300))
    places = rng.permuted(np.tile(np.arange(40), (300, 1)), axis=1)
    matrix = scipy.sparse.csr_array((places < lengths[:, None]) * 3.0)
    stored = SegmentedSliced.from_scipy(matrix, segment_columns=2)
    assert len(windows_of(stored.row_pointers, 256)) > 2 * WINDOW
    x = np.arange(40.0)
    np.testing.assert_array_equal(multiplied(SegmentedProduct(stored, THREADS), 300, x), matrix @ x)


def test_windows_of_rows_have_about_as_many_sums():
    slots = np.array([1] * 20 + [90] + [0] * 30 + [2] * 9)
    pointers = np.append(0, np.cumsum(slots))
    windows = windows_of(pointers, 16).reshape(-1, WINDOW).astype(int)
    assert windows[0].tolist() == [0, 0] and windows[-1].tolist() == [60, pointers[-1]]
    np.testing.assert_array_equal(windows[:, 1], pointers[windows[:, 0]])
    rows = np.diff(windows[:, 0])
    assert (rows > 0).all() and (rows <= 16).all()
    but_the_first = pointers[windows[1:, 0]] - pointers[windows[:-1, 0] + 1]
    assert (but_the_first + rows <= 17).all()
    assert windows_of(np.zeros(1, int), 16).tolist() == [0, 0]


@examples(20)
@given(matrix=tiny_matrices(), columns=st.integers(1, 9), blocks=st.integers(1, 9), direct=st.booleans())
def test_shares_are_all_slices_in_turn_each_in_one_segment(matrix, columns, blocks, direct):
    stored = SegmentedSliced.from_scipy(matrix, segment_columns=columns)
    words, begins = shares_of(stored, blocks, direct=direct)
    segments, first, last, turns = words.reshape(-1, SHARE).T
    assert len(begins) - 1 <= blocks
    assert (np.diff(begins) > 0).all() and begins[-1] == len(first)
    assert (np.concatenate([np.arange(a, b) for a, b in zip(first, last, strict=True)] or [[]])
            == np.arange(stored.slices)).all()  # fmt: skip
    for segment, begin, end in zip(segments, first, last, strict=True):
        assert (stored.slice_segments[begin:end] == segment).all()
    assert (turns < columns).all()


@pytest.mark.ci
@pytest.mark.parametrize("direct", [False, True])
def test_shares_of_blocks_take_about_as_many_bytes(direct):
    rng = np.random.default_rng(1)
    matrix = scipy.sparse.random_array((3000, 4000), density=0.01, rng=rng, format="csr")
    stored = SegmentedSliced.from_scipy(matrix, segment_columns=900, steps=4)
    words, begins = shares_of(stored, 11, direct=direct)
    shares = words.reshape(-1, SHARE).astype(int)
    steps = stored.step_ptr.astype(int)
    entries = np.add.reduceat(steps[shares[:, 2]] - steps[shares[:, 1]], begins[:-1])
    brought = np.add.reduceat(np.minimum(900, 4000 - 900 * shares[:, 0]), begins[:-1])
    assert len(entries) == 11
    work = 32 * entries * 10 + 8 * brought
    assert work.max() < 1.15 * work.mean()


@examples(3)
@given(matrix=tiny_matrices(), columns=st.integers(1, 9), direct=st.booleans())
def test_any_matrix(matrix, columns, direct):
    rows, width = matrix.shape
    x = np.random.default_rng(1).standard_normal(width).astype(matrix.dtype)
    product = SegmentedProduct(
        SegmentedSliced.from_scipy(matrix, segment_columns=columns), THREADS, direct=direct
    )
    if rows:
        assert relative_error(multiplied(product, rows, x), matrix, x) <= allowed(matrix)
