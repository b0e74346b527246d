"""Conjugate gradients on the device: the host's iterations, for layouts of vectors and types of entries."""

import numpy as np
import pytest

from gpu.compound.component_layout import AOS, SOA, ComponentLayout
from gpu.compound.device_compound import Layout, prepare
from gpu.compound.solver import solve_on_the_host
from gpu.compound.solver.conjugate_gradients import ConjugateGradients
from tests.gpu.compound.compound_problems import clamped_beam, noisy_torus, smoothed_surface
from vecsim.support.errors import UserError

BEAM, SURFACE = clamped_beam((3, 2, 3)), smoothed_surface(noisy_torus(4, 3), 0.5)


@pytest.mark.ci
@pytest.mark.parametrize(
    ("problem", "vector"),
    [
        (BEAM, SOA),
        (SURFACE, ComponentLayout(8)),
    ],
)
def test_it_iterates_as_the_host(problem, vector):
    tolerance = 0.3
    exact = solve_on_the_host(problem.matrix, problem.b, tolerance=tolerance)
    seen = []
    with ConjugateGradients(problem.matrix, prepare(problem.matrix, Layout("csr", AOS, vector))) as solver:
        actual = solver.solve(problem.b, tolerance=tolerance, watch=lambda *at: seen.append(at))
    assert actual.converged and actual.iterations == exact.iterations == seen[-1][0]
    np.testing.assert_allclose(actual.residuals, exact.residuals, rtol=1e-9)
    np.testing.assert_allclose(actual.x, exact.x, rtol=0, atol=0.5 * np.abs(exact.x).max())


def test_a_product_of_another_matrix():
    with pytest.raises(UserError, match="the product is of another matrix"):
        ConjugateGradients(BEAM.matrix, prepare(SURFACE.matrix))
