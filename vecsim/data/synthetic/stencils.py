"""Operators on regular grids at the size of a GPU, generated on all cores.

The couplings vary: each pair of neighbours has its own, a hash of the pair and the seed, so matrices do not
depend on the number of threads. All are symmetric. `vecsim.data.families.poisson` has the stencils of
constant coefficients, `vecsim.data.finite_elements.elastic_brick` the brick of one material.
"""

from typing import Any

import numpy as np
from numba import njit, prange

from vecsim.data.finite_elements.solid import hexahedron_matrix
from vecsim.data.synthetic.keyed_entries import csr_of_parts, random_share
from vecsim.support.errors import UserError

MOST_ENTRIES = 2**31 - 1


def grid_diffusion(points: tuple[int, int, int], *, box: bool = False, seed: int = 1) -> Any:
    """Return a diffusion operator with its own coefficient for each pair of neighbours on a grid.

    Between two neighbours -c with c in [0.5, 1.5); on the diagonal the sum of the row's c, and 1 for each
    neighbour beyond the edge.

    Parameters
    ----------
    points
        Points along x, y and z, numbered along z fastest. A flat grid has one point along x.
    box
        Whether all up to 26 points around are neighbours (27-point stencil, in a flat grid 9-point) or only
        those along the axes (7-point, flat 5-point).
    seed
        Another seed gives other coefficients.

    Returns
    -------
    scipy.sparse.csr_array
        float64, with sorted 32-bit indices.
    """
    _require_points(points, 1)
    reach = [1 if count > 1 else 0 for count in points]
    steps = [
        (i, j, k)
        for i in range(-reach[0], reach[0] + 1)
        for j in range(-reach[1], reach[1] + 1)
        for k in range(-reach[2], reach[2] + 1)
        if box or abs(i) + abs(j) + abs(k) <= 1
    ]
    count = int(np.prod(points))
    _require_entries(count * len(steps))
    indptr = np.zeros(count + 1, dtype=np.int32)
    stencil = np.array(steps, dtype=np.int64)
    _count_neighbours(points, stencil, indptr)
    np.cumsum(indptr, out=indptr)
    indices, values = np.empty(int(indptr[-1]), dtype=np.int32), np.empty(int(indptr[-1]))
    _write_diffusion(points, stencil, seed, indptr, indices, values)
    return csr_of_parts(values, indices, indptr)


def hexahedral_elasticity(nodes: tuple[int, int, int], *, poisson: float = 0.3, seed: int = 1) -> Any:
    """Return the stiffness matrix of a free elastic box of unit cubes of different stiffness.

    Trilinear elements, Young's modulus of each uniform in [0.5, 1.5), as of bone or foam.

    Parameters
    ----------
    nodes
        Nodes along x, y and z, at least 2 each; numbered along z fastest.
    poisson
        Poisson's ratio of all.
    seed
        Another seed gives other moduli.

    Returns
    -------
    scipy.sparse.csr_array
        float64 of three rows a node, a dense 3 x 3 block for each pair of nodes of a cube: up to 81 entries
        a row, (3 nx - 2) (3 ny - 2) (3 nz - 2) x 9 in all; sorted 32-bit indices.
    """
    _require_points(nodes, 2)
    count = int(np.prod(nodes))
    stencil = np.array([(i, j, k) for i in (-1, 0, 1) for j in (-1, 0, 1) for k in (-1, 0, 1)])
    _require_entries(9 * int(np.prod([3 * axis - 2 for axis in nodes])))
    neighbours = np.zeros(count + 1, dtype=np.int32)
    _count_neighbours(nodes, stencil, neighbours)
    lengths = np.repeat(3 * neighbours[1:], 3)
    indptr = np.concatenate((np.zeros(1, np.int32), np.cumsum(lengths, dtype=np.int32)))
    indices, values = np.empty(int(indptr[-1]), dtype=np.int32), np.empty(int(indptr[-1]))
    element = np.ascontiguousarray(hexahedron_matrix(1.0, poisson))
    _write_elasticity(nodes, element, seed, indptr, indices, values)
    return csr_of_parts(values, indices, indptr)


def _require_points(points: tuple[int, int, int], least: int) -> None:
    if len(points) != 3 or min(points) < least or max(points) > 2**20:
        raise UserError(
            f"a grid of {points} points is not possible: use three numbers from {least} to {2**20}"
        )


def _require_entries(count: int) -> None:
    if count > MOST_ENTRIES:
        raise UserError(f"a matrix of up to {count} entries is not possible: at most {MOST_ENTRIES}")


@njit(cache=True)
def _inside(points: Any, x: int, y: int, z: int) -> Any:
    return 0 <= x < points[0] and 0 <= y < points[1] and 0 <= z < points[2]


@njit(parallel=True, cache=True)
def _count_neighbours(points: Any, steps: Any, counts: Any) -> None:
    """Write how many points of the stencil lie in the grid, for point p at p + 1 of `counts`."""
    for plane in prange(points[0] * points[1]):
        x, y = plane // points[1], plane % points[1]
        for z in range(points[2]):
            result = 0
            for s in range(len(steps)):
                result += _inside(points, x + steps[s, 0], y + steps[s, 1], z + steps[s, 2])
            counts[plane * points[2] + z + 1] = result


@njit(parallel=True, cache=True)
def _write_diffusion(points: Any, steps: Any, seed: int, indptr: Any, indices: Any, values: Any) -> None:
    for plane in prange(points[0] * points[1]):
        x, y = plane // points[1], plane % points[1]
        for z in range(points[2]):
            here = np.int64(plane) * points[2] + z
            place, diagonal, total = np.int64(indptr[here]), np.int64(0), 0.0
            for s in range(len(steps)):
                i, j, k = steps[s, 0], steps[s, 1], steps[s, 2]
                if not _inside(points, x + i, y + j, z + k):
                    total += 1.0
                    continue
                there = here + (i * points[1] + j) * points[2] + k
                indices[place] = there
                if there == here:
                    diagonal = place
                else:
                    # The lower of both points and the direction name the pair.
                    step = max(s, len(steps) - 1 - s)
                    coupling = 0.5 + random_share(seed, 1, min(here, there) * len(steps) + step)
                    values[place] = -coupling
                    total += coupling
                place += 1
            values[diagonal] = total


@njit(parallel=True, cache=True)
def _write_elasticity(nodes: Any, element: Any, seed: int, indptr: Any, indices: Any, values: Any) -> None:
    ny, nz = nodes[1], nodes[2]
    for plane in prange(nodes[0] * ny):
        x, y = plane // ny, plane % ny
        modulus = np.zeros((2, 2, 2))
        block = np.empty((3, 3))
        for z in range(nz):
            # Moduli of the up to eight cubes around; none beyond the edge.
            for a in range(2):
                for b in range(2):
                    for c in range(2):
                        cx, cy, cz = x - 1 + a, y - 1 + b, z - 1 + c
                        held = 0 <= cx < nodes[0] - 1 and 0 <= cy < ny - 1 and 0 <= cz < nz - 1
                        number = (np.int64(cx) * ny + cy) * nz + cz
                        modulus[a, b, c] = 0.5 + random_share(seed, 1, number) if held else 0.0
            here = np.int64(plane) * nz + z
            neighbour = 0
            for i in range(-1, 2):
                for j in range(-1, 2):
                    for k in range(-1, 2):
                        if not _inside(nodes, x + i, y + j, z + k):
                            continue
                        _add_up(modulus, element, i, j, k, block)
                        there = here + (i * ny + j) * nz + k
                        for r in range(3):
                            place = np.int64(indptr[3 * here + r]) + 3 * neighbour
                            for q in range(3):
                                indices[place + q] = 3 * there + q
                                values[place + q] = block[r, q]
                        neighbour += 1


@njit(cache=True)
def _add_up(modulus: Any, element: Any, i: int, j: int, k: int, block: Any) -> None:
    """Add up what the cubes that hold a node and its neighbour at (i, j, k) give to their 3 x 3 block."""
    block[:] = 0.0
    for a in range(2):
        for b in range(2):
            for c in range(2):
                # The node is corner (1 - a, 1 - b, 1 - c) of cube (a, b, c).
                u, v, w = 1 - a + i, 1 - b + j, 1 - c + k
                if modulus[a, b, c] == 0.0 or not (0 <= u <= 1 and 0 <= v <= 1 and 0 <= w <= 1):
                    continue
                row, column = 3 * (4 * (1 - a) + 2 * (1 - b) + (1 - c)), 3 * (4 * u + 2 * v + w)
                for r in range(3):
                    for q in range(3):
                        block[r, q] += modulus[a, b, c] * element[row + r, column + q]
