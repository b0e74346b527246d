"""A matrix in segments of columns on the device, and the launches of its product.

One block of threads runs on each multiprocessor. It takes neighbouring slices, which with their segments of
x take about as long as those of any other, brings the segment of x that they need into shared memory, and its
warps multiply slices in turn: the entries of the next are in flight while one is added. The sum of a slot
goes to memory, next to that of its neighbour; a second kernel adds those of each row.

What bounds it: an entry is 10 bytes in float64 and 6 in float32, padding included, a slot writes and reads
its sum and has four bytes for its place, and each block of threads reads its segments of x.

Where columns stand in their own order, x is copied in that order before. Each block of threads
multiplies neighbouring slices, this many that all blocks take about as long. A block pays for the entries and
slots of its slices and for each segment of x that it brings. The costs are in bytes of entries; they were
fitted to the cycles that blocks took on an H200 (benchmarks/README.md).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.formats.segmented.container import SegmentedSliced
from gpu.formats.segmented.rows import WINDOW, rows_kernel, windows_of
from gpu.formats.segmented.slices import FIRST, RECORD, SHARE, slices_kernel
from gpu.kernel_parts.ordered_copies import ordered_copies
from gpu.kernel_parts.row_results import scaling_beside
from gpu.runtime.cuda import SIMULATED, WARP
from gpu.runtime.device_info import shared_memory
from gpu.runtime.launches import ALPHA, BETA, Launch, LaunchedInTurn, X, Y, launches_of
from gpu.runtime.memory import real_type, upload
from vecsim.formats import NotRepresentableError

SLICE_BYTES = 64
"""What a slice costs next to its entries."""
STORED_SLOT_BYTES = 4
"""What a slot costs whose sum is stored."""
ADDED_SLOT_BYTES, MOST_ADDED_SLOT_BYTES, SLOT_BYTES_PER_MB_OF_Y = 12.0, 32.0, 0.8
"""What one costs whose sum is added to y, more the less of y stays in the L2 cache."""
SEGMENT_COST = 0.7
"""What a byte of a segment of x costs."""
TRIALS = 12
"""Steps of the bisection for the least cost of a block with which all slices are dealt."""


def shares_of(
    matrix: SegmentedSliced, blocks: int, *, direct: bool
) -> tuple[NDArray[np.uint32], NDArray[np.int32]]:
    """Deal slices to blocks of threads, neighbours to each, cut where segments end.

    Parameters
    ----------
    matrix
        The matrix.
    blocks
        Blocks of threads at most.
    direct
        Whether sums of slots are added to y as they come.

    Returns
    -------
    shares, begins
        `SHARE` words each: segment, first slice, the one after its last, the element of the segment that is
        brought first; and where those of each block begin, with the end.
    """
    if not matrix.slices:
        return np.zeros(0, np.uint32), np.zeros(1, np.int32)
    before = np.concatenate((np.zeros(1), np.cumsum(_costs_of_slices(matrix, direct))))
    first = np.flatnonzero(np.diff(matrix.slice_segments, prepend=-1))
    segments = matrix.slice_segments[first].astype(np.int64)
    brought = np.minimum(matrix.segment_columns, matrix.shape[1] - segments * matrix.segment_columns)
    bringing = SEGMENT_COST * matrix.values.dtype.itemsize * brought
    dealt = _dealt_evenly(before, np.append(first[1:], matrix.slices), bringing, blocks)
    every = [share for of_block in dealt for share in of_block]
    shares = np.zeros((len(every), SHARE), np.uint32)
    shares[:, :3] = every
    shares[:, 3] = _turns(shares[:, 0], brought)
    shares[:, 0] = segments[shares[:, 0]]
    begins = np.cumsum([0, *map(len, dealt)]).astype(np.int32)
    return shares.ravel(), begins


def _turns(segments: NDArray[np.uint32], brought: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where each share begins to bring its segment: those of one far apart, at different sectors."""
    count = np.bincount(segments, minlength=len(brought))
    nth = np.arange(len(segments)) - (np.cumsum(count) - count)[segments]
    turns: NDArray[np.int64] = brought[segments] * nth // count[segments] // WARP * WARP
    return turns


def _costs_of_slices(matrix: SegmentedSliced, direct: bool) -> NDArray[np.float64]:
    step_bytes = WARP * (matrix.values.dtype.itemsize + matrix.columns.dtype.itemsize)
    slot_bytes = float(STORED_SLOT_BYTES)
    if direct:
        y_megabytes = matrix.shape[0] * matrix.values.dtype.itemsize / 1e6
        slot_bytes = min(MOST_ADDED_SLOT_BYTES, ADDED_SLOT_BYTES + SLOT_BYTES_PER_MB_OF_Y * y_megabytes)
    costs = np.diff(matrix.step_ptr) * float(step_bytes) + SLICE_BYTES
    result: NDArray[np.float64] = costs + slot_bytes * np.diff(matrix.slot_ptr)
    return result


def _dealt_evenly(before: Any, ends: Any, bringing: Any, blocks: int) -> list[list[tuple[int, int, int]]]:
    """Fill at most this many blocks, the largest little more expensive than it must be; see `_dealt`."""
    even = (before[-1] + bringing.sum()) / blocks
    least, most = even, even + 2 * bringing.max() + np.diff(before).max()
    dealt = _dealt(before, ends, bringing, most)
    while len(dealt) > blocks:
        least, most = most, 2 * most
        dealt = _dealt(before, ends, bringing, most)
    for _ in range(TRIALS):
        middle = (least + most) / 2
        tried = _dealt(before, ends, bringing, middle)
        if len(tried) > blocks:
            least = middle
        else:
            most, dealt = middle, tried
    return dealt


def _dealt(before: Any, ends: Any, bringing: Any, limit: float) -> list[list[tuple[int, int, int]]]:
    """Fill one block after the other up to a limit of cost; each has a slice at least.

    Parameters
    ----------
    before
        (S + 1,) floats: what all slices before each cost.
    ends, bringing
        Where the slices of each segment end, and what it costs to bring it.
    limit
        Of the cost of a block.

    Returns
    -------
    list
        For each block its shares: which segment, the first slice, the one after the last.
    """
    dealt: list[list[tuple[int, int, int]]] = []
    slice_, segment, count = 0, 0, len(before) - 1
    while slice_ < count:
        shares: list[tuple[int, int, int]] = []
        left = limit
        while slice_ < count:
            left -= float(bringing[segment])
            reached = int(np.searchsorted(before, before[slice_] + left, "right")) - 1
            if shares and reached <= slice_:
                break
            last = min(max(reached, slice_ + 1), int(ends[segment]))
            left -= float(before[last] - before[slice_])
            shares.append((segment, slice_, last))
            slice_ = last
            if slice_ < ends[segment]:
                break
            segment += 1
        dealt.append(shares)
    return dealt


THREADS = {(4, False): 1024, (4, True): 768, (8, False): 768, (8, True): 640}
"""Of a block that keeps a segment, by the bytes of an element and whether a thread loads rows of several
slots: as many as have registers for their loads."""
THREADS_SIMULATED = 64
ROW_THREADS = 64 if SIMULATED else 256
"""Of one that adds the sums of rows."""
SUMS_AT_ONCE = 4
"""Sums that such a thread loads at once."""
EARLY_BYTES = 1 << 22
"""Of y, below which its scaling is so short that the slices begin before rather than bring x meanwhile."""
RESERVED_BYTES = 1024
"""Of shared memory, which the system takes for each block of threads."""
MULTIPROCESSORS_SIMULATED = 3
"""Blocks of threads in the simulator, so that some share a segment and some have several."""


class SegmentedProduct(LaunchedInTurn):
    """A `SegmentedSliced` matrix on the device, and the launches of its product.

    Products of the same object must not overlap: they share the sums of the slots.

    Parameters
    ----------
    matrix
        The matrix.
    threads_per_block
        Is not used: how many threads a block has follows from what it keeps.
    direct
        Whether sums of slots are added to y as they come, which is faster: there is no memory for them and no
        second step. The order is another one in each run, and so may be the last bits.

    Raises
    ------
    NotRepresentableError
        A segment does not fit into shared memory.
    """

    def __init__(self, matrix: SegmentedSliced, threads_per_block: int, *, direct: bool = False) -> None:
        real, (rows, width) = real_type(matrix.values), matrix.shape
        shared_bytes = (min(matrix.segment_columns, width) + FIRST) * real(0).itemsize
        blocks = _blocks(shared_bytes)
        shares, begins = shares_of(matrix, blocks, direct=direct)
        stored = [upload(matrix.columns), upload(matrix.values)]
        self.values = stored[1]
        stored += [upload(_records(matrix)), upload(shares), upload(begins)]
        slot_rows = upload(_slot_rows(matrix) if direct else np.empty(0, np.uint32))
        sums = upload(np.zeros(0 if direct else len(matrix.row_slots), real))
        ordered = len(matrix.column_order) > 0
        order, copied = upload(matrix.column_order), upload(np.zeros(width if ordered else 0, real))
        self.device_arrays = [*stored, slot_rows, sums, order, copied]
        x, results = copied if ordered else X, Y if direct else sums
        arguments = [*stored, matrix.segment_columns, width, x, slot_rows, results, ALPHA]
        steps, each = (
            int(np.diff(matrix.step_ptr).max(initial=2)),
            int(matrix.slots_per_thread.max(initial=1)),
        )
        threads = _threads(real, direct and each > 1)
        early = rows * real(0).itemsize < EARLY_BYTES
        kernel = slices_kernel(real, threads, steps, each, direct, direct and not ordered and not early)
        multiply = launches_of(kernel, len(begins) - 1, threads, arguments, real, shared_bytes=shared_bytes)
        before: list[Launch] = []
        if ordered:
            before = ordered_copies(real, order, copied, rows if direct else 0)
        elif direct:
            before = scaling_beside(rows, real, blocks, early=early)
        self.launches = [*before, *multiply, *([] if direct else self._adding(matrix, sums, real))]

    def _adding(self, matrix: SegmentedSliced, sums: Any, real: Any) -> list[Launch]:
        """Return the launch that adds the sums of each row."""
        windows = windows_of(matrix.row_pointers, ROW_THREADS * SUMS_AT_ONCE)
        by_row = [upload(matrix.row_pointers), upload(matrix.row_slots), upload(windows)]
        self.device_arrays += by_row
        kernel = rows_kernel(real, ROW_THREADS, SUMS_AT_ONCE)
        arguments = [sums, *by_row, Y, ALPHA, BETA]
        return launches_of(kernel, len(windows) // WINDOW - 1, ROW_THREADS, arguments, real)


def _threads(real: Any, several_rows: bool) -> int:
    return THREADS_SIMULATED if SIMULATED else THREADS[real(0).itemsize, several_rows]


def _blocks(shared_bytes: int) -> int:
    """Return how many blocks of threads run at a time."""
    if SIMULATED:
        return MULTIPROCESSORS_SIMULATED
    multiprocessors, bytes_of_each = shared_memory()
    if shared_bytes + RESERVED_BYTES > bytes_of_each:
        raise NotRepresentableError(
            f"a segment takes {shared_bytes} bytes of shared memory, at most {bytes_of_each} are possible",
            "convert with fewer columns a segment",
        )
    return multiprocessors


def _slot_rows(matrix: SegmentedSliced) -> NDArray[np.uint32]:
    """Return the row of each slot."""
    rows = np.empty(len(matrix.row_slots), np.uint32)
    rows[matrix.row_slots] = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.row_pointers))
    return rows


def _records(matrix: SegmentedSliced) -> NDArray[np.uint32]:
    """Return the words of each slice for the kernel."""
    records = np.zeros((matrix.slices, RECORD), np.uint32)
    records[:, 0] = matrix.step_ptr[:-1]
    bits = np.round(np.log2(matrix.threads_per_slot)).astype(np.uint32)
    each = np.round(np.log2(matrix.slots_per_thread)).astype(np.uint32)
    records[:, 1] = np.diff(matrix.step_ptr) | bits << np.uint32(8) | each << np.uint32(16)
    records[:, 2] = matrix.slot_ptr[:-1]
    records[:, 3] = np.diff(matrix.slot_ptr)
    return records.ravel()
