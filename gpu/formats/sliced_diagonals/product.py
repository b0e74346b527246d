"""The product of sliced diagonals: a warp a slice, a thread a row."""

import functools
from functools import partial
from typing import Any

import numpy as np

from gpu.formats.sliced_diagonals.container import SlicedDiagonals
from gpu.kernel_parts.batched_loads import batches
from gpu.kernel_parts.loads import LOADS_IF, STREAMED_IF
from gpu.kernel_parts.several_vectors import ONE_VECTOR, MultipliesSeveral, Share
from gpu.runtime.cuda import WARP, cuda, device_function
from gpu.runtime.kernel_sequence import let_next_begin
from gpu.runtime.launches import X, Y
from gpu.runtime.memory import real_type, upload

WARP_BITS = 5
MANY_SLICES = 2**14
"""Where slices are fewer, an H200 has room for more warps: the time is that of one warp."""
FEW_STEPS = 8
"""Steps that one batch holds."""

_load_if, _step_if, _value_if = LOADS_IF[1], LOADS_IF[2], STREAMED_IF[1]


@device_function
def _fetch(number: Any, constant: Any) -> Any:
    """Load a step; one past the end is a diagonal that no row has."""
    return _step_if(constant[0], 2 * number, number < constant[1]), np.int32(number + 1)


def _masked(share: Share, steps: int) -> Any:
    """Make the sum over diagonals that some rows of a slice have, in batches of this many steps."""
    gather_x, multiply_add = share.gather(), share.multiply_add()

    @device_function
    def gather(fetched: Any, at: Any, constant: Any) -> Any:
        """Load value and element of x, in the rows that have the diagonal; `at` is where its values begin."""
        _, _, values, x, row, bit, below = constant
        offset, mask = fetched
        has = (mask & bit) != 0
        value = _value_if(values, np.int32(at + cuda.popc(np.uint32(mask & below))), has)
        factor = gather_x(x, np.int32(row + offset), has)
        return (value[0], factor), np.int32(at + cuda.popc(np.uint32(mask)))

    @device_function
    def add(total: Any, fetched: Any, gathered: Any) -> Any:
        return multiply_add(total, gathered[0], gathered[1])

    return batches(_fetch, gather, add, steps)


@device_function
def _fetch_full(state: Any, constant: Any) -> Any:
    """Load the diagonal and the value of a step that all rows have; nothing past the end."""
    number, at = state
    live = number < constant[1]
    offset = _load_if(constant[0], 2 * number, live)
    value = _value_if(constant[2], at, live)
    return (offset[0], value[0], live), (np.int32(number + 1), at + WARP)


def _full(share: Share, steps: int) -> Any:
    """Make the sum over diagonals that all rows of a slice have, in batches of this many steps."""
    gather_x, multiply_add = share.gather(), share.multiply_add()

    @device_function
    def gather(fetched: Any, carry: Any, constant: Any) -> Any:
        return gather_x(constant[3], np.int32(constant[4] + fetched[0]), fetched[2]), carry

    @device_function
    def add(total: Any, fetched: Any, gathered: Any) -> Any:
        return multiply_add(total, fetched[1], gathered)

    return batches(_fetch_full, gather, add, steps)


@device_function
def _place(first_step: Any, last_step: Any, value_ptr: Any, number: Any, exists: Any) -> Any:
    """Load where the steps and the values of a slice begin and end; all 0 if there is none."""
    return (
        np.int32(_load_if(first_step, number, exists)[0]),
        np.int32(_load_if(last_step, number, exists)[0]),
        np.int32(_load_if(value_ptr, number, exists)[0]),
        np.int32(_load_if(value_ptr, number + 1, exists)[0]),
    )


@functools.cache
def diagonal_kernel(
    real: Any, *, steps_at_once: int = FEW_STEPS, rounds: int = 1, share: Share = ONE_VECTOR
) -> Any:
    """Make the kernel y = alpha A x + beta y.

    It moves the values, x and y once, 8 bytes a step that differs and 12 a slice. Which value a thread reads
    follows from how many rows before its own have the diagonal; a thread without it reads nothing. Slices
    whose rows have all their diagonals, the most of a stencil, need no such count.

    The loads of `steps_at_once` steps are running at once. A warp takes `rounds` slices one after the
    other; it knows where the next one lies before it needs it.

    Parameters
    ----------
    real
        np.float32 or np.float64.
    steps_at_once, rounds
        With one vector; with several, a warp takes one slice.
    share
        What a thread has of the vectors.
    """
    one, parts = share.one, share.parts
    rounds = rounds if one else 1
    begin, go_on, finish = _masked(share, share.at_once(steps_at_once))
    begin_full, go_on_full, finish_full = _full(share, share.at_once(steps_at_once))
    zeros, source_of, write = share.zeros(real), share.source(), share.write()

    @cuda.jit
    def kernel(
        values,
        steps,
        first_step,
        last_step,
        value_ptr,
        slices,
        rows,
        x,
        y,
        alpha,
        beta,
        count,
        first_column,
        length,
    ):
        """Sum a row a thread, slice after slice.

        Parameters
        ----------
        values
            real of nnz: those of a step by row, those of a slice by step.
        steps
            int32 of 2 a step: its diagonal, and a bit for each row of the slice that has
            it.
        first_step, last_step, value_ptr
            uint32 of S, S and S + 1: steps of each slice, and where its values begin.
        slices, rows
            S and M.
        x
            real of N.
        y
            real of M.
        alpha, beta
            Scalars of the real type; y is not read where beta is 0.
        count, first_column, length
            As `ONE_COLUMN` of `gpu.kernel_parts.several_vectors`.
        """
        let_next_begin()
        warps = np.int32(cuda.blockDim.x >> WARP_BITS)
        if one:
            part = 0
            lane = np.int32(cuda.threadIdx.x & (WARP - 1))
            of_slice = np.int32(cuda.blockIdx.x * warps * rounds + (cuda.threadIdx.x >> WARP_BITS))
        else:
            thread = cuda.grid(1)
            part = thread % parts
            lane = np.int32((thread // parts) & (WARP - 1))
            of_slice = np.int32((thread // parts) >> WARP_BITS)
        source = source_of(x, part, count, first_column, length)
        bit, below = np.int32(np.int64(1) << lane), np.int32((np.int64(1) << lane) - 1)
        place = _place(first_step, last_step, value_ptr, of_slice, of_slice < slices)
        for _ in range(rounds):
            number, end, at, behind = place
            row = np.int64(of_slice) * WARP + lane
            of_slice = np.int32(of_slice + warps)
            if rounds > 1:
                place = _place(first_step, last_step, value_ptr, of_slice, of_slice < slices)
            constant = (steps, end, values, source, np.int32(row), bit, below)
            total = zeros()
            if np.int32(behind - at) == np.int32((end - number) * WARP):
                state = (number, np.int64(at) + lane)
                full, state, carry = begin_full(state, 0, constant)
                while state[0] < end:
                    full, state, carry, total = go_on_full(full, state, carry, total, constant)
                total = finish_full(full, total)
            else:
                loaded, number, at = begin(number, at, constant)
                while number < end:
                    loaded, number, at, total = go_on(loaded, number, at, total, constant)
                total = finish(loaded, total)
            if row < rows:
                write(y, np.uint64(row), total, alpha, beta, real(0), rows, source)

    return kernel


def _plan(matrix: SlicedDiagonals) -> tuple[int, int]:
    """Return the steps at once and the rounds that were fastest on an H200: of 4 and 8, of 1, 2 and 4.

    Where the device is full, more steps at once cost registers, which float32 does not win back; two rounds
    hide the time that it takes to learn where slices of a single batch lie.
    """
    at_once = steps_at_once(matrix.slices, matrix.values.dtype.itemsize)
    if matrix.slices < MANY_SLICES or at_once < FEW_STEPS:
        return at_once, 1
    steps = int(matrix.last_step.sum(dtype=np.int64) - matrix.first_step.sum(dtype=np.int64))
    return FEW_STEPS, 2 if steps <= FEW_STEPS * matrix.slices else 1


def steps_at_once(slices: int, value_bytes: int) -> int:
    """Return the steps at once for this many slices."""
    return FEW_STEPS // 2 if slices >= MANY_SLICES and value_bytes == 4 else FEW_STEPS


class DiagonalProduct(MultipliesSeveral):
    """A `SlicedDiagonals` matrix on the device, and the launch of its product.

    Parameters
    ----------
    matrix
        The matrix.
    threads_per_block
        A multiple of 32.
    plan
        Steps at once and rounds; what was fastest without it.
    """

    def __init__(
        self, matrix: SlicedDiagonals, threads_per_block: int, *, plan: tuple[int, int] | None = None
    ) -> None:
        self.real = real_type(matrix.values)
        steps_at_once, self.rounds = plan or _plan(matrix)
        names = ("values", "steps", "first_step", "last_step", "value_ptr")
        self.device_arrays = [upload(np.ravel(getattr(matrix, name))) for name in names]
        self.values = self.device_arrays[0]
        kernel = partial(diagonal_kernel, self.real, steps_at_once=steps_at_once, rounds=self.rounds)
        arguments = [*self.device_arrays, matrix.slices, matrix.shape[0], X, Y]
        self.launch_by(kernel, arguments, matrix.slices * WARP, threads_per_block)
