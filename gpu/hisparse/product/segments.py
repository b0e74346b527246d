"""The leaves of HiSparse as the device has them: segments of up to 128 entries, for both products.

Entries are dealt to segments by `gpu.hisparse.product.dealing`. Here they are laid out, leaf by leaf
in the order of the product, and the segments listed twice: by stripes of rows, and by stripes of columns.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from gpu.hisparse.container import HiSparse
from gpu.hisparse.memory import address, first_slot_of
from gpu.hisparse.node_layout import DENSE, FIRST_COORDINATE, TYPE_MASK
from gpu.hisparse.nodes import is_entry
from gpu.hisparse.product.dealing import LENGTH_UNIT, deal, judge, new_dealing, segment_length
from vecsim.formats import NotRepresentableError
from vecsim.formats.pointers import pointers_of
from vecsim.formats.thread_count import threads_that_pay

KIND_SHIFT, BLOCK_SHIFT = 7, 9
"""Of the second word of a segment: its entries less one (7 bits), then its kind (2 bits), then its block."""
MAX_BLOCKS = 1 << 32 - BLOCK_SHIFT
LEAST_DIAGONALS = 8
"""A leaf of fewer entries is dealt by rows: sorting would take longer."""


@dataclass(frozen=True, eq=False)
class Segments:
    """The segments of one direction, by the stripes of rows (or, transposed, of columns) that they add to.

    Attributes
    ----------
    words
        uint32 of 2 a segment: where its entries begin, in units of `wide` entries; and its entries less
        one (7 bits), its kind (2 bits, never 0) and the number of its block of d elements of x (23 bits).
    pointers
        int64 of stripes + 1: the first segment of each stripe, then their number.
    """

    words: NDArray[np.uint32]
    pointers: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ArrangedLeaves:
    """The entries of all leaves, each leaf once, and the order of segments for both products.

    Attributes
    ----------
    coordinates
        uint16: 256 row + column within the leaf. A leaf begins at a multiple of `wide`.
    values
        float32 or float64, as many.
    direct, transposed
        Segments by stripes of rows, and by stripes of columns.
    """

    coordinates: NDArray[np.uint16]
    values: NDArray[Any]
    direct: Segments
    transposed: Segments


def entries_at_once(dtype: np.dtype[Any]) -> int:
    """Return how many neighbouring entries a lane loads at once, `wide`: 16 bytes of values."""
    return 16 // dtype.itemsize


def arranged_leaves(matrix: HiSparse) -> ArrangedLeaves:
    """Bring the leaves of a tree into the order of the device; transposition and scale are left aside.

    Raises
    ------
    NotRepresentableError
        If there are too many blocks of d rows or columns for their 23 bits.
    """
    tree = matrix.content
    size, wide = matrix.node_size, entries_at_once(matrix.dtype)
    if max(tree.shape) > MAX_BLOCKS * size:
        raise NotRepresentableError(
            f"hisparse with nodes of {size} x {size} has at most {MAX_BLOCKS * size} rows and columns on "
            f"the device, not {max(tree.shape)}: use larger nodes"
        )
    places = tree.nodes[0]
    by_rows = np.lexsort((places.columns, places.rows))
    references, first, node = np.unique(places.references[by_rows], return_index=True, return_inverse=True)
    # Each leaf once, in the order in which the product first comes to it.
    order = np.argsort(first, kind="stable")
    node = np.argsort(order, kind="stable")[node.ravel()]
    references = references[order]
    counts = places.counts[by_rows][first[order]]
    starts = pointers_of(-(-counts // wide) * wide)
    memory, bits = tree.pool.memory, tree.geometry.bits
    lengths = np.empty(len(counts), np.int64)
    _in_threads(measure_leaves, starts, memory, references, bits, lengths)
    leaves = pointers_of(-(-counts // lengths))
    coordinates = np.zeros(starts[-1], np.uint16)
    values = np.zeros(starts[-1], matrix.dtype)
    kinds = np.zeros((2, leaves[-1]), np.uint8)
    _in_threads(
        arrange_leaves,
        starts,
        memory,
        references,
        bits,
        wide,
        lengths,
        starts,
        leaves,
        coordinates,
        values,
        kinds,
    )
    placed = _Placed(node, counts, lengths, starts, leaves, wide)
    rows, columns = places.rows[by_rows], places.columns[by_rows]
    by_columns = np.lexsort((rows, columns))
    stripes, blocks = (-(-extent // size) for extent in tree.shape)
    return ArrangedLeaves(
        coordinates,
        values,
        placed.segments(np.arange(len(rows)), rows, columns, stripes, kinds[0]),
        placed.segments(by_columns, columns, rows, blocks, kinds[1]),
    )


@dataclass(frozen=True, eq=False)
class _Placed:
    """Where the leaves are in memory: `node` gives the leaf at each of its places."""

    node: NDArray[np.int64]
    counts: NDArray[np.int64]
    lengths: NDArray[np.int64]
    starts: NDArray[np.int64]
    leaves: NDArray[np.int64]
    wide: int

    def segments(self, order: Any, stripe: Any, block: Any, stripes: int, kinds: Any) -> Segments:
        """Return the segments of one direction.

        Parameters
        ----------
        order
            The places of leaves in an order in which their stripes rise.
        stripe, block
            Of each place: the stripe of y, and the block of x.
        stripes
            How many there are.
        kinds
            Of the segments of each leaf, in this direction.
        """
        node = self.node[order]
        first = self.leaves[node]
        number = self.leaves[node + 1] - first
        ends = np.cumsum(number)
        within = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - number, number)
        words = np.empty((len(within), 2), np.uint32)
        length = np.repeat(self.lengths[node], number)
        words[:, 0] = (np.repeat(self.starts[node], number) + within * length) // self.wide
        count = np.minimum(np.repeat(self.counts[node], number) - within * length, length)
        kind = kinds[np.repeat(first, number) + within].astype(np.int64)
        words[:, 1] = (count - 1) | kind << KIND_SHIFT | np.repeat(block[order], number) << BLOCK_SHIFT
        of_stripe = np.bincount(stripe[order], weights=number, minlength=stripes).astype(np.int64)
        return Segments(words.ravel(), pointers_of(of_stripe))


def _in_threads(work: Callable[..., None], starts: NDArray[np.int64], *arguments: Any) -> None:
    """Do compiled work on all leaves, in `threads_that_pay` threads with equal numbers of entries."""
    threads = threads_that_pay(4 * int(starts[-1]))
    cuts = np.searchsorted(starts, np.arange(threads + 1) * starts[-1] // threads)
    with ThreadPoolExecutor(threads) as pool:
        parts = [
            pool.submit(work, int(cuts[part]), int(cuts[part + 1]), *arguments) for part in range(threads)
        ]
        for part in parts:
            part.result()


@njit(nogil=True, cache=True)
def measure_leaves(begin: int, end: int, memory: Any, references: Any, bits: int, lengths: Any) -> None:
    """Find how long the segments of each leaf are to be.

    Parameters
    ----------
    begin, end, memory, references, bits
        As of `arrange_leaves`.
    lengths
        int64, what is written: entries of its segments but the last.
    """
    halves, slots = np.empty(1 << 2 * bits, np.uint16), np.empty(1 << 2 * bits, np.int64)
    degrees = np.empty(512, np.int64)
    for leaf in range(begin, end):
        count = _entries(memory, references[leaf], bits, halves, slots)
        lengths[leaf] = segment_length(halves, count, degrees)


@njit(nogil=True, cache=True)
def arrange_leaves(
    begin: int,
    end: int,
    memory: Any,
    references: Any,
    bits: int,
    wide: int,
    lengths: Any,
    starts: Any,
    leaves: Any,
    coordinates: Any,
    values: Any,
    kinds: Any,
) -> None:
    """Write the entries of leaves from `begin` to `end` in the order of the device.

    Parameters
    ----------
    begin, end
        Which leaves.
    memory, references
        The arrays of the pool, and the leaves in it.
    bits
        log2 of d.
    wide
        Entries that a lane loads at once: a leaf is filled up to a multiple of it.
    lengths, starts, leaves
        int64 of each leaf: entries of its segments but the last, where its entries begin, its first segment.
    coordinates, values
        What is written.
    kinds
        uint8 of 2 x segments, what is written: `DISTINCT`, `BY_GROUPS` or `COLLIDING`, of rows (0) and of
        columns (1).
    """
    most = 1 << 2 * bits
    halves, slots = np.empty(most, np.uint16), np.empty(most, np.int64)
    order, position = np.empty(most, np.int64), np.empty(most, np.int64)
    entry_at = np.empty(most, np.int64)
    dealing = new_dealing(-(-most // LENGTH_UNIT))
    diagonals = np.empty(2 << bits, np.int64)
    for leaf in range(begin, end):
        count = _entries(memory, references[leaf], bits, halves, slots)
        _by_diagonals(halves, count, bits, diagonals, order)
        deal(halves, count, order, wide, lengths[leaf], dealing, position, entry_at)
        first = leaves[leaf]
        judge(halves, count, wide, lengths[leaf], entry_at, kinds[:, first : leaves[leaf + 1]])
        start = starts[leaf]
        for entry in range(count):
            coordinates[start + position[entry]] = halves[entry]
            values[start + position[entry]] = memory.values[slots[entry]]
        for at in range(start + count, starts[leaf + 1]):
            coordinates[at] = halves[count - 1]


@njit(nogil=True, cache=True)
def _entries(memory: Any, reference: Any, bits: Any, halves: Any, slots: Any) -> Any:
    """Read coordinates and the places of values of a leaf; return their number."""
    base = first_slot_of(memory, memory.values, reference)
    if np.int64(reference) & TYPE_MASK == DENSE:
        match = 0
        for place in range(1 << 2 * bits):
            if is_entry(memory, memory.values, reference, place, 1 << bits):
                halves[match] = (place >> bits) << 8 | (place & ((1 << bits) - 1))
                slots[match] = base + place
                match += 1
        return match
    count = np.int64(memory.words[address(reference)])
    first = 2 * address(reference) + FIRST_COORDINATE // 2
    for entry in range(count):
        halves[entry] = memory.halves[first + entry]
        slots[entry] = base + entry
    return count


@njit(nogil=True, cache=True)
def _by_diagonals(halves: Any, count: Any, bits: Any, diagonals: Any, order: Any) -> None:
    """Order the entries of a leaf by their diagonals, those of one by rows."""
    if count < LEAST_DIAGONALS:
        for entry in range(count):
            order[entry] = entry
        return
    diagonals[:] = 0
    above = (1 << bits) - 1
    for entry in range(count):
        half = np.int64(halves[entry])
        diagonals[(half & 255) - (half >> 8) + above + 1] += 1
    for diagonal in range(1, len(diagonals)):
        diagonals[diagonal] += diagonals[diagonal - 1]
    for entry in range(count):
        half = np.int64(halves[entry])
        diagonal = (half & 255) - (half >> 8) + above
        order[diagonals[diagonal]] = entry
        diagonals[diagonal] += 1
