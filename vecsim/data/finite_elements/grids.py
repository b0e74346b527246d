"""Regular meshes that need no file."""

import numpy as np
from numpy.typing import NDArray

from vecsim.data.finite_elements.mesh import TriangleMesh

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
