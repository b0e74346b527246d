"""`gpu.solve`: conjugate gradients with a prepared matrix, by the solver of compound entries."""

from collections.abc import Callable
from typing import Any

import numpy as np

from gpu.compound.component_layout import AOS
from gpu.compound.solver.block_diagonal import BlockDiagonal
from gpu.compound.solver.conjugate_gradients import Iterations
from gpu.compound.solver.operators import Operator
from gpu.compound.solver.reference import MOST_ITERATIONS, TOLERANCE, Solution
from gpu.device_matrix import DeviceMatrix
from gpu.runtime.cuda import cuda
from gpu.runtime.kernel_sequence import begin_in_sequence
from gpu.runtime.launches import launch
from gpu.runtime.memory import upload, zeros
from gpu.runtime.vectors import as_device_array, as_kind_of, is_on_device, like
from gpu.vector_products import REAL_NUMBERS, host_array
from vecsim.support.errors import UserError


def solve(
    matrix: DeviceMatrix,
    b: Any,
    *,
    x0: Any = None,
    tolerance: float = TOLERANCE,
    most_iterations: int = MOST_ITERATIONS,
    preconditioned: bool = True,
    watch: Callable[[int, float], None] = lambda iteration, residual: None,
) -> Solution:
    """Solve A x = b by conjugate gradients on the device.

    Several iterations are captured in a graph, and the host looks at the residuals after each replay. The
    matrix keeps the graph and its vectors for the next call, also after `update_values`. CuPy's and SciPy's
    solvers take `DeviceMatrix.aslinearoperator`.

    Parameters
    ----------
    matrix
        Of `gpu.prepare`: real, symmetric and positive definite, which is not checked beforehand.
    b
        Real vector of n elements, of the host or, in the type of the matrix, of the device. The call waits
        for all work of the device.
    x0
        The same, where to begin; None is 0.
    tolerance
        Of the residual, relative to b. It is that of the recurrence: in float32, b - A x may
        stay above a millionth of b, whatever the tolerance.
    most_iterations
        After this many it ends without having converged.
    preconditioned
        Whether by the inverse of the diagonal, which `DeviceMatrix.diagonal` reads.
    watch
        Is called with the number of iterations and the residual, each time these are checked.

    Returns
    -------
    Solution
        With x of n elements in the type of the matrix and of the library of b, residuals, and whether it
        converged.

    Raises
    ------
    UserError
        The matrix is not real and square, has a 0 on its diagonal, or is not positive definite; or b or x0
        does not fit.
    """
    if not isinstance(matrix, DeviceMatrix):
        raise UserError(f"{type(matrix).__name__} is no prepared matrix: use gpu.prepare")
    if not (isinstance(tolerance, REAL_NUMBERS) and tolerance >= 0):
        raise UserError(f"tolerance {tolerance!r} is not possible: use a number from 0 on")
    if not (isinstance(most_iterations, int | np.integer) and most_iterations >= 0):
        raise UserError(f"most_iterations {most_iterations!r} is not possible: use a number from 0 on")
    rows, columns = matrix.shape
    if rows != columns:
        raise UserError(f"a matrix of {rows} x {columns} cannot be solved: use a square one")
    if matrix.dtype.kind != "f":
        raise UserError(f"a matrix of {matrix.dtype} cannot be solved: use a real one")
    if not rows:
        return Solution(as_kind_of(b, np.zeros(0, matrix.dtype)), np.zeros(1), True)
    with matrix.lock:
        given = _vector("b", b, matrix)
        began = None if x0 is None else _vector("x0", x0, matrix)
        solver = _solver_of(matrix, most_iterations)
        _precondition(solver.inverses, matrix, preconditioned)
        solver.product.of = matrix
        try:
            residuals, converged = solver.iterate(given, began, tolerance=tolerance, watch=watch)
        finally:
            solver.product.of = None
        x = like(b, rows) if is_on_device(b) else as_kind_of(b, solver.x.copy_to_host())
        if is_on_device(b):
            as_device_array(x).copy_to_device(solver.x)
            cuda.synchronize()
    return Solution(x, residuals, converged)


def _vector(name: str, array: Any, matrix: DeviceMatrix) -> Any:
    """Return a vector as the solver takes it, which is contiguous and in the type of the matrix."""
    rows = matrix.shape[0]
    if is_on_device(array):
        cuda.synchronize()  # what writes it may still be in flight on another stream
        view = matrix.device_vector(name, array, rows, 0)
        cuda.synchronize()
        return view
    vector = host_array(array, name)
    if vector.shape != (rows,):
        raise UserError(f"{name} has shape {vector.shape}: a {rows} x {rows} matrix needs ({rows},)")
    if vector.dtype.kind not in "biuf":
        raise UserError(f"{name} has type {vector.dtype}: use real numbers")
    if not np.isfinite(vector).all():
        raise UserError(f"{name} must be finite")
    return np.ascontiguousarray(vector, matrix.dtype)


def _precondition(inverses: Any, matrix: DeviceMatrix, preconditioned: bool) -> None:
    """Write the inverses of the diagonal, or ones, to a device array."""
    rows = matrix.shape[0]
    if not preconditioned:
        inverses.copy_to_device(np.ones(rows, matrix.dtype))
        return
    there = matrix.stored_diagonal()
    scale = matrix.scale.real if there is not None else 1.0
    diagonal = upload(matrix.diagonal()) if there is None else there
    first = upload(np.array([rows], np.int64))
    launch(inverting_kernel, rows, [diagonal, rows, np.float64(scale), inverses, first], 0)
    row = int(first.copy_to_host()[0])
    if row < rows:
        raise UserError(f"the diagonal element of row {row} is 0: use preconditioned=False")


@cuda.jit
def inverting_kernel(diagonal, rows, scale, inverses, first):
    """Invert an element a thread.

    Parameters
    ----------
    diagonal
        real of rows at least.
    rows
        Their number.
    scale
        float64, which each element is multiplied with.
    inverses
        real of rows.
    first
        int64 of 1: becomes the number of the first row whose element is 0, and stays if there is none.
    """
    begin_in_sequence()
    row = np.int64(cuda.grid(1))
    if row < rows:
        value = scale * diagonal[row]
        if value == 0:
            cuda.atomic.min(first, 0, row)
        else:
            inverses[row] = 1 / value


def _solver_of(matrix: DeviceMatrix, most_iterations: int) -> "_Solver":
    """Return the solver that the matrix keeps, or a new one that it keeps from now on."""
    kept: _Solver | None = matrix.kept.solver
    if kept is None or kept.made_for != (matrix.scale, most_iterations):
        kept = matrix.kept.solver = _Solver(matrix, most_iterations)
    return kept


class _ProductOf:
    """q = A p by a matrix that has the solver: so it is known during a solve alone."""

    def __init__(self, matrix: DeviceMatrix) -> None:
        self.p, self.q = (zeros(matrix.shape[0], matrix.dtype) for _ in range(2))
        self.of: DeviceMatrix | None = None

    def enqueue(self, stream: Any) -> None:
        """Put the product on a stream of `gpu.runtime.cuda_driver`, or on the default stream for None."""
        if self.of is not None:
            self.of.matvec(self.p, out=self.q, stream=stream.address if stream else None)


class _Solver(Iterations):
    """The iterations of a matrix."""

    def __init__(self, matrix: DeviceMatrix, most_iterations: int) -> None:
        self.product, self.made_for = _ProductOf(matrix), (matrix.scale, most_iterations)
        of = self.product
        operator = Operator(of.p, of.q, of.enqueue, matrix.shape[0], 1, AOS, np.ravel, np.ravel)
        super().__init__(operator, BlockDiagonal(np.ones(matrix.shape[0])), most_iterations)
