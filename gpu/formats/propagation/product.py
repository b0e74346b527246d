"""A matrix in propagation blocks on the device, and the launches of its product.

An entry is 8 or 4 bytes of value, 2 of column, 2 of the place of its product and a quarter of the 4 of the
group's destination, once out of memory: 13 bytes in float64 and 9 in float32, and what padding adds. Its
product is written and read once, in the L2 cache if all goes well: 16 and 8 bytes more there. On 1,000,000
rows of 16 entries anywhere padding adds 2.5 %, so 214 and 148 MB come from memory, at least 54 and 39 us on
an H200 with x and y, and 475 and 279 MB pass the L2 cache: at the rate at which it is read 83 and 48 us. The
segments of x are read once a product where parts are no more than the blocks that multiply.
"""

import numpy as np
from numpy.typing import NDArray

from gpu.formats.propagation.arrangement import IS_PIECE, RECORD, STATES, Arrangement
from gpu.formats.propagation.container import PropagationBlocks
from gpu.formats.propagation.kernel import propagation_kernel
from gpu.formats.propagation.sizes import GROUP
from gpu.kernel_parts.row_results import PieceSums
from gpu.runtime.cuda import SIMULATED
from gpu.runtime.device_info import shared_memory
from gpu.runtime.launches import ALPHA, BETA, LaunchedInTurn, X, Y, launches_of
from gpu.runtime.memory import real_type, upload
from vecsim.support.errors import UserError

RESERVED_BYTES = 2048
"""Of shared memory for each block of threads, next to segments and bins: the system's, and of the
counters."""
LEAST_RING = 2


class PropagationProduct(LaunchedInTurn):
    """A `PropagationBlocks` matrix on the device, and the launches of its product.

    Products of the same object must not overlap: they share the ring of products.

    Parameters
    ----------
    matrix
        The matrix.
    threads_per_block
        Of the kernel that adds up rows in pieces.
    arrangement
        How blocks of threads share the work.

    Raises
    ------
    UserError
        A part or a bin is larger than shared memory, or the ring has one place.
    """

    def __init__(
        self, matrix: PropagationBlocks, threads_per_block: int, *, arrangement: Arrangement | None = None
    ) -> None:
        real, chosen = real_type(matrix.values), arrangement or Arrangement()
        if chosen.ring < LEAST_RING:
            raise UserError(f"a ring of {chosen.ring} super-blocks is not possible: use {LEAST_RING} or more")
        groups = matrix.bin_groups.astype(np.int64)
        slot_groups = int(np.diff(groups[matrix.super_bins]).max(initial=0))
        nowhere = GROUP * int(np.diff(groups).max(initial=0))
        widest = int(matrix.part_columns[:, 1].max(initial=0))
        shared_bytes = max(widest, nowhere + 1) * real(0).itemsize
        self.multiplying, adding = _blocks(matrix, shared_bytes, chosen)
        records, rows, ends = _records(matrix)
        pieces = PieceSums(real, rows, ends - np.diff(ends, prepend=0), ends, threads_per_block)
        supers = matrix.super_blocks
        slots = min(chosen.ring, max(1, supers))
        self.ring = upload(np.zeros(slots * slot_groups * GROUP, real))
        self.counters = upload(np.zeros(STATES + (2 + matrix.parts) * supers, np.int32))
        stored = [upload(matrix.values), upload(matrix.columns.view(np.uint32))]
        stored += [upload(matrix.destinations), upload(matrix.items)]
        parts = [upload(matrix.part_columns.ravel()), upload(matrix.super_bins)]
        places = [upload(each) for each in (matrix.places.view(np.uint32), matrix.row_slots, matrix.ranks)]
        bins = [upload(matrix.diagonals.ravel()), upload(records)]
        arguments = [
            *(*stored, *parts, matrix.parts, supers, self.multiplying, *places, *bins, matrix.bins),
            *(self.ring, slot_groups, nowhere, self.counters, pieces.pieces, X, Y, ALPHA, BETA),
        ]
        kernel, blocks = propagation_kernel(real, chosen), self.multiplying + adding
        self.launches = [
            *launches_of(kernel, blocks, chosen.threads, arguments, real, shared_bytes=shared_bytes),
            *pieces.launches,
        ]
        self.device_arrays = [
            *stored,
            *parts,
            *places,
            *bins,
            self.ring,
            self.counters,
            *pieces.device_arrays,
        ]


def _blocks(matrix: PropagationBlocks, shared_bytes: int, arrangement: Arrangement) -> tuple[int, int]:
    """Return how many blocks of threads multiply, and how many add up: together as many as run at a time."""
    if SIMULATED:
        return min(matrix.parts, 2), min(matrix.bins, 1)
    multiprocessors, bytes_of_each = shared_memory()
    resident = min(arrangement.resident, bytes_of_each // (shared_bytes + RESERVED_BYTES // 2))
    if not resident:
        raise UserError(
            f"a part or a bin takes {shared_bytes} bytes of shared memory and there are {bytes_of_each}: "
            "convert with fewer columns a part, or entries a bin"
        )
    running = multiprocessors * resident
    multiplying = min(matrix.parts, multiprocessors if resident > 1 else multiprocessors // 2)
    return multiplying, min(matrix.bins, running - multiplying)


def _records(matrix: PropagationBlocks) -> tuple[NDArray[np.uint32], NDArray[np.int64], NDArray[np.int64]]:
    """Return the words of each bin for the kernel, the rows in pieces, and where the pieces of each end."""
    rows = matrix.bin_rows.astype(np.int64)
    same_as_last = np.diff(rows[:, 0], prepend=-1) == 0
    is_piece = same_as_last | np.append(same_as_last[1:], False)[: len(rows)]
    super_block = np.repeat(np.arange(matrix.super_blocks), np.diff(matrix.super_bins))
    begins = matrix.bin_groups[matrix.super_bins[:-1]].astype(np.int64)
    records = np.zeros((matrix.bins, RECORD), np.int64)
    records[:, 0] = np.where(is_piece, np.cumsum(is_piece) - 1, rows[:, 0])
    records[:, 1] = rows[:, 1] + np.where(is_piece, IS_PIECE, 0)
    records[:, 2] = matrix.bin_groups[:-1] - begins[super_block]
    records[:, 3] = matrix.bin_groups[:-1]
    records[:, 4] = np.diff(matrix.bin_groups)
    records[:, 5] = matrix.bin_slots[:-1]
    records[:, 6] = np.cumsum(rows[:, 1] + 1) - (rows[:, 1] + 1)
    records[:, 7] = super_block
    in_pieces, counts = np.unique(rows[is_piece, 0], return_counts=True)
    return records.astype(np.uint32).ravel(), in_pieces, np.cumsum(counts)
