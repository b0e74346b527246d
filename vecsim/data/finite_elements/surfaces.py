"""Closed surfaces of triangles that need no file, and finer meshes of any surface."""

import numpy as np

from vecsim.data.finite_elements.grids import halved
from vecsim.data.finite_elements.mesh import TriangleMesh
from vecsim.support.errors import UserError

FEWEST = 3
RIPPLES, RIPPLE_HEIGHT = 7, 0.2
"""Waves around the tube of a torus, and their height as a share of its radius."""


def rippled_torus(around: int, across: int, radius: float = 0.4) -> TriangleMesh:
    """Return a torus around the z-axis whose tube has ripples, so that no two vertices are alike.

    Parameters
    ----------
    around
        Vertices around the axis, 3 or more; vertex (r, c) has number r across + c.
    across
        Vertices around the tube, 3 or more.
    radius
        Of the tube, without ripples; its middle has a distance of 1 from the axis.

    Raises
    ------
    UserError
        If there are fewer.
    """
    if min(around, across) < FEWEST:
        raise UserError(f"a torus needs {FEWEST} vertices or more each way, not {around} and {across}")
    u, v = np.meshgrid(
        2 * np.pi * np.arange(around) / around, 2 * np.pi * np.arange(across) / across, indexing="ij"
    )
    tube = radius * (1 + RIPPLE_HEIGHT * np.sin(RIPPLES * u + 2 * v))
    from_axis = 1 + tube * np.cos(v)
    vertices = np.stack([from_axis * np.cos(u), from_axis * np.sin(u), tube * np.sin(v)], axis=-1)
    node = np.arange(around * across).reshape(around, across)
    right, above = np.roll(node, -1, axis=0), np.roll(node, -1, axis=1)
    corners = [node, right, np.roll(right, -1, axis=1), above]
    triangles = halved(np.stack([corner.ravel() for corner in corners], axis=1))
    return TriangleMesh(f"torus-{around}x{across}", vertices.reshape(-1, 3), triangles)


def subdivided(mesh: TriangleMesh, times: int = 1) -> TriangleMesh:
    """Cut each triangle into four at the middles of its edges, so many times.

    The vertices that there were keep their numbers; then come the middles of the edges, by the numbers of
    their ends.

    Parameters
    ----------
    mesh
        Any mesh.
    times
        How often.
    """
    vertices, triangles = mesh.vertices, mesh.triangles
    for _ in range(times):
        ends = np.sort(np.stack([triangles, np.roll(triangles, -1, axis=1)], axis=2).reshape(-1, 2), axis=1)
        keys, number = np.unique(ends[:, 0] * len(vertices) + ends[:, 1], return_inverse=True)
        first, second = np.divmod(keys, len(vertices))
        middle = len(vertices) + number.reshape(-1, 3)
        vertices = np.concatenate((vertices, (vertices[first] + vertices[second]) / 2))
        (a, b, c), (ab, bc, ca) = triangles.T, middle.T
        corners = [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]
        triangles = np.stack([np.stack(each, axis=1) for each in corners], axis=1).reshape(-1, 3)
    return TriangleMesh(mesh.name, vertices, triangles)
