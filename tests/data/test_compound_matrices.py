"""Matrices with compound entries: the squared Dirac operator of surfaces, the Helmholtz equation."""

import numpy as np
import pytest
import scipy.sparse

from vecsim.data.finite_elements import TriangleMesh, rippled_torus, squared_dirac, subdivided
from vecsim.data.finite_elements.surface_operators import laplace_beltrami
from vecsim.data.synthetic.helmholtz import helmholtz
from vecsim.support.errors import UserError

TETRAHEDRON = TriangleMesh(
    "tetrahedron",
    np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]),
    np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]),
)


def dense(mesh, rho=None):
    indptr, indices, quaternions = squared_dirac(mesh, rho)
    size = len(mesh.vertices)
    return np.stack(
        [
            scipy.sparse.csr_array((part, indices, indptr), shape=(size, size)).toarray()
            for part in quaternions.T
        ],
        axis=-1,
    )


def multiplied(p, q):
    """The Hamilton product of quaternions (r, i, j, k)."""
    real = p[0] * q[0] - p[1:] @ q[1:]
    return np.array([real, *(p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:]))])


@pytest.mark.parametrize("mesh", [TETRAHEDRON, rippled_torus(5, 4)], ids=lambda mesh: mesh.name)
def test_the_dirac_matrix_by_plain_loops(mesh):
    rho = np.linspace(-1, 2, len(mesh.triangles))
    expected = np.zeros((len(mesh.vertices),) * 2 + (4,))
    for triangle, area, change in zip(mesh.triangles, mesh.areas, rho, strict=True):
        corner = mesh.vertices[triangle]
        edge = [np.array([0, *(corner[(k + 2) % 3] - corner[(k + 1) % 3])]) for k in range(3)]
        for a in range(3):
            for b in range(3):
                entry = -multiplied(edge[a], edge[b]) / (4 * area) + change * (edge[b] - edge[a]) / 6
                entry[0] += area * change**2 / 9
                expected[triangle[a], triangle[b]] += entry
    np.testing.assert_allclose(dense(mesh, rho), expected, atol=1e-13)


def test_the_dirac_matrix_is_hermitian_and_its_real_part_the_stiffness():
    mesh = rippled_torus(6, 5)
    matrix = dense(mesh)
    np.testing.assert_allclose(matrix[..., 0], laplace_beltrami(mesh).toarray(), atol=1e-13)
    np.testing.assert_allclose(matrix, matrix.transpose(1, 0, 2) * [1, -1, -1, -1], atol=1e-13)
    # A constant similarity changes nothing: on a closed surface it is in the kernel.
    np.testing.assert_allclose(matrix.sum(axis=1), 0, atol=1e-13)
    with pytest.raises(UserError, match="60 triangles"):
        squared_dirac(mesh, np.zeros(3))


def test_a_finer_mesh_is_closed_and_has_the_same_surface():
    mesh = rippled_torus(6, 5)
    finer = subdivided(mesh, 2)
    assert len(finer.triangles) == 16 * len(mesh.triangles)
    # V - E + F = 0 on a torus, with 2 E = 3 F.
    assert 2 * len(finer.vertices) == len(finer.triangles)
    np.testing.assert_allclose(finer.areas.sum(), mesh.areas.sum(), rtol=1e-12)
    normals = np.cross(
        *(finer.vertices[finer.triangles[:, k]] - finer.vertices[finer.triangles[:, 0]] for k in (1, 2))
    )
    np.testing.assert_allclose(normals.sum(axis=0), 0, atol=1e-12)
    with pytest.raises(UserError, match="3 vertices"):
        rippled_torus(2, 5)


def test_helmholtz_by_hand():
    matrix = helmholtz(8, 1).toarray()
    wave = 2 * np.pi / 10 * 9
    # In the middle there is no layer: the plain second difference.
    np.testing.assert_allclose(matrix[4, 3:6], [-81, 2 * 81 - wave**2, -81], rtol=1e-12)
    assert not matrix[4].imag.any()
    # What leaves is absorbed: the layer has imaginary parts on both sides alike.
    np.testing.assert_allclose(matrix, matrix[::-1, ::-1], rtol=1e-12)


@pytest.mark.parametrize("dimensions", [2, 3])
def test_helmholtz_is_the_sum_over_the_axes(dimensions):
    points = 6
    one, line = np.eye(points), helmholtz(points, 1).toarray()
    wave = 2 * np.pi / 10 * 7
    second = line + wave**2 * one
    expected = -(wave**2) * np.eye(points**dimensions, dtype=complex)
    for axis in range(dimensions):
        term = np.eye(1)
        for other in range(dimensions):
            term = np.kron(term, second if other == axis else one)
        expected += term
    matrix = helmholtz(points, dimensions)
    np.testing.assert_allclose(matrix.toarray(), expected, atol=1e-10)
    assert np.diff(matrix.indptr).max() == 2 * dimensions + 1
    assert matrix.has_canonical_format
    with pytest.raises(UserError, match="4 or more"):
        helmholtz(3, dimensions)
