"""Conjugate gradients by NVIDIA's libraries alone: what ours are compared with.

The product is cuSPARSE's and all vector operations are cuBLAS's, captured into a graph as ours are; the
preconditioner is a product of cuSPARSE with the inverses of the diagonal blocks, or one of cuBLAS where each
is a number. Scalars stay on the device, divided by a kernel of one thread.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any, Self

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from gpu.baseline.cublas import Cublas
from gpu.compound.compound_matrix import CompoundMatrix
from gpu.compound.solver.block_diagonal import BlockDiagonal, preconditioner
from gpu.compound.solver.conjugate_gradients import AT_ONCE
from gpu.compound.solver.operators import Operator, at_address
from gpu.compound.solver.reference import MOST_ITERATIONS, TOLERANCE, Solution, checked_right_side
from gpu.runtime.cuda import cuda
from gpu.runtime.launches import address_of_array
from gpu.runtime.memory import upload, zeros

WORKSPACE = 32 << 20
"""Bytes, what cuBLAS asks for on Hopper."""
ALPHA, MINUS_ALPHA, BETA, ONE, CURVATURE, RZ, NEXT_RZ, RR = range(8)
"""Places of scalars on the device."""


@cuda.jit
def alpha_kernel(scalars):
    """Divide r . z by p . q.

    Parameters
    ----------
    scalars
        real of 8.
    """
    scalars[ALPHA] = scalars[RZ] / scalars[CURVATURE]
    scalars[MINUS_ALPHA] = -scalars[ALPHA]


@cuda.jit
def beta_kernel(scalars, history, iteration):
    """Divide r . z by that of the iteration before, and note r . r.

    Parameters
    ----------
    scalars
        real of 8.
    history
        float64: r . r after each iteration.
    iteration
        int64 of 1: how many are noted.
    """
    scalars[BETA] = scalars[NEXT_RZ] / scalars[RZ]
    scalars[RZ] = scalars[NEXT_RZ]
    if iteration[0] < history.size:
        history[iteration[0]] = scalars[RR]
    iteration[0] += 1


class LibraryGradients:
    """Solves A x = b by cuSPARSE and cuBLAS; a context manager, which gives their memory back.

    Parameters
    ----------
    matrix
        n x n entries, positive definite.
    operator
        Its product, of `gpu.compound.solver.operators.of_cusparse`.
    """

    def __init__(self, matrix: CompoundMatrix, operator: Operator) -> None:
        self._matrix, self._of = matrix, operator
        self._inverse = preconditioner(matrix, wanted=True)
        with ExitStack() as opened:
            self._prepare(opened)
            self._resources = opened.pop_all()

    def _prepare(self, opened: ExitStack) -> None:
        self._count, dtype = self._of.count * self._of.size, self._of.p.dtype
        self._x = zeros(self._count, dtype)
        self._preconditioner: Any = None
        if self._inverse.plain:
            self._r, self._z = (zeros(self._count, dtype) for _ in range(2))
            self._inverses = upload(self._inverse.inverses.astype(dtype))
        else:
            self._preconditioner = opened.enter_context(_block_product(self._inverse, dtype))
            self._r, self._z = (
                at_address(address, self._count, dtype) for address in self._preconditioner.addresses
            )
        self._scalars = zeros(8, dtype)
        self._history = zeros(MOST_ITERATIONS + AT_ONCE, np.float64)
        self._iteration = zeros(1, np.int64)
        self._workspace = zeros(WORKSPACE, np.uint8)
        self._cublas = Cublas(dtype, (address_of_array(self._workspace), WORKSPACE))
        opened.callback(self._cublas.close)

    def enqueue(self, stream: Any) -> None:
        """Put so many iterations as are captured at once on a stream of `gpu.runtime.cuda_driver`."""
        self._cublas.on(stream)
        for _ in range(AT_ONCE):
            self._iterate(stream)

    def _iterate(self, stream: Any) -> None:
        of, cublas, count = self._of, self._cublas, self._count
        p, q, x, r, z = (address_of_array(each) for each in (of.p, of.q, self._x, self._r, self._z))
        on = cuda.external_stream(stream.address)
        of.enqueue(stream)
        cublas.dot(count, p, q, self._scalar(CURVATURE))
        alpha_kernel[1, 1, on](self._scalars)
        cublas.axpy(count, self._scalar(ALPHA), p, x)
        cublas.axpy(count, self._scalar(MINUS_ALPHA), q, r)
        cublas.dot(count, r, r, self._scalar(RR))
        if self._preconditioner is None:
            cublas.scale_columns(of.size, of.count, r, address_of_array(self._inverses), z)
        else:
            self._preconditioner.enqueue(stream)
        cublas.dot(count, r, z, self._scalar(NEXT_RZ))
        beta_kernel[1, 1, on](self._scalars, self._history, self._iteration)
        cublas.scale(count, self._scalar(BETA), p)
        cublas.axpy(count, self._scalar(ONE), z, p)

    def _scalar(self, place: int) -> int:
        return address_of_array(self._scalars) + place * int(self._scalars.dtype.itemsize)

    def solve(self, b: NDArray[Any], *, tolerance: float = TOLERANCE) -> Solution:
        """Solve for one b, from x = 0; parameters as of `ConjugateGradients.solve`.

        Parameters
        ----------
        b
            (n, C).
        tolerance
            Of the residual, relative to b.
        """
        from gpu.runtime.cuda_driver import Stream

        b = checked_right_side(self._matrix, b)
        norm = float(np.linalg.norm(b))
        with Stream() as stream:  # kernels are compiled and loaded before a graph is captured
            self.enqueue(stream)
            stream.synchronize()
        self._begin(b)
        residuals = np.array([1.0 if norm else 0.0])
        with Stream() as stream, stream.capture(self.enqueue) as graph:
            cuda.synchronize()  # uploads are on another stream
            while residuals[-1] > tolerance and len(residuals) <= MOST_ITERATIONS:
                graph.launch(stream)
                stream.synchronize()
                done = int(self._iteration.copy_to_host()[0])
                squares = self._history.copy_to_host()[:done]
                residuals = np.concatenate(([1.0], np.sqrt(squares) / norm))[: MOST_ITERATIONS + 1]
                below = np.flatnonzero(residuals <= tolerance)
                residuals = residuals[: below[0] + 1] if len(below) else residuals
        x = self._of.separated(self._x.copy_to_host())
        return Solution(x, residuals, bool(residuals[-1] <= tolerance))

    def _begin(self, b: NDArray[np.float64]) -> None:
        of, dtype = self._of, self._of.p.dtype
        r, z = (np.ascontiguousarray(of.arranged(each), dtype) for each in (b, self._inverse @ b))
        for array, values in ((self._r, r), (of.p, z), (self._x, np.zeros_like(r))):
            array.copy_to_device(values)
        scalars = np.zeros(8, dtype)
        scalars[ONE], scalars[RZ] = 1, np.vdot(r.astype(np.float64), z.astype(np.float64))
        self._scalars.copy_to_device(scalars)
        self._iteration.copy_to_device(np.zeros(1, np.int64))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._resources.close()


def _block_product(inverse: BlockDiagonal, dtype: np.dtype[Any]) -> Any:
    """Give the product of cuSPARSE with the inverses as a matrix of blocks on the diagonal."""
    from gpu.baseline.cusparse import METHODS, SparseProduct

    count, size = inverse.inverses.shape[:2]
    places = np.arange(count, dtype=np.int32), np.arange(count + 1, dtype=np.int32)
    matrix = scipy.sparse.csr_matrix(scipy.sparse.bsr_matrix((inverse.inverses.astype(dtype), *places)))
    method = f"bsr_{size}_column"
    return SparseProduct(method, METHODS[method].store(matrix), matrix.shape)
