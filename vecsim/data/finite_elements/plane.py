"""What membrane and shell share: a triangle's own axes, and the elastic law in its plane."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vecsim.data.finite_elements.mesh import TriangleMesh

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Facets:
    """The triangles of a mesh, each in its own plane.

    Attributes
    ----------
    axes
        float64 of (T, 3, 3): row d is the d-th unit vector; the first along the first edge, the third
        normal to the triangle.
    corners
        float64 of (T, 3, 2): the corners in these axes, from the first corner.
    areas
        float64 of (T,).
    gradients
        float64 of (T, 3, 2): gradient of each corner's linear shape function.
    """

    axes: FloatArray
    corners: FloatArray
    areas: FloatArray
    gradients: FloatArray


def facets_of(mesh: TriangleMesh) -> Facets:
    """Return the triangles of `mesh`, each in axes of its own."""
    points = mesh.vertices[mesh.triangles]
    first, second = points[:, 1] - points[:, 0], points[:, 2] - points[:, 0]
    normal = np.cross(first, second)
    along = first / np.linalg.norm(first, axis=1, keepdims=True)
    normal = normal / np.linalg.norm(normal, axis=1, keepdims=True)
    axes = np.stack([along, np.cross(normal, along), normal], axis=1)
    corners = np.einsum("tkd,tad->tka", points - points[:, :1], axes[:, :2])
    edges = np.roll(corners, -2, axis=1) - np.roll(corners, -1, axis=1)
    gradients = np.stack([-edges[..., 1], edges[..., 0]], axis=2) / (2 * mesh.areas[:, None, None])
    return Facets(axes, corners, mesh.areas, gradients)


def plane_stress(young: float, poisson: float) -> FloatArray:
    """Return the elastic law of plane stress, (3, 3), for strains (xx, yy, 2 xy)."""
    law = np.array([[1, poisson, 0], [poisson, 1, 0], [0, 0, (1 - poisson) / 2]])
    return young / (1 - poisson * poisson) * law


def strain_of(gradients: FloatArray) -> FloatArray:
    """Return strains (xx, yy, 2 xy) by the displacements (x, y) of the nodes.

    Parameters
    ----------
    gradients
        float64 of (T, k, 2), of each node's shape function.

    Returns
    -------
    float64 of (T, 3, k, 2)
    """
    strain = np.zeros((len(gradients), 3, gradients.shape[1], 2))
    strain[:, 0, :, 0] = strain[:, 2, :, 1] = gradients[..., 0]
    strain[:, 1, :, 1] = strain[:, 2, :, 0] = gradients[..., 1]
    return strain


def stiffness_of(strain: FloatArray, law: FloatArray, areas: FloatArray) -> FloatArray:
    """Return the element matrices: strain' law strain, times the area.

    Parameters
    ----------
    strain
        float64 of (T, s, k), by the k unknowns of an element.
    law
        float64 of (s, s): stress by strain, over the thickness.
    areas
        float64 of (T,).

    Returns
    -------
    float64 of (T, k, k)
    """
    stress = (law @ strain) * areas[:, None, None]
    matrices: FloatArray = strain.transpose(0, 2, 1) @ stress
    return matrices
