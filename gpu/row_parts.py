"""Products of formats that store a matrix by blocks: sums of the parts of rows, then sums of the rows.

A block column of BBCS or a leaf of HiSM holds parts of rows. A warp takes 32 entries in storage order,
whatever blocks they belong to, and sums each part by a segmented scan into a slot of its own. Slots of a row
lie side by side in storage order, so a second kernel sums them in a fixed order, without atomics.
"""

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from .cuda import EVERY_LANE, WARP, cuda
from .launching import ALPHA, BETA, Launch, X, Y, let_next_begin, wait_for_previous
from .memory import real_type, upload

MAX_LANES = 32


@dataclass(frozen=True)
class RowParts:
    """Where the parts of rows lie, of entries in storage order.

    Attributes
    ----------
    chunks
        uint32 of 3 a chunk of 32 entries: a bit for each entry that begins a block, the number of the block
        before the first such one (modulo 2**32), the number of the first part.
    slots
        uint32, for each part in storage order, the place of its sum.
    slot_ptr
        uint32 of M + 1: where the sums of each row begin, then their number.
    """

    chunks: NDArray[np.uint32]
    slots: NDArray[np.uint32]
    slot_ptr: NDArray[np.uint32]


def row_parts(
    rows: NDArray[np.int64],
    row_ends: NDArray[np.bool_],
    stored: NDArray[np.bool_],
    block_starts: NDArray[np.int64],
    row_count: int,
) -> RowParts:
    """Find the parts of rows: runs of a row within a block and within a chunk of 32 entries.

    Parameters
    ----------
    rows
        Row of each entry, in storage order.
    row_ends
        Whether an entry is the last of its row in its block.
    stored
        Whether an entry is one of the matrix.
    block_starts
        The first entry of each block; none is empty.
    row_count
        M.
    """
    entries = len(rows)
    chunk_starts = np.arange(0, entries, WARP)
    ends = row_ends.copy()
    ends[WARP - 1 :: WARP] = True
    ends[-1:] = True
    ends &= stored
    part_rows = rows[ends]
    parts = len(part_rows)

    # Bits of the block starts, lane 0 the lowest.
    starts = np.zeros(len(chunk_starts) * WARP, dtype=np.bool_)
    starts[block_starts] = True
    bits = np.packbits(starts, bitorder="little").view("<u4")
    blocks_before = np.searchsorted(block_starts, chunk_starts)
    parts_before = np.concatenate(([0], np.cumsum(ends)))[chunk_starts]
    chunks = np.stack([bits.astype(np.int64), (blocks_before - 1) % 2**32, parts_before], axis=1)

    # Sorting by row in linear time, parts of a row in storage order: each part is a column of its own.
    number = np.arange(parts)
    by_row = scipy.sparse.coo_array(
        (np.ones(parts, dtype=np.int8), (part_rows, number)), shape=(row_count, max(1, parts))
    ).tocsr()
    slots = np.empty(parts, dtype=np.uint32)
    slots[by_row.indices] = number
    return RowParts(chunks.astype(np.uint32).ravel(), slots, by_row.indptr.astype(np.uint32))


@functools.cache
def part_sums(real: Any, decode: Any) -> Any:
    """Make the kernel that sums the parts of rows into their slots.

    Parameters
    ----------
    real
        The type of values and sums.
    decode
        Device function of the format: from its two arrays and the number of an entry, the column within
        the block, whether a part ends there for certain, and whether it is an entry of the matrix.
    """

    @cuda.jit
    def kernel(values, first, second, chunks, block_columns, slots, x, sums):  # type: ignore[no-untyped-def]
        thread = cuda.grid(1)
        lane = thread % WARP
        chunk = thread // WARP
        entries = values.size
        zero = real(0)
        value, factor = zero, zero
        ended = False
        part = np.int64(0)
        let_next_begin()
        wait_for_previous()
        if thread < entries:
            value = values[np.uint64(thread)]
            column, ended, stored = decode(first, second, np.uint64(thread))
            starts = chunks[np.uint64(3 * chunk)]
            block = np.int64(chunks[np.uint64(3 * chunk + 1)])
            part = np.int64(chunks[np.uint64(3 * chunk + 2)])
            begun = cuda.popc(starts & np.uint32(0xFFFFFFFF >> (WARP - 1 - lane)))
            # Entries that are none of the matrix have column 0; a NaN there stays out by selection.
            factor = x[block_columns[np.uint32((block + begun) & 0xFFFFFFFF)] + column]
            if not stored:
                factor = zero
            last = lane == WARP - 1 or thread == entries - 1
            if not last:
                last = (starts >> np.uint32(lane + 1)) & np.uint32(1) != 0
            ended = ended or (last and stored)
        ends = cuda.ballot_sync(EVERY_LANE, ended)
        below = np.uint32(ends & ((1 << lane) - 1))
        slot = np.uint32(0)
        if ended:
            slot = slots[np.uint64(part + cuda.popc(below))]
        total = value * factor
        # The lane behind the last end: where this part begins.
        begin = WARP - cuda.clz(below)
        distance = 1
        while distance < WARP and cuda.any_sync(EVERY_LANE, lane - distance >= begin):
            other = cuda.shfl_up_sync(EVERY_LANE, total, distance)
            if lane - distance >= begin:
                total += other
            distance *= 2
        if ended:
            sums[slot] = total

    return kernel


@functools.cache
def row_sums(real: Any, lanes: int) -> Any:
    """Make the kernel ``y[i] = alpha sum(sums[ptr[i]:ptr[i + 1]]) + beta y[i]``, `lanes` threads a row."""

    @cuda.jit
    def kernel(sums, ptr, rows, y, alpha, beta):  # type: ignore[no-untyped-def]
        thread = cuda.grid(1)
        row = thread // lanes
        lane = thread % lanes
        total = real(0)
        let_next_begin()
        wait_for_previous()
        if row < rows:
            at = np.int64(ptr[np.uint64(row)]) + lane
            end = np.int64(ptr[np.uint64(row + 1)])
            while at + 3 * lanes < end:
                sum0, sum1 = sums[np.uint64(at)], sums[np.uint64(at + lanes)]
                sum2, sum3 = sums[np.uint64(at + 2 * lanes)], sums[np.uint64(at + 3 * lanes)]
                total += sum0
                total += sum1
                total += sum2
                total += sum3
                at += 4 * lanes
            while at < end:
                total += sums[np.uint64(at)]
                at += lanes
        offset = lanes // 2
        while offset > 0:
            total += cuda.shfl_xor_sync(EVERY_LANE, total, offset)
            offset //= 2
        if lane == 0 and row < rows:
            result = alpha * total
            if beta != real(0):
                result += beta * y[np.uint64(row)]
            y[np.uint64(row)] = result

    return kernel


class RowPartsProduct:
    """A matrix stored by blocks on the device, and the launches of its product.

    Parameters
    ----------
    values
        One an entry, in storage order.
    first, second
        The format's arrays that tell of an entry what `decode` gives.
    decode
        See `part_sums`.
    block_columns
        The first column of each block that is not empty.
    parts
        Where the parts of rows lie.
    threads_per_block
        A multiple of 32.
    """

    def __init__(
        self,
        values: NDArray[Any],
        first: NDArray[Any],
        second: NDArray[Any],
        decode: Any,
        block_columns: NDArray[Any],
        parts: RowParts,
        threads_per_block: int,
    ) -> None:
        self.real = real_type(values)
        self.rows = len(parts.slot_ptr) - 1
        self.lanes = lanes_for(len(parts.slots) / max(1, self.rows))
        arrays = (values, first, second, parts.chunks, block_columns.astype(np.uint32), parts.slots)
        self.arrays = [upload(array) for array in arrays]
        self.sums = upload(np.zeros(len(parts.slots), dtype=self.real))
        self.slot_ptr = upload(parts.slot_ptr)
        self.launches = []
        if len(values):
            blocks = -(-len(values) // threads_per_block)
            arguments = [*self.arrays, X, self.sums]
            kernel = part_sums(self.real, decode)
            self.launches.append(Launch(kernel, blocks, threads_per_block, arguments, self.real))
        if self.rows:
            blocks = -(-self.rows * self.lanes // threads_per_block)
            arguments = [self.sums, self.slot_ptr, self.rows, Y, ALPHA, BETA]
            kernel = row_sums(self.real, self.lanes)
            self.launches.append(Launch(kernel, blocks, threads_per_block, arguments, self.real))

    @property
    def device_arrays(self) -> list[Any]:
        """All arrays on the device."""
        return [*self.arrays, self.sums, self.slot_ptr]

    def launch(self, x: Any, y: Any, alpha: Any, beta: Any, stream: Any) -> None:
        """Put ``y = alpha A x + beta y`` on the stream."""
        for each in self.launches:
            each(x, y, alpha, beta, stream)


def lanes_for(parts_per_row: float) -> int:
    """Give the threads that sum a row: the power of two below half of its mean number of parts."""
    return min(MAX_LANES, 1 << max(0, int(parts_per_row / 2).bit_length() - 1))
