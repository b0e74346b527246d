"""What the products of the formats do, counted from the pattern of a matrix: bytes, chains, gathers.

Nothing is converted, and the columns are read once. Formats whose work is counted beside them are not here.
"""

import functools
from collections.abc import Callable
from dataclasses import replace

from vecsim.formats import Slicing
from vecsim.formats.sliced import elements, most_bytes, pattern_of_blocks, place_bytes, single_slice_height
from vecsim.formats.slicing import WARP
from vecsim.formats.structure import HIGHEST_OFFSET, Structure, Work

from .coo import ENTRIES_PER_LANE
from .crs import lanes_for


def on_a_sample(count: Callable[[Structure], Work | None]) -> Callable[[Structure], Work | None]:
    """Let `count`, which reads every column, count a sample of the rows, for all of them."""

    @functools.wraps(count)
    def work(structure: Structure) -> Work | None:
        sample = structure.sample()
        found = count(sample)
        if sample is structure or found is None:
            return found
        share = structure.nnz / max(1, sample.nnz)
        return Work(
            found.stored_bytes * share,
            found.chain * max(1.0, structure.longest / max(1, sample.longest)),
            found.sectors * share,
            found.launches,
        )

    return work


def crs(structure: Structure, *, lanes: int | None = None, row_cap: int | None = None) -> Work:
    """Count the work of `CRSProduct` with these parameters."""
    runs, longest = structure.shape[0], structure.longest
    stored = structure.crs_bytes
    cut = row_cap is not None and longest > row_cap
    if row_cap is not None and cut:
        pieces = -(-structure.lengths[structure.lengths > row_cap] // row_cap)
        runs += int(pieces.sum()) - len(pieces)
        # Targets, begins of the further runs, and sums of pieces written and read again.
        stored += 4 * (2 * runs - structure.shape[0]) + 2 * structure.value_bytes * int(pieces.sum())
        longest = row_cap
    if lanes is None:
        lanes = lanes_for(structure.nnz / max(1, runs), row_cap is not None)
    sectors = structure.sectors_down if lanes == 1 else structure.sectors_along
    return Work(stored, longest / lanes, sectors, launches=1 + cut)


def coo(structure: Structure) -> Work:
    """Count the work of `COOProduct`."""
    stored = structure.nnz * (structure.value_bytes + 8) + structure.value_bytes * structure.shape[0]
    return Work(stored, ENTRIES_PER_LANE, structure.sectors_along, launches=3)


def blocks(structure: Structure, *, slicing: Slicing) -> Work | None:
    """Count the work of `SlicedProduct` for blocks, whose index bits are chosen in the conversion."""
    b, rows = slicing.block, structure.shape[0]
    pointers, columns = pattern_of_blocks(structure.indptr, structure.indices, b)
    pattern = Structure(
        (-(-rows // b), -(-structure.shape[1] // b)), pointers, columns, structure.value_bytes
    )
    height = slicing.slice_height or single_slice_height(pattern.shape[0])
    places = pattern.places(height=height, window=slicing.sorting_window, group=slicing.group)
    masked = elements(pattern.lengths, rows, b) != structure.nnz
    short = pattern.slice_spread <= HIGHEST_OFFSET
    chosen = replace(slicing, index_bits=16 if short else 32)
    made = places * place_bytes(structure.value_bytes, chosen, masked)
    if made > most_bytes(structure.crs_bytes, b):
        return None
    slices = -(-pattern.shape[0] // height)
    stored = made + 4 * slices * (1 + short) + 4 * pattern.shape[0] * (slicing.sorting_window != 1)
    return Work(stored, pattern.longest / slicing.lanes, structure.sectors_down)


def sliced(structure: Structure, *, slicing: Slicing) -> Work | None:
    """Count the work of `SlicedProduct`, for arrangements that cut no rows."""
    index_bytes = (slicing.index_bits or 32) // 8
    if slicing.index_bits == 16 and not slicing.base_per_step and structure.slice_spread > HIGHEST_OFFSET:
        return None
    rows = structure.shape[0]
    height = slicing.slice_height or max(WARP, -(-rows // WARP) * WARP)
    places = structure.places(height=height, window=slicing.sorting_window, group=slicing.group)
    made = places * (structure.value_bytes + index_bytes)
    if not structure.allows(made):
        return None
    # With row lengths padding is made, but not read.
    read = structure.nnz if slicing.row_lengths else places
    stored = read * (structure.value_bytes + index_bytes) + 4 * (-(-rows // height) + 1)
    stored += 4 * rows * (slicing.row_lengths + (slicing.sorting_window != 1))
    if slicing.index_bits == 16:
        steps = places // (height * slicing.group) if slicing.base_per_step else -(-rows // height)
        stored += 4 * steps
    return Work(stored, structure.longest / slicing.lanes, structure.sectors_down)
