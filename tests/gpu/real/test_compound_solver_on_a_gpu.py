"""Conjugate gradients with compound entries on a real GPU: the host's solution, with either product."""

import numpy as np
import pytest

from gpu.compound.solver import solve_on_the_host
from gpu.runtime.cuda_driver import NoGpuError
from tests.gpu.compound.compound_problems import clamped_cube, noisy_torus, smoothed_surface

pytestmark = pytest.mark.usefixtures("gpu_with_others")

PROBLEMS = {"cube": clamped_cube(9, 1), "surface": smoothed_surface(noisy_torus(60, 40), 3.0)}


@pytest.mark.parametrize("library", [False, True])
@pytest.mark.parametrize("name", PROBLEMS)
def test_it_solves_as_the_host(name, library):
    from gpu.compound.cusparse_forms import cusparse_forms
    from gpu.compound.device_compound import prepare
    from gpu.compound.solver.conjugate_gradients import ConjugateGradients
    from gpu.compound.solver.operators import of_cusparse, of_product

    problem = PROBLEMS[name]
    exact = solve_on_the_host(problem.matrix, problem.b)
    operator = of_product(prepare(problem.matrix))
    if library:
        operator = of_cusparse(problem.matrix, cusparse_forms(problem.matrix)[0])
    with ConjugateGradients(problem.matrix, operator) as solver:
        found, again = solver.solve(problem.b), solver.solve(problem.b)
    assert found.converged and abs(found.iterations - exact.iterations) <= 2 + exact.iterations // 20
    np.testing.assert_allclose(found.x, exact.x, rtol=0, atol=1e-6 * np.abs(exact.x).max())
    if not library:
        assert found.x.tobytes() == again.x.tobytes()


@pytest.mark.parametrize("name", PROBLEMS)
def test_libraries_solve_as_the_host(name):
    from gpu.compound.cusparse_forms import cusparse_forms
    from gpu.compound.solver.by_libraries import LibraryGradients
    from gpu.compound.solver.operators import of_cusparse

    problem = PROBLEMS[name]
    exact = solve_on_the_host(problem.matrix, problem.b)
    operator = of_cusparse(problem.matrix, cusparse_forms(problem.matrix)[0])
    try:
        solver = LibraryGradients(problem.matrix, operator)
    except NoGpuError as error:
        pytest.skip(str(error))
    with solver:
        found, nothing = solver.solve(problem.b), solver.solve(np.zeros_like(problem.b))
    assert nothing.converged and not nothing.x.any()
    assert found.converged and abs(found.iterations - exact.iterations) <= 2 + exact.iterations // 20
    np.testing.assert_allclose(found.x, exact.x, rtol=0, atol=1e-6 * np.abs(exact.x).max())
