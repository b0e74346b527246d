"""`ActiveHBP` of a matrix that is on the device in CRS: segments, slots, their order, groups, entries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gpu.hbp.active import ACTIVE_BLOCK_ROWS, LEAST_ENTRIES, LONGEST_SLOT, ActiveHBP
from gpu.hbp.building import slots as kernels
from gpu.hbp.building.blocks import hash_of_counts
from gpu.hbp.container import BLOCK_COLUMNS
from gpu.hbp.hashing import RowHash
from gpu.runtime.cuda import WARP
from gpu.runtime.launches import launch
from gpu.runtime.memory import all_or_nothing, empty, part_of, upload, zeros
from gpu.sorting.prefix_sums import prefix_sums
from gpu.sorting.radix_sort import sort_pairs
from gpu.sorting.runs import runs_of_equal
from gpu.sums.device_csr import DeviceCsr


@dataclass(frozen=True, eq=False)
class _Slots:
    """The slots of a matrix row by row, on the device, and its rest, whose values stand after the others."""

    number: int
    begins: Any
    lengths: Any
    rows: Any
    blocks: Any
    rest_pointers: Any
    rest_columns: Any
    values: Any


def active_on_device(
    matrix: DeviceCsr,
    *,
    block_rows: int = ACTIVE_BLOCK_ROWS,
    block_columns: int = BLOCK_COLUMNS,
    least: int = LEAST_ENTRIES,
    longest: int = LONGEST_SLOT,
    row_hash: RowHash | None = None,
    stream: Any = 0,
) -> ActiveHBP:
    """Convert a matrix on the device.

    Parameters
    ----------
    matrix
        In CRS, with at least one entry.
    block_rows, block_columns, least, longest
        As of `ActiveHBP.from_scipy`, which the caller has to keep to.
    row_hash
        What puts slots in order; None: chosen of all of them.
    stream
        0, or an object of Numba or cuda.core.

    Returns
    -------
    ActiveHBP
        Equal to the host's, its arrays on the device, but for empty ones; `gpu.hbp.active_product` takes it
        as it is.

    Raises
    ------
    OutOfDeviceMemoryError
        The device has too little memory.
    """
    down = max(1, -(-matrix.shape[0] // block_rows))
    result = _slots(matrix, (block_rows, block_columns, down), (least, longest), stream)
    chosen = row_hash or hash_of_counts(result.lengths, result.number, block_rows, stream)
    bits = int(max(1, 9 * chosen.b + chosen.d)).bit_length()
    keys, numbers = result.blocks, empty(result.number, np.int32)
    row_hash_numbers = (chosen.a, chosen.b, chosen.c, chosen.d)
    arguments: tuple[Any, ...] = (result.lengths, result.number, *row_hash_numbers, bits, keys, numbers)
    launch(kernels.key_kernel, result.number, arguments, stream)
    across = -(-matrix.shape[1] // block_columns)
    used = (1 << (down * across << bits).bit_length()) - 1
    keys, numbers = sort_pairs(keys, numbers, result.number, used, stream)
    groups, group_slots, group_columns = _groups(keys, result.number, bits, down, stream)
    lengths, totals = all_or_nothing(lambda: (empty(result.number, np.uint8), empty(groups, np.int32)))
    arguments = (numbers, result.lengths, group_slots, groups, lengths, totals)
    launch(kernels.group_entries_kernel, groups * WARP, arguments, stream)
    begins, entries = prefix_sums(totals, groups, stream)
    columns = empty(entries, np.uint16)
    launch(
        kernels.fill_kernel,
        groups * WARP,
        (
            *(matrix.columns, matrix.values, numbers, result.begins, result.lengths, group_slots, begins),
            *(groups, block_columns, columns, result.values),
        ),
        stream,
    )
    slot_rows, row_places = _rows(result, stream)
    if stream:
        stream.synchronize()
    return ActiveHBP(
        matrix.shape,
        block_rows,
        block_columns,
        chosen,
        part_of(columns, 0, entries),
        result.values,
        part_of(lengths, 0, result.number),
        part_of(numbers, 0, result.number),
        group_slots,
        begins,
        part_of(group_columns, 0, groups),
        slot_rows,
        row_places,
        result.rest_pointers,
        part_of(result.rest_columns, 0, matrix.nnz - entries),
    )


def _slots(matrix: DeviceCsr, sizes: tuple[int, int, int], limits: tuple[int, int], stream: Any) -> _Slots:
    """Cut the matrix into segments, and these into slots; what is too short is the rest."""
    rows, entries = matrix.shape[0], matrix.nnz
    marks = empty(entries, np.int32)
    arguments: tuple[Any, ...] = (matrix.pointers, matrix.columns, rows, entries, sizes[1], marks)
    launch(kernels.mark_kernel, entries, arguments, stream)
    numbers, segments = prefix_sums(marks, entries, stream)
    begins, counts, rests = all_or_nothing(
        lambda: (empty(segments + 1, np.int32), empty(segments, np.int32), empty(segments, np.int32))
    )
    launch(kernels.begin_kernel, entries, (marks, numbers, entries, segments, begins), stream)
    del marks, numbers
    row_rests = zeros(rows, np.int32)
    arguments = (matrix.pointers, rows, begins, segments, *limits, counts, rests, row_rests)
    launch(kernels.weigh_kernel, segments, arguments, stream)
    first_slots, number = prefix_sums(counts, segments, stream)
    first_rests, rest = prefix_sums(rests, segments, stream)
    pointers, _ = prefix_sums(row_rests, rows, stream)
    slot_begins, lengths, slot_rows, blocks, rest_columns, values = all_or_nothing(
        lambda: (
            *(empty(number, dtype) for dtype in (np.int32, np.int32, np.int64, np.int64)),
            *(empty(rest, np.int32), empty(entries, matrix.values.dtype)),
        )
    )
    # Of an empty part no element is written.
    rest_values = values[entries - rest :] if rest else values
    launch(
        kernels.emit_kernel,
        segments,
        (
            *(matrix.pointers, matrix.columns, matrix.values, rows, begins, segments, *sizes),
            *(first_slots, first_rests, counts, slot_begins, lengths, slot_rows, blocks),
            *(rest_columns, rest_values),
        ),
        stream,
    )
    return _Slots(number, slot_begins, lengths, slot_rows, blocks, pointers, rest_columns, values)


def _groups(keys: Any, slots: int, bits: int, down: int, stream: Any) -> tuple[int, Any, Any]:
    """Cut the sorted slots of each block into groups of 32."""
    if not slots:
        return 0, upload(np.zeros(1, np.int32)), empty(0, np.int32)
    own, firsts, blocks = runs_of_equal(keys, slots, bits, stream)
    counts = empty(blocks, np.int32)
    launch(kernels.block_groups_kernel, blocks, (firsts, blocks, counts), stream)
    first_groups, groups = prefix_sums(counts, blocks, stream)
    group_slots, columns = all_or_nothing(lambda: (empty(groups + 1, np.int32), empty(groups, np.int32)))
    arguments = (own, firsts, blocks, first_groups, groups, down, group_slots, columns)
    launch(kernels.group_kernel, groups, arguments, stream)
    return groups, group_slots, columns


def _rows(result: _Slots, stream: Any) -> tuple[Any, Any]:
    """Return the rows with slots, and where the sums of each begin."""
    if not result.number:
        return np.empty(0, np.int32), np.zeros(1, np.int32)
    own, firsts, active = runs_of_equal(result.rows, result.number, 0, stream)
    rows = empty(active, np.int32)
    launch(kernels.narrow_kernel, active, (own, active, rows), stream)
    return rows, firsts
