"""Matrices in the formats of cuSPARSE, as arrays of the host, made from SciPy's CSR in compiled loops."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from numba import njit, prange

from gpu.formats.sliced.filling import block_columns, count_blocks
from gpu.formats.sliced.layout import first_steps
from vecsim.formats.pointers import pointers_of
from vecsim.support.errors import UserError


@njit(parallel=True, cache=True)
def rows_of_entries(indptr: Any) -> Any:
    """Return the row of each entry, int32."""
    rows = np.empty(indptr[-1], np.int32)
    for row in prange(len(indptr) - 1):
        for place in range(indptr[row], indptr[row + 1]):
            rows[place] = row
    return rows


def slice_offsets(indptr: Any, height: int) -> Any:
    """Return where each slice of `height` rows, padded to its longest, begins, then all places; int64."""
    lengths = np.diff(indptr).astype(np.int64)
    return first_steps(lengths, -(-len(lengths) // height), height, 1) * height


@njit(parallel=True, cache=True)
def fill_slices(
    indptr: Any, indices: Any, data: Any, offsets: Any, height: int, columns: Any, values: Any
) -> None:
    """Write slices column by column, -1 and 0 where there is nothing.

    Parameters
    ----------
    indptr, indices, data
        Of the sorted CSR matrix.
    offsets
        int64 of S + 1: places before each slice.
    height
        Rows of a slice.
    columns, values
        One a place, to be written.
    """
    rows = len(indptr) - 1
    for number in prange(len(offsets) - 1):
        begin = offsets[number]
        width = (offsets[number + 1] - begin) // height
        for at in range(height):
            row = number * height + at
            first = indptr[row] if row < rows else 0
            length = indptr[row + 1] - first if row < rows else 0
            for k in range(width):
                place = begin + k * height + at
                columns[place] = indices[first + k] if k < length else -1
                values[place] = data[first + k] if k < length else 0


@njit(parallel=True, cache=True)
def fill_blocks(
    indptr: Any, indices: Any, data: Any, offsets: Any, block: int, by_row: bool, columns: Any, values: Any
) -> None:
    """Write the elements of blocks, where there is an entry.

    Parameters
    ----------
    indptr, indices, data
        Of the sorted CSR matrix.
    offsets
        Blocks before each row of blocks, then of all.
    block
        Rows and columns of a block.
    by_row
        Whether the elements of a block stand row by row; otherwise column by column.
    columns
        One a block, rising in a row of blocks.
    values
        One an element, zeros before.
    """
    rows = len(indptr) - 1
    for number in prange(len(offsets) - 1):
        for row in range(number * block, min(rows, (number + 1) * block)):
            place, r = offsets[number], row - number * block
            for entry in range(indptr[row], indptr[row + 1]):
                while columns[place] < indices[entry] // block:
                    place += 1
                q = indices[entry] - columns[place] * block
                inner = r * block + q if by_row else q * block + r
                values[place * block * block + inner] = data[entry]


MOST_INDEX = 2**31 - 1
"""The indices have 32 bits."""
VALUE_TYPES = {"float32": 0, "float64": 1, "complex64": 4, "complex128": 5}
"""CUDA_R_32F, CUDA_R_64F, CUDA_C_32F and CUDA_C_64F."""

Order = Literal["row", "column"]
Array = npt.NDArray[Any]


@dataclass(frozen=True)
class StoredMatrix:
    """A matrix as cuSPARSE takes it.

    Attributes
    ----------
    format
        csr, coo, sell or bsr.
    shape
        Rows and columns as stored: for bsr multiples of the block's edge, otherwise those of the matrix.
    nnz
        Non-zeros of the matrix.
    offsets
        int32; csr: of the rows, bsr: of the rows of blocks, sell: of the slices, coo: the row of each entry.
    columns
        int32; a column an entry or block; -1 in the padding of sell.
    values
        Of a type of `VALUE_TYPES`; of sell column by column in a slice, of bsr block by block.
    slice_size
        Rows in a slice of sell, otherwise 0.
    block
        Edge of a block of bsr, otherwise 1.
    order
        How the values of a block of bsr lie.
    """

    format: str
    shape: tuple[int, int]
    nnz: int
    offsets: Array
    columns: Array
    values: Array
    slice_size: int = 0
    block: int = 1
    order: Order = "row"

    @property
    def nbytes(self) -> int:
        """Bytes of the three arrays."""
        return int(self.offsets.nbytes + self.columns.nbytes + self.values.nbytes)


def canonical_csr(matrix: Any) -> Any:
    """Return a SciPy matrix as CSR: indices of 32 bits, ascending in each row, each once.

    A matrix that is so already is taken as it is; no method writes into it.

    Raises
    ------
    UserError
        The values are of no type that cuSPARSE takes, or there is more of something than 32 bits count.
    """
    from scipy import sparse

    if matrix.dtype.name not in VALUE_TYPES:
        raise UserError(f"the values are {matrix.dtype.name}; cuSPARSE takes {', '.join(VALUE_TYPES)}")
    csr = matrix
    if matrix.format != "csr" or not matrix.has_canonical_format:
        csr = sparse.csr_matrix(matrix, copy=True)
        csr.sum_duplicates()
    for what, count in (("rows", csr.shape[0]), ("columns", csr.shape[1]), ("non-zeros", csr.nnz)):
        if count > MOST_INDEX:
            raise UserError(
                f"the matrix has {count} {what}; at most {MOST_INDEX} are possible with indices of 32 bits"
            )
    if csr.indices.dtype == csr.indptr.dtype == np.int32:
        return csr
    indices, indptr = csr.indices.astype(np.int32), csr.indptr.astype(np.int32)
    return sparse.csr_matrix((csr.data, indices, indptr), shape=csr.shape)


def to_csr(matrix: Any) -> StoredMatrix:
    """Store a matrix by rows."""
    csr = canonical_csr(matrix)
    return StoredMatrix("csr", csr.shape, csr.nnz, csr.indptr, csr.indices, csr.data)


def to_coo(matrix: Any) -> StoredMatrix:
    """Store a matrix by coordinates, sorted by row."""
    csr = canonical_csr(matrix)
    return StoredMatrix("coo", csr.shape, csr.nnz, rows_of_entries(csr.indptr), csr.indices, csr.data)


def sell_places(matrix: Any, slice_size: int) -> int:
    """Return how many places slices of ``slice_size`` rows have, padding included."""
    return int(slice_offsets(canonical_csr(matrix).indptr, slice_size)[-1])


def to_sell(matrix: Any, slice_size: int) -> StoredMatrix:
    """Store a matrix in slices of ``slice_size`` rows, each as wide as its longest row.

    Raises
    ------
    UserError
        The padded slices have more places than 32 bits count.
    """
    csr = canonical_csr(matrix)
    offsets = slice_offsets(csr.indptr, slice_size)
    places = int(offsets[-1])
    if places > MOST_INDEX:
        raise UserError(
            f"slices of {slice_size} rows have {places} places, 32 bits count {MOST_INDEX}: "
            "use smaller slices"
        )
    columns, values = np.empty(places, np.int32), np.empty(places, csr.dtype)
    fill_slices(csr.indptr, csr.indices, csr.data, offsets, slice_size, columns, values)
    return StoredMatrix("sell", csr.shape, csr.nnz, offsets.astype(np.int32), columns, values, slice_size)


def block_fill(matrix: Any, block: int) -> float:
    """Return the non-zeros as a share of the places of all non-empty square blocks; 1 if there are none."""
    csr = canonical_csr(matrix)
    places = int(count_blocks(csr.indptr, csr.indices, block).sum()) * block**2
    return csr.nnz / places if places else 1.0


def to_bsr(matrix: Any, block: int, order: Order) -> StoredMatrix:
    """Store a matrix in square blocks, rows and columns padded to multiples of the block's edge."""
    csr = canonical_csr(matrix)
    shape = (-(-csr.shape[0] // block) * block, -(-csr.shape[1] // block) * block)
    offsets = pointers_of(count_blocks(csr.indptr, csr.indices, block))
    columns = block_columns(csr.indptr, csr.indices, block, offsets)
    values = np.zeros(len(columns) * block**2, csr.dtype)
    fill_blocks(csr.indptr, csr.indices, csr.data, offsets, block, order == "row", columns, values)
    return StoredMatrix(
        "bsr", shape, csr.nnz, offsets.astype(np.int32), columns, values, block=block, order=order
    )
