"""Conjugate gradients with prepared matrices of plain numbers."""

import numpy as np
import pytest
import scipy.sparse
from product_cases import THREADS

import gpu
from vecsim.support.errors import UserError

GRID = scipy.sparse.diags_array([-1.0, 2.5, -1.0], offsets=[-1, 0, 1], shape=(4, 4), format="csr")


def prepare(matrix, *arguments, **options):
    return gpu.prepare(matrix, *arguments, threads_per_block=THREADS, **options)


@pytest.mark.ci  # the page of the formats solves a system in the default tests
@pytest.mark.parametrize(
    ("format", "dtype"),
    [("crs", np.float64), ("sliced-diagonals", np.float32)],
)
def test_a_system_is_solved_and_again_with_new_values(format, dtype):
    built, b = prepare(GRID, format, dtype=dtype), np.arange(1.0, 5.0)
    tolerance = 1e-10 if dtype == np.float64 else 1e-5
    solution = gpu.solve(built, b, tolerance=tolerance)
    assert solution.converged and solution.x.dtype == dtype and 0 < solution.iterations <= 5
    np.testing.assert_allclose(GRID @ solution.x, b, rtol=100 * tolerance)
    if dtype == np.float32:
        return
    built.update_values((3 * GRID.data).astype(dtype))
    again = gpu.solve(2 * built, b, tolerance=tolerance, preconditioned=False)
    np.testing.assert_allclose(6 * (GRID @ again.x), b, rtol=100 * tolerance)


@pytest.mark.parametrize(
    ("matrix", "b", "message"),
    [
        (GRID[:3], np.ones(3), "3 x 4 cannot be solved: use a square one"),
        (GRID, np.ones(3), r"b has shape \(3,\)"),
        (-GRID, np.ones(4), "not positive definite"),
        (GRID - scipy.sparse.diags_array(GRID.diagonal()), np.ones(4), "row 0"),
    ],
)
def test_what_cannot_be_solved(matrix, b, message):
    with pytest.raises(UserError, match=message):
        gpu.solve(prepare(matrix, "crs"), b)
