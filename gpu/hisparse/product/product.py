"""The products of HiSparse, direct and transposed, of one stored copy: leaves in stripes of rows or columns.

A block of threads takes a stripe of d elements of y, its warps equal shares of the segments of its leaves
(`gpu.hisparse.product.segments`). A warp has its d sums in shared memory: a lane multiplies four
entries of a segment and adds them there, entries of different rows at once, so nothing is atomic. In the
end the sums of the warps are added in their order. The transposed product is the same kernel with rows and
columns exchanged, on the same entries, with the segments by stripes of columns. A stripe of very many
segments is cut into pieces, which a second kernel adds in their order.

What bounds it is the stream of 2 bytes of coordinates and 4 or 8 of value an entry, 8 bytes a segment, x and
y. Where entries of a leaf have few rows, segments are short, and it is the work of the warps.
"""

import copy
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.hisparse.container import HiSparse
from gpu.hisparse.product.kernels import CHUNK, stripe_kernel, stripe_sums
from gpu.hisparse.product.segments import ArrangedLeaves, Segments, arranged_leaves
from gpu.runtime.cuda import WARP
from gpu.runtime.launches import ALPHA, BETA, Launch, LaunchedInTurn, X, Y, launches_of
from gpu.runtime.memory import real_type, upload

VECTOR_BYTES = 32
"""Of neighbouring elements of x, of several vectors, that a lane takes at once: what memory gives at once."""
SUMS_BYTES = 1 << 15
"""Of the sums of a block, at most, where several vectors are taken."""
USUAL_WARPS, MOST_WARPS = 4, 8
"""Of a block: of a large matrix, and of one of few stripes."""
SEGMENTS_OF_A_WARP = 12
"""As many as a warp should have at least, where stripes have that many for all warps of a block."""
MOST_SEGMENTS_OF_A_WARP = 64
"""A stripe with more is cut."""
BLOCKS_WANTED = 528
"""Four for each multiprocessor: a small matrix has its stripes cut until there are this many."""
LEAST_SEGMENTS_OF_A_WARP = 4
"""Stripes are not cut further."""
WARPS_AT_ONCE = 132 * 32
"""That run at a time on an H100 or H200."""
FULLER = 1.15
"""A block has twice the warps where that keeps this many times as much of the device at work: the last blocks
then run for a shorter time."""


@dataclass(frozen=True, eq=False)
class Chunks:
    """How the segments of one direction are dealt to blocks of threads.

    Attributes
    ----------
    records
        uint32 of 4 a block, as the kernel reads them.
    cut
        uint32 of 4 a cut stripe, as `stripe_sums` reads them.
    warps
        Of a block.
    """

    records: NDArray[np.uint32]
    cut: NDArray[np.uint32]
    warps: int

    @property
    def pieces(self) -> int:
        """Pieces of all cut stripes."""
        return int(self.cut[-2]) if len(self.cut) else 0


def _warps_for(stripes: int, total: int, most_warps: int) -> int:
    """Choose the warps of a block: more where stripes have many segments, or there are few stripes."""
    warps = 1
    while warps < min(most_warps, USUAL_WARPS) and total > 2 * warps * SEGMENTS_OF_A_WARP * stripes:
        warps *= 2
    while warps < most_warps and stripes * warps < BLOCKS_WANTED and total > 2 * warps * stripes:
        warps *= 2
    enough = total > 2 * warps * SEGMENTS_OF_A_WARP * stripes
    if warps < most_warps and enough and _filled(stripes, 2 * warps) > FULLER * _filled(stripes, warps):
        warps *= 2
    return warps


def _filled(blocks: int, warps: int) -> float:
    """Return the part of the device that is at work on average, if all blocks take equally long."""
    at_once = WARPS_AT_ONCE // warps
    return blocks / (at_once * -(-max(blocks, 1) // at_once))


def chunks_of(segments: Segments, most_warps: int) -> Chunks:
    """Deal the segments of all stripes to blocks.

    Parameters
    ----------
    segments
        By stripes.
    most_warps
        Of a block, a power of two.
    """
    pointers = segments.pointers
    stripes, total = len(pointers) - 1, int(pointers[-1])
    warps = _warps_for(stripes, total, most_warps)
    most = min(MOST_SEGMENTS_OF_A_WARP * warps, max(LEAST_SEGMENTS_OF_A_WARP * warps, total // BLOCKS_WANTED))
    numbers = np.maximum(1, -(-np.diff(pointers) // most))
    of = np.repeat(np.arange(stripes), numbers)
    first = np.cumsum(numbers) - numbers
    within = np.arange(len(of)) - first[of]
    records = np.zeros((len(of), CHUNK), np.uint32)
    # Pieces of a stripe differ by one segment at most.
    lengths = np.diff(pointers)
    records[:, 0] = pointers[of] + lengths[of] * within // numbers[of]
    records[:, 1] = pointers[of] + lengths[of] * (within + 1) // numbers[of]
    records[:, 2] = of
    in_pieces = numbers[of] > 1
    records[in_pieces, 3] = np.arange(1, np.count_nonzero(in_pieces) + 1)
    stripes_cut = np.flatnonzero(numbers > 1)
    ends = np.cumsum(numbers[stripes_cut])
    cut = np.zeros((len(stripes_cut), CHUNK), np.uint32)
    cut[:, 0], cut[:, 1], cut[:, 2] = stripes_cut, ends - numbers[stripes_cut], ends
    return Chunks(records.ravel(), cut.ravel(), warps)


class HiSparseProduct(LaunchedInTurn):
    """A `HiSparse` matrix on the device, and the launches of its product.

    Leaves that are in several places are stored once. Where stripes are cut, products of the same object must
    not overlap: they share the sums of the pieces.

    Parameters
    ----------
    matrix
        The matrix.
    threads_per_block
        The most threads of a block; at most 256 are taken.

    Attributes
    ----------
    transposed
        The product of the transpose, from the same entries; it has no attribute `transposed`.
    """

    def __init__(self, matrix: HiSparse, threads_per_block: int) -> None:
        leaves = arranged_leaves(matrix)
        # Coordinates are read as words of two.
        stored = [upload(leaves.coordinates.view(np.uint32)), upload(leaves.values)]
        self._place(matrix, leaves, stored, matrix.transposed, threads_per_block)
        self.transposed = copy.copy(self)
        self.transposed._place(matrix, leaves, stored, not matrix.transposed, threads_per_block)

    def _place(
        self, matrix: HiSparse, leaves: ArrangedLeaves, stored: list[Any], transposed: bool, threads: int
    ) -> None:
        """Put the segments of one direction on the device, and make its launches."""
        real = real_type(matrix.content.pool.values)
        bits, rows = matrix.content.geometry.bits, matrix.content.shape[int(transposed)]
        segments = leaves.transposed if transposed else leaves.direct
        chunks = chunks_of(segments, max(1, min(MOST_WARPS, threads // WARP)))
        self.scale = real(matrix.scale)
        self.sums = [upload(np.zeros(chunks.pieces << bits, real)), upload(chunks.cut)]
        self.arrays = [upload(chunks.records), upload(segments.words), *stored]
        self.device_arrays = [*self.arrays, *self.sums]
        self._direction = bits, rows, chunks, transposed, threads
        self.launches = self._launches_for(self.sums[0], 1, None)
        self._several: dict[int, list[Launch]] = {}

    def launch_several(
        self, x: Any, y: Any, size: tuple[int, int], by_columns: bool, alpha: Any, beta: Any, stream: Any
    ) -> bool:
        """Put the product with several vectors on the stream; an entry is read once for 16 bytes of them.

        Parameters
        ----------
        x, y
            Contiguous device vectors of Numba: the elements of X and Y.
        size
            Rows and columns of X.
        by_columns
            Whether X and Y lie column by column.
        alpha, beta, stream
            As of a `Launch`.

        Returns
        -------
        bool
            Whether it was done: not where they lie column by column.
        """
        if by_columns:
            return False
        if size[1] not in self._several:
            self._several[size[1]] = self._launches_for_several(size[1])
        for each in self._several[size[1]]:
            each(x, y, self.scale * alpha, beta, stream)
        return True

    def _launches_for_several(self, count: int) -> list[Launch]:
        bits, _, chunks, _, _ = self._direction
        real: Any = type(self.scale)
        most = min(VECTOR_BYTES, SUMS_BYTES // (chunks.warps << bits)) // np.dtype(real).itemsize
        vectors = math.gcd(count, most)
        return self._launches_for(upload(np.zeros(chunks.pieces * vectors << bits, real)), count, vectors)

    def _launches_for(self, pieces: Any, count: int, vectors: int | None) -> list[Launch]:
        """Return the launches for this many columns of x, each for `vectors` of them; None: of one vector."""
        bits, rows, chunks, transposed, threads = self._direction
        real: Any = type(self.scale)
        kernel = stripe_kernel(real, bits, chunks.warps, transposed, vectors)
        adding = stripe_sums(real, bits, vectors or 1)
        blocks, cut = len(chunks.records) // CHUNK, len(chunks.cut) // CHUNK
        summing = -(-(cut * (vectors or 1) << bits) // threads)
        results = []
        for first in range(0, count, vectors or 1):
            taken = [*self.arrays, rows, X, Y, pieces, ALPHA, BETA, count, first]
            added = [pieces, self.sums[1], cut, rows, Y, ALPHA, BETA, count, first]
            results += launches_of(kernel, blocks, chunks.warps * WARP, taken, real)
            results += launches_of(adding, summing, threads, added, real)
        return results
