"""What is special about the products for skewed matrices; any matrix is tried with those of all formats."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from product_cases import THREADS, allowed, relative_error
from tiers import examples, one_combination_in, one_in

import gpu
from gpu.formats.crs.adaptive import Arrangement, CRSAdaptiveProduct, arrangement_for
from gpu.kernel_parts.blocks_of_equal_work import LONG_SHARE, MARK, RECORD, row_blocks
from gpu.runtime.cuda import cuda
from vecsim.formats import CRS


def launched(built, x, rows):
    y = cuda.to_device(np.full(rows, np.nan, dtype=x.dtype))
    built.launch(cuda.to_device(x), y, x.dtype.type(1), x.dtype.type(0), 0)
    return y.copy_to_host()


def one_long_row(dtype, length=1700):
    """Rows of 0, 1, 2 .. entries and one that no warp and no block holds."""
    rng = np.random.default_rng(4)
    lengths = np.r_[np.arange(20), length, 3]
    row = np.repeat(np.arange(len(lengths)), lengths)
    column = np.concatenate([rng.permutation(length)[:count] for count in lengths])
    values = rng.standard_normal(len(row)).astype(dtype)
    return scipy.sparse.csr_array(scipy.sparse.coo_array((values, (row, column))))


@pytest.mark.parametrize("format", one_in(3, ["sell-near", "sell-near-wide", "sell-hubs", "crs-adaptive"]))
def test_an_infinite_x_stays_infinite(format):
    # Padding neither turns it into NaN nor carries it to other rows.
    matrix = scipy.sparse.csr_array(np.tril(np.ones((40, 40))))
    x = np.ones(40)
    x[0] = np.inf
    built = gpu.prepare(matrix, format, threads_per_block=THREADS)
    assert (built @ x == np.inf).all()
    x[[0, 39]] = 1, np.inf
    np.testing.assert_array_equal(built @ x, [*range(1, 40), np.inf])


ADAPTIVE = [
    Arrangement(32, most_times=8, ahead=True),
    Arrangement(64),
    Arrangement(64, entries=2, most_times=100),
    Arrangement(64, entries=8, wide=2, most_times=2),
    Arrangement(32, entries=8, wide=4, ahead=True),
]


@pytest.mark.parametrize(
    ("dtype", "arrangement"), one_combination_in(4, (np.float32, np.float64), ADAPTIVE), ids=str
)
def test_adaptive_blocks(dtype, arrangement):
    matrix = one_long_row(dtype)
    built = CRSAdaptiveProduct(CRS.from_scipy(matrix), THREADS, arrangement=arrangement)
    x = np.linspace(-1, 1, matrix.shape[1]).astype(dtype)
    y = launched(built, x, matrix.shape[0])
    assert relative_error(y, matrix, x) <= allowed(matrix)
    # What counts the pieces that have come is back where it was.
    np.testing.assert_array_equal(launched(built, x, matrix.shape[0]), y)


def test_adaptive_rows_of_all_lengths_in_a_block():
    # A row of half a unit among short ones is summed by a warp, in whatever lane it comes.
    rng = np.random.default_rng(6)
    lengths = rng.permutation(np.r_[[120, 100, 70, 33, 32], np.zeros(9, int), rng.integers(0, 6, 400)])
    row = np.repeat(np.arange(len(lengths)), lengths)
    column = np.concatenate([rng.permutation(130)[:count] for count in lengths])
    matrix = scipy.sparse.csr_array(
        scipy.sparse.coo_array((rng.standard_normal(len(row)), (row, column)), shape=(len(lengths), 130))
    )
    x = rng.standard_normal(130)
    built = CRSAdaptiveProduct(CRS.from_scipy(matrix), THREADS, arrangement=Arrangement(THREADS))
    y = launched(built, x, len(lengths))
    assert relative_error(y, matrix, x) <= allowed(matrix)


@pytest.mark.filterwarnings("ignore:invalid value encountered")  # in what is left out
@pytest.mark.parametrize("arrangement", one_in(4, ADAPTIVE), ids=str)
def test_adaptive_keeps_to_the_entries_of_a_row(arrangement):
    # Units are loaded from a round place on, so with entries of the row before: those of no other row count.
    lengths = [3, 1, 600, 2, 300, 3, 1]
    rows = np.repeat(np.arange(len(lengths)), lengths)
    columns = np.concatenate([np.arange(count) for count in lengths])
    values = np.ones(len(rows))
    values[rows % 2 == 1] = np.inf
    matrix = scipy.sparse.csr_array((values, (rows, columns)))
    built = CRSAdaptiveProduct(CRS.from_scipy(matrix), THREADS, arrangement=arrangement)
    y = launched(built, np.ones(600), len(lengths))
    np.testing.assert_array_equal(y, [3, np.inf, 600, np.inf, 300, np.inf, 1])


def test_adaptive_with_more_rows_than_threads():
    matrix = scipy.sparse.csr_array(scipy.sparse.eye_array(300, 310))
    matrix.data *= np.arange(300)
    y = launched(CRSAdaptiveProduct(CRS.from_scipy(matrix), THREADS), np.ones(310), 300)
    np.testing.assert_array_equal(y, np.arange(300))


@pytest.mark.parametrize(("entries", "value_bytes"), [(0, 8), (10**5, 4), (10**5, 8), (10**7, 4), (10**7, 8)])
def test_arrangements_fit_a_block(entries, value_bytes):
    for threads in (32, THREADS, 96, 1024):
        chosen = arrangement_for(entries, value_bytes, threads)
        assert 32 <= chosen.threads <= threads and chosen.threads % 32 == 0
        assert chosen.entries % chosen.wide == 0 and 0 < chosen.places <= chosen.threads * chosen.entries


@examples(60)
@given(
    lengths=st.lists(st.one_of(st.integers(0, 5), st.integers(0, 300)), max_size=60),
    places=st.sampled_from([9, 16, 64, 249]),
    most_times=st.integers(1, 5),
)
def test_row_blocks(lengths, places, most_times):
    rowptr = np.concatenate(([0], np.cumsum(lengths, dtype=np.int64))).astype(np.int32)
    built = row_blocks(rowptr, places, most_times)
    records = built.records.reshape(-1, RECORD).astype(int)
    assert len(built) == len(records)
    longest = places * most_times
    assert bool(len(built.pieces)) == any(length > longest for length in lengths)
    pieces = built.pieces.reshape(-1, 2).astype(int) if len(built.pieces) else np.zeros((len(built), 2), int)
    at, row = 0, 0
    for block, (first, first_row, last, next_row) in enumerate(records):
        is_long, is_piece, first, last = first >= MARK, last >= MARK, first % MARK, last % MARK
        held = lengths[first_row:next_row]
        assert first == at and first_row == row and (len(held) == 1 if is_long else 0 < len(held) <= places)
        assert (held[0] * LONG_SHARE > places) if is_long else (max(held) * LONG_SHARE <= places)
        assert is_piece == (is_long and held[0] > longest)
        if is_piece:
            first_block, number = pieces[block]
            assert number == -(-held[0] // longest) and first_block <= block < first_block + number
            assert first == rowptr[row] + (block - first_block) * longest
            assert last == min(first + longest, rowptr[row + 1])
        else:
            assert not pieces[block].any()
            assert (first, last) == (rowptr[first_row], rowptr[next_row])
            assert is_long or last - first <= places
        at, row = last, (row if is_piece and last < rowptr[row + 1] else next_row)
    assert (at, row) == (rowptr[-1], len(lengths))
