"""The product of jagged diagonals: warps walk down the diagonals of 32 neighbouring sorted rows."""

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.kernel_parts.batched_loads import batches
from gpu.kernel_parts.loads import EARLY_IF, LOADS_IF, STREAMED_IF, VECTOR_IF
from gpu.kernel_parts.row_results import write_row
from gpu.runtime.cuda import WARP, cuda, device_function
from gpu.runtime.kernel_sequence import begin_in_sequence, let_next_begin
from gpu.runtime.launches import ALPHA, BETA, LaunchedInTurn, X, Y, launches_of
from gpu.runtime.memory import real_type, upload
from vecsim.formats import JD

BUSY_WARPS = 2048
"""Warps that keep a large device busy; with fewer strips of rows, several warps share a strip."""
STEPS_PER_WARP = 16
"""Diagonals that a warp takes at most before a strip is cut in parts."""
LEAST_PART = 128
"""Diagonals of a part at least."""
DIAGONALS_AT_ONCE = (4, 8)
"""Diagonals whose loads a thread has running at once; more where there are few threads."""
WHOLE = 2**32 - 1
"""Of a part: what it sums goes to y itself, not to a piece."""

_pointer_if, _part_if, _x_if = LOADS_IF[1], LOADS_IF[4], VECTOR_IF[1]


def _fetch_by(load: Any, group: int) -> Any:
    """Make the function that loads the entry of this lane's row in diagonal k, if the row reaches it."""

    @device_function
    def fetch(state: Any, constant: Any) -> Any:
        k, begun = state
        diag_ptr, values, columns, _, position, end = constant
        at = begun + position
        ended = np.int64(_pointer_if(diag_ptr, k + 1, k < end)[0])
        # Diagonals never grow, so a row that reaches one has an entry in all before it.
        live = (k < end) & (at < ended)
        k += group
        if group > 1:
            ended = np.int64(_pointer_if(diag_ptr, k, k < end)[0])
        return (load(values, at, live)[0], load(columns, at, live)[0], live), (k, ended)

    return fetch


@device_function
def _gather(fetched: Any, carry: Any, constant: Any) -> Any:
    return _x_if(constant[3], fetched[1], fetched[2])[0], carry


@device_function
def _add(total: Any, fetched: Any, factor: Any) -> Any:
    return total + fetched[0] * factor


@functools.cache
def jd_kernel(real: Any, threads: int, group: int) -> Any:
    """Make the kernel; `group` warps of a block share a part, a run of diagonals of 32 sorted rows.

    The reads of a warp lie side by side, as those of a vector register do. Each warp sums every `group`-th
    diagonal, then the warps are summed in their order.
    """
    parts_per_block = threads // (WARP * group)
    begin, go_on, finish = batches(
        _fetch_by(STREAMED_IF[1], group),
        _gather,
        _add,
        DIAGONALS_AT_ONCE[group > 1],
        first=_fetch_by(EARLY_IF[1], group),
    )

    @cuda.jit
    def kernel(diag_ptr, columns, values, perm, parts, x, y, pieces, alpha, beta):
        """Sum a part a group of warps.

        Parameters
        ----------
        diag_ptr
            uint32, one a diagonal and one: the entry that each begins with.
        columns, values
            uint32 and real of nnz, by diagonal.
        perm
            uint32 of M: the row at each position.
        parts
            uint32 of 4 a part: strip, first and last diagonal, and its piece or `WHOLE`.
        x
            real of N.
        y
            real of M.
        pieces
            real of 32 a piece.
        alpha, beta
            Scalars of the real type; y is not read where beta is 0.
        """
        sums = cuda.shared.array(threads, real)
        warp = cuda.threadIdx.x // WARP
        lane = cuda.threadIdx.x % WARP
        part = np.int64(cuda.blockIdx.x) * parts_per_block + warp // group
        member = warp % group
        rows = perm.size
        total = real(0)
        position = np.int64(rows)
        let_next_begin()
        target, row = np.uint32(WHOLE), np.uint32(0)
        if part < parts.size // 4:
            described = _part_if(parts, 4 * part, True)
            position = np.int64(described[0]) * WARP + lane
            k = np.int64(described[1]) + member
            end = np.int64(described[2])
            target = described[3]
            row = _pointer_if(perm, position, position < rows)[0]
            constant = (diag_ptr, values, columns, x, position, end)
            state = (k, np.int64(_pointer_if(diag_ptr, k, k < end)[0]))
            loaded, state, carry = begin(state, 0, constant)
            while state[0] < end:
                loaded, state, carry, total = go_on(loaded, state, carry, total, constant)
            total = finish(loaded, total)
        if group > 1:
            sums[cuda.threadIdx.x] = total
            cuda.syncthreads()
            if member == 0:
                for other in range(1, group):
                    total += sums[cuda.threadIdx.x + other * WARP]
        if member == 0 and position < rows:
            if target == np.uint32(WHOLE):
                write_row(y, row, total, alpha, beta, real(0))
            else:
                pieces[np.uint64(np.int64(target) * WARP + lane)] = total

    return kernel


@functools.cache
def strip_sums(real: Any, threads: int) -> Any:
    """Make the kernel that sums the pieces of strips: a block a strip, each of its warps every this many."""
    warps = threads // WARP

    @cuda.jit
    def kernel(pieces, strips, perm, y, alpha, beta):
        """Sum the pieces of a strip a block.

        Parameters
        ----------
        pieces
            real of 32 a piece.
        strips
            uint32 of 3 a strip in pieces: its number, first piece and the end of its
            pieces.
        perm
            uint32 of M: the row at each position.
        y
            real of M.
        alpha, beta
            Scalars of the real type; y is not read where beta is 0.
        """
        sums = cuda.shared.array(threads, real)
        warp = cuda.threadIdx.x // WARP
        lane = cuda.threadIdx.x % WARP
        at = 3 * np.int64(cuda.blockIdx.x)
        position = np.int64(strips[np.uint64(at)]) * WARP + lane
        piece = np.int64(strips[np.uint64(at + 1)]) + warp
        end = np.int64(strips[np.uint64(at + 2)])
        total = real(0)
        begin_in_sequence()
        if position < perm.size:
            while piece < end:
                total += pieces[np.uint64(piece * WARP + lane)]
                piece += warps
        sums[cuda.threadIdx.x] = total
        cuda.syncthreads()
        if warp == 0 and position < perm.size:
            for other in range(1, warps):
                total += sums[lane + other * WARP]
            row = perm[np.uint64(position)]
            write_row(y, row, total, alpha, beta, real(0))

    return kernel


class JDProduct(LaunchedInTurn):
    """A `JD` matrix on the device, and the launches of its product.

    Next to the format's own arrays lies a list of parts: 32 sorted rows and the diagonals that one group of
    warps takes of them. Rows that reach over more than one part go through pieces.

    Parameters
    ----------
    matrix
        The matrix.
    threads_per_block
        A multiple of 32.
    """

    def __init__(self, matrix: JD, threads_per_block: int) -> None:
        self.real = real_type(matrix.values)
        self.group = group_for(matrix.shape[0], matrix.diagonals, threads_per_block)
        parts, strips = _parts(matrix, max(LEAST_PART, STEPS_PER_WARP * self.group))
        self.split_blocks = len(strips)
        self.arrays = [
            upload(matrix.diag_ptr.view(np.uint32)),
            upload(matrix.colidx.view(np.uint32)),
            upload(matrix.values),
            upload(matrix.perm.view(np.uint32)),
            upload(parts.ravel()),
        ]
        self.strips = upload(strips.ravel())
        pieces = int(strips[-1, 2]) if len(strips) else 0
        self.pieces = upload(np.zeros(pieces * WARP, dtype=self.real))
        blocks = -(-len(parts) * self.group * WARP // threads_per_block)
        of_parts = [*self.arrays, X, Y, self.pieces, ALPHA, BETA]
        of_strips = [self.pieces, self.strips, self.arrays[3], Y, ALPHA, BETA]
        kernel = jd_kernel(self.real, threads_per_block, self.group)
        sums = strip_sums(self.real, threads_per_block)
        self.launches = [
            *launches_of(kernel, blocks, threads_per_block, of_parts, self.real),
            *launches_of(sums, len(strips), threads_per_block, of_strips, self.real),
        ]
        self.device_arrays = [*self.arrays, self.strips, self.pieces]


def group_for(rows: int, diagonals: int, threads_per_block: int) -> int:
    """Return the warps that share a strip of 32 rows: a power of two, more for few rows that are long."""
    strips = max(1, -(-rows // WARP))
    wanted = min(BUSY_WARPS // strips, diagonals // 4, threads_per_block // WARP)
    group = 1
    # A block is a whole number of groups.
    while 2 * group <= wanted and threads_per_block % (2 * group * WARP) == 0:
        group *= 2
    return group


def _parts(matrix: JD, most: int) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Cut strips of 32 sorted rows into parts of at most this many diagonals.

    Returns
    -------
    parts
        (parts, 4): strip, first and last diagonal, the piece that it writes or WHOLE.
    strips
        (strips in several parts, 3): strip, its first piece and the end of its pieces.
    """
    starts = np.arange(0, matrix.shape[0], WARP)
    # A strip is as long as its first row, which is in all diagonals that are longer than its position.
    shorter_first = np.diff(matrix.diag_ptr)[::-1]
    longest = matrix.diagonals - np.searchsorted(shorter_first, starts, side="right")
    counts = np.maximum(1, -(-longest // most))
    strip = np.repeat(np.arange(len(starts)), counts)
    ordinal = np.arange(len(strip)) - np.repeat(np.cumsum(counts) - counts, counts)
    first, last = (longest[strip] * (ordinal + shift) // counts[strip] for shift in (0, 1))
    split = counts > 1
    in_pieces = split[strip]
    target = np.full(len(strip), WHOLE)
    target[in_pieces] = np.arange(np.count_nonzero(in_pieces))
    ends = np.cumsum(counts[split])
    parts = np.stack([strip, first, last, target], axis=1)
    strips = np.stack([np.flatnonzero(split), ends - counts[split], ends], axis=1)
    return parts.astype(np.uint32), strips.astype(np.uint32)
