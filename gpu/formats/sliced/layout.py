"""Where rows and entries go in the sliced formats: virtual rows, their order, steps and bases."""

from dataclasses import replace
from typing import Any

import numpy as np

from gpu.formats.sliced.slicing import WARP, Slicing
from vecsim.formats.array_types import IntArray, UIntArray
from vecsim.formats.representable import (
    ALWAYS_MADE_BYTES,
    MAX_BLOCK_GROWTH,
    MAX_GROWTH,
    NotRepresentableError,
    too_large,
)

MOST_STEPS = 2**31 - 1
"""Kernels count steps in 32 bits with a sign."""


def virtual_rows(indptr: Any, cap: int | None) -> tuple[IntArray, IntArray, IntArray, IntArray, IntArray]:
    """Give first entry, length and target of each virtual row; rows in pieces; where their pieces begin."""
    starts = indptr[:-1].astype(np.int64)
    lengths = np.diff(indptr).astype(np.int64)
    rows = len(lengths)
    if cap is None or lengths.max(initial=0) <= cap:
        return starts, lengths, np.arange(rows), np.zeros(0, np.int64), np.zeros(1, np.int64)
    pieces = np.maximum(1, -(-lengths // cap))
    row = np.repeat(np.arange(rows), pieces)
    piece = np.arange(len(row)) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    split_rows = np.flatnonzero(pieces > 1)
    split_ptr = np.concatenate(([0], np.cumsum(pieces[split_rows])))
    targets = row.copy()
    targets[pieces[row] > 1] = rows + np.arange(split_ptr[-1])
    return (
        starts[row] + piece * cap,
        np.minimum(cap, lengths[row] - piece * cap),
        targets,
        split_rows,
        split_ptr,
    )


def pointers_of(sizes: IntArray) -> IntArray:
    """Give where parts of these sizes begin, one behind the other, then the end of the last."""
    return np.concatenate(([0], np.cumsum(sizes)))


def single_slice_height(rows: int) -> int:
    """Give the height of a slice of all rows: whole warps."""
    return max(WARP, -(-rows // WARP) * WARP)


def row_order(lengths: IntArray, window: int | None) -> tuple[IntArray, bool]:
    """Give the order of the rows, and whether it is the one they are in."""
    from gpu.formats.sliced.filling import sorted_by_falling_length

    rows = len(lengths)
    in_order = np.arange(rows)
    window = rows if window is None else min(window, rows)
    if window <= 1:
        return in_order, True
    order: IntArray = sorted_by_falling_length(lengths, window)
    return order, bool((order == in_order).all())


def first_steps(lengths: IntArray, slices: int, height: int, group: int) -> IntArray:
    """Give the first step of each slice of rows of these lengths, then the number of steps.

    Parameters
    ----------
    lengths
        int64: entries of each row, in the order of the slices.
    slices
        S.
    height, group
        Rows of a slice, and entries of a row in a step.
    """
    padded = np.zeros(slices * height, dtype=np.int64)
    padded[: len(lengths)] = lengths
    widths = padded.reshape(slices, height).max(axis=1, initial=0)
    return pointers_of(-(-widths // group))


def pattern_of_blocks(indptr: Any, indices: Any, block: int) -> tuple[Any, Any]:
    """Give row pointers and columns of the blocks that have an entry; of the entries for block 1."""
    from gpu.formats.sliced.block_filling import block_columns, count_blocks

    if block == 1:
        return indptr, indices
    pointers = pointers_of(count_blocks(indptr, indices, block))
    return pointers, block_columns(indptr, indices, block, pointers)


def elements(lengths: IntArray, rows: int, block: int) -> int:
    """Give the elements of full blocks in the rows that there are, by the blocks of each row of blocks."""
    heights = np.minimum(block, rows - np.arange(len(lengths)) * block)
    return int((lengths * heights).sum()) * block


def place_bytes(value_bytes: int, slicing: Slicing, masked: bool) -> int:
    """Give the bytes of a place for an entry: of its values, its column and its mask."""
    return value_bytes * slicing.block**2 + (slicing.index_bits or 0) // 8 + 2 * masked


def most_bytes(crs_bytes: int, block: int) -> int:
    """Give the bytes that places may take of a matrix of so many in CRS."""
    return max(ALWAYS_MADE_BYTES, (MAX_GROWTH if block == 1 else MAX_BLOCK_GROWTH) * crs_bytes)


def refuse_steps(steps: int) -> None:
    """Raise NotRepresentableError where slices have more steps than can be counted."""
    if steps > MOST_STEPS:
        raise NotRepresentableError(
            f"the slices have {steps} steps, at most {MOST_STEPS} are possible",
            "use a larger slice_height, more threads_per_row or a larger wide",
        )


def refuse_growth(csr: Any, entries: int, slicing: Slicing, masked: bool) -> None:
    """Raise NotRepresentableError where so many places take too much.

    Parameters
    ----------
    csr
        The matrix, sorted SciPy CSR.
    entries
        Places for entries, padding included.
    slicing
        How they are arranged; its `index_bits` are chosen.
    masked
        Whether blocks have masks.
    """
    made = entries * place_bytes(csr.data.dtype.itemsize, slicing, masked)
    crs = csr.nnz * (csr.data.dtype.itemsize + 4) + 4 * (csr.shape[0] + 1)
    if made > most_bytes(crs, slicing.block):
        growth = MAX_GROWTH if slicing.block == 1 else MAX_BLOCK_GROWTH
        less = "a smaller block" if slicing.block > 1 else "a row_cap"
        instead = f"use a smaller slice_height, a larger sorting_window, {less}, or CRS"
        raise too_large("padding", made, crs, growth, instead)


def with_index_bits(
    slicing: Slicing,
    order: IntArray,
    starts: IntArray,
    lengths: IntArray,
    indices: Any,
    first_step: IntArray,
    height: int,
) -> tuple[Slicing, IntArray, UIntArray]:
    """Give the slicing with 16 or 32 index bits, the base column of each step, and the stored bases.

    Parameters
    ----------
    slicing
        The arrangement, as it was asked for.
    order, starts, lengths, indices, first_step, height
        As for `gpu.formats.sliced.filling.column_bounds`.
    """
    from gpu.formats.sliced.filling import column_bounds

    if slicing.index_bits != 32:
        lowest, highest = column_bounds(order, starts, lengths, indices, first_step, height, slicing.group)
        try:
            step_base, bases = _bases(lowest, highest, first_step, slicing.base_per_step)
        except NotRepresentableError:
            if slicing.index_bits == 16:
                raise
        else:
            return replace(slicing, index_bits=16), step_base, bases
    return replace(slicing, index_bits=32), np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.uint32)


def _bases(
    lowest: IntArray, highest: IntArray, first_step: IntArray, per_step: bool
) -> tuple[IntArray, UIntArray]:
    """Give the base column of each step, and the stored bases."""
    steps_of_slice = np.diff(first_step)
    if not per_step and len(lowest):
        filled = np.flatnonzero(steps_of_slice)
        slice_low, slice_high = (
            np.zeros(len(steps_of_slice), np.int64),
            np.zeros(len(steps_of_slice), np.int64),
        )
        slice_low[filled] = np.minimum.reduceat(lowest, first_step[filled])
        slice_high[filled] = np.maximum.reduceat(highest, first_step[filled])
        lowest = np.repeat(slice_low, steps_of_slice)
        highest = np.repeat(slice_high, steps_of_slice)
    spread = int((highest - lowest).max(initial=0))
    # 65535 marks padding.
    if spread >= 2**16 - 1:
        raise NotRepresentableError(
            f"columns of one {'step' if per_step else 'slice'} lie up to {spread} apart, 16-bit offsets "
            "reach 65534",
            f"use {'' if per_step else 'base_per_step or '}index_bits 32",
        )
    if per_step:
        return lowest, lowest.astype(np.uint32)
    return lowest, slice_low.astype(np.uint32) if len(lowest) else np.zeros(len(steps_of_slice), np.uint32)
