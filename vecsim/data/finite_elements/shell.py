"""Elastic skins of flat triangles: membranes of three displacements at a vertex, shells with rotations."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from vecsim.data.finite_elements.assembly import assemble, dofs_of, renumbered
from vecsim.data.finite_elements.grids import quarter_cylinder
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
    """Return the triangles of `mesh`, each in local axes."""
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


def membrane(mesh: TriangleMesh, young: float = 1.0, poisson: float = 0.3, thickness: float = 1.0) -> Any:
    """Return the stiffness matrix of a membrane with constant-strain triangles (plane stress).

    Symmetric, positive semi-definite; the six rigid motions are in its null space. Source: M. Turner, R.
    Clough, H. Martin, L. Topp, Journal of the Aeronautical Sciences 23(9), 1956.

    Parameters
    ----------
    mesh
        T triangles between V vertices in space.
    young, poisson
        Young's modulus and Poisson's ratio of the material.
    thickness
        Of the membrane, in the unit of the vertices.

    Returns
    -------
    scipy.sparse.csr_array
        float64 of (3 V, 3 V), a dense 3 x 3 block for each pair of neighbours: about 21 entries a row.
    """
    facets = facets_of(mesh)
    law = thickness * plane_stress(young, poisson)
    matrices = stiffness_of(membrane_strain(facets), law, facets.areas)
    return assemble(dofs_of(mesh.triangles, 3), matrices, 3 * len(mesh.vertices))


def membrane_strain(facets: Facets) -> FloatArray:
    """Return strains (xx, yy, 2 xy) in the plane by displacements in space: float64 of (T, 3, 9)."""
    in_plane = strain_of(facets.gradients).reshape(-1, 9, 2)
    return (in_plane @ facets.axes[:, :2]).reshape(-1, 3, 9)


DRILLING = 0.03
"""Stiffness against the rotation about the normal, by the membrane's (O. Zienkiewicz, The Finite Element
Method, 1977, section 13.5: any small number)."""

_MID_SIDES = np.array([[0.5, 0.5, 0], [0, 0.5, 0.5], [0.5, 0, 0.5]])
"""Where quadratic functions are integrated exactly, in shares of the three corners."""


def shell(mesh: TriangleMesh, young: float = 1.0, poisson: float = 0.3, thickness: float = 0.01) -> Any:
    """Return the stiffness matrix of a thin shell.

    Each triangle is a constant-strain membrane and a discrete Kirchhoff plate (DKT: J.-L. Batoz, K.-J.
    Bathe, L.-W. Ho, International Journal for Numerical Methods in Engineering 15, 1980), with a small
    stiffness against differences of the rotation about the normal. Symmetric, positive semi-definite; the
    six rigid motions are in its null space.

    Parameters
    ----------
    mesh
        The middle surface.
    young, poisson
        Of the material.
    thickness
        In the unit of the mesh.

    Returns
    -------
    scipy.sparse.csr_array
        float64 of (6 V, 6 V), a dense 6 x 6 block for each pair of neighbours: about 42 entries a row.
        Unknowns of a vertex: displacements along x, y, z, rotations about x, y, z.
    """
    matrices = shell_matrices(facets_of(mesh), young, poisson, thickness)
    return assemble(dofs_of(mesh.triangles, 6), matrices, 6 * len(mesh.vertices))


def cylindrical_shell(
    rows: int,
    columns: int,
    cells: Literal["triangles", "quadrilaterals"] = "triangles",
    along: Literal["circumference", "axis"] = "circumference",
    radius_by_thickness: int = 1000,
) -> Any:
    """Return the stiffness matrix of a cylindrical shell, cut to a quarter and half its length by symmetry.

    A grid of nodes with six unknowns each; three are held by symmetry on both straight edges and on the
    last row, five on the corners there, none on the first row. So are the collection's CYLSHELL matrices:
    31 x 31 of quadrilaterals has the pattern of s1rmq4m1, entry by entry; 31 x 31 of triangles has order,
    number of entries and bandwidth of s1rmt3m1; 101 x 151 numbered along the axis those of s3dkt3m2
    (triangles) and s3dkq4m2 (quadrilaterals). The values are our own: elements as in `shell`, a
    quadrilateral as the mean of its two ways to be cut.

    Parameters
    ----------
    rows, columns
        Nodes along the axis and along the circumference.
    cells
        What the grid is made of.
    along
        The direction in which neighbouring nodes have neighbouring numbers.
    radius_by_thickness
        10, 100 or 1000 in the collection (s1, s2, s3).
    """
    free = np.ones((rows, columns, 6), dtype=np.bool_)
    # On a plane of symmetry: no displacement across it, no rotation about an axis in it.
    free[:, 0, [1, 3, 5]] = False
    free[:, -1, [0, 4, 5]] = False
    free[-1, :, [2, 3, 4]] = False
    node = np.arange(rows * columns).reshape(rows, columns)
    order = node if along == "circumference" else node.T
    number = np.empty(free.shape, dtype=np.int64).reshape(-1, 6)
    number[order.ravel()] = renumbered(free.reshape(-1, 6)[order].ravel()).reshape(-1, 6)

    cuts = (True,) if cells == "triangles" else (True, False)
    dofs, matrices = [], []
    for rising in cuts:
        mesh = quarter_cylinder(rows, columns, rising=rising)
        dofs.append(number.ravel()[dofs_of(mesh.triangles, 6)])
        matrices.append(shell_matrices(facets_of(mesh), 1.0, 0.3, 1 / radius_by_thickness) / len(cuts))
    return assemble(np.concatenate(dofs), np.concatenate(matrices), int(free.sum()))


def shell_matrices(facets: Facets, young: float, poisson: float, thickness: float) -> FloatArray:
    """Return the element matrices, float64 of (T, 18, 18), by displacements and rotations in space.

    Parameters
    ----------
    facets
        The geometry of T triangles.
    young, poisson
        Young's modulus and Poisson's ratio of the material.
    thickness
        Of the shell, in the unit of the vertices.
    """
    plane = plane_stress(young, poisson)
    # Three membrane strains, three curvatures at each of three points, three rotations about the normal.
    law = scipy.linalg.block_diag(
        thickness * plane,
        *[thickness**3 / 12 / 3 * plane] * 3,
        DRILLING * young * thickness * (1.5 * np.eye(3) - 0.5),
    )
    strain = np.zeros((len(facets.areas), 15, 3, 2, 3))
    strain[:, :3, :, 0] = membrane_strain(facets).reshape(-1, 3, 3, 3)
    strain[:, 3:12] = _curvatures(facets)
    strain[:, range(12, 15), range(3), 1] = facets.axes[:, None, 2]
    return stiffness_of(strain.reshape(-1, 15, 18), law, facets.areas)


def _curvatures(facets: Facets) -> FloatArray:
    """Curvatures (xx, yy, 2 xy) at the three mid-sides: float64 of (T, 3 points x 3, 3 corners, 2, 3).

    By displacements (0) and rotations (1) of the corners. The slopes of the normal are quadratic with six
    nodes, corners and mid-sides. At a corner they are the rotations; at a mid-side the slope along the
    side follows from a cubic deflection, the slope across it is the mean of the two corners.
    """
    # Slopes (x, y) of nodes 0-2 (corners), 3-5 (middle of side k, k + 1) by (w, rotation x, rotation y).
    slopes = np.zeros((len(facets.areas), 6, 2, 3, 3))
    slopes[:, range(3), 0, range(3), 2] = 1
    slopes[:, range(3), 1, range(3), 1] = -1
    for side in range(3):
        i, j = side, (side + 1) % 3
        edge = facets.corners[:, j] - facets.corners[:, i]
        length = np.linalg.norm(edge, axis=1)
        along = edge / length[:, None]
        # beta_s = 3 (w_i - w_j) / (2 L) - (beta_s,i + beta_s,j) / 4; beta_n = (beta_n,i + beta_n,j) / 2.
        mix = np.eye(2) / 2 - 0.75 * along[:, :, None] * along[:, None]
        corners = (slopes[:, i] + slopes[:, j]).reshape(-1, 2, 9)
        slopes[:, 3 + side] = (mix @ corners).reshape(-1, 2, 3, 3)
        slopes[:, 3 + side, :, i, 0] += 1.5 * along / length[:, None]
        slopes[:, 3 + side, :, j, 0] -= 1.5 * along / length[:, None]

    # w = normal . displacement; rotations about the triangle's two axes.
    to_plane = np.zeros((len(facets.areas), 3, 2, 3))
    to_plane[:, 0, 0] = facets.axes[:, 2]
    to_plane[:, 1:, 1] = facets.axes[:, :2]
    bending = np.concatenate([_quadratic_strain(facets.gradients, point) for point in _MID_SIDES], axis=1)
    by_rotations = (bending @ slopes.reshape(-1, 12, 9)).reshape(-1, 27, 3)
    return (by_rotations @ to_plane.reshape(-1, 3, 6)).reshape(-1, 9, 3, 2, 3)


def _quadratic_strain(gradients: FloatArray, point: FloatArray) -> FloatArray:
    """Strains at a point of the triangle by the six nodes of a quadratic field: float64 of (T, 3, 12)."""
    corner = (4 * point - 1)[:, None] * gradients
    side = 4 * (point[:, None] * np.roll(gradients, -1, axis=1) + np.roll(point, -1)[:, None] * gradients)
    return strain_of(np.concatenate([corner, side], axis=1)).reshape(-1, 3, 12)
