"""A matrix in segments of columns on the device, and the launches of its product.

One block of threads runs on each multiprocessor. It takes neighbouring slices, which with their segments of
x take about as long as those of any other, brings the segment of x that they need into shared memory, and its
warps multiply slices in turn: the entries of the next are on their way while one is added. The sum of a slot
goes to memory, beside that of its neighbour; a second kernel adds those of each row.

What bounds it: an entry is 10 bytes in float64 and 6 in float32, padding included, a slot writes and reads
its sum and has four bytes for its place, and each block of threads reads its segments of x.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.formats.segmented.before import ordered_copies
from gpu.formats.segmented.container import SegmentedSliced
from gpu.formats.segmented.rows import WINDOW, rows_kernel, windows_of
from gpu.formats.segmented.shares import shares_of
from gpu.formats.segmented.slices import FIRST, RECORD, slices_kernel
from gpu.kernel_parts.row_results import scaling_beside
from gpu.runtime.cuda import SIMULATED
from gpu.runtime.device_info import shared_memory
from gpu.runtime.launches import ALPHA, BETA, Launch, LaunchedInTurn, X, Y, launches_of
from gpu.runtime.memory import real_type, upload
from vecsim.formats import NotRepresentableError

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
        stored += [upload(_records(matrix)), upload(shares), upload(begins)]
        slot_rows = upload(_slot_rows(matrix) if direct else np.empty(0, np.uint32))
        sums = upload(np.zeros(0 if direct else len(matrix.row_slots), real))
        ordered = len(matrix.column_order) > 0
        order, copied = upload(matrix.column_order), upload(np.zeros(width if ordered else 0, real))
        self._arrays = [*stored, slot_rows, sums, order, copied]
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
        """Give the launch that adds the sums of each row."""
        windows = windows_of(matrix.row_pointers, ROW_THREADS * SUMS_AT_ONCE)
        by_row = [upload(matrix.row_pointers), upload(matrix.row_slots), upload(windows)]
        self._arrays += by_row
        kernel = rows_kernel(real, ROW_THREADS, SUMS_AT_ONCE)
        arguments = [sums, *by_row, Y, ALPHA, BETA]
        return launches_of(kernel, len(windows) // WINDOW - 1, ROW_THREADS, arguments, real)

    @property
    def device_arrays(self) -> list[Any]:
        """All arrays on the device."""
        return self._arrays


def _threads(real: Any, several_rows: bool) -> int:
    return THREADS_SIMULATED if SIMULATED else THREADS[real(0).itemsize, several_rows]


def _blocks(shared_bytes: int) -> int:
    """Give how many blocks of threads run at a time."""
    if SIMULATED:
        return MULTIPROCESSORS_SIMULATED
    multiprocessors, bytes_of_each = shared_memory()
    if shared_bytes + RESERVED_BYTES > bytes_of_each:
        raise NotRepresentableError(
            f"a segment takes {shared_bytes} bytes of shared memory and there are {bytes_of_each}",
            "convert with fewer columns a segment",
        )
    return multiprocessors


def _slot_rows(matrix: SegmentedSliced) -> NDArray[np.uint32]:
    """Give the row of each slot."""
    rows = np.empty(len(matrix.row_slots), np.uint32)
    rows[matrix.row_slots] = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.row_pointers))
    return rows


def _records(matrix: SegmentedSliced) -> NDArray[np.uint32]:
    """Give the words of each slice for the kernel."""
    records = np.zeros((matrix.slices, RECORD), np.uint32)
    records[:, 0] = matrix.step_ptr[:-1]
    bits = np.round(np.log2(matrix.threads_per_slot)).astype(np.uint32)
    each = np.round(np.log2(matrix.slots_per_thread)).astype(np.uint32)
    records[:, 1] = np.diff(matrix.step_ptr) | bits << np.uint32(8) | each << np.uint32(16)
    records[:, 2] = matrix.slot_ptr[:-1]
    records[:, 3] = np.diff(matrix.slot_ptr)
    return records.ravel()
