"""Matrices in the formats of cuSPARSE, as arrays of the host, made from SciPy's CSR."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from isa.errors import UserError

MOST_INDEX = 2**31 - 1
"""The indices have 32 bits."""
VALUE_TYPES = {"float32": 0, "float64": 1}
"""CUDA_R_32F and CUDA_R_64F."""

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
        Rows and columns as stored: for bsr multiples of the block's edge, else those of the matrix.
    nnz
        Non-zeros of the matrix.
    offsets
        int32; csr: of the rows, bsr: of the rows of blocks, sell: of the slices, coo: the row of each entry.
    columns
        int32; a column an entry or block; -1 in the padding of sell.
    values
        float32 or float64; of sell column by column in a slice, of bsr block by block.
    slice_size
        Rows in a slice of sell, else 0.
    block
        Edge of a block of bsr, else 1.
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

    @property
    def fill(self) -> float:
        """Non-zeros of the matrix as a share of the values stored."""
        return self.nnz / self.values.size if self.values.size else 1.0


def canonical_csr(matrix: Any) -> Any:
    """Give a SciPy matrix as CSR: indices of 32 bits, ascending in each row, each once.

    Raises
    ------
    UserError
        The values are neither float32 nor float64, or there is more of something than 32 bits count.
    """
    from scipy import sparse

    if matrix.dtype.name not in VALUE_TYPES:
        raise UserError(f"the values are {matrix.dtype.name}; cuSPARSE is called with float32 or float64")
    csr = sparse.csr_matrix(matrix, copy=True)
    csr.sum_duplicates()
    for what, count in (("rows", csr.shape[0]), ("columns", csr.shape[1]), ("non-zeros", csr.nnz)):
        if count > MOST_INDEX:
            raise UserError(f"the matrix has {count} {what}; indices of 32 bits count {MOST_INDEX}")
    csr.indices, csr.indptr = csr.indices.astype(np.int32), csr.indptr.astype(np.int32)
    return csr


def to_csr(matrix: Any) -> StoredMatrix:
    """Store a matrix by rows."""
    csr = canonical_csr(matrix)
    return StoredMatrix("csr", csr.shape, csr.nnz, csr.indptr, csr.indices, csr.data)


def to_coo(matrix: Any) -> StoredMatrix:
    """Store a matrix by coordinates, sorted by row."""
    csr = canonical_csr(matrix)
    rows = np.repeat(np.arange(csr.shape[0], dtype=np.int32), np.diff(csr.indptr))
    return StoredMatrix("coo", csr.shape, csr.nnz, rows, csr.indices, csr.data)


def to_sell(matrix: Any, slice_size: int) -> StoredMatrix:
    """Store a matrix in slices of ``slice_size`` rows, each as wide as its longest row.

    Raises
    ------
    UserError
        The padded slices have more places than 32 bits count.
    """
    csr = canonical_csr(matrix)
    rows = csr.shape[0]
    lengths = np.diff(csr.indptr)
    slices = -(-rows // slice_size)
    padded = np.zeros(slices * slice_size, np.int64)
    padded[:rows] = lengths
    widths = padded.reshape(slices, slice_size).max(axis=1)
    offsets = np.concatenate(([0], np.cumsum(widths * slice_size)))
    places = int(offsets[-1])
    if places > MOST_INDEX:
        raise UserError(f"slices of {slice_size} rows have {places} places; 32 bits count {MOST_INDEX}")
    row = np.repeat(np.arange(rows), lengths)
    position = np.arange(csr.nnz) - np.repeat(csr.indptr[:-1].astype(np.int64), lengths)
    place = offsets[row // slice_size] + position * slice_size + row % slice_size
    columns = np.full(places, -1, np.int32)
    columns[place] = csr.indices
    values = np.zeros(places, csr.dtype)
    values[place] = csr.data
    return StoredMatrix("sell", csr.shape, csr.nnz, offsets.astype(np.int32), columns, values, slice_size)


def to_bsr(matrix: Any, block: int, order: Order) -> StoredMatrix:
    """Store a matrix in square blocks, rows and columns padded to multiples of the block's edge."""
    from scipy import sparse

    csr = canonical_csr(matrix)
    shape = (-(-csr.shape[0] // block) * block, -(-csr.shape[1] // block) * block)
    more = np.full(shape[0] - csr.shape[0], csr.indptr[-1], np.int32)
    wide = sparse.csr_matrix((csr.data, csr.indices, np.concatenate((csr.indptr, more))), shape=shape)
    bsr = wide.tobsr(blocksize=(block, block))
    blocks = bsr.data if order == "row" else bsr.data.transpose(0, 2, 1)
    return StoredMatrix(
        "bsr",
        shape,
        csr.nnz,
        bsr.indptr.astype(np.int32),
        bsr.indices.astype(np.int32),
        np.ascontiguousarray(blocks).reshape(-1),
        block=block,
        order=order,
    )
