"""Positive definite systems with compound entries: a clamped elastic cube or beam, a noisy surface."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.compound import QUATERNION, CompoundMatrix


@dataclass(frozen=True, eq=False)
class Problem:
    """A x = b.

    Attributes
    ----------
    name
        What tables call it.
    matrix
        n x n entries.
    b
        (n, C).
    """

    name: str
    matrix: CompoundMatrix
    b: NDArray[np.float64]


def clamped_cube(tile: int, repeats: int) -> Problem:
    """Return an elastic cube of tetrahedra, clamped all around, under its weight; 3 x 3 blocks.

    Parameters
    ----------
    tile, repeats
        As of `vecsim.data.synthetic.unstructured_meshes.tetrahedral_elasticity`.
    """
    from vecsim.data.synthetic.unstructured_meshes import tetrahedral_elasticity

    matrix = CompoundMatrix.from_blocks(tetrahedral_elasticity(tile, repeats), 3)
    return Problem(f"elastic cube, {tile * repeats}^3 nodes", matrix, _weight(matrix.shape[0]))


def clamped_beam(nodes: tuple[int, int, int]) -> Problem:
    """Return an elastic beam of unit cubes along x, clamped where x is 0, under its weight; 3 x 3 blocks.

    Parameters
    ----------
    nodes
        Along x, y and z. Those with x = 0 are left out.
    """
    from vecsim.data.finite_elements import elastic_brick

    held = 3 * nodes[1] * nodes[2]
    free = elastic_brick(nodes)[held:, held:]
    matrix = CompoundMatrix.from_blocks(free, 3)
    return Problem(f"elastic beam, {' x '.join(map(str, nodes))} nodes", matrix, _weight(matrix.shape[0]))


def _weight(count: int) -> NDArray[np.float64]:
    force = np.zeros((count, 3))
    force[:, 2] = -1
    return force


def smoothed_surface(mesh: Any, steps: float) -> Problem:
    """Return (M + t D^2) x = M x0: positions of a surface, as imaginary quaternions, smoothed implicitly.

    D^2 is the squared Dirac operator (Crane et al. 2011) and M the area of each vertex: a step of implicit
    fairing (Desbrun, Meyer, Schroeder, Barr 1999) with another second-order operator.

    Parameters
    ----------
    mesh
        A `vecsim.data.finite_elements.TriangleMesh`.
    steps
        How far it smooths, in mean lengths of edges; t is the square of that.
    """
    from vecsim.data.finite_elements import squared_dirac

    size = len(mesh.vertices)
    areas = np.bincount(mesh.triangles.ravel(), np.repeat(mesh.areas, 3), size) / 3
    corners = mesh.vertices[mesh.triangles]
    edge = float(np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).mean())
    indptr, indices, quaternions = squared_dirac(mesh)
    quaternions = (steps * edge) ** 2 * quaternions
    diagonal = indices == np.repeat(np.arange(size), np.diff(indptr))
    quaternions[diagonal, 0] += areas
    matrix = CompoundMatrix.from_arrays(QUATERNION, (size, size), indptr, indices, [*quaternions.T])
    return Problem(f"surface of {size:,} vertices", matrix, areas[:, None] * as_quaternions(mesh.vertices))


def as_quaternions(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return points of (n, 3) as imaginary quaternions of (n, 4)."""
    return np.concatenate((np.zeros((len(points), 1)), points), axis=1)


def noisy_torus(around: int, across: int, seed: int = 1) -> Any:
    """Return a torus whose vertices are moved at random, by a seventh of an edge.

    Parameters
    ----------
    around, across
        Vertices.
    seed
        Of the noise.
    """
    from dataclasses import replace

    from vecsim.data.finite_elements import rippled_torus

    mesh = rippled_torus(around, across)
    edge = np.linalg.norm(mesh.vertices[mesh.triangles[:, 0]] - mesh.vertices[mesh.triangles[:, 1]], axis=1)
    noise = np.random.default_rng(seed).normal(scale=0.15 * edge.mean(), size=mesh.vertices.shape)
    return replace(mesh, vertices=mesh.vertices + noise)
