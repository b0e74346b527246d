"""Arrays of several vectors on the device: stored row by row as callers have them, column by column here."""

from collections.abc import Callable
from typing import Any

import numpy as np

from gpu.runtime.cuda import cuda
from gpu.runtime.kernel_sequence import begin_in_sequence
from gpu.runtime.launches import Launch, X, Y, blocks_of


@cuda.jit
def transposing_kernel(rows, columns, source, target):
    """Copy the transposed array, a thread for each element.

    Parameters
    ----------
    rows, columns
        Of the source.
    source
        real of rows x columns, row by row.
    target
        real of columns x rows, row by row.
    """
    begin_in_sequence()
    at = np.int64(cuda.grid(1))
    if at < rows * columns:
        column = at // rows
        target[at] = source[(at - column * rows) * columns + column]


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
    if shape[0] * shape[1]:
        arguments = [*shape, X, Y]
        blocks, threads = blocks_of(shape[0] * shape[1])
        Launch(transposing_kernel, blocks, threads, arguments, source.dtype.type)(
            source, target, 0, 0, stream
        )


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
