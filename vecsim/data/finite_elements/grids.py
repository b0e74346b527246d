"""Meshes that need no file: regular grids, closed surfaces of triangles, and finer meshes of any surface."""

import numpy as np
from numpy.typing import NDArray

from vecsim.data.finite_elements.mesh import TriangleMesh
from vecsim.support.errors import UserError

IntArray = NDArray[np.int64]


def rectangle_quads(rows: int, columns: int) -> IntArray:
    """Return the quadrilaterals of a grid of `rows` x `columns` nodes numbered row by row.

    int64 of ((rows - 1) * (columns - 1), 4), each in the order (r, c), (r, c + 1), (r + 1, c + 1),
    (r + 1, c).
    """
    node = np.arange(rows * columns).reshape(rows, columns)
    corners = [node[:-1, :-1], node[:-1, 1:], node[1:, 1:], node[1:, :-1]]
    return np.stack([corner.ravel() for corner in corners], axis=1)


def halved(quads: IntArray, rising: bool = True) -> IntArray:
    """Return the two triangles of each quadrilateral, cut from its first to its third node.

    Parameters
    ----------
    quads
        int64 of (Q, 4).
    rising
        False for the other diagonal.
    """
    a, b, c, d = quads.T if rising else np.roll(quads, -1, axis=1).T
    triangles = np.stack([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)], axis=1)
    return triangles.reshape(-1, 3)


def quarter_cylinder(rows: int, columns: int, length: float = 2.0, rising: bool = True) -> TriangleMesh:
    """Return a quarter of a cylinder of radius 1 around the z-axis.

    Node (r, c) has number r * columns + c and lies at height length * r / (rows - 1) and angle
    90 degrees * c / (columns - 1); every quadrilateral is cut along the same diagonal.

    Parameters
    ----------
    rows, columns
        Nodes along the axis and along the arc, 2 or more.
    length
        The height of the cylinder.
    rising
        Which diagonal cuts the quadrilaterals, as in :func:`halved`.
    """
    height, angle = np.meshgrid(
        np.linspace(0, length, rows), np.linspace(0, np.pi / 2, columns), indexing="ij"
    )
    vertices = np.stack([np.cos(angle).ravel(), np.sin(angle).ravel(), height.ravel()], axis=1)
    name = f"cylinder-{rows}x{columns}"
    return TriangleMesh(name, vertices, halved(rectangle_quads(rows, columns), rising))


def brick_hexahedra(nodes: tuple[int, int, int]) -> IntArray:
    """Return the hexahedra of a box of nodes numbered along z fastest, then y, then x.

    int64 of (H, 8); corner 4 i + 2 j + k is the one at offset (i, j, k).
    """
    number = np.arange(int(np.prod(nodes))).reshape(nodes)
    corners = [
        number[i : nodes[0] - 1 + i, j : nodes[1] - 1 + j, k : nodes[2] - 1 + k]
        for i in (0, 1)
        for j in (0, 1)
        for k in (0, 1)
    ]
    return np.stack([corner.ravel() for corner in corners], axis=1)


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
    """Cut each triangle into four at the middles of its edges, this many times.

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
