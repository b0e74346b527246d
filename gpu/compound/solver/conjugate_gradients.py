"""Preconditioned conjugate gradients on the device: an iteration is a product and three vector kernels.

Nothing of an iteration comes to the host: so many of them are captured into a graph once, and the host looks
at the residuals after each replay. Iterations behind the one that converges change x by less than was asked
for; they are not counted.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gpu.compound.compound_matrix import CompoundMatrix
from gpu.compound.device_compound import CompoundProduct
from gpu.compound.solver.block_diagonal import preconditioner
from gpu.compound.solver.kernels import THREADS, direction_kernel, dot_kernel, update_kernel
from gpu.compound.solver.operators import Operator, of_product
from gpu.compound.solver.reference import (
    MOST_ITERATIONS,
    TOLERANCE,
    Solution,
    checked_right_side,
    require_positive,
)
from gpu.compound.solver.vectors import blocks_for
from gpu.runtime.cuda import SIMULATED, cuda
from gpu.runtime.launches import Launch
from gpu.runtime.memory import real_type, upload
from vecsim.errors import UserError

AT_ONCE = 2 if SIMULATED else 20
"""Iterations between two looks at the residual: an even number, since sums of r . z have two places."""
GROUPS = 5
"""Sums that each block keeps: p . q, and r . z and r . r of even and of odd iterations."""


class ConjugateGradients:
    """Solves A x = b for one matrix and many b; a context manager, which gives the graph back.

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
            raise UserError("the product is of another matrix")
        self._inverse, self._most = inverse, most_iterations
        self._real = real_type(np.zeros(0, of.p.dtype))
        self._resources = ExitStack()
        self._graph: Any = None
        self._stream: Any = None
        self._prepare()

    def _prepare(self) -> None:
        of, real, inverse = self._operator, self._real, self._inverse
        length = of.p.size
        self._blocks = blocks_for(length)
        self._x, self._r, self._z = (upload(np.zeros(length, real)) for _ in range(3))
        # Number k of an element's inverse at k n + element.
        numbers = inverse.inverses.reshape(len(inverse.inverses), -1).T
        self._inverses = upload(np.ascontiguousarray(numbers, dtype=real).ravel())
        self._parts = upload(np.zeros(GROUPS * self._blocks, np.float64))
        self._history = upload(np.zeros(3 * (self._most + AT_ONCE), np.float64))
        self._iteration = upload(np.zeros(1, np.int64))
        self._dot = self._launch(dot_kernel(real), [of.p, of.q, self._parts])
        self._rest = [self._vector_launches(parity) for parity in range(2)]

    def _launch(self, kernel: Any, arguments: list[Any]) -> Launch:
        return Launch(kernel, self._blocks, THREADS, arguments, self._real)

    def _vector_launches(self, parity: int) -> list[Launch]:
        of, real = self._operator, self._real
        vectors = [self._x, self._r, self._z, of.p, of.q, self._inverses]
        update = update_kernel(real, of.size, self._inverse.plain)
        noted = [self._history, self._iteration]
        return [
            self._launch(update, [*vectors, of.count, of.inner, self._parts, parity]),
            self._launch(direction_kernel(real), [of.p, self._z, self._parts, parity, *noted]),
        ]

    def enqueue(self, stream: Any) -> None:
        """Put so many iterations as are captured at once on a stream.

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
            Of the residual, relative to b; the residual is the recurrence's, not computed anew.
        watch
            Is told how many iterations are done and the residual, at each look.

        Raises
        ------
        UserError
            b does not fit, or the matrix is not positive definite.
        """
        b = checked_right_side(self._matrix, b)
        norm = float(np.linalg.norm(b))
        self._begin(b)
        found = np.zeros((0, 3))
        residuals = np.array([1.0 if norm else 0.0])
        while residuals[-1] > tolerance and len(found) < self._most:
            self._replay()
            done = int(self._iteration.copy_to_host()[0])
            found = self._history.copy_to_host()[: 3 * done].reshape(-1, 3)[: self._most]
            residuals = np.concatenate(([1.0], np.sqrt(found[:, 2]) / norm))
            below = np.flatnonzero(residuals <= tolerance)
            if len(below):
                residuals = residuals[: below[0] + 1]
            for number, (curvature, rz, _) in enumerate(found[: len(residuals) - 1], 1):
                require_positive(curvature, rz, number)
            watch(len(residuals) - 1, float(residuals[-1]))
        x = self._operator.separated(self._x.copy_to_host())
        return Solution(x, residuals, bool(residuals[-1] <= tolerance))

    def _begin(self, b: NDArray[np.float64]) -> None:
        """Set x = 0, r = b, z = p = M b, and the sums of r . z."""
        of = self._operator
        z = of.arranged(self._inverse @ b)
        r = of.arranged(b)
        for array, values in ((self._r, r), (self._z, z), (of.p, z), (self._x, np.zeros_like(r))):
            array[: len(values)].copy_to_device(np.ascontiguousarray(values, dtype=self._real))
        parts = np.zeros(GROUPS * self._blocks, np.float64)
        parts[self._blocks] = float(np.vdot(r.astype(np.float64), z.astype(np.float64)))
        self._parts.copy_to_device(parts)
        self._iteration.copy_to_device(np.zeros(1, np.int64))

    def _replay(self) -> None:
        if SIMULATED:
            self.enqueue(None)
            return
        if self._graph is None:
            from gpu.runtime.cuda_driver import Stream

            self._stream = self._resources.enter_context(Stream())
            self._graph = self._resources.enter_context(self._stream.capture(self.enqueue))
        cuda.synchronize()
        self._graph.launch(self._stream)
        self._stream.synchronize()

    def close(self) -> None:
        """Give the graph back."""
        self._resources.close()
        self._graph = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
