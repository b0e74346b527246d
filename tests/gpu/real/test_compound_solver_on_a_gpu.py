"""Conjugate gradients with compound entries on a real GPU: the host's solution."""

import numpy as np
import pytest

from gpu.compound.solver import solve_on_the_host
from tests.gpu.compound.compound_problems import clamped_cube, noisy_torus, smoothed_surface

pytestmark = pytest.mark.usefixtures("gpu_with_others")

PROBLEMS = {"cube": clamped_cube(9, 1), "surface": smoothed_surface(noisy_torus(60, 40), 3.0)}


@pytest.mark.parametrize("name", PROBLEMS)
def test_it_solves_as_the_host(name):
    from gpu.compound.device_compound import prepare
    from gpu.compound.solver.conjugate_gradients import ConjugateGradients
    from gpu.compound.solver.operators import of_product

    problem = PROBLEMS[name]
    exact = solve_on_the_host(problem.matrix, problem.b)
    with ConjugateGradients(problem.matrix, of_product(prepare(problem.matrix))) as solver:
        actual, again = solver.solve(problem.b), solver.solve(problem.b)
    assert actual.converged and abs(actual.iterations - exact.iterations) <= 2 + exact.iterations // 20
    np.testing.assert_allclose(actual.x, exact.x, rtol=0, atol=1e-6 * np.abs(exact.x).max())
    assert actual.x.tobytes() == again.x.tobytes()
