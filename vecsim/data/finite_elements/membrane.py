"""An elastic skin: three displacements at each vertex."""

from typing import Any

from vecsim.data.finite_elements.assembly import assemble, dofs_of
from vecsim.data.finite_elements.mesh import TriangleMesh
from vecsim.data.finite_elements.plane import (
    Facets,
    FloatArray,
    facets_of,
    plane_stress,
    stiffness_of,
    strain_of,
)


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
