"""Where rows and entries go in the sliced formats: virtual rows, their order, steps and bases."""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from gpu.formats.sliced.slicing import NO_ROW, WARP, Slicing
from vecsim.formats.array_types import IntArray, UIntArray
from vecsim.formats.invariants import require
from vecsim.formats.pointers import pointers_of
from vecsim.formats.representable import (
    ALWAYS_MADE_BYTES,
    MAX_BLOCK_GROWTH,
    MAX_GROWTH,
    NotRepresentableError,
    too_large,
)

MOST_STEPS = 2**31 - 1
"""Kernels count steps in 32 bits with a sign."""


@dataclass(frozen=True, eq=False)
class Pieces:
    """Rows cut into pieces of at most this many entries; a row that is whole is one.

    Attributes
    ----------
    row, piece
        Of each piece: its row, and its number there.
    number
        The pieces of each row.
    targets
        Where the sum of each piece goes: its row if that is whole; otherwise the rows, and after them the
        pieces of the others in their order.
    split_rows, split_ptr
        The rows of several pieces, and where the pieces of each begin.
    """

    row: IntArray
    piece: IntArray
    number: IntArray
    targets: IntArray
    split_rows: IntArray
    split_ptr: IntArray

    @classmethod
    def of(cls, lengths: IntArray, cap: int) -> Self:
        """Cut rows of these lengths into pieces of at most `cap` entries."""
        number = np.maximum(1, -(-lengths // cap))
        row = np.repeat(np.arange(len(lengths)), number)
        piece = np.arange(len(row)) - np.repeat(np.cumsum(number) - number, number)
        split_rows = np.flatnonzero(number > 1)
        split_ptr = pointers_of(number[split_rows])
        targets = row.copy()
        targets[number[row] > 1] = len(lengths) + np.arange(split_ptr[-1])
        return cls(row, piece, number, targets, split_rows, split_ptr)


def check_named(perm: UIntArray, rows: int, split_rows: UIntArray, pieces: int) -> None:
    """Raise ValueError unless `perm` names each whole row and each piece once.

    Parameters
    ----------
    perm
        What is named, `NO_ROW` apart.
    rows
        Of the matrix.
    split_rows, pieces
        Rows in pieces, and how many pieces there are.
    """
    named = np.sort(perm[perm != NO_ROW].astype(np.int64))
    whole = np.setdiff1d(np.arange(rows), split_rows)
    expected = np.concatenate((whole, rows + np.arange(pieces)))
    require(np.array_equal(named, expected), "perm must name each whole row and each piece once")


def virtual_rows(indptr: Any, cap: int | None) -> tuple[IntArray, IntArray, IntArray, IntArray, IntArray]:
    """Return first entry, length and target of each virtual row; rows in pieces; where their pieces begin."""
    starts = indptr[:-1].astype(np.int64)
    lengths = np.diff(indptr).astype(np.int64)
    rows = len(lengths)
    if cap is None or lengths.max(initial=0) <= cap:
        return starts, lengths, np.arange(rows), np.zeros(0, np.int64), np.zeros(1, np.int64)
    pieces = Pieces.of(lengths, cap)
    row, begin = pieces.row, pieces.piece * cap
    shortened = np.minimum(cap, lengths[row] - begin)
    return starts[row] + begin, shortened, pieces.targets, pieces.split_rows, pieces.split_ptr


def single_slice_height(rows: int) -> int:
    """Return the height of a slice of all rows: whole warps."""
    return max(WARP, -(-rows // WARP) * WARP)


def row_order(lengths: IntArray, window: int | None) -> tuple[IntArray, bool]:
    """Return the order of the rows, and whether it is the one they are in."""
    from gpu.formats.sliced.filling import sorted_by_falling_length

    rows = len(lengths)
    in_order = np.arange(rows)
    window = rows if window is None else min(window, rows)
    if window <= 1:
        return in_order, True
    order: IntArray = sorted_by_falling_length(lengths, window)
    return order, bool((order == in_order).all())


def first_steps(lengths: IntArray, slices: int, height: int, group: int) -> IntArray:
    """Return the first step of each slice of rows of these lengths, then the number of steps.

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
    """Return row pointers and columns of the blocks that have an entry; of the entries for block 1."""
    from gpu.formats.sliced.filling import block_columns, count_blocks

    if block == 1:
        return indptr, indices
    pointers = pointers_of(count_blocks(indptr, indices, block))
    return pointers, block_columns(indptr, indices, block, pointers)


def elements(lengths: IntArray, rows: int, block: int) -> int:
    """Return the elements of full blocks in the rows that there are, by the blocks of each row of blocks."""
    heights = np.minimum(block, rows - np.arange(len(lengths)) * block)
    return int((lengths * heights).sum()) * block


def place_bytes(value_bytes: int, slicing: Slicing, masked: bool) -> int:
    """Return the bytes of a place for an entry: of its values, its column and its mask."""
    return value_bytes * slicing.block**2 + (slicing.index_bits or 0) // 8 + 2 * masked


def most_bytes(crs_bytes: int, block: int) -> int:
    """Return the bytes that places may take of a matrix of this many in CRS."""
    return max(ALWAYS_MADE_BYTES, (MAX_GROWTH if block == 1 else MAX_BLOCK_GROWTH) * crs_bytes)


def refuse_steps(steps: int) -> None:
    """Raise NotRepresentableError where slices have more steps than can be counted."""
    if steps > MOST_STEPS:
        raise NotRepresentableError(
            f"the slices have {steps} steps, at most {MOST_STEPS} are possible",
            "use a larger slice_height, more threads_per_row or a larger wide",
        )


def refuse_growth(csr: Any, entries: int, slicing: Slicing, masked: bool, most: int | None = None) -> None:
    """Raise NotRepresentableError where this many places take too much.

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
    most
        Bytes that they may take; `most_bytes` if None.
    """
    result = entries * place_bytes(csr.data.dtype.itemsize, slicing, masked)
    crs = csr.nnz * (csr.data.dtype.itemsize + 4) + 4 * (csr.shape[0] + 1)
    if result > (most_bytes(crs, slicing.block) if most is None else most):
        growth = MAX_GROWTH if slicing.block == 1 else MAX_BLOCK_GROWTH
        growth = growth if most is None else most // crs
        less = "a smaller block" if slicing.block > 1 else "a row_cap"
        instead = f"use a smaller slice_height, a larger sorting_window, {less}, or CRS"
        raise too_large("padding", result, crs, growth, instead)


def with_index_bits(
    slicing: Slicing,
    order: IntArray,
    starts: IntArray,
    lengths: IntArray,
    indices: Any,
    first_step: IntArray,
    height: int,
) -> tuple[Slicing, IntArray, UIntArray]:
    """Return the slicing with 16 or 32 index bits, the base column of each step, and the stored bases.

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
    """Return the base column of each step, and the stored bases."""
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
            f"columns of one {'step' if per_step else 'slice'} are up to {spread} apart; 16-bit offsets "
            "reach at most 65534",
            f"use {'' if per_step else 'base_per_step or '}index_bits 32",
        )
    if per_step:
        return lowest, lowest.astype(np.uint32)
    return lowest, slice_low.astype(np.uint32) if len(lowest) else np.zeros(len(steps_of_slice), np.uint32)
