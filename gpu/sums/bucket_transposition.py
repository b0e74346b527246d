"""The transpose of a CSR matrix by buckets of neighbouring columns: a radix sort of two steps.

Where the entries of neighbouring rows lie in few ranges of columns, as those of meshes, stencils and bands
do, a tile of them has few buckets, so both steps read and write long runs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gpu.runtime.cuda import SIMULATED, WARP, cuda
from gpu.runtime.device_info import shared_memory
from gpu.runtime.launches import Launch, launches_of
from gpu.runtime.memory import all_or_nothing
from gpu.sorting.prefix_sums import SCAN_THREADS, offsets_kernel
from gpu.sums.bucket_counting import (
    SCAN_THREADS as BUCKET_SCAN_THREADS,
)
from gpu.sums.bucket_counting import (
    SEGMENT,
    THREADS,
    TILE,
    count_kernel,
    rows_kernel,
    scan_kernel,
)
from gpu.sums.bucket_sorting import GROUPS, ORDER_EACH, RESIDENT, order_kernel, partition_kernel
from gpu.sums.device_csr import DeviceCsr, TwoSteps

FILL = 0.9
"""What of a tile a bucket may have in the mean, so that most buckets are one tile."""
MOST_WORDS = 2 * THREADS if SIMULATED else 1024
"""Of a bitmap of the buckets in shared memory: as many as its size allows."""
MOST_BUCKETS_A_CHUNK = 2 * GROUPS
"""In the mean. With more, a tile has short runs of each, and to place each entry alone is faster."""


class BucketTransposition(TwoSteps):
    """The transpose of one matrix, with all room for it, ready to be enqueued.

    Parameters
    ----------
    matrix
        A matrix that satisfies `is_possible`.

    Attributes
    ----------
    result
        Its transpose, once `launch` has run.
    """

    def __init__(self, matrix: DeviceCsr) -> None:
        rows, width = matrix.shape
        entries = matrix.nnz
        real: Any = matrix.dtype.type
        shift = _shift(matrix)
        buckets, all_tiles = -(-width // (1 << shift)), -(-entries // TILE)
        tiles = -(-all_tiles // _resident())
        self._chunks = chunks = -(-all_tiles // tiles)
        words = THREADS
        while WARP * words < buckets:
            words *= 2
        sizes = {"segment_rows": -(-entries // SEGMENT), "table": chunks * buckets, "totals": buckets,
                 "bases": buckets + 1, "scattered": 1, "rows": entries}  # fmt: skip
        room: dict[str, Any] = all_or_nothing(
            lambda: {
                **{name: cuda.device_array(size, np.int32) for name, size in sizes.items()},
                "chunk_bits": cuda.device_array(chunks * words, np.uint32),
                "lows": cuda.device_array(entries, np.uint16),
                "values": cuda.device_array(entries, matrix.dtype),
            }
        )
        self._scattered = room["scattered"]
        self.result = transposed = DeviceCsr.empty((width, rows), entries, matrix.dtype)
        parted = room["rows"], room["lows"], room["values"]
        self._counting = [
            Launch(rows_kernel, -(-rows // THREADS), THREADS,
                   (matrix.pointers, rows, room["segment_rows"]), real),
            Launch(count_kernel(words), chunks, THREADS,
                   (matrix.columns, entries, shift, buckets, tiles, room["table"], room["chunk_bits"],
                    self._scattered), real),
            Launch(scan_kernel, -(-buckets // WARP), BUCKET_SCAN_THREADS,
                   (room["table"], chunks, buckets, room["totals"], self._scattered), real),
            Launch(offsets_kernel, 1, SCAN_THREADS, (room["totals"], buckets, room["bases"]), real),
        ]  # fmt: skip
        self._placing = [
            *launches_of(partition_kernel(real, words), chunks, THREADS,
                         [matrix.pointers, matrix.columns, matrix.values, rows, entries, room["segment_rows"],
                          shift, buckets, tiles, room["bases"], room["table"], room["chunk_bits"], *parted],
                         real),
            *launches_of(order_kernel(real, _order_each(matrix)), buckets, THREADS,
                         [*parted, shift, buckets, width, room["bases"],
                          transposed.pointers, transposed.columns, transposed.values], real),
        ]  # fmt: skip

    @staticmethod
    def is_possible(matrix: DeviceCsr) -> bool:
        """Return whether a matrix has entries, and not too many columns."""
        return matrix.nnz > 0 and matrix.shape[1] <= WARP * MOST_WORDS << _shift(matrix)

    def is_scattered(self, stream: Any = 0) -> bool:
        """Wait for `count` and return whether neighbouring rows have entries in too many buckets."""
        if stream:
            stream.synchronize()
        return int(self._scattered.copy_to_host()[0]) > MOST_BUCKETS_A_CHUNK * self._chunks


def _shift(matrix: DeviceCsr) -> int:
    """Return log2 of the columns of a bucket: as many as have a tile of entries in the mean."""
    shift = GROUPS.bit_length() - 1
    while shift > 0 and _mean(matrix) * (1 << shift) > FILL * THREADS * ORDER_EACH[1]:
        shift -= 1
    return shift


def _order_each(matrix: DeviceCsr) -> int:
    mean = _mean(matrix) * (1 << _shift(matrix))
    return ORDER_EACH[0] if mean <= FILL * THREADS * ORDER_EACH[0] else ORDER_EACH[1]


def _mean(matrix: DeviceCsr) -> float:
    return matrix.nnz / max(1, matrix.shape[1])


def _resident() -> int:
    return 3 if SIMULATED else RESIDENT * shared_memory()[0]
