"""Arrays of several vectors on the device: stored row by row as callers have them, column by column here."""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from gpu.runtime.cuda import cuda
from gpu.runtime.kernel_sequence import begin_in_sequence
from gpu.runtime.launches import Launch, X, Y, blocks_of, enqueue
from gpu.runtime.vectors import current_device, memory_of


@cuda.jit
def copying_kernel(rows, columns, first, row_step, column_step, source, target):
    """Copy an array of any strides row by row, a thread for each element.

    Parameters
    ----------
    rows, columns
        Of the array.
    first, row_step, column_step
        Its element (i, j) is that at ``first + i * row_step + j * column_step`` of the source.
    source
        real or complex.
    target
        The same, of rows x columns.
    """
    begin_in_sequence()
    at = np.int64(cuda.grid(1))
    if at < rows * columns:
        row = at // columns
        target[at] = source[first + row * row_step + (at - row * columns) * column_step]


def copy_rows(
    source: Any, target: Any, shape: tuple[int, int], steps: tuple[int, int, int], stream: Any
) -> None:
    """Put the copy of an array, row by row, on a stream.

    Parameters
    ----------
    source, target
        Contiguous device vectors of Numba.
    shape
        Rows and columns that are copied.
    steps
        Where the first element is in the source; elements from a row, and from a column, to the next.
    stream
        0, or an object of Numba or cuda.core.
    """
    if shape[0] * shape[1]:
        real = source.dtype.type
        if np.dtype(real).kind == "f":
            _copy(shape, steps, real, current_device())(source, target, 0, 0, stream)
        else:
            enqueue(copying_kernel, blocks_of(shape[0] * shape[1]), [*shape, *steps, source, target], stream)


@functools.lru_cache(maxsize=256)
def _copy(shape: tuple[int, int], steps: tuple[int, int, int], real: Any, device: int) -> Launch:
    """Return the launch of a copy, which callers repeat with other vectors."""
    return Launch(copying_kernel, *blocks_of(shape[0] * shape[1]), [*shape, *steps, X, Y], real)


def copy_strided(array: Any, target: Any, stream: Any) -> None:
    """Put the copy of a device array of any strides, row by row, on a stream.

    Parameters
    ----------
    array
        Of Numba, of one or two dimensions.
    target
        Contiguous device vector of Numba, with as many elements at least.
    stream
        0, or an object of Numba or cuda.core.

    Raises
    ------
    UserError
        If its strides are no multiples of its elements.
    """
    memory, first, steps = memory_of(array)
    rows, columns = (*array.shape, 1)[:2]
    row_step, column_step = (*steps, 1)[:2]
    copy_rows(memory, target, (rows, columns), (first, row_step, column_step), stream)


def transpose(source: Any, target: Any, shape: tuple[int, int], stream: Any) -> None:
    """Put a transposition on a stream.

    Parameters
    ----------
    source, target
        Device vectors of Numba: an array row by row, and room for the transposed one.
    shape
        Of the source.
    stream
        0, or an object of Numba or cuda.core.
    """
    copy_rows(source, target, shape[::-1], (0, 1, shape[1]), stream)


class Columns:
    """The columns of an array on the device, each a contiguous vector: a view, or a copy.

    Parameters
    ----------
    array
        Two-dimensional device array of Numba, contiguous row by row or column by column.
    room
        Allocates a device vector of that many elements for a copy. It must stay as long as a captured product
        may be replayed.
    stream
        0, or an object of Numba or cuda.core, which a copy is put on.
    read
        Whether a copy has the elements; otherwise they are still to be written.
    """

    def __init__(self, array: Any, room: Callable[[int], Any], stream: Any, *, read: bool) -> None:
        self._rows, self._count = array.shape
        # One row or one column is contiguous both ways. Numba's `T` is a copy.
        by_columns = array.is_f_contiguous()
        self._flat = array.ravel(order="F" if by_columns else "C")
        self._copied = None
        if not by_columns:
            self._copied = room(self._rows * self._count)
            if read:
                transpose(self._flat, self._copied, array.shape, stream)

    def __getitem__(self, column: int) -> Any:
        """Return a column as a device vector."""
        vectors = self._flat if self._copied is None else self._copied
        return vectors[column * self._rows : (column + 1) * self._rows]

    def write_back(self, stream: Any) -> None:
        """Put on the stream what brings written columns into the array."""
        if self._copied is not None:
            transpose(self._copied, self._flat, (self._count, self._rows), stream)
