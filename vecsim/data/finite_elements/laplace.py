"""The Laplace-Beltrami operator: one unknown at each vertex."""

from typing import Any

import numpy as np

from vecsim.data.finite_elements.assembly import assemble
from vecsim.data.finite_elements.mesh import TriangleMesh


def laplace_beltrami(mesh: TriangleMesh) -> Any:
    """Return the stiffness matrix of the Laplace-Beltrami operator with linear elements.

    Entry (i, j) is the integral over the surface of grad(phi_i) . grad(phi_j): off the diagonal
    -(cot a + cot b) / 2 of the angles a, b opposite the edge. Symmetric, positive semi-definite; constants
    are its null space. Source: U. Pinkall, K. Polthier, Experimental Mathematics 2(1), 1993.

    Returns
    -------
    scipy.sparse.csr_array
        float64 of (V, V), about 7 entries a row.
    """
    corners = mesh.vertices[mesh.triangles]
    # Edge k is opposite corner k; grad(phi_k) is it turned by 90 degrees, over twice the area.
    edges = np.roll(corners, -2, axis=1) - np.roll(corners, -1, axis=1)
    matrices = np.einsum("eid,ejd->eij", edges, edges) / (4 * mesh.areas[:, None, None])
    return assemble(mesh.triangles, matrices, len(mesh.vertices))
