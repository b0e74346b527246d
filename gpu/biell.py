"""The product of BiELL and BiJAD: a warp takes its groups in turn, more threads a row in each."""

import functools
from typing import Any

import numpy as np

from vecsim.formats.biell import GROUPS, BiELL

from .cuda import EVERY_LANE, WARP, cuda, device_function
from .launching import ALPHA, BETA, Launch, X, Y, let_next_begin, wait_for_previous
from .memory import real_type, upload


@device_function
def _plus(total: Any, value: Any, column: Any, x: Any, zero: Any) -> Any:
    """Add one entry. In padding x is read at 0 and dropped, so a NaN there stays out without a branch."""
    stored = column != np.uint32(2**32 - 1)
    place = np.uint64(column) if stored else np.uint64(0)
    factor = x[place] if stored else zero
    return total + value * factor


@functools.cache
def biell_kernel(real: Any) -> Any:
    """Make the kernel: a warp of threads for a warp of rows, four steps of a group ahead."""

    @cuda.jit
    def kernel(values, columns, group_ptr, perm, warps, x, y, alpha, beta):  # type: ignore[no-untyped-def]
        thread = cuda.grid(1)
        warp = thread // WARP
        lane = thread % WARP
        zero = real(0)
        total = zero
        let_next_begin()
        # The same for all lanes of a warp, as is every condition around a shuffle below.
        if warp < warps:
            end = np.int64(group_ptr[np.uint64(warp * GROUPS)]) * WARP
            wait_for_previous()
            for group in range(GROUPS):
                at = end + lane
                begin = end
                end = np.int64(group_ptr[np.uint64(warp * GROUPS + group + 1)]) * WARP
                if begin < end:
                    part = zero
                    while at + 3 * WARP < end:
                        value0, column0 = values[np.uint64(at)], columns[np.uint64(at)]
                        value1, column1 = values[np.uint64(at + WARP)], columns[np.uint64(at + WARP)]
                        value2, column2 = values[np.uint64(at + 2 * WARP)], columns[np.uint64(at + 2 * WARP)]
                        value3, column3 = values[np.uint64(at + 3 * WARP)], columns[np.uint64(at + 3 * WARP)]
                        part = _plus(part, value0, column0, x, zero)
                        part = _plus(part, value1, column1, x, zero)
                        part = _plus(part, value2, column2, x, zero)
                        part = _plus(part, value3, column3, x, zero)
                        at += 4 * WARP
                    while at < end:
                        part = _plus(part, values[np.uint64(at)], columns[np.uint64(at)], x, zero)
                        at += WARP
                    distance = (1 << group) >> 1
                    while distance > 0:
                        part += cuda.shfl_xor_sync(EVERY_LANE, part, distance)
                        distance >>= 1
                    # Row i of the group is summed in lane i 2^group; lane i keeps the row.
                    part = cuda.shfl_sync(EVERY_LANE, part, (lane << group) & (WARP - 1))
                    if lane < (WARP >> group):
                        total += part
            row = perm[np.uint64(warp * WARP + lane)]
            if row != np.uint32(2**32 - 1):
                result = alpha * total
                if beta != zero:
                    result += beta * y[row]
                y[row] = result

    return kernel


class BiELLProduct:
    """A `BiELL` matrix on the device, and the launches of its product."""

    def __init__(self, matrix: BiELL, threads_per_block: int) -> None:
        self.real = real_type(matrix.values)
        self.warps = matrix.warps
        self.arrays = [
            upload(array) for array in (matrix.values, matrix.columns, matrix.group_ptr, matrix.perm)
        ]
        blocks = -(-self.warps * WARP // threads_per_block)
        arguments = [*self.arrays, self.warps, X, Y, ALPHA, BETA]
        kernel = biell_kernel(self.real)
        self.whole = Launch(kernel, blocks, threads_per_block, arguments, self.real) if blocks else None

    @property
    def device_arrays(self) -> list[Any]:
        """All arrays on the device."""
        return self.arrays

    def launch(self, x: Any, y: Any, alpha: Any, beta: Any, stream: Any) -> None:
        """Put ``y = alpha A x + beta y`` on the stream."""
        if self.whole:
            self.whole(x, y, alpha, beta, stream)
