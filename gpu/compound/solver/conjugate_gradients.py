"""Preconditioned conjugate gradients on the device: an iteration is a product and three vector kernels.

Nothing of an iteration comes to the host: this many of them are captured into a graph once, and the host
looks at the residuals after each replay. Iterations after the one that converges change x by less than was
asked for; they are not counted.

`VectorOperations` has axpby, dot and norm of compound vectors alone, whatever their layout.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.compound.compound_matrix import CompoundMatrix
from gpu.compound.device_compound import CompoundProduct
from gpu.compound.solver.block_diagonal import BlockDiagonal, preconditioner
from gpu.compound.solver.kernels import (
    RZ,
    SUMS,
    THREADS,
    axpby_kernel,
    direction_kernel,
    dot_kernel,
    residual_kernel,
)
from gpu.compound.solver.operators import Operator, of_product
from gpu.compound.solver.reference import (
    MOST_ITERATIONS,
    TOLERANCE,
    Solution,
    checked_right_side,
    require_positive,
)
from gpu.runtime.cuda import SIMULATED, cuda
from gpu.runtime.cuda_driver import Handle, Stream
from gpu.runtime.device_info import shared_memory
from gpu.runtime.launches import ALPHA, BETA, Launch, X, Y
from gpu.runtime.memory import real_type, upload, zeros
from vecsim.support.errors import UserError

BLOCKS_PER_MULTIPROCESSOR = 8


def blocks_for(length: int) -> int:
    """Return the blocks of threads of a vector operation: as many as run at once."""
    most = 2 if SIMULATED else BLOCKS_PER_MULTIPROCESSOR * shared_memory()[0]
    return max(1, min(most, -(-length // THREADS)))


class VectorOperations:
    """axpby, dot and norm of vectors of one length and type.

    Vectors are arrays of the device in one layout, padding 0, as `CompoundProduct.arranged_vector` makes
    them, so components need not be distinguished.

    Parameters
    ----------
    length
        Of the arrays.
    real
        np.float32 or np.float64.

    Raises
    ------
    UserError
        There is no such type, or nothing in a vector.
    """

    def __init__(self, length: int, real: Any) -> None:
        if length < 1:
            raise UserError("a vector needs at least one element")
        self._real = real_type(np.zeros(0, real))
        self._length, blocks = length, blocks_for(length)
        sums = [upload(np.zeros(2 * blocks, np.float64)), upload(np.zeros(1, np.uint32))]
        self._sum = upload(np.zeros(1, np.float64))
        self._axpby = Launch(axpby_kernel(self._real), blocks, THREADS, [X, Y, ALPHA, BETA], self._real)
        self._dot = Launch(dot_kernel(self._real), blocks, THREADS, [X, Y, *sums, self._sum], self._real)

    def axpby(self, alpha: float, x: Any, beta: float, y: Any, stream: Any = 0) -> None:
        """Do ``y = alpha x + beta y``; y is not read where beta is 0.

        Parameters
        ----------
        alpha, beta
            Numbers.
        x, y
            Device arrays.
        stream
            0, or an object of Numba or cuda.core.

        Raises
        ------
        UserError
            An array does not fit.
        """
        self._check(x, y)
        self._axpby(x, y, self._real(alpha), self._real(beta), stream)

    def dot(self, x: Any, y: Any) -> float:
        """Return the sum of all products, added up in float64; the same bits in every run.

        Parameters
        ----------
        x, y
            Device arrays.

        Raises
        ------
        UserError
            An array does not fit.
        """
        self._check(x, y)
        self._dot(x, y, self._real(1), self._real(0), 0)
        return float(self._sum.copy_to_host()[0])

    def norm(self, x: Any) -> float:
        """Return the square root of `dot` of a vector and itself."""
        return float(np.sqrt(self.dot(x, x)))

    def _check(self, *vectors: Any) -> None:
        for each in vectors:
            if each.size != self._length or each.dtype != self._real:
                raise UserError(
                    f"a vector of {self._length} {np.dtype(self._real).name} is needed, not of {each.size} "
                    f"{each.dtype}"
                )


AT_ONCE = 2 if SIMULATED else 20
"""Iterations between two looks at the residual: an even number, since sums of r . z have two places."""


class ConjugateGradients(Handle):
    """Solves A x = b for one matrix and many b; a context manager, which releases the graph.

    Parameters
    ----------
    matrix
        n x n entries, positive definite.
    operator
        Its product: one of ours, or an `Operator`.
    preconditioned
        Whether by the inverse of the block diagonal.
    most_iterations
        Of one solve.

    Raises
    ------
    UserError
        The matrix is not square, has no diagonal to invert, or does not fit the product.
    """

    def __init__(
        self,
        matrix: CompoundMatrix,
        operator: CompoundProduct | Operator,
        *,
        preconditioned: bool = True,
        most_iterations: int = MOST_ITERATIONS,
    ) -> None:
        inverse = preconditioner(matrix, wanted=preconditioned)
        self._operator = operator if isinstance(operator, Operator) else of_product(operator)
        of, self._matrix = self._operator, matrix
        if (of.count, of.size) != (matrix.shape[0], len(matrix.entry.vector)):
            raise UserError("the product is of another matrix: use the product of the given matrix")
        self._inverse, self._most = inverse, most_iterations
        self._real = real_type(np.zeros(0, of.p.dtype))
        self._resources = ExitStack()
        self._graph: Any = None
        self._stream: Any = None
        self._prepare()

    def _prepare(self) -> None:
        of, real, inverse = self._operator, self._real, self._inverse
        length = of.p.size
        self._x, self._r = (zeros(length, real) for _ in range(2))
        self._z = self._r if inverse.plain else zeros(length, real)
        self._inverses = upload(_numbers(inverse).astype(real))
        self._parts = zeros(2 * blocks_for(length), np.float64)
        self._arrived = zeros(1, np.uint32)
        self._sums = zeros(SUMS, np.float64)
        self._history = zeros(3 * (self._most + AT_ONCE), np.float64)
        self._iteration = zeros(1, np.int64)
        sums = [self._parts, self._arrived, self._sums]
        self._dot = self._launch(dot_kernel(real), length, [of.p, of.q, *sums])
        self._rest = [self._vector_launches(sums, parity) for parity in range(2)]

    def _launch(self, kernel: Any, length: int, arguments: list[Any]) -> Launch:
        return Launch(kernel, blocks_for(length), THREADS, arguments, self._real)

    def _vector_launches(self, sums: list[Any], parity: int) -> list[Launch]:
        of, inverse = self._operator, [self._inverses, self._operator.count]
        form = (self._real, of.size, of.vector, self._inverse.plain)
        residual = [self._r, of.q, self._z, *inverse, *sums, parity]
        direction = [self._x, of.p, self._z, *inverse, self._sums, parity, self._history, self._iteration]
        return [
            self._launch(residual_kernel(*form), of.count, residual),
            self._launch(direction_kernel(*form), of.count, direction),
        ]

    def enqueue(self, stream: Any) -> None:
        """Put this many iterations as are captured at once on a stream.

        Parameters
        ----------
        stream
            Of `gpu.runtime.cuda_driver`; None in the simulator.
        """
        of, real = self._operator, self._real
        on = cuda.external_stream(stream.address) if stream else 0
        for number in range(AT_ONCE):
            of.enqueue(stream)
            for each in (self._dot, *self._rest[number % 2]):
                each(of.p, of.q, real(1), real(0), on)

    def solve(
        self,
        b: NDArray[Any],
        *,
        tolerance: float = TOLERANCE,
        watch: Callable[[int, float], None] = lambda iteration, residual: None,
    ) -> Solution:
        """Solve for one b, from x = 0.

        Parameters
        ----------
        b
            (n, C).
        tolerance
            Of the residual, relative to b; the residual is the recurrence's, not computed again.
        watch
            Is called with the number of iterations and the residual, each time these are checked.

        Raises
        ------
        UserError
            b does not fit, or the matrix is not positive definite.
        """
        b = checked_right_side(self._matrix, b)
        norm = float(np.linalg.norm(b))
        self._begin(b)
        result = np.zeros((0, 3))
        residuals = np.array([1.0 if norm else 0.0])
        while residuals[-1] > tolerance and len(result) < self._most:
            self._replay()
            done = int(self._iteration.copy_to_host()[0])
            result = self._history.copy_to_host()[: 3 * done].reshape(-1, 3)[: self._most]
            residuals = np.concatenate(([1.0], np.sqrt(result[:, 2]) / norm))
            below = np.flatnonzero(residuals <= tolerance)
            if len(below):
                residuals = residuals[: below[0] + 1]
            for number, (curvature, rz, _) in enumerate(result[: len(residuals) - 1], 1):
                require_positive(curvature, rz, number)
            watch(len(residuals) - 1, float(residuals[-1]))
        x = self._operator.separated(self._x.copy_to_host())
        return Solution(x, residuals, bool(residuals[-1] <= tolerance))

    def _begin(self, b: NDArray[np.float64]) -> None:
        """Set x = 0, r = b, p = M b, and the sum of r . z."""
        of = self._operator
        z = of.arranged(self._inverse @ b)
        r = of.arranged(b)
        for array, values in ((self._r, r), (of.p, z), (self._x, np.zeros_like(r))):
            array[: len(values)].copy_to_device(np.ascontiguousarray(values, dtype=self._real))
        sums = np.zeros(SUMS, np.float64)
        sums[RZ] = float(np.vdot(r.astype(np.float64), z.astype(np.float64)))
        self._sums.copy_to_device(sums)
        self._iteration.copy_to_device(np.zeros(1, np.int64))

    def _replay(self) -> None:
        if SIMULATED:
            self.enqueue(None)
            return
        if self._graph is None:
            self._stream = self._resources.enter_context(Stream())
            self._graph = self._resources.enter_context(self._stream.capture(self.enqueue))
        cuda.synchronize()
        self._graph.launch(self._stream)
        self._stream.synchronize()

    def close(self) -> None:
        """Release the graph."""
        self._resources.close()
        self._graph = None


def _numbers(inverse: BlockDiagonal) -> NDArray[np.float64]:
    """Return the numbers of the inverses as kernels take them (`element_parts`)."""
    if inverse.plain:
        return inverse.inverses
    rows, columns = np.tril_indices(inverse.inverses.shape[1])
    return np.ascontiguousarray(inverse.inverses[:, rows, columns].T).ravel()
