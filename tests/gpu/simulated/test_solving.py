"""Conjugate gradients with prepared matrices of plain numbers."""

import numpy as np
import pytest
import scipy.sparse
from product_cases import THREADS

import gpu
from gpu.runtime.cuda import cuda
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


def test_it_begins_where_the_caller_says_with_vectors_on_the_device():
    built, x = prepare(GRID, "crs"), np.arange(1.0, 5.0)
    wide = cuda.to_device(np.repeat(GRID @ x, 2))
    for _ in range(2):  # the second call uses what the matrix keeps
        solution = gpu.solve(built, wide[::2], x0=cuda.to_device(x))
        assert solution.converged and solution.iterations == 0
        np.testing.assert_array_equal(solution.x.copy_to_host(), x)
    assert built.nbytes >= built.kept.solver.x.nbytes + sum(a.nbytes for a in built._product.device_arrays)
    nothing = gpu.solve(built, np.zeros(4), x0=x)
    np.testing.assert_array_equal(nothing.x, np.zeros(4))


@pytest.mark.parametrize(
    ("matrix", "b", "message"),
    [
        (GRID[:3], np.ones(3), "3 x 4 cannot be solved: use a square one"),
        (GRID, np.ones(3), r"b has shape \(3,\)"),
        (GRID, np.full(4, np.inf), "b must be finite"),
        (GRID, cuda.to_device(np.full(4, np.nan)), "b must be finite"),
        (GRID, cuda.to_device(np.ones(4, np.float32)), "b has type float32"),
        (GRID, 1j * np.ones(4), "b has type complex128"),
        (GRID * 1j, np.ones(4), "complex128 cannot be solved"),
        pytest.param(-GRID, np.ones(4), "not positive definite", marks=pytest.mark.ci),
        (GRID - scipy.sparse.diags_array(GRID.diagonal()), np.ones(4), "row 0"),
    ],
)
def test_what_cannot_be_solved(matrix, b, message):
    with pytest.raises(UserError, match=message):
        gpu.solve(prepare(matrix, "auto" if np.iscomplexobj(matrix) else "crs"), b)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tolerance": np.nan}, "tolerance nan"),
        ({"tolerance": "small"}, "tolerance 'small'"),
        ({"most_iterations": -1}, "most_iterations -1"),
        ({"x0": np.ones(3)}, "x0 has shape"),
        ({"x0": np.full(4, np.nan)}, "x0 must be finite"),
    ],
)
def test_options_that_are_not_possible(options, message):
    with pytest.raises(UserError, match=message):
        gpu.solve(prepare(GRID, "crs"), np.ones(4), **options)
    with pytest.raises(UserError, match="csr_array is no prepared matrix"):
        gpu.solve(GRID, np.ones(4))
