"""Operators on a triangle mesh with one unknown at each vertex: Laplace-Beltrami, and Dirac of quaternions.

K. Crane, U. Pinkall, P. Schroeder: *Spin Transformations of Discrete Surfaces*, ACM Transactions on Graphics
30(4), 2011. The smallest eigenvector of the squared Dirac operator gives the similarities (turn and scale)
that transform a surface conformally while its mean curvature half-density changes by rho.
"""

from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from vecsim.data.finite_elements.assembly import assemble
from vecsim.data.finite_elements.mesh import TriangleMesh
from vecsim.support.errors import UserError
from vecsim.support.suggestions import counted


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


def squared_dirac(
    mesh: TriangleMesh, rho: NDArray[np.float64] | None = None
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]:
    """Return the matrix of (D - rho)^2, Hermitian, with linear elements.

    A triangle of area A, with edge vectors e_i opposite its corners as imaginary quaternions, adds to entry
    (i, j) the quaternion -e_i e_j / (4 A) + rho (e_j - e_i) / 6 + A rho^2 / 9. Without rho the real parts are
    the stiffness of the Laplace-Beltrami operator.

    Parameters
    ----------
    mesh
        V vertices and T triangles, oriented alike.
    rho
        Of each triangle, float64 of (T,); None is 0.

    Returns
    -------
    indptr, indices
        int32: the pattern in CSR order, columns rising.
    quaternions
        float64 of (nnz, 4): real part, then those of i, j and k.

    Raises
    ------
    UserError
        If rho does not fit the mesh.
    """
    triangles = mesh.triangles
    if rho is not None and np.shape(rho) != (len(triangles),):
        raise UserError(f"rho needs a number for each of the {counted(len(triangles), 'triangle')}")
    corners = mesh.vertices[triangles]
    edges = np.roll(corners, -2, axis=1) - np.roll(corners, -1, axis=1)
    first, second = np.repeat(np.arange(3), 3), np.tile(np.arange(3), 3)
    ei, ej = edges[:, first], edges[:, second]
    # The product of two imaginary quaternions is minus their inner product, plus their cross product.
    elements = np.concatenate((np.sum(ei * ej, axis=2)[:, :, None], -np.cross(ei, ej)), axis=2)
    elements /= 4 * mesh.areas[:, None, None]
    if rho is not None:
        elements[:, :, 1:] += rho[:, None, None] * (ej - ei) / 6
        elements[:, :, 0] += (mesh.areas * rho**2 / 9)[:, None]
    rows, columns = triangles[:, first].ravel(), triangles[:, second].ravel()
    halves = [
        _summed(elements[:, :, k] + 1j * elements[:, :, k + 1], rows, columns, len(mesh.vertices))
        for k in (0, 2)
    ]
    parts = [part for half in halves for part in (half.data.real, half.data.imag)]
    return halves[0].indptr, halves[0].indices, np.stack(parts, axis=1)


def _summed(values: Any, rows: Any, columns: Any, size: int) -> Any:
    """Add up what stands at the same place, as sorted CSR; sums that are 0 keep their place."""
    places = (rows.astype(np.int32), columns.astype(np.int32))
    csr = scipy.sparse.coo_array((values.ravel(), places), shape=(size, size)).tocsr()
    csr.sum_duplicates()
    return csr
