"""Elastic solids of hexahedra: three displacements at each node."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vecsim.data.finite_elements.assembly import assemble, dofs_of
from vecsim.data.finite_elements.grids import brick_hexahedra

FloatArray = NDArray[np.float64]


def elastic_brick(nodes: tuple[int, int, int], young: float = 1.0, poisson: float = 0.3) -> Any:
    """Return the stiffness matrix of a free elastic box of unit cubes with trilinear elements.

    Symmetric, positive semi-definite; the six rigid motions are in its null space.

    Parameters
    ----------
    nodes
        Nodes along x, y and z; they are numbered along z fastest.
    young, poisson
        Of the material.

    Returns
    -------
    scipy.sparse.csr_array
        float64 of three rows a node, a dense 3 x 3 block for each pair of neighbours: up to 81 entries a
        row, (3 nx - 2) (3 ny - 2) (3 nz - 2) x 9 in all.
    """
    dofs = dofs_of(brick_hexahedra(nodes), 3)
    return assemble(dofs, hexahedron_matrix(young, poisson), 3 * int(np.prod(nodes)))


def hexahedron_matrix(young: float, poisson: float) -> FloatArray:
    """Return the matrix of a unit cube, float64 of (24, 24), by 2 x 2 x 2 Gauss points."""
    lame = young * poisson / ((1 + poisson) * (1 - 2 * poisson))
    shear = young / (2 * (1 + poisson))
    law = np.zeros((6, 6))
    law[:3, :3] = lame
    law[range(6), range(6)] += [2 * shear] * 3 + [shear] * 3

    signs = 2 * np.indices((2, 2, 2)).reshape(3, 8).T - 1
    matrix = np.zeros((24, 24))
    for point in signs / np.sqrt(3):
        factors = 1 + signs * point
        # Trilinear shape functions of the cube [-1, 1]^3; lengths of a unit cube are half of its.
        gradients = 2 * signs / 8 * factors[:, [1, 0, 0]] * factors[:, [2, 2, 1]]
        strain = np.zeros((6, 8, 3))
        strain[range(3), :, range(3)] = gradients.T
        for row, (a, b) in enumerate(((0, 1), (1, 2), (2, 0)), start=3):
            strain[row, :, a], strain[row, :, b] = gradients[:, b], gradients[:, a]
        flat = strain.reshape(6, 24)
        matrix += flat.T @ law @ flat / 8
    return matrix
