"""Preconditioned conjugate gradients on the device: an iteration is a product and three vector kernels.

Nothing of an iteration comes to the host: this many of them are captured into a graph once, and the host
looks at the residuals after each replay. Iterations after the one that converges change x by less than was
asked for; they are not counted.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.compound.compound_matrix import CompoundMatrix
from gpu.compound.device_compound import CompoundProduct
from gpu.compound.solver.block_diagonal import BlockDiagonal, preconditioner
from gpu.compound.solver.kernels import (
    CURVATURE,
    RZ,
    SUMS,
    THREADS,
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
from gpu.runtime.launches import Launch
from gpu.runtime.memory import clear, real_type, upload, zeros
from vecsim.support.errors import UserError

BLOCKS_PER_MULTIPROCESSOR = 8


def blocks_for(length: int) -> int:
    """Return the blocks of threads of a vector operation: as many as run at once."""
    most = 2 if SIMULATED else BLOCKS_PER_MULTIPROCESSOR * shared_memory()[0]
    return max(1, min(most, -(-length // THREADS)))


AT_ONCE = 2 if SIMULATED else 20
"""Iterations between two looks at the residual: an even number, since sums of r . z have two places."""
LARGE = 2.0**1000
"""A sum of r . z next to which every other one is nothing."""


class Iterations(Handle):
    """The iterations for one operator, captured in a graph, with the vectors that they need.

    Parameters
    ----------
    operator
        The product.
    inverse
        The preconditioner.
    most_iterations
        Of one solve.

    Attributes
    ----------
    x
        Device array: the solution so far.
    """

    def __init__(self, operator: Operator, inverse: BlockDiagonal, most_iterations: int) -> None:
        self._operator, self._plain, self._most = operator, inverse.plain, most_iterations
        self._real = real = real_type(np.zeros(0, operator.p.dtype))
        self._resources = ExitStack()
        weakref.finalize(self, self._resources.close).atexit = False
        self._graph: Any = None
        self._stream: Any = None
        length = operator.p.size
        self.x, self._r = (zeros(length, real) for _ in range(2))
        self._z = self._r if inverse.plain else zeros(length, real)
        self._inverses = upload(_numbers(inverse).astype(real))
        self._parts = zeros(2 * blocks_for(length), np.float64)
        self._arrived = zeros(1, np.uint32)
        self._sums = zeros(SUMS, np.float64)
        self._history = zeros(3 * (self._most + AT_ONCE + 1), np.float64)
        self._iteration = zeros(1, np.int64)
        sums = [self._parts, self._arrived, self._sums]
        self._norm, self._dot = (
            self._launch(dot_kernel(real), length, [first, second, *sums])
            for first, second in ((self._r, self._r), (operator.p, operator.q))
        )
        self._rest = [self._vector_launches(sums, parity) for parity in range(2)]

    @property
    def device_arrays(self) -> list[Any]:
        """All arrays that it keeps on the device."""
        of, own = self._operator, [self.x, self._r, self._inverses, self._parts, self._history]
        return [of.p, of.q, *own, *([] if self._plain else [self._z])]

    def _launch(self, kernel: Any, length: int, arguments: list[Any]) -> Launch:
        return Launch(kernel, blocks_for(length), THREADS, arguments, self._real)

    def _vector_launches(self, sums: list[Any], parity: int) -> list[Launch]:
        of, inverse = self._operator, [self._inverses, self._operator.count]
        form = (self._real, of.size, of.vector, self._plain)
        residual = [self._r, of.q, self._z, *inverse, *sums, parity]
        direction = [self.x, of.p, self._z, *inverse, self._sums, parity, self._history, self._iteration]
        return [
            self._launch(residual_kernel(*form), of.count, residual),
            self._launch(direction_kernel(*form), of.count, direction),
        ]

    @property
    def inverses(self) -> Any:
        """Device array of the preconditioner's numbers, as `element_parts` takes them."""
        return self._inverses

    def enqueue(self, stream: Any) -> None:
        """Put this many iterations as are captured at once on a stream.

        Parameters
        ----------
        stream
            Of `gpu.runtime.cuda_driver`; None in the simulator.
        """
        for number in range(AT_ONCE):
            self._operator.enqueue(stream)
            self._put([self._dot, *self._rest[number % 2]], stream)

    def _put(self, launches: list[Launch], stream: Any) -> None:
        of, real = self._operator, self._real
        on = cuda.external_stream(stream.address) if stream else 0
        for each in launches:
            each(of.p, of.q, real(1), real(0), on)

    def iterate(
        self, b: Any, x: Any, *, tolerance: float, watch: Callable[[int, float], None]
    ) -> tuple[NDArray[np.float64], bool]:
        """Iterate from a given x; the solution is the attribute `x` then.

        Parameters
        ----------
        b
            Array of the host or the device in the layout of the vectors.
        x
            The same, where to begin; None is 0.
        tolerance
            Of the residual, relative to b; the residual is the recurrence's, not computed again.
        watch
            Is called with the number of iterations and the residual, each time these are checked.

        Returns
        -------
        residuals
            As of `Solution`.
        converged : bool
            Whether the last one is no more than the tolerance.

        Raises
        ------
        UserError
            b is not finite, or the matrix is not positive definite.
        """
        norm = self._begin(b, x)
        if not norm:  # x = 0 solves it, wherever it began
            clear(self.x)
            return np.zeros(1), True
        residuals = self._residuals(norm, tolerance)
        while residuals[-1] > tolerance and len(residuals) <= self._most:
            self._replay()
            residuals = self._residuals(norm, tolerance)
            watch(len(residuals) - 1, float(residuals[-1]))
        return residuals, bool(residuals[-1] <= tolerance)

    def _residuals(self, norm: float, tolerance: float) -> NDArray[np.float64]:
        """Return the residuals up to the first one that is small enough; check what led to them."""
        done = min(int(self._iteration.copy_to_host()[0]), self._most + 1)
        curvature, rz, rr = self._history[: 3 * done].copy_to_host().reshape(-1, 3).T
        if not np.isfinite(rr[0]):
            raise UserError("b - A x is not finite: the matrix or x0 is not, or numbers are too large")
        residuals: NDArray[np.float64] = np.sqrt(rr) / norm
        below = np.flatnonzero(residuals <= tolerance)
        if len(below):
            residuals = residuals[: below[0] + 1]
        for number in range(1, len(residuals)):
            require_positive(curvature[number], rz[number], number)
        return residuals

    def _begin(self, b: Any, x: Any) -> float:
        """Set r = b - A x, p = M r and the sum of r . z, and return the norm of b.

        That is an iteration from 0 with the direction x and a step of 1, after which the direction is no
        longer that of x: the sum of r . z before it was far larger.
        """
        of = self._operator
        self._r.copy_to_device(b)
        clear(self.x)
        if x is None:
            clear(of.p)
        else:
            of.p.copy_to_device(x)
        self._put([self._norm], None)
        norm = float(np.sqrt(self._sums.copy_to_host()[CURVATURE]))
        if not np.isfinite(norm):
            raise UserError(f"b must be finite, and the norm of this one is {norm}")
        sums = np.zeros(SUMS, np.float64)
        sums[[CURVATURE, RZ + 1]] = LARGE
        self._sums.copy_to_device(sums)
        self._iteration.copy_to_device(np.zeros(1, np.int64))
        of.enqueue(None)
        self._put(self._rest[1], None)
        return norm

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


class ConjugateGradients(Iterations):
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
        of = operator if isinstance(operator, Operator) else of_product(operator)
        self._matrix = matrix
        if (of.count, of.size) != (matrix.shape[0], len(matrix.entry.vector)):
            raise UserError("the product is of another matrix: use the product of the given matrix")
        super().__init__(of, inverse, most_iterations)

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
        tolerance, watch
            As of `Iterations.iterate`.

        Raises
        ------
        UserError
            b does not fit, or the matrix is not positive definite.
        """
        b, of = checked_right_side(self._matrix, b), self._operator
        given = np.zeros(self.x.size, self._real)
        arranged = of.arranged(b)
        given[: len(arranged)] = arranged
        residuals, converged = self.iterate(given, None, tolerance=tolerance, watch=watch)
        return Solution(of.separated(self.x.copy_to_host()), residuals, converged)


def _numbers(inverse: BlockDiagonal) -> NDArray[np.float64]:
    """Return the numbers of the inverses as kernels take them (`element_parts`)."""
    if inverse.plain:
        return inverse.inverses
    rows, columns = np.tril_indices(inverse.inverses.shape[1])
    return np.ascontiguousarray(inverse.inverses[:, rows, columns].T).ravel()
