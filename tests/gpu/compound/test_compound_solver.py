"""Conjugate gradients with compound entries, by NumPy: plain numbers, the preconditioner, and what fails."""

import numpy as np
import pytest
import scipy.sparse.linalg
from compound_problems import clamped_beam, noisy_torus, smoothed_surface

from gpu.compound import COMPLEX, DUAL, QUATERNION, CompoundMatrix, EntryType, blocks, reference_product
from gpu.compound.solver import solve_on_the_host
from gpu.compound.solver.block_diagonal import as_scalars, inverse_diagonal
from vecsim.support.errors import UserError


def matrix_of(entry, seed=1, rows=7, columns=5):
    rng = np.random.default_rng(seed)
    dense = rng.random((rows, columns)) < 0.5
    indptr = np.concatenate(([0], np.cumsum(dense.sum(axis=1))))
    components = [rng.standard_normal(dense.sum()) for _ in entry.entry]
    return CompoundMatrix.from_arrays(entry, (rows, columns), indptr, np.nonzero(dense)[1], components)


@pytest.mark.parametrize("entry", [COMPLEX, QUATERNION, DUAL, blocks(3)], ids=lambda entry: entry.name)
def test_plain_numbers_multiply_alike(entry):
    matrix = matrix_of(entry)
    x = np.random.default_rng(2).standard_normal((5, len(entry.vector)))
    exact = reference_product(matrix, x)
    np.testing.assert_allclose((as_scalars(matrix) @ x.ravel()).reshape(exact.shape), exact, rtol=1e-13)


def test_a_user_sum_has_no_plain_numbers():
    tropical = EntryType(
        "tropical",
        entry=("t",),
        vector=("t",),
        product={"t": "a.t + x.t"},
        sum={"t": "maximum(s.t, t.t)"},
        zero={"t": -np.inf},
    )
    with pytest.raises(UserError, match="tropical entries have their own sum"):
        as_scalars(matrix_of(tropical))


@pytest.mark.parametrize(
    "problem",
    [clamped_beam((5, 3, 3)), smoothed_surface(noisy_torus(12, 9), 3.0)],
    ids=lambda problem: problem.matrix.entry.name,
)
def test_the_solution_is_that_of_a_direct_solver(problem):
    scalars = as_scalars(problem.matrix)
    assert abs(scalars - scalars.T).max() < 1e-12 * abs(scalars).max()
    exact = scipy.sparse.linalg.spsolve(scipy.sparse.csc_array(scalars), problem.b.ravel())
    actual = solve_on_the_host(problem.matrix, problem.b)
    assert actual.converged and actual.residuals[-1] <= 1e-8 < actual.residuals[-2]
    np.testing.assert_allclose(actual.x.ravel(), exact, rtol=0, atol=1e-6 * np.abs(exact).max())
    assert actual.iterations <= solve_on_the_host(problem.matrix, problem.b, preconditioned=False).iterations


def test_smoothing_keeps_a_point_and_shortens_edges():
    mesh = noisy_torus(30, 20)
    problem = smoothed_surface(mesh, 2.0)
    same = np.tile([0.0, 1, 2, 3], (600, 1))
    areas = reference_product(problem.matrix, same) / [1, 1, 2, 3]
    np.testing.assert_allclose(areas[:, 0], 0, atol=1e-12)
    np.testing.assert_allclose(areas[:, 1:].sum(axis=0), mesh.areas.sum())
    x = solve_on_the_host(problem.matrix, problem.b).x
    before, after = (np.diff(each[mesh.triangles], axis=1) for each in (mesh.vertices, x[:, 1:]))
    assert np.square(after).sum() < 0.8 * np.square(before).sum()


def test_the_inverse_of_the_diagonal():
    beam = clamped_beam((3, 2, 2)).matrix
    inverse = inverse_diagonal(beam)
    assert not inverse.plain and inverse.inverses.shape == (8, 3, 3)
    r = np.random.default_rng(3).standard_normal((8, 3))
    dense = as_scalars(beam).toarray()
    wanted = [np.linalg.solve(dense[3 * n : 3 * n + 3, 3 * n : 3 * n + 3], r[n]) for n in range(8)]
    np.testing.assert_allclose(inverse @ r, wanted, rtol=1e-10)
    assert inverse_diagonal(smoothed_surface(noisy_torus(8, 6), 1.0).matrix).plain


def diagonal(values, columns=None):
    count = len(values)
    indices = np.arange(count) if columns is None else columns
    return CompoundMatrix.from_arrays(
        COMPLEX, (count, count), np.arange(count + 1), indices, [np.array(values), np.zeros(count)]
    )


@pytest.mark.parametrize(
    ("matrix", "b", "message"),
    [
        (matrix_of(COMPLEX), np.ones((7, 2)), "a matrix of 7 x 5 cannot be solved for: it must be square"),
        (diagonal([1.0, 2.0], [1, 0]), np.ones((2, 2)), "row 0 has no diagonal entry"),
        (diagonal([1.0, 0.0]), np.ones((2, 2)), "the diagonal entry of row 1 is 0"),
        (diagonal([-1.0, -2.0]), np.ones((2, 2)), "iteration 1: .* not positive definite"),
        (diagonal([1.0, 2.0]), np.ones((2, 3)), r"b must be an array of \(2, 2\) real numbers"),
        (diagonal([1.0, 2.0]), np.full((2, 2), np.nan), "b must be finite"),
    ],
)
def test_what_cannot_be_solved(matrix, b, message):
    with pytest.raises(UserError, match=message):
        solve_on_the_host(matrix, b)


def test_without_preconditioner_no_diagonal_is_needed_but_a_square():
    actual = solve_on_the_host(diagonal([1.0, 1.0], [1, 0]), np.ones((2, 2)), preconditioned=False)
    np.testing.assert_allclose(actual.x, [[1, 1], [1, 1]], atol=1e-12)
    with pytest.raises(UserError, match="it must be square"):
        solve_on_the_host(matrix_of(COMPLEX), np.ones((7, 2)), preconditioned=False)


def test_nothing_to_do_and_no_time():
    nothing = solve_on_the_host(diagonal([1.0, 2.0]), np.zeros((2, 2)))
    assert nothing.converged and nothing.iterations == 0 and not nothing.x.any()
    cut = solve_on_the_host(clamped_beam((6, 3, 3)).matrix, np.ones((45, 3)), most_iterations=3)
    assert not cut.converged and cut.iterations == 3
