"""Writing new nodes into a pool of zeros, all of a level at once."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gpu.hisparse.memory import Memory
from gpu.hisparse.node_layout import (
    DENSE,
    FIRST_COORDINATE,
    FIRST_DENSE_SLOT,
    REFERENCE_BYTES,
    TYPE_MASK,
    first_sparse_slot,
    padded,
)
from vecsim.formats.array_types import IntArray, UIntArray


@dataclass(frozen=True, eq=False)
class NewNodes:
    """The nodes of a level, and the places of their parts in the arrays of the pool.

    Attributes
    ----------
    counts
        int64: their entries.
    words
        int64: the first word of each.
    dense
        bool: whether it is dense.
    first_halves
        int64: where its coordinates begin in the halves; -1 for a dense one.
    first_slots
        int64: where its slots begin, in slots.
    """

    counts: IntArray
    words: IntArray
    dense: NDArray[np.bool_]
    first_halves: IntArray
    first_slots: IntArray

    @classmethod
    def of(cls, references: UIntArray, counts: NDArray[np.integer[Any]], width: int) -> Self:
        """Find the parts of nodes with slots of `width` bytes."""
        entries: IntArray = counts.astype(np.int64)
        words = (references & ~np.uint32(TYPE_MASK)).astype(np.int64)
        dense = references & np.uint32(TYPE_MASK) == DENSE
        slots = np.where(dense, FIRST_DENSE_SLOT, first_sparse_slot(entries, width))
        return cls(
            entries,
            words,
            dense,
            np.where(dense, -1, (REFERENCE_BYTES * words + FIRST_COORDINATE) // 2),
            (REFERENCE_BYTES * words + slots) // width,
        )

    def begin(self, memory: Memory, slots: Any, places: int) -> None:
        """Write their counts, one reference to each, and -0.0 where a dense one of `places` has no entry."""
        memory.words[self.words] = self.counts
        memory.words[self.words + 1] = 1
        for first in self.first_slots[self.dense]:
            slots[first : first + places] = -0.0

    def put(self, memory: Memory, bits: int, coordinates: NDArray[np.uint16], children: UIntArray) -> None:
        """Write the children of all of them, inner nodes of 2^bits x 2^bits places, one after the other.

        Parameters
        ----------
        memory
            The arrays of the pool.
        bits
            log2 of d.
        coordinates, children
            Of each child its place, 256 row + column, and the reference to it.
        """
        within = np.arange(len(children)) - np.repeat(np.cumsum(self.counts) - self.counts, self.counts)
        in_dense = np.repeat(self.dense, self.counts)
        wide = coordinates.astype(np.int64)
        offset = np.where(in_dense, (wide >> 8 << bits) + (wide & 255), within)
        memory.words[np.repeat(self.first_slots, self.counts) + offset] = children
        halves = np.repeat(self.first_halves, self.counts) + within
        memory.halves[halves[~in_dense]] = coordinates[~in_dense]

    def pad(self, memory: Memory) -> None:
        """Repeat the last coordinate of each sparse one; all else of the padding is 0 already."""
        sparse = ~self.dense
        ends = self.first_halves[sparse] + self.counts[sparse]
        missing = padded(self.counts[sparse]) - self.counts[sparse]
        for more in range(3):
            short = ends[missing > more]
            memory.halves[short + more] = memory.halves[short - 1]
