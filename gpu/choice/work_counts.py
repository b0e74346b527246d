"""What the products of the formats do, counted from the pattern of a matrix: bytes, chains, gathers.

Nothing is converted: row pointers are read whole, columns where a sample of the rows has them. Formats whose
work is counted next to them are not here.
"""

from dataclasses import replace

import numpy as np

from gpu.choice.structure import BLOCK_ROWS, LINE_BYTES, MOST_GROWTH, SECTOR_BYTES, Structure, Work
from gpu.formats.coo.product import ENTRIES_PER_THREAD
from gpu.formats.crs.adaptive import arrangement_for
from gpu.formats.crs.product import LOADS_AT_ONCE, threads_per_row_for
from gpu.formats.mixed_sliced.product import groups_at_once
from gpu.formats.mixed_sliced.slicing import MixedSlicing
from gpu.formats.segmented.container import STEPS, segment_columns_for
from gpu.formats.segmented.conversion import even_columns, saving_that_pays
from gpu.formats.segmented.slices import RECORD as SEGMENT_RECORD
from gpu.formats.sliced.ellpack_r import MOST_THREADS, STEPS_AT_ONCE
from gpu.formats.sliced.layout import most_bytes, place_bytes, single_slice_height
from gpu.formats.sliced.product import steps_at_once
from gpu.formats.sliced.slicing import WARP, Slicing
from gpu.formats.sliced_deltas.container import BITS, arrangement
from gpu.formats.sliced_deltas.product import CODES_AT_ONCE
from gpu.formats.sliced_diagonals.container import STEP_BYTES, too_many
from gpu.formats.sliced_diagonals.filling import counted
from gpu.formats.sliced_diagonals.product import steps_at_once as diagonals_at_once
from gpu.kernel_parts.blocks_of_equal_work import RECORD
from gpu.runtime.cuda import THREADS_PER_BLOCK
from gpu.runtime.device_info import MULTIPROCESSORS
from vecsim.formats.representable import ALWAYS_MADE_BYTES
from vecsim.formats.thread_count import as_many_threads_as_pay

WARPS_OF_A_BLOCK = BLOCK_ROWS // WARP
SEGMENT_PADDING = 1.08
"""Places for entries in slices of slots over entries, about."""
FILLED_SLICES = 1.35
"""Slices over those that as many entries would fill, about."""
CACHED_ROWS = 8e5
"""With more rows a sum that is added to y takes as many times as long: less of y stays in the L2 cache."""
ELEMENT_SUMS, COPIED_SUMS = 0.4, 5.0
"""What takes an element of x that is brought into shared memory, and one that is copied before into the order
of the columns, over a sum in float32."""
ROUNDED = 1 - 1e-9
"""A sum in another order may be smaller by this factor."""


def crs(structure: Structure, *, threads_per_row: int | None = None, row_cap: int | None = None) -> Work:
    """Count the work of `CRSProduct` with these parameters."""
    runs, longest = structure.shape[0], structure.longest
    stored = structure.crs_bytes
    cut = row_cap is not None and longest > row_cap
    if row_cap is not None and cut:
        rows, pieces = structure.pieces(row_cap)
        runs += pieces - rows
        # Targets, begins of the further runs, and sums of pieces written and read again.
        stored += 4 * (2 * runs - structure.shape[0]) + 2 * structure.value_bytes * pieces
        longest = row_cap
    if threads_per_row is None:
        threads_per_row = threads_per_row_for(structure.nnz / max(1, runs), row_cap is not None)
    return Work(
        stored,
        longest / threads_per_row,
        structure.sectors(BLOCK_ROWS / threads_per_row * structure.shape[0] / max(1, runs)),
        launches=1 + cut,
        warps=runs * threads_per_row / WARP,
        ahead=LOADS_AT_ONCE,
        lines=structure.load_lines(threads_per_row),
    )


def coo(structure: Structure) -> Work:
    """Count the work of `COOProduct`."""
    stored = structure.nnz * (structure.value_bytes + 8) + structure.value_bytes * structure.shape[0]
    warps = structure.nnz / (ENTRIES_PER_THREAD * WARP)
    return Work(
        stored,
        ENTRIES_PER_THREAD,
        structure.sectors_along,
        launches=3,
        warps=warps,
        ahead=ENTRIES_PER_THREAD,
        lines=structure.load_lines(0),
    )


def blocks(structure: Structure, *, slicing: Slicing) -> Work | None:
    """Count the work of `SlicedProduct` for blocks, on a sample; index bits are chosen in the conversion."""

    def count(sample: Structure) -> Work | None:
        return _blocks(sample, slicing, structure.shape[0])

    def least(whole: Structure) -> Work:
        return _blocks_at_least(whole, slicing)

    return structure.on_a_sample(slicing, count, least)


def _blocks_at_least(structure: Structure, slicing: Slicing) -> Work:
    """Bound the work: all blocks are full, their columns have 16 bits, and nothing of x is read twice."""
    b, rows = slicing.block, structure.shape[0]
    block_rows = -(-rows // b)
    fewest, most = (
        arranged.group // arranged.wide
        for arranged in (
            slicing.with_threads_per_row(block_rows, 0),
            slicing.with_threads_per_row(block_rows, structure.longest),
        )
    )
    return Work(
        ROUNDED * structure.nnz * (structure.value_bytes + 2 / b**2),
        ROUNDED * structure.longest / b / most,
        0.0,
        warps=ROUNDED * rows * fewest / WARP,
        ahead=slicing.wide * steps_at_once(most, b, slicing.wide),
        block_warps=0,
        lines=structure.load_lines(),
    )


def _blocks(structure: Structure, slicing: Slicing, all_rows: int) -> Work | None:
    """Count it for the rows of the structure, which are some of `all_rows`."""
    b, rows = slicing.block, structure.shape[0]
    result = structure.block_rows(b)
    slicing = slicing.with_threads_per_row(-(-all_rows // b), result.mean)
    threads_per_row = slicing.group // slicing.wide
    height = slicing.slice_height or single_slice_height(len(result.counts))
    places = result.places(height=height, window=slicing.sorting_window, group=slicing.group)
    masked = result.elements != structure.nnz

    def bytes_of_places(bits: int) -> int:
        return places * place_bytes(structure.value_bytes, replace(slicing, index_bits=bits), masked)

    most = min(most_bytes(structure.crs_bytes, b), MOST_GROWTH * structure.crs_bytes)
    if bytes_of_places(16) > most:  # so columns need not be looked at
        return None
    short = structure.blocks_fit_offsets(b)
    built = bytes_of_places(16 if short else 32)
    if built > most:
        return None
    slices = -(-len(result.counts) // height)
    stored = built + 4 * slices * (1 + short) + 4 * len(result.counts) * (slicing.sorting_window != 1)
    return Work(
        stored,
        result.row_lengths.longest / threads_per_row,
        structure.sectors(BLOCK_ROWS / threads_per_row),
        warps=rows * threads_per_row / WARP,
        ahead=slicing.wide * steps_at_once(threads_per_row, b, slicing.wide),
    )


def sliced(structure: Structure, *, slicing: Slicing) -> Work | None:
    """Count the work of `SlicedProduct`, for arrangements that cut no rows."""
    index_bytes = (slicing.index_bits or 32) // 8
    rows = structure.shape[0]
    height = slicing.slice_height or max(WARP, -(-rows // WARP) * WARP)
    # Each row with an entry has a group of places: what that alone makes far larger than CRS is not counted.
    least = structure.filled_rows * slicing.group * (structure.value_bytes + index_bytes)
    if least > max(ALWAYS_MADE_BYTES, MOST_GROWTH * structure.crs_bytes):
        return None
    places = structure.places(height=height, window=slicing.sorting_window, group=slicing.group)
    built = places * (structure.value_bytes + index_bytes)
    if not structure.allows(built):
        return None
    if slicing.index_bits == 16 and not _fits(structure, slicing):
        return None
    # With row lengths padding is made, but not read.
    read = structure.nnz if slicing.row_lengths else places
    stored = read * (structure.value_bytes + index_bytes) + 4 * (-(-rows // height) + 1)
    stored += 4 * rows * (slicing.row_lengths + (slicing.sorting_window != 1))
    if slicing.index_bits == 16:
        steps = places // (height * slicing.group) if slicing.base_per_step else -(-rows // height)
        stored += 4 * steps
    scattered, by_length = slicing.sorting_window is None, slicing.sorting_window != 1
    threads_per_row = slicing.group // slicing.wide
    return Work(
        stored,
        structure.longest / threads_per_row,
        structure.sectors_scattered
        if scattered
        else structure.sectors(BLOCK_ROWS / threads_per_row, by_length=by_length),
        warps=rows * threads_per_row / WARP,
        scattered=scattered,
        ahead=STEPS_AT_ONCE
        if slicing.row_lengths
        else slicing.wide * steps_at_once(threads_per_row, 1, slicing.wide),
        block_warps=MOST_THREADS // WARP if slicing.row_lengths else WARPS_OF_A_BLOCK,
        lines=structure.load_lines(threads_per_row, wide=slicing.wide, by_length=by_length),
    )


def _fits(structure: Structure, slicing: Slicing) -> bool:
    """Return whether columns fit 16 bits; if each step has its own base, as far as some of them tell."""
    if slicing.base_per_step:
        return structure.fits_step_offsets(slicing.sorting_window or structure.shape[0])
    return structure.fits_offsets


def mixed(structure: Structure, *, slicing: MixedSlicing) -> Work:
    """Count the work of `MixedSlicedProduct`: slices by the lengths of rows, near columns in a sample."""
    nnz, size, longest = structure.nnz, structure.value_bytes, structure.longest
    steps, uncut = slicing.steps_for(nnz, longest)
    _, pieces = structure.pieces(slicing.most_threads_per_row * uncut)
    warps = max(1.0, structure.warps(steps, slicing.most_threads_per_row))
    hubs = structure.hubs if slicing.hubs else None
    near = (structure.near_share if hubs is None else hubs.share) * nnz
    stored = nnz * size + 2 * near + 4 * (nnz - near)
    if not slicing.thread_lengths:
        # Padding is read, too: half a group of each thread, of near and of far entries.
        padding = (slicing.wide - 1) / 2 * WARP * warps
        stored += padding * (size + 2) + padding * (size + 4) * (near < nnz)
    stored += warps * (WARP * (6 if slicing.thread_lengths else 4) + 12) + 2 * size * pieces
    entries = nnz * WARPS_OF_A_BLOCK / warps
    if hubs is None:
        sectors = structure.sectors(structure.shape[0] * WARPS_OF_A_BLOCK / warps, by_length=True)
        copied = 0.0
    else:
        copied = float(hubs.columns.sum())
        of_block = hubs.sectors(entries * hubs.share, SECTOR_BYTES // size)
        sectors = (
            of_block * warps / WARPS_OF_A_BLOCK + (nnz - near) / max(1, nnz) * structure.sectors_scattered
        )
        stored += copied * (4 + size)
    whole = longest <= steps * slicing.most_threads_per_row
    chain = min(longest, steps) if whole else min(uncut, -(-longest // slicing.most_threads_per_row))
    return Work(
        stored,
        chain,
        sectors,
        launches=1 + (copied > 0) + (pieces > 0),
        warps=warps,
        scattered=slicing.sorting_window is None,
        ahead=slicing.wide * groups_at_once(chain / slicing.wide, warps),
        lines=structure.load_lines(
            warps * WARP / max(1, structure.shape[0]), wide=slicing.wide, by_length=True
        ),
    )


def segmented(structure: Structure, *, direct: bool) -> Work:
    """Count the work of `SegmentedProduct`: slots by the lengths of rows and columns in a sample.

    Another segment of x makes all threads of a multiprocessor wait, as another batch of loads does, and each
    multiprocessor brings at least one. Separate warps read the sums that are stored.
    """
    nnz, size, (rows, width) = structure.nnz, structure.value_bytes, structure.shape
    most = segment_columns_for(size)
    columns, copied = even_columns(width, most), 0
    slots = structure.segment_slots(columns)
    if slots - rows > saving_that_pays(width):
        by_degree = structure.segment_slots_by_degree(most)
        if slots - by_degree > saving_that_pays(width):
            slots, columns, copied = by_degree, most, width
    cut, pieces = structure.pieces(WARP * STEPS)
    slots += pieces - cut
    slices = FILLED_SLICES * nnz / (WARP * STEPS)
    stored = SEGMENT_PADDING * nnz * (size + 2) + 4 * SEGMENT_RECORD * slices + 4 * slots
    stored += (0 if direct else size * slots + 4 * rows) + (4 + size) * copied
    segments = -(-width // columns)
    return Work(
        stored,
        STEPS * (1 + segments / MULTIPROCESSORS),
        0.0,
        launches=2 + (copied > 0 and not direct),
        warps=slices + (0 if direct else slots / WARP),
        scattered=direct,
        ahead=STEPS,
        block_warps=0,
        lines=structure.load_lines(),
        sums=_sums_of_slots(slots, rows, size, direct=direct)
        + ELEMENT_SUMS * min(columns, width) * (MULTIPROCESSORS + segments - 1)
        + COPIED_SUMS * copied,
    )


def _sums_of_slots(slots: float, rows: int, value_bytes: int, *, direct: bool) -> float:
    """Return what slots take, over a sum in float32 that is added to a small y."""
    return slots * value_bytes / 4 * (max(1.0, rows / CACHED_ROWS) + (not direct))


def crs_adaptive(structure: Structure) -> Work:
    """Count the work of `CRSAdaptiveProduct` with the arrangement that it chooses by default."""
    chosen = arrangement_for(structure.nnz, structure.value_bytes, THREADS_PER_BLOCK)
    _, pieces = structure.pieces(chosen.places * chosen.most_times)
    blocks = structure.nnz / chosen.places + pieces
    stored = structure.crs_bytes + 4 * RECORD * blocks + 2 * structure.value_bytes * pieces
    # Turns along a long row, or over several rows for each thread; each takes as long as the products and the
    # sums of a thread.
    turns = max(1.0, min(chosen.most_times, -(-structure.longest // chosen.places)))
    turns += max(0.0, structure.shape[0] / max(1.0, blocks * chosen.threads) - 1)
    return Work(
        stored,
        2 * chosen.entries * turns,
        structure.sectors(chosen.places / max(1.0, structure.mean)),
        warps=blocks * chosen.threads / WARP,
        ahead=2 * chosen.entries,
        block_warps=chosen.threads // WARP,
        lines=structure.load_lines(0),
    )


def sliced_deltas(structure: Structure) -> Work | None:
    """Count the work of `DeltaProduct` on a sample; None where deltas cannot hold the matrix.

    The bytes are exact for the rows counted; the chain is the most codes of a row.
    """
    return structure.on_a_sample("deltas", deltas_of_rows, _deltas_at_least)


def _deltas_at_least(structure: Structure) -> Work:
    """Bound the work: distances of the fewest bits without fillers and padding."""
    stored = structure.nnz * (structure.value_bytes + min(BITS) / 8)
    return _a_thread_a_row(structure, stored, structure.load_lines())


def deltas_of_rows(structure: Structure) -> Work | None:
    """Count the work of `DeltaProduct` for the rows of the structure; see `sliced_deltas`."""
    best = arrangement(structure)
    if not structure.allows(best.nbytes):
        return None
    result = Work(best.nbytes, best.longest, structure.sectors_down, ahead=CODES_AT_ONCE)
    if best.window == 1:
        return result
    # Sorted rows share less of x.
    return replace(
        result,
        sectors=structure.sectors(by_length=True),
        warps=structure.shape[0] / WARP,
        lines=structure.load_lines(by_length=True),
    )


def sliced_diagonals(structure: Structure) -> Work | None:
    """Count the work of `DiagonalProduct` on a sample; None where diagonals cannot hold the matrix.

    The bytes are exact for the rows counted, the chain is the most steps of a slice. x is read along
    diagonals, side by side.
    """
    result = structure.on_a_sample("diagonals", diagonals_of_rows, _diagonals_at_least)
    slices = -(-structure.shape[0] // WARP)
    return result and replace(result, ahead=diagonals_at_once(slices, structure.value_bytes))


def _diagonals_at_least(structure: Structure) -> Work:
    """Bound the work: all slices share their steps."""
    lines = structure.nnz / WARP * _lines_of_step(structure)
    return _a_thread_a_row(structure, structure.nnz * structure.value_bytes, lines)


def _lines_of_step(structure: Structure) -> float:
    """Return the cache lines of neighbouring elements of x, one for each thread of a warp."""
    return WARP * structure.value_bytes / LINE_BYTES + 1


def _a_thread_a_row(structure: Structure, stored_bytes: float, lines: float) -> Work:
    return Work(
        ROUNDED * stored_bytes,
        ROUNDED * structure.longest,
        structure.sectors_down,
        warps=structure.shape[0] / WARP,
        ahead=CODES_AT_ONCE,
        lines=ROUNDED * lines,
    )


def diagonals_of_rows(structure: Structure) -> Work | None:
    """Count the work of `DiagonalProduct` for the rows of the structure; see `sliced_diagonals`."""
    # A slice has at least the diagonals of its longest row.
    if too_many(structure.nnz, STEP_BYTES * structure.longest):
        return None
    with as_many_threads_as_pay(structure.nnz):
        counts, hashes = counted(structure.indptr, structure.indices)
    _, of_pattern = np.unique(hashes, return_index=True)
    stored_steps = STEP_BYTES * int(counts[of_pattern].sum())
    if too_many(structure.nnz, stored_steps):
        return None
    stored = structure.nnz * structure.value_bytes + stored_steps + 12 * len(counts) + 4
    steps = int(counts.sum())
    in_sector = SECTOR_BYTES // structure.value_bytes
    return Work(
        stored,
        int(counts.max(initial=0)),
        steps * (WARP // in_sector + 1),
        lines=steps * _lines_of_step(structure),
    )
