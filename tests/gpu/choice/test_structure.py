import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from gpu.choice import work_counts
from gpu.choice.cost_model import batches, uneven
from gpu.choice.structure import Structure
from gpu.formats.mixed_sliced.container import MixedSliced
from gpu.formats.segmented.container import SegmentedSliced
from gpu.formats.sliced.container import Sliced
from gpu.formats.sliced.slicing import Slicing
from vecsim.formats import NotRepresentableError

pytestmark = pytest.mark.ci


def matrix_with(lengths, *, columns=5000, seed=1, dtype=np.float64):
    """Return a matrix with rows of these lengths, columns anywhere."""
    rng = np.random.default_rng(seed)
    indices = [np.sort(rng.choice(columns, length, replace=False)) for length in lengths]
    indptr = np.concatenate(([0], np.cumsum(lengths))).astype(np.int32)
    joined = np.concatenate([*indices, np.zeros(0)]).astype(np.int32)
    return scipy.sparse.csr_array(
        (np.ones(len(joined), dtype), joined, indptr), shape=(len(lengths), columns)
    )


def csr_of(rows, columns, shape):
    """Return the matrix with ones there, with 32-bit indices as the formats have them."""
    places = np.asarray(rows, np.int32), np.asarray(columns, np.int32)
    return scipy.sparse.csr_array((np.ones(len(places[0])), places), shape=shape)


def blocked_sectors(matrix, rows, in_sector):
    """Count the sectors of each block of this many rows, one by one."""
    count = 0
    for first in range(0, matrix.shape[0], rows):
        count += len(np.unique(matrix[first : first + rows].indices // in_sector))
    return count


@pytest.mark.parametrize("window", [1, 64, None])
@pytest.mark.parametrize("height", [8, 32])
@pytest.mark.parametrize("group", [1, 2])
def test_places_are_those_of_the_container(window, height, group):
    lengths = np.random.default_rng(1).integers(0, 12, 333)
    for matrix in (matrix_with(lengths), matrix_with(np.append(lengths, 4900)), matrix_with([])):
        slicing = Slicing(slice_height=height, sorting_window=window, wide=group, row_lengths=True)
        try:
            built = Sliced.from_scipy(matrix, slicing=slicing).entries
        except NotRepresentableError:  # one slice is as wide as the long row
            continue
        assert Structure.of(matrix).places(height=height, window=window, group=group) == built


def test_rows_longer_than_are_counted_by_length_are_sorted():
    lengths = np.append(np.random.default_rng(2).integers(0, 9, 90), [4990, 4500, 4100, 4097, 4096, 4095])
    matrix = matrix_with(lengths)
    for window in (32, 64, None):
        falling = lengths.copy()
        for first in range(0, len(lengths), window or len(lengths)):
            falling[first : first + (window or len(lengths))][::-1].sort()
        steps = sum(falling[first] for first in range(0, len(lengths), 16))
        assert Structure.of(matrix).places(height=16, window=window) == 16 * steps


def test_pieces_and_warps_by_the_lengths_of_rows():
    structure = Structure.of(matrix_with([0, 3, 8, 9, 16, 17, 64, 65, 200]))
    assert structure.longest == 200
    assert structure.pieces(64) == (2, 2 + 4)
    assert structure.pieces(200) == (0, 0)
    # 8 entries a thread, at most 8 threads: 1, 1, 1, 2, 2, 4, 8, two pieces of 8, four of 8.
    assert structure.warps(8, 8) == (1 + 1 + 1 + 2 + 2 + 4 + 8 + 16 + 32) / 32


def test_spread_of_a_slice():
    matrix = csr_of([0, 3, 40, 41], [5, 90, 7, 7], (70, 100))
    structure = Structure.of(matrix)
    # Of the slices that two entries are in each: 85 and 0.
    assert structure.mean_spread == pytest.approx(85 / 2)
    assert structure.fits_offsets
    wide = csr_of([0, 3], [0, 70_000], (32, 70_001))
    assert not Structure.of(wide).fits_offsets


@pytest.mark.parametrize("dtype, in_sector", [(np.float32, 8), (np.float64, 4)])
def test_sectors_are_counted_once_a_block(dtype, in_sector):
    matrix = matrix_with(np.random.default_rng(3).integers(0, 30, 700), columns=900, dtype=dtype)
    structure = Structure.of(matrix)
    for rows in (1, 2, 32, 256):
        assert structure.sectors(rows) == pytest.approx(blocked_sectors(matrix, rows, in_sector))
    assert structure.sectors(48) < structure.sectors(32)
    by_length = matrix[np.argsort(-np.diff(matrix.indptr), kind="stable")]
    assert structure.sectors_scattered == pytest.approx(blocked_sectors(by_length, 256, in_sector))
    windows = [np.argsort(-np.diff(matrix.indptr[first:][:513]), kind="stable") for first in (0, 512)]
    in_windows = matrix[np.concatenate((windows[0], 512 + windows[1]))]
    for rows in (8, 128):
        actual = structure.sectors(rows, by_length=True)
        assert actual == pytest.approx(blocked_sectors(in_windows, rows, in_sector))


@pytest.mark.parametrize(("threads", "wide"), [(1, 1), (1, 2), (4, 1), (32, 1), (0, 1)])
def test_lines_are_counted_once_a_load(threads, wide):
    row = np.repeat(np.arange(64), 16)
    # No two entries share a line; then all do, and a load of a warp has 32 entries, or 16.
    far = csr_of(row, 16 * np.arange(1024), (64, 16 * 1024))
    assert Structure.of(far).load_lines(threads, wide=wide) == pytest.approx(1024)
    near = csr_of(row, np.tile(np.arange(16), 64), (64, 16))
    loads = 64 if threads == 32 else 32
    assert Structure.of(near).load_lines(threads, wide=wide) == pytest.approx(loads)


def test_rows_of_equal_length_fill_the_loads_of_warps():
    lengths = np.tile([1, 7], 256)
    column = np.concatenate([np.arange(length) for length in lengths])
    structure = Structure.of(csr_of(np.repeat(np.arange(512), lengths), column, (512, 7)))
    assert structure.load_lines(by_length=True) < structure.load_lines()


def test_loads_are_waited_for_in_batches():
    assert batches(np.array([0, 1, 8, 9, 16.0000001]), 8).tolist() == [0, 1, 1, 2, 2]


def test_multiprocessors_with_a_block_more_are_the_busiest():
    blocks = np.array([1, 66, 132, 133, 264, 265])
    expected = [4, 2, 1, 264 / 133, 1, 396 / 265]
    np.testing.assert_allclose(uneven(8 * blocks, 8), expected)
    # Of a bound on warps nothing follows for blocks.
    assert uneven(8.0, 0) == 1


def test_warps_ask_for_no_less_than_their_blocks():
    structure = Structure.of(matrix_with(np.random.default_rng(3).integers(0, 30, 700), columns=900))
    assert structure.sectors_down <= structure.warp_sectors <= structure.nnz


@pytest.mark.nightly
def test_a_sample_of_the_sectors_is_near_the_truth():
    rng = np.random.default_rng(4)
    lengths = np.where(rng.random(60_000) < 0.01, 300, rng.integers(0, 6, 60_000))
    matrix = matrix_with(lengths, columns=20_000)
    for rows in (1, 64, 256):
        assert Structure.of(matrix).sectors(rows) == pytest.approx(blocked_sectors(matrix, rows, 4), rel=0.1)


@pytest.mark.nightly
def test_sectors_of_rows_that_lie_far_between():
    lengths = np.zeros(200_000, dtype=int)
    lengths[70_000:70_020] = 100
    structure = Structure.of(matrix_with(lengths))
    assert 0.5 * 2000 < structure.sectors(256) <= 2000
    assert structure.mean_spread > 4500


@pytest.mark.nightly
def test_near_columns_are_those_of_the_format():
    rng = np.random.default_rng(5)
    row = np.repeat(np.arange(4096), 6)
    near = rng.random(len(row)) < 0.7
    column = np.where(near, row * 50 + rng.integers(0, 1000, len(row)), rng.integers(0, 300_000, len(row)))
    matrix = csr_of(row, column, (4096, 300_000))
    matrix.sum_duplicates()
    stored = MixedSliced.from_scipy(matrix)
    share = np.count_nonzero(stored.near_columns) / matrix.nnz
    assert Structure.of(matrix).near_share == pytest.approx(share, abs=0.05)


def test_hubs_are_the_columns_with_most_entries():
    rng = np.random.default_rng(6)
    nnz, columns = 400_000, 200_000
    column = np.where(rng.random(nnz) < 0.6, rng.integers(0, 50_000, nnz), rng.integers(0, columns, nnz))
    matrix = csr_of(np.arange(nnz) // 8, column, (nnz // 8, columns))
    matrix.sum_duplicates()
    counts = np.sort(np.bincount(matrix.indices, minlength=columns))[::-1]
    hubs = Structure.of(matrix).hubs
    assert hubs.columns.sum() == 65_535
    # Columns with one entry each are hubs by chance.
    assert 0.6 < hubs.share <= counts[:65_535].sum() / matrix.nnz + 0.02
    few = Structure.of(matrix_with(np.full(50, 7))).hubs
    assert few.share == 1
    # Each sector is read at most once a block, and at most once for each entry.
    assert hubs.sectors(10.0, 4) == pytest.approx(10, rel=0.05)
    assert hubs.sectors(1e9, 4) == pytest.approx(65_535 / 4, rel=0.05)


@given(st.lists(st.integers(0, 40), max_size=300))
def test_every_count_of_any_matrix_is_finite(lengths):
    structure = Structure.of(matrix_with(lengths, columns=50))
    most = structure.nnz * (1 + 1e-9)
    assert 0 <= structure.sectors_down <= structure.sectors(1) <= most
    assert 0 <= structure.sectors_scattered <= most
    assert structure.near_share == 1
    assert structure.places() >= structure.nnz
    assert structure.warps(4, 32) >= structure.nnz / (4 * 32)


def test_counting_leaves_the_number_of_threads_as_it_was():
    import numba

    before = numba.get_num_threads()
    structure = Structure.of(csr_of(np.arange(300_000), np.arange(300_000), (300_000, 300_000)))
    assert (structure.longest, structure.places(), structure.fits_offsets) == (1, 300_000, True)
    assert numba.get_num_threads() == before


@pytest.mark.parametrize("near", [False, pytest.param(True, marks=pytest.mark.nightly)])
def test_slots_in_segments_are_about_those_that_are_stored(near):
    rng = np.random.default_rng(2)
    lengths = (3 * (1 - rng.random(4000)) ** -0.7).astype(int).clip(0, 900)
    row = np.repeat(np.arange(4000), lengths)
    column = row + rng.integers(0, 800, len(row)) if near else rng.integers(0, 5000, len(row))
    matrix = scipy.sparse.csr_array((np.ones(len(row)), (row, column)), (4000, 5000))
    matrix.sum_duplicates()
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32)
    for columns in (500, 5000):
        stored = SegmentedSliced.from_scipy(matrix, segment_columns=columns)
        slots = np.count_nonzero(np.diff(stored.row_pointers)) if columns == 5000 else len(stored.row_slots)
        assert Structure.of(matrix).segment_slots(columns) == pytest.approx(slots, rel=0.05)


def test_an_order_by_degree_counts_where_it_saves(monkeypatch):
    rng = np.random.default_rng(4)
    row = np.repeat(np.arange(20_000), 8)
    column = rng.permutation(80_000)[(80_000 * rng.random(len(row)) ** 6).astype(int)]
    matrix = csr_of(row, column, (20_000, 80_000))
    plain = work_counts.segmented(Structure.of(matrix), direct=True)
    monkeypatch.setattr(work_counts, "saving_that_pays", lambda width: 0)
    ordered = work_counts.segmented(Structure.of(matrix), direct=True)
    structure = Structure.of(matrix)
    slots = structure.segment_slots(26_688), structure.segment_slots_by_degree(28_672)
    # Sums of float64 count twice; three segments of x are brought 134 times; columns are copied.
    brought = 0.4 * 134 * (26_688 - 28_672)
    assert plain.sums - ordered.sums == pytest.approx(2 * (slots[0] - slots[1]) + brought - 5 * 80_000)
    assert ordered.stored_bytes - plain.stored_bytes == pytest.approx(12 * 80_000 - 4 * (slots[0] - slots[1]))


@pytest.mark.parametrize("hubs", [False, True])
def test_slots_by_degree_are_about_those_that_are_stored(hubs):
    rng = np.random.default_rng(3)
    row = np.repeat(np.arange(4000), rng.integers(0, 30, 4000))
    column = (5000 * rng.random(len(row)) ** (4 if hubs else 1)).astype(int)
    matrix = scipy.sparse.csr_array((np.ones(len(row)), (row, rng.permutation(5000)[column])), (4000, 5000))
    matrix.sum_duplicates()
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32)
    stored = SegmentedSliced.from_scipy(matrix, segment_columns=500, by_degree=True)
    structure = Structure.of(matrix)
    assert structure.segment_slots_by_degree(500) == pytest.approx(len(stored.row_slots), rel=0.05)
    if hubs:
        assert structure.segment_slots_by_degree(500) < 0.8 * structure.segment_slots(500)
