"""The product of BiELL and BiJAD: a warp takes its groups in turn, more threads a row in each."""

import functools
from typing import Any

import numpy as np

from gpu.formats.biell.container import GROUPS, BiELL
from gpu.kernel_parts.batched_loads import batches
from gpu.kernel_parts.loads import EARLY_IF, STREAMED_IF, VECTOR_IF
from gpu.kernel_parts.row_results import write_row
from gpu.kernel_parts.warps import sum_of_neighbours
from gpu.runtime.cuda import EVERY_LANE, WARP, cuda, device_function
from gpu.runtime.kernel_sequence import let_next_begin, wait_for_previous
from gpu.runtime.launches import ALPHA, BETA, LaunchedInTurn, X, Y, launches_of
from gpu.runtime.memory import real_type, upload

STEPS_AT_ONCE = 4
"""Steps of a group whose loads are running at once."""

_word_if, _x_if = EARLY_IF[1], VECTOR_IF[1]


def _fetch_by(load: Any) -> Any:
    """Make the function that loads an entry of this lane, and nothing after the end of its group."""

    @device_function
    def fetch(at: Any, constant: Any) -> Any:
        values, columns, _, end = constant
        live = at < end
        # Padding has the highest column.
        return (load(values, at, live)[0], load(columns, at, live)[0], live), at + WARP

    return fetch


@device_function
def _gather(fetched: Any, carry: Any, constant: Any) -> Any:
    _, column, live = fetched
    return _x_if(constant[2], column, live & (column != np.uint32(2**32 - 1)))[0], carry


@device_function
def _add(total: Any, fetched: Any, factor: Any) -> Any:
    return total + fetched[0] * factor


@functools.cache
def biell_kernel(real: Any) -> Any:
    """Make the kernel: a warp of threads for a warp of rows, four steps of a group ahead."""
    begin, go_on, finish = batches(
        _fetch_by(STREAMED_IF[1]), _gather, _add, STEPS_AT_ONCE, first=_fetch_by(EARLY_IF[1])
    )

    @cuda.jit
    def kernel(values, columns, group_ptr, perm, warps, x, y, alpha, beta):
        """Sum 32 rows a warp.

        Parameters
        ----------
        values, columns
            real and uint32, one a place of each group, padding included; padding has column
            2^32 - 1.
        group_ptr
            uint32 of 6 a warp and one: where each group begins, in units of 32 places.
        perm
            uint32 of 32 a warp: the row at each place, 2^32 - 1 where there is none.
        warps
            Their number.
        x
            real of N.
        y
            real of M.
        alpha, beta
            Scalars of the real type; y is not read where beta is 0.
        """
        thread = cuda.grid(1)
        warp = thread // WARP
        lane = thread % WARP
        zero = real(0)
        total = zero
        let_next_begin()
        # The same for all lanes of a warp, as is every condition around a shuffle below.
        if warp < warps:
            # All the warp needs to know of its groups and rows comes in two loads.
            pointer = np.int32(_word_if(group_ptr, warp * GROUPS + lane, lane <= GROUPS)[0])
            row = _word_if(perm, warp * WARP + lane, True)[0]
            end = np.int64(np.uint32(cuda.shfl_sync(EVERY_LANE, pointer, 0))) * WARP
            for group in range(GROUPS):
                at = end + lane
                begun = end
                end = np.int64(np.uint32(cuda.shfl_sync(EVERY_LANE, pointer, group + 1))) * WARP
                if begun < end:
                    part = zero
                    constant = (values, columns, x, end)
                    loaded, at, carry = begin(at, 0, constant)
                    while at < end:
                        loaded, at, carry, part = go_on(loaded, at, carry, part, constant)
                    part = finish(loaded, part)
                    part = sum_of_neighbours(part, np.int32(1 << group))
                    # Row i of the group is summed in lane i 2^group; lane i keeps the row.
                    part = cuda.shfl_sync(EVERY_LANE, part, (lane << group) & (WARP - 1))
                    if lane < (WARP >> group):
                        total += part
            # Nobody has, if the warp has no entries.
            wait_for_previous()
            if row != np.uint32(2**32 - 1):
                write_row(y, row, total, alpha, beta, zero)

    return kernel


class BiELLProduct(LaunchedInTurn):
    """A `BiELL` matrix on the device, and the launches of its product."""

    def __init__(self, matrix: BiELL, threads_per_block: int) -> None:
        self.real = real_type(matrix.values)
        self.device_arrays = [
            upload(array) for array in (matrix.values, matrix.columns, matrix.group_ptr, matrix.perm)
        ]
        blocks = -(-matrix.warps * WARP // threads_per_block)
        arguments = [*self.device_arrays, matrix.warps, X, Y, ALPHA, BETA]
        kernel = biell_kernel(self.real)
        self.launches = launches_of(kernel, blocks, threads_per_block, arguments, self.real)
