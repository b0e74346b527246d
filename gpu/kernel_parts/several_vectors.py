"""What a thread has of the vectors that a matrix is multiplied with: one element, or several of each row.

A kernel of one vector and of several is the same template. It sums with the functions that a `Share` makes:
with one vector they are plain additions. With several, neighbouring threads take neighbouring columns of X:
they load and store whole sectors, and read the same entry of the matrix, which costs one load.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpu.kernel_parts.loads import MOST_BYTES, STORES, VECTOR_IF
from gpu.kernel_parts.row_results import PieceSums, write_row
from gpu.kernel_parts.unrolled import joined, one_by_one, together
from gpu.kernel_parts.warps import sum_of_neighbours
from gpu.runtime.cuda import EVERY_LANE, SIMULATED, WARP, cuda, device_function
from gpu.runtime.launches import ALPHA, BETA, Launch, LaunchedInTurn, address_of_array, launches_of

MOST_PARTS = 8
"""Threads of a row at most: with 16 bytes each they read a whole cache line."""
MOST_SUMS = 8
"""Sums of a thread at most: more cost registers, and with them warps."""


@dataclass(frozen=True)
class Share:
    """The columns of X that a thread multiplies at once.

    Attributes
    ----------
    width
        Neighbouring columns of one load.
    loads
        Such loads of a thread.
    parts
        Threads that share a row of the matrix and have different columns, a power of two. Load k of thread p
        begins at column ``(k * parts + p) * width`` of those of a launch.
    by_columns
        Whether X and Y lie column by column; `width` is 1 then.
    one
        Whether X is one vector.
    """

    width: int = 1
    loads: int = 1
    parts: int = 1
    by_columns: bool = False
    one: bool = False

    @property
    def sums(self) -> int:
        """Sums of a thread."""
        return self.width * self.loads

    @property
    def columns(self) -> int:
        """Columns of X of a launch."""
        return self.sums * self.parts

    def at_once(self, steps: int) -> int:
        """Return the steps whose loads are in flight at once, where one vector has this many."""
        return max(1, steps // self.sums)

    def zeros(self, real: Any) -> Any:
        """Make ``zeros()``: the sums to begin with, of the type np.float32 or np.float64."""
        if self.one:

            @device_function
            def zero() -> Any:
                return real(0)

            return zero

        @device_function
        def zero_of_one() -> Any:
            return real(0)

        return together([zero_of_one] * self.sums)

    def source(self) -> Any:
        """Make ``source(x, part, count, first, length)``: what `gather` and `write` take for X.

        `part` is the number of the thread among those of a row, `count` the columns of X, `first` the first
        of this launch, `length` the rows of X.
        """
        width = self.width
        if self.one:

            @device_function
            def x_alone(x: Any, part: Any, count: Any, first: Any, length: Any) -> Any:
                return x

            return x_alone

        @device_function
        def source(x: Any, part: Any, count: Any, first: Any, length: Any) -> Any:
            return x, np.int64(first + part * width), np.int64(count), np.int64(length)

        return source

    def gather(self) -> Any:
        """Make ``gather(source, row, wanted)``: the elements of a row of X, zeros where not wanted."""
        if self.one:
            load_one = VECTOR_IF[1]

            @device_function
            def element(x: Any, row: Any, wanted: Any) -> Any:
                return load_one(x, row, wanted)[0]

            return element
        return joined([self._loaded(k) for k in range(self.loads)])

    def element(self) -> Any:
        """Make ``element(source, row)``: `gather` of a row that is wanted, by a plain load of one vector."""
        if self.one:

            @device_function
            def alone(x: Any, row: Any) -> Any:
                return x[row]

            return alone
        gather = self.gather()

        @device_function
        def element(source: Any, row: Any) -> Any:
            return gather(source, row, True)

        return element

    def _loaded(self, k: int) -> Any:
        """Make the function of load k."""
        load, step, by_columns = VECTOR_IF[self.width], k * self.parts * self.width, self.by_columns

        @device_function
        def loaded(source: Any, row: Any, wanted: Any) -> Any:
            x, column, count, length = source
            column += step
            at = column * length + np.int64(row) if by_columns else np.int64(row) * count + column
            return load(x, at, wanted & (column < count))

        return loaded

    def multiply_add(self) -> Any:
        """Make ``multiply_add(total, value, factors)``: total + value * factors, for each sum."""
        if self.one:

            @device_function
            def alone(total: Any, value: Any, factor: Any) -> Any:
                return total + value * factor

            return alone

        def of_sum(n: int) -> Any:
            @device_function
            def added(total: Any, value: Any, factors: Any) -> Any:
                return total[n] + value * factors[n]

            return added

        return together([of_sum(n) for n in range(self.sums)])

    def sum_of_threads(self) -> Any:
        """Make ``sum(total, threads)``: the sums over the threads of a row that have the same columns."""
        if self.one:
            return sum_of_neighbours
        parts = self.parts

        def of_sum(n: int) -> Any:
            @device_function
            def summed(total: Any, threads: Any) -> Any:
                of_thread = total[n]
                distance = np.int32(threads >> 1)
                while distance > 0:
                    of_thread += cuda.shfl_xor_sync(EVERY_LANE, of_thread, np.int32(distance * parts))
                    distance = np.int32(distance >> 1)
                return of_thread

            return summed

        return together([of_sum(n) for n in range(self.sums)])

    def write(self) -> Any:
        """Make ``write(y, row, total, alpha, beta, zero, rows, source)``: a row of Y as `write_row` does.

        `row` is unsigned; `rows` are those of Y.
        """
        if self.one:

            @device_function
            def alone(y, row, total, alpha, beta, zero, rows, source):
                write_row(y, row, total, alpha, beta, zero)

            return alone
        written = self._written_together if self.width > 1 else self._written
        return one_by_one([written(k) for k in range(self.loads)])

    def write_piece(self) -> Any:
        """Make ``write_piece(pieces, piece, total, source)``: the sums of a piece of a row."""
        if self.one:

            @device_function
            def alone(pieces, piece, total, source):
                pieces[piece] = total

            return alone

        def of_sum(n: int) -> Any:
            step = n // self.width * self.parts * self.width + n % self.width

            @device_function
            def written(pieces, piece, total, source):
                column, count = source[1] + step, source[2]
                if column < count:
                    pieces[np.uint64(np.int64(piece) * count + column)] = total[n]

            return written

        return one_by_one([of_sum(n) for n in range(self.sums)])

    def _written(self, k: int) -> Any:
        step, by_columns = k * self.parts, self.by_columns

        @device_function
        def written(y, row, total, alpha, beta, zero, rows, source):
            column, count = source[1] + step, source[2]
            if column < count:
                at = column * np.int64(rows) + np.int64(row) if by_columns else np.int64(row) * count + column
                write_row(y, np.uint64(at), total[k], alpha, beta, zero)

        return written

    def _written_together(self, k: int) -> Any:
        """Make the function that writes neighbouring columns by one store."""
        width, step = self.width, k * self.parts * self.width
        load, store = VECTOR_IF[width], STORES[width]

        def of_column(j: int) -> Any:
            @device_function
            def result(total: Any, alpha: Any, beta: Any, before: Any) -> Any:
                return alpha * total[k * width + j] + beta * before[j]

            return result

        results = together([of_column(j) for j in range(width)])

        @device_function
        def written(y, row, total, alpha, beta, zero, rows, source):
            column, count = source[1] + step, source[2]
            if column < count:
                at = np.int64(row) * count + column
                # Zeros where beta is 0: y is not read then.
                store(y, at, results(total, alpha, beta, load(y, at, beta != zero)))

        return written


ONE_VECTOR = Share(one=True)
"""What a thread has where x is one vector."""
ONE_COLUMN = (1, 0, 0)
"""The last arguments of a kernel then: columns of X, the first of the launch, rows of X."""


def share_for(count: int, itemsize: int, *, by_columns: bool, aligned: bool, most_parts: int) -> Share:
    """Return the share of a thread that reads the matrix as seldom as registers allow.

    Parameters
    ----------
    count
        Columns of X.
    itemsize
        Bytes of an element.
    by_columns
        Whether X and Y lie column by column.
    aligned
        Whether both begin at a multiple of 16 bytes.
    most_parts
        Threads of a row at most, a power of two.
    """
    if by_columns:
        # Neighbouring threads have neighbouring rows, whose elements of one column are side by side.
        return Share(loads=-(-count // -(-count // MOST_SUMS)), by_columns=True)
    widths = (MOST_BYTES // itemsize, 2)
    width = next((each for each in widths if aligned and count % each == 0), 1)
    needed = -(-count // width)
    parts = min(MOST_PARTS, most_parts, 1 << (needed - 1).bit_length())
    return Share(width, min(MOST_SUMS // width, -(-needed // parts)), parts)


class MultipliesSeveral(LaunchedInTurn):
    """A product whose kernel takes several vectors at once, and reads the matrix once for them.

    Attributes
    ----------
    real
        np.float32 or np.float64.
    most_parts
        Threads that can share what a thread has with one vector, a power of two; 0 where the matrix is
        multiplied by one vector at a time only.
    split
        The rows that are in pieces.
    rounds
        How often a thread goes on to another row, with one vector.
    """

    real: Any
    most_parts: int = WARP
    split: PieceSums | None = None
    rounds: int = 1

    def launch_by(
        self, kernel: Callable[..., Any], arguments: Sequence[Any], threads: int, threads_per_block: int
    ) -> None:
        """Set what is launched, and the launches with one vector.

        Parameters
        ----------
        kernel
            Makes the kernel of a `share`, which it takes by this name.
        arguments
            Of the kernel, up to y. The pieces follow, if there are any, then alpha, beta and `columns` of
            `launches_for`.
        threads
            Of all blocks, with one vector.
        threads_per_block
            Of a block.
        """
        self._kernel, self._arguments = kernel, arguments
        self._threads, self._threads_per_block = threads, threads_per_block
        self.launches = self.launches_for(ONE_VECTOR, ONE_COLUMN)
        if self.split is not None:
            self.launches += self.split.launches

    def launches_for(self, share: Share, columns: tuple[int, int, int]) -> list[Launch]:
        """Return the launch of a share, without the sums of pieces.

        Parameters
        ----------
        share
            What each thread has of X.
        columns
            Columns of X, the first of this launch, rows of X.
        """
        rounds = self.rounds if share.one else 1
        blocks = -(-self._threads * share.parts // (self._threads_per_block * rounds))
        arguments = [*self._arguments]
        if self.split is not None:
            arguments.append(self.split.pieces if share.one else self.split.pieces_for(columns[0]))
        arguments += [ALPHA, BETA, *columns]
        kernel = self._kernel(share=share)
        return launches_of(kernel, blocks, self._threads_per_block, arguments, self.real)

    def launch_several(
        self, x: Any, y: Any, size: tuple[int, int], by_columns: bool, alpha: Any, beta: Any, stream: Any
    ) -> bool:
        """Put ``Y = alpha A X + beta Y`` on the stream, if this matrix can.

        Parameters
        ----------
        x, y
            Contiguous device vectors of Numba: the elements of X and Y.
        size
            Rows and columns of X.
        by_columns
            Whether X and Y lie column by column.
        alpha, beta, stream
            As of a `Launch`.

        Returns
        -------
        bool
            Whether it was done.
        """
        if not self.most_parts:
            return False
        aligned = SIMULATED or (address_of_array(x) | address_of_array(y)) % MOST_BYTES == 0
        kept = self.__dict__.setdefault("_several", {})
        key = (size, by_columns, aligned)
        if key not in kept:
            share = share_for(
                size[1],
                np.dtype(self.real).itemsize,
                by_columns=by_columns,
                aligned=aligned,
                most_parts=self.most_parts,
            )
            count = size[1]
            kept[key] = [
                launch
                for first in range(0, count, share.columns)
                for launch in self.launches_for(share, (count, first, size[0]))
            ]
            if self.split is not None:
                kept[key] += self.split.launches_for(count, y.size // count, by_columns=by_columns)
                room = self.split.pieces_for(count)
                if not any(room is each for each in self.device_arrays):
                    self.device_arrays = [*self.device_arrays, room]
        for each in kept[key]:
            each(x, y, alpha, beta, stream)
        return True
