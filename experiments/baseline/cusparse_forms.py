"""A compound matrix in the forms that cuSPARSE multiplies, and vectors as these forms have them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from experiments.baseline.cusparse import SparseProduct
from experiments.baseline.cusparse_columns import ColumnProducts
from experiments.baseline.cusparse_formats import Order, StoredMatrix
from gpu.compound.compound_matrix import CompoundMatrix
from gpu.compound.outer_layout import arranged, slicing_of
from gpu.compound.standard_types import COMPLEX, QUATERNION, blocks

Vector = NDArray[Any]
ORDERS: tuple[Order, Order] = ("row", "column")


@dataclass(frozen=True, eq=False)
class CusparseForm:
    """One way to have cuSPARSE multiply.

    Attributes
    ----------
    name
        What tables call it.
    method
        A name of `experiments.baseline.cusparse.METHODS`, whose algorithm is taken; empty where x has
        columns.
    store
        Makes the matrix; where x has columns, the real matrices that make it up.
    shape
        Its rows and columns.
    vector
        Makes its x of a compound vector, (N, components).
    result
        Makes a compound vector of its y.
    columns
        Of x, where several real matrices make up the matrix; 0: x is a vector.
    order
        How these lie.
    """

    name: str
    method: str
    store: Callable[[], StoredMatrix]
    shape: tuple[int, int]
    vector: Callable[[Vector], Vector]
    result: Callable[[Vector], Vector]
    columns: int = 0
    order: Order = "row"

    def product(self) -> SparseProduct | ColumnProducts:
        """Put the matrix on the device; raise as `SparseProduct` does."""
        if self.columns:
            return ColumnProducts(self.store(), self.columns, self.order)
        return SparseProduct(self.method, self.store(), self.shape)


def cusparse_forms(matrix: CompoundMatrix) -> list[CusparseForm]:
    """Return all forms of a matrix; none where cuSPARSE has nothing for its entries.

    Complex entries: CSR with both algorithms, Sliced ELL. Quaternions: complex BSR of 2 x 2, real BSR of
    4 x 4, four real matrices times four columns each. Blocks of 2, 3 and 4: BSR, and CSR of scalars with
    both algorithms. BSR in both orders.
    """
    if matrix.entry is COMPLEX:
        return list(_complex_forms(matrix))
    if matrix.entry is QUATERNION:
        pairs, fours = (
            cache(lambda: quaternions_as_pairs(matrix)),
            cache(lambda: quaternions_as_fours(matrix)),
        )
        return [
            *_bsr_forms("complex BSR 2 x 2", matrix, 2, pairs, _as_pairs, _from_pairs),
            *_bsr_forms("BSR 4 x 4", matrix, 4, fours, _flat, lambda y: y.reshape(-1, 4)),
            *_hamilton_forms(matrix),
        ]
    for edge in (2, 3, 4):
        if matrix.entry is blocks(edge):
            return list(_block_forms(matrix, edge))
    return []


def quaternions_as_pairs(matrix: CompoundMatrix) -> Vector:
    """Return quaternions as complex matrices of 2 x 2, (nnz, 2, 2): half of their values are redundant."""
    r, i, j, k = matrix.components
    first, second = r + 1j * i, j + 1j * k
    pairs = np.stack((first, second, -second.conj(), first.conj()), axis=1)
    return pairs.astype(_complex_type(matrix)).reshape(-1, 2, 2)


def quaternions_as_fours(matrix: CompoundMatrix) -> Vector:
    """Return quaternions as real matrices of 4 x 4, (nnz, 4, 4), as equation (1) of the paper has it."""
    return _as_fours(*matrix.components)


def _as_fours(r: Vector, i: Vector, j: Vector, k: Vector) -> Vector:
    rows = (r, -i, -j, -k, i, r, -k, j, j, k, r, -i, k, -j, i, r)
    return np.stack(rows, axis=1).reshape(-1, 4, 4)


def _complex_type(matrix: CompoundMatrix) -> Any:
    return np.complex64 if matrix.dtype == np.float32 else np.complex128


def _flat(x: Vector) -> Vector:
    return x.ravel()


def _as_complex(x: Vector) -> Vector:
    """View (N, 2) real numbers as N complex ones."""
    kind = np.complex64 if x.dtype == np.float32 else np.complex128
    viewed: Vector = np.ascontiguousarray(x).view(kind)
    return viewed.ravel()


def _from_complex(y: Vector) -> Vector:
    return np.stack((y.real, y.imag), axis=1)


def _as_pairs(x: Vector) -> Vector:
    """Return the first column of the matrix of each quaternion."""
    return _as_complex(x * np.array([1, 1, -1, 1], x.dtype))


def _from_pairs(y: Vector) -> Vector:
    return np.stack((y[::2].real, y[::2].imag, -y[1::2].real, y[1::2].imag), axis=1)


def _complex_forms(matrix: CompoundMatrix) -> Iterator[CusparseForm]:
    def values() -> Vector:
        return _as_complex(np.stack(matrix.components, axis=1))

    def csr() -> StoredMatrix:
        return StoredMatrix("csr", matrix.shape, matrix.nnz, matrix.indptr, matrix.indices, values())

    def sell() -> StoredMatrix:
        pattern = arranged(matrix.shape, matrix.indptr, matrix.indices, slicing_of("sliced-32", 1))
        offsets = (pattern.pointers.astype(np.int64) * 32).astype(np.int32)
        # Padding is the highest unsigned number, which is -1.
        columns = pattern.columns.view(np.int32)
        stored = pattern.at_places(values()[:, None]).ravel()
        return StoredMatrix("sell", matrix.shape, matrix.nnz, offsets, columns, stored, slice_size=32)

    for name, method, store in (
        ("complex CSR, algorithm 1", "csr_alg1", csr),
        ("complex CSR, algorithm 2", "csr_alg2", csr),
        ("complex Sliced ELL 32", "sell_32", sell),
    ):
        yield CusparseForm(name, method, store, matrix.shape, _as_complex, _from_complex)


def _hamilton_forms(matrix: CompoundMatrix) -> Iterator[CusparseForm]:
    """Yield A x = R x + I (i x) + J (j x) + K (k x): four real matrices, each times four columns."""
    units = _as_fours(*np.eye(4, dtype=matrix.dtype))

    def store() -> StoredMatrix:
        values = np.concatenate(matrix.components)
        return StoredMatrix("csr", matrix.shape, matrix.nnz, matrix.indptr, matrix.indices, values)

    def by_row(x: Vector) -> Vector:
        return np.concatenate([(x @ unit.T).ravel() for unit in units])

    def by_column(x: Vector) -> Vector:
        return np.concatenate([(unit @ x.T).ravel() for unit in units])

    name = "Hamilton, 4 real products"
    rows, columns = (lambda y: y.reshape(-1, 4)), (lambda y: np.ascontiguousarray(y.reshape(4, -1).T))
    yield CusparseForm(f"{name}, by row", "", store, matrix.shape, by_row, rows, 4, "row")
    yield CusparseForm(f"{name}, by column", "", store, matrix.shape, by_column, columns, 4, "column")


def _block_forms(matrix: CompoundMatrix, edge: int) -> Iterator[CusparseForm]:
    @cache
    def values() -> Vector:
        return np.stack(matrix.components, axis=1).reshape(-1, edge, edge)

    name = f"BSR {edge} x {edge}"
    yield from _bsr_forms(name, matrix, edge, values, _flat, lambda y: y.reshape(-1, edge))

    shape = (matrix.shape[0] * edge, matrix.shape[1] * edge)

    @cache
    def scalars() -> StoredMatrix:
        # Zeros within blocks are stored, as in BSR.
        built = scipy.sparse.bsr_array((values(), matrix.indices, matrix.indptr), shape=shape).tocsr()
        return StoredMatrix("csr", shape, built.nnz, built.indptr, built.indices, built.data)

    for number in (1, 2):
        yield CusparseForm(
            f"scalar CSR, algorithm {number}",
            f"csr_alg{number}",
            scalars,
            shape,
            _flat,
            lambda y: y.reshape(-1, edge),
        )


def _bsr_forms(
    name: str,
    matrix: CompoundMatrix,
    edge: int,
    values: Callable[[], Vector],
    vector: Callable[[Vector], Vector],
    result: Callable[[Vector], Vector],
) -> Iterator[CusparseForm]:
    """Yield BSR in both orders.

    Parameters
    ----------
    name, vector, result
        As of `CusparseForm`.
    matrix
        Whose pattern it has.
    edge
        Of its blocks.
    values
        Makes these, (nnz, edge, edge).
    """
    shape = (matrix.shape[0] * edge, matrix.shape[1] * edge)

    def stored(order: Order) -> StoredMatrix:
        of_blocks = values() if order == "row" else values().transpose(0, 2, 1)
        flat = np.ascontiguousarray(of_blocks).ravel()
        nnz = flat.size
        return StoredMatrix("bsr", shape, nnz, matrix.indptr, matrix.indices, flat, block=edge, order=order)

    for order in ORDERS:

        def store(order: Order = order) -> StoredMatrix:
            return stored(order)

        # The algorithm of BSR is the same for every edge.
        yield CusparseForm(f"{name}, by {order}", f"bsr_2_{order}", store, shape, vector, result)
