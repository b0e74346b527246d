"""The product of the sliced formats: one kernel template for all arrangements."""

import functools
from typing import Any

import numpy as np

from vecsim.formats import Sliced

from .cuda import EVERY_LANE, WARP, cuda, device_function
from .loads import LOADS
from .memory import real_type, upload
from .row_sums import piece_sums

_load_1, _load_2, _load_4 = LOADS[1], LOADS[2], LOADS[4]


@device_function
def _plus(total: Any, value: Any, column: Any, base: Any, padding: Any, x: Any, zero: Any) -> Any:
    """Add one entry. In padding x is read at 0 and dropped, so a NaN there stays out without a branch."""
    stored = column != padding
    place = np.uint64(base) + np.uint64(column)
    if not stored:
        place = np.uint64(0)
    factor = x[place]
    if not stored:
        factor = zero
    return total + value * factor


@device_function
def _plus_1(
    total: Any, values: Any, columns: Any, at: Any, base: Any, padding: Any, x: Any, zero: Any
) -> Any:
    value, column = _load_1(values, at), _load_1(columns, at)
    return _plus(total, value[0], column[0], base, padding, x, zero)


@device_function
def _plus_2(
    total: Any, values: Any, columns: Any, at: Any, base: Any, padding: Any, x: Any, zero: Any
) -> Any:
    value, column = _load_2(values, at), _load_2(columns, at)
    total = _plus(total, value[0], column[0], base, padding, x, zero)
    return _plus(total, value[1], column[1], base, padding, x, zero)


@device_function
def _plus_4(
    total: Any, values: Any, columns: Any, at: Any, base: Any, padding: Any, x: Any, zero: Any
) -> Any:
    value, column = _load_4(values, at), _load_4(columns, at)
    total = _plus(total, value[0], column[0], base, padding, x, zero)
    total = _plus(total, value[1], column[1], base, padding, x, zero)
    total = _plus(total, value[2], column[2], base, padding, x, zero)
    return _plus(total, value[3], column[3], base, padding, x, zero)


_PLUS = {1: _plus_1, 2: _plus_2, 4: _plus_4}


@functools.cache
def sliced_kernel(
    real: Any,
    *,
    height: int | None,
    lanes: int,
    wide: int,
    index_bits: int,
    base_per_step: bool,
    row_lengths: bool,
    permuted: bool,
) -> Any:
    """Make the kernel of one arrangement; `height` None is a single slice.

    `lanes` threads a row, each loading `wide` entries at once, four steps ahead; then a tree over the lanes.
    """
    plus = _PLUS[wide]
    group = lanes * wide
    padding = np.uint16(2**16 - 1) if index_bits == 16 else np.uint32(2**32 - 1)
    no_row = 2**32 - 1
    one_base = index_bits == 16 and not base_per_step
    no_base = np.uint32(0)

    @cuda.jit
    def kernel(  # type: ignore[no-untyped-def]
        values, columns, bases, slice_ptr, lengths, perm, positions, rows, x, y, pieces, alpha, beta
    ):
        thread = cuda.grid(1)
        position = thread // lanes
        lane = thread % lanes
        zero = real(0)
        total = zero
        if position < positions:
            if height is None:
                number, within, in_step = 0, position, positions * group
            else:
                number = position // height
                within = position - number * height
                in_step = height * group
            step = np.int64(slice_ptr[np.uint64(number)])
            if row_lengths:
                end = step + (np.int64(lengths[np.uint64(position)]) + (group - 1)) // group
            else:
                end = np.int64(slice_ptr[np.uint64(number + 1)])
            at = step * in_step + within * group + lane * wide
            base = bases[np.uint64(number)] if one_base else no_base
            while step + 4 <= end:
                if base_per_step:
                    base0, base1 = bases[np.uint64(step)], bases[np.uint64(step + 1)]
                    base2, base3 = bases[np.uint64(step + 2)], bases[np.uint64(step + 3)]
                else:
                    base0, base1, base2, base3 = base, base, base, base
                total = plus(total, values, columns, at, base0, padding, x, zero)
                total = plus(total, values, columns, at + in_step, base1, padding, x, zero)
                total = plus(total, values, columns, at + 2 * in_step, base2, padding, x, zero)
                total = plus(total, values, columns, at + 3 * in_step, base3, padding, x, zero)
                at += 4 * in_step
                step += 4
            while step < end:
                if base_per_step:
                    base = bases[np.uint64(step)]
                total = plus(total, values, columns, at, base, padding, x, zero)
                at += in_step
                step += 1
        offset = lanes // 2
        while offset > 0:
            total += cuda.shfl_xor_sync(EVERY_LANE, total, offset)
            offset //= 2
        if lane == 0 and position < positions:
            row = np.int64(perm[np.uint64(position)]) if permuted else position
            if row < rows:
                result = alpha * total
                if beta != zero:
                    result += beta * y[np.uint64(row)]
                y[np.uint64(row)] = result
            elif permuted and row != no_row:
                pieces[np.uint64(row - rows)] = total

    return kernel


class SlicedProduct:
    """A `Sliced` matrix on the device, and the launches of its product."""

    def __init__(self, matrix: Sliced, threads_per_block: int) -> None:
        slicing = matrix.slicing
        self.real = real_type(matrix.values)
        self.rows = matrix.shape[0]
        self.positions = matrix.slices * matrix.slice_height
        self.threads = threads_per_block
        self.blocks = -(-self.positions * slicing.lanes // threads_per_block)
        self.split_blocks = -(-len(matrix.split_rows) * WARP // threads_per_block)
        self.kernel = sliced_kernel(
            self.real,
            height=None if slicing.slice_height is None else matrix.slice_height,
            lanes=slicing.lanes,
            wide=slicing.wide,
            index_bits=slicing.index_bits,
            base_per_step=slicing.base_per_step,
            row_lengths=slicing.row_lengths,
            permuted=len(matrix.perm) > 0,
        )
        names = ("values", "columns", "bases", "slice_ptr", "lengths", "perm")
        self.arrays = {name: upload(getattr(matrix, name)) for name in names}
        self.split = {
            "rows": upload(matrix.split_rows),
            "first": upload(matrix.split_ptr[:-1]),
            "last": upload(matrix.split_ptr[1:]),
        }
        self.pieces = upload(np.zeros(int(matrix.split_ptr[-1]), dtype=self.real))

    @property
    def device_arrays(self) -> list[Any]:
        """All arrays on the device."""
        return [*self.arrays.values(), *self.split.values(), self.pieces]

    def launch(self, x: Any, y: Any, alpha: Any, beta: Any, stream: Any) -> None:
        """Put ``y = alpha A x + beta y`` on the stream."""
        if self.blocks:
            self.kernel[self.blocks, self.threads, stream](
                *self.arrays.values(), self.positions, self.rows, x, y, self.pieces, alpha, beta
            )
        if self.split_blocks:
            piece_sums(self.real)[self.split_blocks, self.threads, stream](
                self.pieces, self.split["rows"], self.split["first"], self.split["last"], y, alpha, beta
            )
