"""The product of the sliced formats with two index widths, for skewed matrices.

What bounds it: each entry is 10 bytes in float64 and 6 in float32 where its column is near (12 and 8 else),
read once at the rate of memory; and x[column] is a gather. On an H200 gathers go at 700 thousand million a
second out of L1, 160 out of L2: 32-byte sectors at 5 TB/s, which the stream of the matrix takes, too. So
values and columns pass L1 by, and hubs, often-read elements of x, are copied side by side to stay in it.
"""

import functools
from typing import Any

import numpy as np

from vecsim.formats.mixed_sliced import MixedSliced

from .cuda import EVERY_LANE, WARP, cuda, device_function
from .launching import ALPHA, BETA, Launch, X, Y, let_next_begin, wait_for_previous
from .loads import STREAMED_IF, VECTOR_IF
from .memory import real_type, upload
from .row_sums import PieceSums

_load_1, _load_2, _load_4 = STREAMED_IF[1], STREAMED_IF[2], STREAMED_IF[4]
_gather = VECTOR_IF[1]


@functools.cache
def hub_copy(real: Any) -> Any:
    """Make the kernel ``copied[0] = 0, copied[r + 1] = x[hubs[r]]``: padding reads the zero."""

    @cuda.jit
    def kernel(hubs, count, x, copied):  # type: ignore[no-untyped-def]
        place = cuda.grid(1)
        let_next_begin()
        wait_for_previous()
        if place < count:
            copied[np.uint64(place + 1)] = x[hubs[np.uint64(place)]]
        elif place == count:
            copied[np.uint64(0)] = real(0)

    return kernel


@device_function
def _plus(total: Any, value: Any, column: Any, base: Any, x: Any) -> Any:
    """Add one entry; padding reads no x, so a NaN there stays out."""
    place = np.int64(base) + np.int64(column) - np.int64(1)
    return total + value * _gather(x, place, column != 0)[0]


@device_function
def _plus_hub(total: Any, value: Any, column: Any, base: Any, x: Any) -> Any:
    """Add one entry; in padding its element of the copied hubs is 0."""
    return total + value * x[column]


def _group(plus: Any, wide: int) -> Any:
    """Make the function that adds `wide` entries, loaded at once; none where they are not `wanted`."""
    if wide == 1:

        @device_function
        def add(total, values, at, columns, column_at, base, x, wanted):  # type: ignore[no-untyped-def]
            value, column = _load_1(values, at, wanted), _load_1(columns, column_at, wanted)
            return plus(total, value[0], column[0], base, x)

    elif wide == 2:

        @device_function
        def add(total, values, at, columns, column_at, base, x, wanted):  # type: ignore[no-untyped-def]
            value, column = _load_2(values, at, wanted), _load_2(columns, column_at, wanted)
            total = plus(total, value[0], column[0], base, x)
            return plus(total, value[1], column[1], base, x)

    else:

        @device_function
        def add(total, values, at, columns, column_at, base, x, wanted):  # type: ignore[no-untyped-def]
            value, column = _load_4(values, at, wanted), _load_4(columns, column_at, wanted)
            total = plus(total, value[0], column[0], base, x)
            total = plus(total, value[1], column[1], base, x)
            total = plus(total, value[2], column[2], base, x)
            return plus(total, value[3], column[3], base, x)

    return add


def _fetched(wide: int) -> tuple[Any, Any]:
    """Make the function that loads a group and its x, and the one that adds it, which may come much later."""
    load = {1: _load_1, 2: _load_2, 4: _load_4}[wide]

    @device_function
    def fetch_1(values, at, columns, column_at, x, wanted):  # type: ignore[no-untyped-def]
        value, column = load(values, at, wanted), load(columns, column_at, wanted)
        factor = _gather(x, np.int64(column[0]) - np.int64(1), column[0] != 0)
        return value, factor

    @device_function
    def fetch_2(values, at, columns, column_at, x, wanted):  # type: ignore[no-untyped-def]
        value, column = load(values, at, wanted), load(columns, column_at, wanted)
        factor0 = _gather(x, np.int64(column[0]) - np.int64(1), column[0] != 0)
        factor1 = _gather(x, np.int64(column[1]) - np.int64(1), column[1] != 0)
        return value, (factor0[0], factor1[0])

    @device_function
    def fetch_4(values, at, columns, column_at, x, wanted):  # type: ignore[no-untyped-def]
        value, column = load(values, at, wanted), load(columns, column_at, wanted)
        factor0 = _gather(x, np.int64(column[0]) - np.int64(1), column[0] != 0)
        factor1 = _gather(x, np.int64(column[1]) - np.int64(1), column[1] != 0)
        factor2 = _gather(x, np.int64(column[2]) - np.int64(1), column[2] != 0)
        factor3 = _gather(x, np.int64(column[3]) - np.int64(1), column[3] != 0)
        return value, (factor0[0], factor1[0], factor2[0], factor3[0])

    @device_function
    def add(total, fetched):  # type: ignore[no-untyped-def]
        value, factor = fetched
        for k in range(wide):
            total += value[k] * factor[k]
        return total

    return {1: fetch_1, 2: fetch_2, 4: fetch_4}[wide], add


def _four_groups(add: Any, stride: int) -> Any:
    """Make the function that adds so many groups, four at a time: their loads are under way together."""

    @device_function
    def run(total, values, at, columns, column_at, base, x, groups):  # type: ignore[no-untyped-def]
        while groups >= 4:
            total = add(total, values, at, columns, column_at, base, x, True)
            total = add(total, values, at + stride, columns, column_at + stride, base, x, True)
            total = add(total, values, at + 2 * stride, columns, column_at + 2 * stride, base, x, True)
            total = add(total, values, at + 3 * stride, columns, column_at + 3 * stride, base, x, True)
            at += 4 * stride
            column_at += 4 * stride
            groups -= 4
        if groups > 0:
            total = add(total, values, at, columns, column_at, base, x, True)
            total = add(total, values, at + stride, columns, column_at + stride, base, x, groups > 1)
            total = add(total, values, at + 2 * stride, columns, column_at + 2 * stride, base, x, groups > 2)
        return total

    return run


def _four_own_groups(add: Any, stride: int) -> Any:
    """Make the function that adds the first `own` of so many groups, four at a time, and loads no others."""

    @device_function
    def run(total, values, at, columns, column_at, base, x, groups, own):  # type: ignore[no-untyped-def]
        while groups > 0:
            total = add(total, values, at, columns, column_at, base, x, own > 0)
            total = add(total, values, at + stride, columns, column_at + stride, base, x, own > 1)
            total = add(total, values, at + 2 * stride, columns, column_at + 2 * stride, base, x, own > 2)
            total = add(total, values, at + 3 * stride, columns, column_at + 3 * stride, base, x, own > 3)
            at += 4 * stride
            column_at += 4 * stride
            groups -= 4
            own -= 4
        return total

    return run


def _all_groups(add: Any, stride: int) -> Any:
    """Make the function of `_four_own_groups` for lanes that own all groups."""
    four = _four_groups(add, stride)

    @device_function
    def run(total, values, at, columns, column_at, base, x, groups, own):  # type: ignore[no-untyped-def]
        return four(total, values, at, columns, column_at, base, x, groups)

    return run


@functools.cache
def mixed_sliced_kernel(real: Any, *, wide: int, hubs: bool, lane_lengths: bool) -> Any:
    """Make the kernel: a warp a slice, four loads of `wide` entries ahead, then a tree over a row's lanes.

    `near_x` is the copy of the hubs, or x itself where near columns count from the base of the slice.
    """
    stride = WARP * wide
    groups_of = _four_own_groups if lane_lengths else _all_groups
    near_groups = groups_of(_group(_plus_hub if hubs else _plus, wide), stride)
    far_groups = groups_of(_group(_plus, wide), stride)
    fetch, add_fetched = _fetched(wide)
    wide_bits = wide.bit_length() - 1
    no_row = np.uint32(2**32 - 1)
    no_base = np.uint32(0)

    @cuda.jit
    def kernel(  # type: ignore[no-untyped-def]
        values,
        near_columns,
        far_columns,
        step_ptr,
        near_ptr,
        lanes_of,
        bases,
        perm,
        near_lengths,
        far_lengths,
        slices,
        rows,
        near_x,
        x,
        y,
        pieces,
        alpha,
        beta,
    ):
        thread = cuda.grid(1)
        number = thread >> 5
        lane = thread & 31
        zero = real(0)
        total = zero
        lanes = np.int32(1)
        row = no_row
        let_next_begin()
        if number < slices:
            lanes = np.int32(lanes_of[np.uint64(number)])
            step, last_step = np.int64(step_ptr[np.uint64(number)]), np.int64(step_ptr[np.uint64(number + 1)])
            near, near_end = np.int64(near_ptr[np.uint64(number)]), np.int64(near_ptr[np.uint64(number + 1)])
            base = no_base if hubs else bases[np.uint64(number)]
            row = perm[np.uint64(thread)]
            at = step * WARP + lane * wide
            near_count = np.int32(near_end - near) >> wide_bits
            far_count = np.int32(last_step - step - (near_end - near)) >> wide_bits
            own_near, own_far = near_count, far_count
            if lane_lengths:
                own_near = (np.int32(near_lengths[np.uint64(thread)]) + (wide - 1)) >> wide_bits
                own_far = (np.int32(far_lengths[np.uint64(thread)]) + (wide - 1)) >> wide_bits
            near_at = near * WARP + lane * wide
            far_at = (step - near) * WARP + lane * wide
            first_far_at = at + near_count * stride
            wait_for_previous()
            # Under way while the near entries are added; most rows have no more far ones.
            first_far = fetch(values, first_far_at, far_columns, far_at, x, own_far > 0)
            total = near_groups(total, values, at, near_columns, near_at, base, near_x, near_count, own_near)
            total = add_fetched(total, first_far)
            at = first_far_at + stride
            far_at += stride
            total = far_groups(total, values, at, far_columns, far_at, no_base, x, far_count - 1, own_far - 1)
        offset = np.int32(lanes >> 1)
        while offset > 0:
            total += cuda.shfl_xor_sync(EVERY_LANE, total, offset)
            offset >>= 1
        if row < rows:
            result = alpha * total
            if beta != zero:
                result += beta * y[row]
            y[row] = result
        elif row != no_row:
            pieces[np.uint64(row) - np.uint64(rows)] = total

    return kernel


_KERNEL_ARRAYS = (
    "values",
    "near_columns",
    "far_columns",
    "step_ptr",
    "near_ptr",
    "lanes",
    "bases",
    "perm",
    "near_lengths",
    "far_lengths",
)
"""In the order of the kernel's first arguments."""


class MixedSlicedProduct:
    """A `MixedSliced` matrix on the device, and the launches of its product.

    One kernel; before it, one that copies the hubs if there are any; behind it, one that sums the pieces of
    rows if any are cut. The copy of the hubs and the pieces belong to the matrix: its products must not
    overlap.
    """

    def __init__(self, matrix: MixedSliced, threads_per_block: int) -> None:
        self.real = real_type(matrix.values)
        self.rows, self.slices = matrix.shape[0], matrix.slices
        hub_count = len(matrix.hubs)
        kernel = mixed_sliced_kernel(
            self.real,
            wide=matrix.slicing.wide,
            hubs=matrix.slicing.hubs,
            lane_lengths=matrix.slicing.lane_lengths,
        )
        self.arrays = {name: upload(getattr(matrix, name)) for name in _KERNEL_ARRAYS}
        self.hubs = upload(matrix.hubs)
        with_hubs = matrix.slicing.hubs
        self.copied = upload(np.zeros(hub_count + 1 if with_hubs else 0, dtype=self.real))
        self.split = PieceSums(
            self.real, matrix.split_rows, matrix.split_ptr[:-1], matrix.split_ptr[1:], threads_per_block
        )
        near_x = self.copied if with_hubs else X
        arguments = [
            *self.arrays.values(),
            self.slices,
            self.rows,
            near_x,
            X,
            Y,
            self.split.pieces,
            ALPHA,
            BETA,
        ]
        blocks = -(-self.slices * WARP // threads_per_block)
        self.launches = [
            *self._copy_of_hubs(hub_count, threads_per_block),
            *([Launch(kernel, blocks, threads_per_block, arguments, self.real)] if blocks else []),
            *self.split.launches,
        ]

    def _copy_of_hubs(self, count: int, threads_per_block: int) -> list[Launch]:
        if not count:
            return []
        blocks = -(-(count + 1) // threads_per_block)
        arguments = [self.hubs, count, X, self.copied]
        return [Launch(hub_copy(self.real), blocks, threads_per_block, arguments, self.real)]

    @property
    def device_arrays(self) -> list[Any]:
        """All arrays on the device."""
        return [*self.arrays.values(), self.hubs, self.copied, *self.split.device_arrays]

    def launch(self, x: Any, y: Any, alpha: Any, beta: Any, stream: Any) -> None:
        """Put ``y = alpha A x + beta y`` on the stream."""
        for each in self.launches:
            each(x, y, alpha, beta, stream)
