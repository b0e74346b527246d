"""The baseline that anyone writes first: CSR, one thread a row; transposed, every product added atomically.

Sums of the transposed product run in no fixed order, so its results differ from run to run.
"""

import functools
from typing import Any

from gpu.kernel_parts.row_results import scaling
from gpu.runtime.cuda import cuda
from gpu.runtime.kernel_sequence import begin_in_sequence
from gpu.runtime.launches import ALPHA, BETA, LaunchedInTurn, X, Y, launches_of
from gpu.runtime.memory import real_type, upload


@functools.cache
def row_kernel(real: Any) -> Any:
    """Make the kernel ``y = alpha A x + beta y``, a row a thread."""

    @cuda.jit
    def kernel(indptr, indices, values, rows, x, y, alpha, beta):
        """Sum a row a thread.

        Parameters
        ----------
        indptr, indices
            int32, as SciPy has them.
        values
            real of nnz.
        rows
            M.
        x, y
            real of N and M.
        alpha, beta
            Scalars of the real type.
        """
        row = cuda.grid(1)
        begin_in_sequence()
        if row < rows:
            total = real(0)
            for entry in range(indptr[row], indptr[row + 1]):
                total += values[entry] * x[indices[entry]]
            y[row] = alpha * total if beta == real(0) else alpha * total + beta * y[row]

    return kernel


@functools.cache
def column_kernel(real: Any) -> Any:
    """Make the kernel ``y += alpha A^T x``, a row of A a thread."""

    @cuda.jit
    def kernel(indptr, indices, values, rows, x, y, alpha):
        """Add each product of a row to its element of y; the parameters are those of `row_kernel`.

        Parameters
        ----------
        indptr, indices, values, rows, x, y, alpha
            As of `row_kernel`; x has M elements, y N.
        """
        row = cuda.grid(1)
        begin_in_sequence()
        if row < rows:
            factor = alpha * x[row]
            for entry in range(indptr[row], indptr[row + 1]):
                cuda.atomic.add(y, indices[entry], values[entry] * factor)

    return kernel


class NaiveProduct(LaunchedInTurn):
    """A matrix in CSR on the device, and the launches of the naive product.

    Parameters
    ----------
    csr
        scipy.sparse.csr_array of float32 or float64 with 32-bit indices.
    threads_per_block
        Threads of a block.
    transposed
        Whether the product is that of the transpose.
    """

    def __init__(self, csr: Any, threads_per_block: int, *, transposed: bool = False) -> None:
        real = real_type(csr.data)
        rows, columns = csr.shape
        self.device_arrays = [upload(csr.indptr), upload(csr.indices), upload(csr.data)]
        blocks = -(-rows // threads_per_block)
        shared = [*self.device_arrays, rows, X, Y, ALPHA]
        if transposed:
            self.launches = [
                *scaling(columns, real),
                *launches_of(column_kernel(real), blocks, threads_per_block, shared, real),
            ]
        else:
            self.launches = launches_of(row_kernel(real), blocks, threads_per_block, [*shared, BETA], real)
