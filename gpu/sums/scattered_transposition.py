"""The transpose of a CSR matrix whose entries stand anywhere: each draws a place in its column."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpu.runtime.cuda import SIMULATED, WARP, cuda
from gpu.runtime.launches import Launch
from gpu.runtime.memory import all_or_nothing
from gpu.sorting.prefix_sums import SCAN_THREADS, offsets_kernel
from gpu.sums.device_csr import DeviceCsr
from gpu.sums.transposition_kernels import (
    ENTRIES,
    SEGMENT,
    clear_kernel,
    order_kernel,
    place_kernel,
    pointers_kernel,
    rank_kernel,
    totals_kernel,
)

THREADS = 32 if SIMULATED else 256
"""Of a block."""


class ScatteredTransposition:
    """The transpose of one matrix, with all room for it, ready to be enqueued.

    Parameters
    ----------
    matrix
        The matrix.

    Attributes
    ----------
    result
        Its transpose, once `launch` has run.
    """

    def __init__(self, matrix: DeviceCsr) -> None:
        rows, width = matrix.shape
        entries, segments = matrix.nnz, -(-width // SEGMENT)
        sizes = {"counts": width, "ranks": entries, "totals": segments, "offsets": segments + 1, "longest": 1}
        room: dict[str, Any] = all_or_nothing(
            lambda: {
                **{name: cuda.device_array(max(1, size), np.int32) for name, size in sizes.items()},
                "keys": cuda.device_array(max(1, entries), np.int64),
            }
        )
        self.result = DeviceCsr.empty((width, rows), entries, matrix.dtype)
        self._longest, turned = room["longest"], self.result
        counts, keys, real = room["counts"], room["keys"], matrix.dtype.type

        def ready(kernel: Any, threads: int, *arguments: Any) -> Launch:
            blocks = max(1, -(-threads // THREADS))
            return Launch(kernel, blocks, THREADS, arguments, real)

        a_row, a_column = _threads_for(-(-entries // ENTRIES), rows), _threads_for(entries, width)
        self._counting = [
            ready(clear_kernel, width, counts, width, room["longest"]),
            ready(rank_kernel, -(-entries // ENTRIES), matrix.columns, entries, counts, room["ranks"]),
            ready(totals_kernel, segments * WARP, counts, width, room["totals"], room["longest"]),
            Launch(offsets_kernel, 1, SCAN_THREADS, (room["totals"], segments, room["offsets"]), real),
            ready(pointers_kernel, segments * WARP, counts, width, room["offsets"], turned.pointers),
        ]
        self._placing = [
            ready(
                place_kernel(a_row),
                rows * a_row,
                *(matrix.pointers, matrix.columns, rows, room["ranks"], turned.pointers, keys),
            ),
            ready(
                order_kernel(a_column, 3 if entries > width * WARP else 1),
                width * a_column,
                *(
                    matrix.values,
                    keys,
                    keys.view(np.int32),
                    width,
                    turned.pointers,
                    turned.columns,
                    turned.values,
                ),
            ),
        ]

    def count(self, stream: Any = 0) -> None:
        """Put the counting of the columns on a stream."""
        self._run(self._counting, stream)

    def place(self, stream: Any = 0) -> None:
        """Put what follows `count` on a stream."""
        self._run(self._placing, stream)

    def launch(self, stream: Any = 0) -> None:
        """Put all of it on a stream."""
        self.count(stream)
        self.place(stream)

    def longest_column(self, stream: Any = 0) -> int:
        """Wait for `count` and give the entries of the longest column."""
        if stream:
            stream.synchronize()
        return int(self._longest.copy_to_host()[0])

    def _run(self, launches: list[Launch], stream: Any) -> None:
        for each in launches:
            each(None, None, 0, 0, stream)


def _threads_for(entries: int, lines: int) -> int:
    """Give the threads a row or column: the power of two from the mean length on, at most a warp."""
    mean = -(-entries // max(1, lines))
    return min(WARP, 1 << max(0, mean - 1).bit_length())
