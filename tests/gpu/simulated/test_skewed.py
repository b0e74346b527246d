"""What is special about the products for skewed matrices; any matrix is tried with those of all formats."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from product_cases import THREADS, allowed, relative_error

import gpu
from gpu.crs_adaptive import LONG_SHARE, WHOLE_ROWS, CRSAdaptiveProduct, row_blocks
from gpu.cuda import cuda
from gpu.mixed_sliced import MixedSlicedProduct
from vecsim.formats import CRS, MixedSliced, MixedSlicing

SLICINGS = [
    MixedSlicing(steps=1),
    MixedSlicing(steps=3, wide=4, sorting_window=9),
    MixedSlicing(hubs=True, sorting_window=None, steps=2, lane_lengths=False),
    MixedSlicing(hubs=True, sorting_window=20, steps=2, wide=2),
]


def launched(product, x, rows):
    y = cuda.to_device(np.full(rows, np.nan, dtype=x.dtype))
    product.launch(cuda.to_device(x), y, x.dtype.type(1), x.dtype.type(0), 0)
    return y.copy_to_host()


def one_long_row(dtype, length=1700):
    """Rows of 0, 1, 2 .. entries and one that no warp and no block holds."""
    rng = np.random.default_rng(4)
    lengths = np.r_[np.arange(20), length, 3]
    row = np.repeat(np.arange(len(lengths)), lengths)
    column = np.concatenate([rng.permutation(length)[:count] for count in lengths])
    values = rng.standard_normal(len(row)).astype(dtype)
    return scipy.sparse.csr_array(scipy.sparse.coo_array((values, (row, column))))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("slicing", SLICINGS, ids=lambda each: repr(each)[12:60])
def test_lanes_by_length_and_pieces(slicing, dtype):
    matrix = one_long_row(dtype, 400)
    made = MixedSliced.from_scipy(matrix, slicing=slicing)
    assert 32 in made.lanes and made.lanes.min() < 32
    assert len(made.split_rows) == 1
    x = np.linspace(-1, 1, matrix.shape[1]).astype(dtype)
    y = launched(MixedSlicedProduct(made, THREADS), x, matrix.shape[0])
    assert relative_error(y, matrix, x) <= allowed(matrix)


@pytest.mark.parametrize("hubs", [False, True])
def test_far_columns(hubs):
    rng = np.random.default_rng(8)
    row = np.repeat(np.arange(40), 3000)
    column = rng.integers(0, 150_000, len(row))
    matrix = scipy.sparse.csr_array(
        scipy.sparse.coo_array((rng.standard_normal(len(row)), (row, column)), shape=(40, 150_000))
    )
    made = MixedSliced.from_scipy(matrix, slicing=MixedSlicing(hubs=hubs, steps=60))
    assert made.near_columns.any() and made.far_columns.any()
    x = rng.standard_normal(150_000)
    x[np.setdiff1d(np.arange(150_000), matrix.indices)] = np.nan
    y = launched(MixedSlicedProduct(made, THREADS), x, 40)
    assert relative_error(y, matrix, np.nan_to_num(x)) <= allowed(matrix)


def test_an_infinite_x_stays_infinite():
    # Padding neither turns it into NaN nor carries it to other rows.
    matrix = scipy.sparse.csr_array(np.tril(np.ones((40, 40))))
    x = np.ones(40)
    x[0] = np.inf
    for format in ("sell-near", "sell-near-wide", "sell-hubs", "crs-adaptive"):
        assert (gpu.prepare(matrix, format, threads_per_block=THREADS) @ x == np.inf).all()
    x[[0, 39]] = 1, np.inf
    for format in ("sell-near", "sell-near-wide", "sell-hubs", "crs-adaptive"):
        y = gpu.prepare(matrix, format, threads_per_block=THREADS) @ x
        np.testing.assert_array_equal(y, [*range(1, 40), np.inf])


@pytest.mark.parametrize("entries_per_thread", [4, 8])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_adaptive_blocks(dtype, entries_per_thread):
    matrix = one_long_row(dtype)
    product = CRSAdaptiveProduct(CRS.from_scipy(matrix), THREADS, entries_per_thread=entries_per_thread)
    x = np.linspace(-1, 1, matrix.shape[1]).astype(dtype)
    y = launched(product, x, matrix.shape[0])
    assert relative_error(y, matrix, x) <= allowed(matrix)


def test_adaptive_with_more_rows_than_threads():
    matrix = scipy.sparse.csr_array(scipy.sparse.eye_array(300, 310))
    matrix.data *= np.arange(300)
    y = launched(CRSAdaptiveProduct(CRS.from_scipy(matrix), THREADS), np.ones(310), 300)
    np.testing.assert_array_equal(y, np.arange(300))


@settings(max_examples=60, deadline=None)
@given(
    lengths=st.lists(st.one_of(st.integers(0, 5), st.integers(0, 300)), max_size=60),
    places=st.sampled_from([16, 64, 256]),
)
def test_row_blocks(lengths, places):
    rowptr = np.concatenate(([0], np.cumsum(lengths, dtype=np.int64))).astype(np.int32)
    entries, rows, pieces = row_blocks(rowptr, places)
    assert len(entries) == len(rows) == len(pieces) + 1
    assert (
        (entries[0], entries[-1], rows[-1]) == (0, rowptr[-1], len(lengths)) if lengths else not len(pieces)
    )
    assert (np.diff(entries.astype(int)) <= places).all()
    covered = []
    for block, piece in enumerate(pieces):
        if piece == WHOLE_ROWS:
            held = range(rows[block], rows[block + 1])
            assert 0 < len(held) <= places
            assert (entries[block], entries[block + 1]) == (rowptr[held[0]], rowptr[held[-1] + 1])
            assert len(held) == 1 or max(lengths[row] for row in held) <= places // LONG_SHARE
            covered += held
        else:
            row = rows[block]
            assert lengths[row] > places
            assert rowptr[row] <= entries[block] < entries[block + 1] <= rowptr[row + 1]
            covered += [row] if entries[block] == rowptr[row] else []
    assert covered == list(range(len(lengths)))
    assert pieces[pieces != WHOLE_ROWS].tolist() == list(range(np.count_nonzero(pieces != WHOLE_ROWS)))
