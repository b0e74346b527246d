"""How a product ends: a row's result, sums of pieces in a fixed order, rounded products, y scaled by beta."""

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.kernel_parts.loads import VECTOR_IF
from gpu.kernel_parts.unrolled import one_by_one, together
from gpu.kernel_parts.warps import sum_of_reals
from gpu.runtime.cuda import SIMULATED, WARP, cuda, device_function
from gpu.runtime.kernel_sequence import begin_in_sequence, let_next_begin, wait_for_previous
from gpu.runtime.launches import ALPHA, BETA, Launch, Y, launches_of
from gpu.runtime.memory import empty, upload

if not SIMULATED:
    from numba.cuda import libdevice


def _plain_product(factor: Any, value: Any) -> Any:
    return factor * value


def rounded_product(real: Any) -> Any:
    """Return the function that multiplies and rounds: no sum takes the product in before that.

    So ``alpha a + beta b`` is what SciPy gives to the last bit, and 0 where the products cancel.

    Parameters
    ----------
    real
        np.float32 or np.float64.
    """
    if SIMULATED:
        return _plain_product
    return libdevice.fmul_rn if real is np.float32 else libdevice.dmul_rn


@device_function
def write_row(y: Any, row: Any, total: Any, alpha: Any, beta: Any, zero: Any) -> None:
    """Do ``y[row] = alpha total + beta y[row]``; y is not read where beta is 0.

    `row` is unsigned, `zero` of the real type.

    Parameters
    ----------
    y
        real of M.
    row
        Which, unsigned.
    total
        Its sum.
    alpha, beta
        Scalars of the real type.
    zero
        0 of the real type.
    """
    result = alpha * total
    if beta != zero:
        result += beta * y[row]
    y[row] = result


@functools.cache
def piece_sums(real: Any) -> Any:
    """Make the kernel ``y[rows[k]] = alpha sum(pieces[first[k]:last[k]]) + beta y[rows[k]]``.

    A warp a row; each lane sums every 32nd piece, then the lanes are summed as a tree, so the order is fixed.
    y is not read where beta is 0.
    """

    @cuda.jit
    def kernel(pieces, rows, first, last, y, alpha, beta):
        """Sum the pieces of a row a warp.

        Parameters
        ----------
        pieces
            real, one a piece.
        rows, first, last
            uint32, one a row in pieces: its number, and where its pieces begin and end.
        y
            real of M.
        alpha, beta
            Scalars of the real type; y is not read where beta is 0.
        """
        thread = cuda.grid(1)
        k = thread // WARP
        total = real(0)
        begin_in_sequence()
        if k < rows.size:
            at = int(first[k]) + thread % WARP
            end = int(last[k])
            while at < end:
                total += pieces[at]
                at += WARP
        total = sum_of_reals(total)
        if k < rows.size and thread % WARP == 0:
            row = rows[k]
            write_row(y, row, total, alpha, beta, real(0))

    return kernel


@functools.cache
def several_piece_sums(real: Any, by_columns: bool) -> Any:
    """Make the kernel of `piece_sums` for several vectors: a warp a row and 32 columns, a lane a column.

    Parameters
    ----------
    real
        np.float32 or np.float64.
    by_columns
        Whether Y lies column by column.
    """

    @cuda.jit
    def kernel(pieces, rows, first, last, cut, count, height, y, alpha, beta):
        """Sum the pieces of a row for a column a thread.

        Parameters
        ----------
        pieces
            real, `count` a piece.
        rows, first, last
            uint32, one a row in pieces: its number, and where its pieces begin and end.
        cut, count, height
            Rows in pieces, columns of Y, rows of Y.
        y
            real of height x count.
        alpha, beta
            Scalars of the real type; y is not read where beta is 0.
        """
        thread = np.int64(cuda.grid(1))
        warps_of_row = (count + (WARP - 1)) // WARP
        k = thread // WARP // warps_of_row
        column = (thread // WARP - k * warps_of_row) * WARP + thread % WARP
        begin_in_sequence()
        if k < cut and column < count:
            total = real(0)
            for piece in range(np.int64(first[k]), np.int64(last[k])):
                total += pieces[piece * count + column]
            row = np.int64(rows[k])
            at = column * height + row if by_columns else row * count + column
            write_row(y, np.uint64(at), total, alpha, beta, real(0))

    return kernel


class PieceSums:
    """Rows in pieces on the device: room for the sums of the pieces, and the launch that adds them.

    Parameters
    ----------
    real
        np.float32 or np.float64.
    rows
        uint32: the rows that are in pieces.
    first, last
        uint32: where the pieces of each begin and end.
    threads_per_block
        A multiple of 32.
    pieces
        How many pieces there is room for; without it, as many as rows have.
    beta
        The factor of y: that of the product without it.

    Attributes
    ----------
    pieces
        The device array that a product's first kernel writes.
    launches
        The launch that sums them, or none where no row is in pieces.
    """

    def __init__(
        self,
        real: Any,
        rows: NDArray[Any],
        first: NDArray[Any],
        last: NDArray[Any],
        threads_per_block: int,
        *,
        pieces: int | None = None,
        beta: Any = BETA,
    ) -> None:
        self._real, self._cut, self._threads = real, len(rows), threads_per_block
        self._several: dict[int, Any] = {}
        self._places = [upload(array.astype(np.uint32, copy=False)) for array in (rows, first, last)]
        room = int(last[-1]) if len(last) else 0
        self.pieces = upload(np.zeros(room if pieces is None else pieces, dtype=real))
        blocks = -(-len(rows) * WARP // threads_per_block)
        arguments = [self.pieces, *self._places, Y, ALPHA, beta]
        self.launches = launches_of(piece_sums(real), blocks, threads_per_block, arguments, real)
        self.device_arrays = [*self._places, self.pieces]

    def pieces_for(self, count: int) -> Any:
        """Return room for the sums of the pieces with this many vectors, row by row."""
        if not self._cut:
            return self.pieces
        if count not in self._several:
            self._several[count] = empty(self.pieces.size * count, self._real)
        return self._several[count]

    def launches_for(self, count: int, height: int, *, by_columns: bool) -> list[Launch]:
        """Return the launch that sums the pieces of this many vectors, none where no row is in pieces.

        Parameters
        ----------
        count, height
            Columns and rows of Y.
        by_columns
            Whether Y lies column by column.
        """
        if not self._cut:
            return []
        blocks = -(-self._cut * -(-count // WARP) * WARP // self._threads)
        arguments = [self.pieces_for(count), *self._places, self._cut, count, height, Y, ALPHA, BETA]
        kernel = several_piece_sums(self._real, by_columns)
        return launches_of(kernel, blocks, self._threads, arguments, self._real)


WAVE_BLOCKS, WAVE_THREADS = (3, 64) if SIMULATED else (264, 256)
"""Of a launch that goes through y: two blocks of threads a multiprocessor, which is faster than one a row."""
BESIDE_THREADS, BESIDE_REGISTERS = 64 if SIMULATED else 128, 32
"""Of a block of it that runs next to one with nearly all registers: 4096 of the 65,536."""
ROWS_AT_ONCE = 4
"""Elements of y that a thread has running where they are read."""

_element = VECTOR_IF[1]


def scaling(rows: int, real: Any) -> list[Launch]:
    """Return the launch of ``y = beta y``, none where there are no rows.

    The kernel after it begins when all before it have ended: so that one may read x before it waits.

    Parameters
    ----------
    rows
        M.
    real
        np.float32 or np.float64.
    """
    blocks = min(WAVE_BLOCKS, -(-rows // WAVE_THREADS))
    kernel = scaled(real, early=False, without_l1=False)
    return launches_of(kernel, blocks, WAVE_THREADS, [Y, BETA], real)


def scaling_beside(rows: int, real: Any, blocks: int, *, early: bool) -> list[Launch]:
    """Return the launch of ``y = beta y`` before a kernel with all shared memory, none without rows.

    It takes little of a multiprocessor, so that it can be there before the product before has ended, where
    that leaves 4096 registers, and the kernel after it before itself has.

    Parameters
    ----------
    rows, real
        As of `scaling`.
    blocks
        Of threads, at most.
    early
        Whether the kernel after may begin at once: then that one may not read x before it waits.
    """
    blocks = min(blocks, -(-rows // BESIDE_THREADS))
    kernel = scaled(real, early=early, without_l1=True)
    return launches_of(
        kernel,
        blocks,
        BESIDE_THREADS,
        [Y, BETA],
        real,
        registers=BESIDE_REGISTERS,
        beside_shared=True,
    )


def _read_of(k: int) -> Any:
    """Make the function that reads element k of a thread, 0 after the last."""

    @device_function
    def read(y: Any, row: Any, all_: Any) -> Any:
        at = row + k * all_
        return _element(y, at, at < y.size)[0]

    return read


def _written_of(k: int) -> Any:
    """Make the function that writes it, times beta."""

    @device_function
    def write(y: Any, row: Any, all_: Any, elements: Any, beta: Any) -> None:
        at = row + k * all_
        if at < y.size:
            y[at] = beta * elements[k]

    return write


@functools.cache
def scaled(real: Any, *, early: bool, without_l1: bool) -> Any:
    """Make the kernel ``y = beta y``; y is not read where beta is 0.

    Parameters
    ----------
    real
        np.float32 or np.float64.
    early
        Whether the kernel after it begins at once, or when all before it have ended.
    without_l1
        Whether it gives up the L1 cache: that is a setting of the kernel, so there is a separate one.
    """
    read = together([_read_of(k) for k in range(ROWS_AT_ONCE)])
    write = one_by_one([_written_of(k) for k in range(ROWS_AT_ONCE)])

    @cuda.jit
    def kernel(y, beta):
        """Scale elements in turn.

        Parameters
        ----------
        y
            real of M.
        beta
            A scalar of the real type.
        """
        row, all_ = np.int64(cuda.grid(1)), np.int64(cuda.gridsize(1))
        if early:
            let_next_begin()
        wait_for_previous()
        if not early:
            let_next_begin()
        if beta == real(0):
            while row < y.size:
                y[row] = real(0)
                row += all_
        while row < y.size:
            write(y, row, all_, read(y, row, all_), beta)
            row += ROWS_AT_ONCE * all_

    return kernel
