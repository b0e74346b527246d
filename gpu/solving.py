"""`gpu.solve`: conjugate gradients with a prepared matrix, by the solver of compound entries."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from gpu.compound.component_layout import AOS
from gpu.compound.compound_matrix import CompoundMatrix
from gpu.compound.entry_type import EntryType
from gpu.compound.solver.conjugate_gradients import ConjugateGradients
from gpu.compound.solver.operators import Operator
from gpu.compound.solver.reference import MOST_ITERATIONS, TOLERANCE, Solution
from gpu.device_matrix import DeviceMatrix
from gpu.runtime.memory import zeros
from vecsim.support.errors import UserError

NUMBER = EntryType("real", entry=("value",), vector=("value",), product={"value": "a.value * x.value"})
"""Entries that are plain numbers."""


def solve(
    matrix: DeviceMatrix,
    b: Any,
    *,
    tolerance: float = TOLERANCE,
    most_iterations: int = MOST_ITERATIONS,
    preconditioned: bool = True,
    watch: Callable[[int, float], None] = lambda iteration, residual: None,
) -> Solution:
    """Solve A x = b by conjugate gradients on the device, from x = 0.

    Several iterations are captured in a graph, and the host looks at the residuals after each replay. CuPy's
    and SciPy's solvers take `DeviceMatrix.aslinearoperator`.

    Parameters
    ----------
    matrix
        Of `gpu.prepare`: real, symmetric and positive definite, which is not checked beforehand.
    b
        Real vector of the host, of n elements.
    tolerance
        Of the residual, relative to b.
    most_iterations
        After this many it ends without having converged.
    preconditioned
        Whether by the inverse of the diagonal, which `DeviceMatrix.diagonal` reads.
    watch
        Is called with the number of iterations and the residual, each time these are checked.

    Returns
    -------
    Solution
        With x of n elements in the type of the matrix, residuals, and whether it converged.

    Raises
    ------
    UserError
        The matrix is not square, has a 0 on its diagonal, or is not positive definite; or b does not fit.
    """
    rows, columns = matrix.shape
    if rows != columns:
        raise UserError(f"a matrix of {rows} x {columns} cannot be solved: use a square one")
    right = np.asarray(b)
    if right.shape != (rows,):
        raise UserError(f"b has shape {right.shape}: a {rows} x {rows} matrix needs ({rows},)")
    diagonal = matrix.diagonal() if preconditioned else np.ones(rows, matrix.dtype)
    places = np.arange(rows + 1)
    # The solver reads sizes and the diagonal of it; products are those of the operator.
    of_diagonal = CompoundMatrix.from_arrays(NUMBER, matrix.shape, places, places[:-1], (diagonal,))
    with ConjugateGradients(
        of_diagonal,
        _operator(matrix),
        preconditioned=preconditioned,
        most_iterations=most_iterations,
    ) as solver:
        solution = solver.solve(right[:, None], tolerance=tolerance, watch=watch)
    return replace(solution, x=solution.x[:, 0])


def _operator(matrix: DeviceMatrix) -> Operator:
    count = matrix.shape[0]
    p, q = (zeros(count, matrix.dtype) for _ in range(2))

    def enqueue(stream: Any) -> None:
        matrix.matvec(p, out=q, stream=stream.address if stream else None)

    return Operator(
        p,
        q,
        enqueue,
        count,
        1,
        AOS,
        lambda elements: AOS.arranged(np.asarray(elements, dtype=matrix.dtype)),
        lambda array: AOS.separated(array, count, 1),
    )
