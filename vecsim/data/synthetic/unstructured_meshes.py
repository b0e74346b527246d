"""Finite elements on unstructured meshes at the size of a GPU: triangles of a square, tetrahedra of a cube.

The nodes are a jittered grid; the mesh is their Delaunay triangulation. Qhull would take a minute for a
million nodes, so a periodic tile is triangulated and repeated; then the nodes of the whole are numbered by
reverse Cuthill-McKee (as SciPy does it), as they are before a solver runs, which leaves nothing of the tiles.
"""

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import scipy.sparse
from numba import njit, prange
from numpy.typing import NDArray
from scipy.sparse.csgraph import reverse_cuthill_mckee

from vecsim.data.synthetic.keyed_entries import csr_of_parts, random_share
from vecsim.support.errors import UserError

MOST_ENTRIES = 2**31 - 1
JITTER = 0.8
"""A node is anywhere in this part of its cell. Circumscribed spheres are then smaller than the margin."""
MARGIN = 3


def triangle_diffusion(tile: int, repeats: int, seed: int = 1) -> Any:
    """Return a diffusion operator on a triangulated square, its own coefficient for each edge.

    -c with c in [0.5, 1.5) for each edge; on the diagonal the sum of the row's c, and 1 for each neighbour
    beyond the border.

    Parameters
    ----------
    tile
        Nodes along each side of a tile, at least 8.
    repeats
        Tiles along each side.
    seed
        Another seed gives another mesh.

    Returns
    -------
    scipy.sparse.csr_array
        float64 of (tile repeats)^2 rows, about 7 entries each; sorted 32-bit indices.
    """
    mesh = _tiled(tile, repeats, 2, seed)
    indices, values = np.empty(int(mesh.indptr[-1]), np.int32), np.empty(int(mesh.indptr[-1]))
    _write_diffusion(mesh.order, mesh.number, *mesh.edges, mesh.repeats, seed, mesh.indptr, indices, values)
    return csr_of_parts(values, indices, mesh.indptr)


def tetrahedral_elasticity(tile: int, repeats: int, seed: int = 1, *, poisson: float = 0.3) -> Any:
    """Return the stiffness matrix of an elastic cube of linear tetrahedra, clamped all around.

    Parameters
    ----------
    tile
        Nodes along each side of a tile, at least 8.
    repeats
        Tiles along each side.
    seed
        Another seed gives another mesh.
    poisson
        Poisson's ratio; Young's modulus is 1.

    Returns
    -------
    scipy.sparse.csr_array
        float64 of three rows a node and 3 (tile repeats)^3 in all, a dense 3 x 3 block for each edge and each
        node: about 46 entries a row; sorted 32-bit indices.
    """
    mesh = _tiled(tile, repeats, 3, seed)
    if 9 * int(mesh.indptr[-1]) > MOST_ENTRIES:
        raise UserError(f"a mesh of {len(mesh.order)} nodes is not possible: at most {MOST_ENTRIES} entries")
    blocks = _element_blocks(mesh, poisson)
    lengths = np.repeat(3 * np.diff(mesh.indptr), 3)
    indptr = np.concatenate((np.zeros(1, np.int32), np.cumsum(lengths, dtype=np.int32)))
    indices, values = np.empty(int(indptr[-1]), np.int32), np.empty(int(indptr[-1]))
    _write_elasticity(mesh.order, mesh.number, *mesh.edges, blocks, mesh.repeats, indptr, indices, values)
    return csr_of_parts(values, indices, indptr)


@dataclass(frozen=True, eq=False)
class _Mesh:
    """A tile repeated, and the numbering of the whole.

    Attributes
    ----------
    points
        Of the tile and the margin around it; the tile's come first.
    simplices
        Triangles or tetrahedra of these points.
    edges
        For each node of the tile where its neighbours begin, itself among them; then for each of them its
        number in its own tile, and how many tiles away that is along each axis.
    extended
        For each of these its number among `points`.
    repeats
        Tiles along each of three axes.
    order, number
        Old numbers (tile by tile) in the new order, and the new number of each old one.
    indptr
        Where the neighbours of each node begin, in the new order, int32.
    """

    points: NDArray[np.float64]
    simplices: NDArray[np.int32]
    edges: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]
    extended: NDArray[np.int64]
    repeats: NDArray[np.int64]
    order: NDArray[np.int32]
    number: NDArray[np.int32]
    indptr: NDArray[np.int32]


def _tiled(tile: int, repeats: int, dimensions: int, seed: int) -> _Mesh:
    """Triangulate a tile, repeat it and number the nodes."""
    if tile < 2 * MARGIN + 2 or repeats < 1 or (tile * repeats) ** dimensions > 2**26:
        raise UserError(
            f"{repeats} tiles of {tile} nodes a side are not possible: use at least {2 * MARGIN + 2} nodes "
            f"and at most {2**26} in all"
        )
    points, home, shift = _points(tile, dimensions, seed)
    from scipy.spatial import Delaunay

    simplices = Delaunay(points).simplices
    nodes = tile**dimensions
    corners = dimensions + 1
    start = np.repeat(simplices, corners, axis=1).ravel()
    end = np.tile(simplices, corners).ravel()
    inside = start < nodes
    keys = np.unique(start[inside].astype(np.int64) * len(points) + end[inside])
    of, extended = keys // len(points), keys % len(points)
    first = np.searchsorted(of, np.arange(nodes + 1)).astype(np.int64)
    edges = (first, home[extended], shift[extended])
    tiles = np.array([repeats] * dimensions + [1] * (3 - dimensions), dtype=np.int64)
    natural = np.zeros(nodes * int(tiles.prod()) + 1, dtype=np.int32)
    _count_neighbours(*edges, tiles, natural)
    np.cumsum(natural, out=natural)
    neighbours = np.empty(int(natural[-1]), dtype=np.int32)
    _list_neighbours(*edges, tiles, natural, neighbours)
    graph = scipy.sparse.csr_matrix(
        (np.ones(len(neighbours), np.int8), neighbours, natural), shape=(len(natural) - 1,) * 2
    )
    order = reverse_cuthill_mckee(graph, symmetric_mode=True)
    number = np.empty(len(order), dtype=np.int32)
    number[order] = np.arange(len(order), dtype=np.int32)
    indptr = np.concatenate((np.zeros(1, np.int32), np.cumsum(np.diff(natural)[order], dtype=np.int32)))
    return _Mesh(points, simplices, edges, extended, tiles, order, number, indptr)


def _points(tile: int, dimensions: int, seed: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return the points of a tile, then copies of those near its border around it.

    Returns
    -------
    points
        Coordinates, in cells of the grid.
    home
        The number in the tile of each point.
    shift
        How many tiles away it is, along three axes.
    """
    cells = np.indices((tile,) * dimensions).reshape(dimensions, -1).T
    jitter = np.random.default_rng(seed).random(cells.shape)
    inner = cells + (1 - JITTER) / 2 + JITTER * jitter
    points, home, shift = [inner], [np.arange(len(inner))], [np.zeros((len(inner), 3), np.int64)]
    for step in product((-1, 0, 1), repeat=dimensions):
        if not any(step):
            continue
        moved = inner + np.array(step) * tile
        near = np.flatnonzero(((moved > -MARGIN) & (moved < tile + MARGIN)).all(axis=1))
        points.append(moved[near])
        home.append(near)
        shift.append(np.tile(np.array([*step, 0, 0][:3], np.int64), (len(near), 1)))
    return np.concatenate(points), np.concatenate(home), np.concatenate(shift)


def _element_blocks(mesh: _Mesh, poisson: float) -> NDArray[np.float64]:
    """Return the 3 x 3 block of each edge of the tile, summed over its tetrahedra."""
    lame, shear = poisson / ((1 + poisson) * (1 - 2 * poisson)), 1 / (2 * (1 + poisson))
    nodes = len(mesh.edges[0]) - 1
    simplices = mesh.simplices[(mesh.simplices < nodes).any(axis=1)]
    corners = mesh.points[simplices]
    # Rows of the inverse are the gradients of the corners' shape functions.
    system = np.concatenate((np.ones((len(simplices), 4, 1)), corners), axis=2)
    volumes = np.abs(np.linalg.det(system)) / 6
    # Slivers of no volume have no stiffness.
    flat = volumes < 1e-9
    system[flat] = np.eye(4)
    gradients = np.linalg.inv(system)[:, 1:, :].transpose(0, 2, 1)
    keys = np.repeat(np.arange(nodes), np.diff(mesh.edges[0])) * len(mesh.points) + mesh.extended
    blocks = np.zeros((len(keys), 3, 3))
    for a, b in product(range(4), repeat=2):
        inside = (simplices[:, a] < nodes) & ~flat
        ga, gb = gradients[inside, a], gradients[inside, b]
        along = np.einsum("ni,ni->n", ga, gb)[:, None, None] * np.eye(3)
        across = lame * np.einsum("ni,nj->nij", ga, gb) + shear * np.einsum("ni,nj->nij", gb, ga)
        place = np.searchsorted(
            keys, simplices[inside, a].astype(np.int64) * len(mesh.points) + simplices[inside, b]
        )
        np.add.at(blocks, place, volumes[inside, None, None] * (across + shear * along))
    return blocks


@njit(cache=True)
def _node_of(tiles: Any, tile: int, shift: Any, home: int, nodes: int) -> Any:
    """Return the old number of a neighbour, -1 beyond the border."""
    z = tile % tiles[2] + shift[2]
    y = tile // tiles[2] % tiles[1] + shift[1]
    x = tile // (tiles[2] * tiles[1]) + shift[0]
    if not (0 <= x < tiles[0] and 0 <= y < tiles[1] and 0 <= z < tiles[2]):
        return -1
    return ((x * tiles[1] + y) * tiles[2] + z) * nodes + home


@njit(parallel=True, cache=True)
def _count_neighbours(first: Any, home: Any, shift: Any, tiles: Any, counts: Any) -> None:
    nodes = len(first) - 1
    for old in prange(len(counts) - 1):
        node, tile = old % nodes, old // nodes
        result = 0
        for edge in range(first[node], first[node + 1]):
            result += _node_of(tiles, tile, shift[edge], home[edge], nodes) >= 0
        counts[old + 1] = result


@njit(parallel=True, cache=True)
def _list_neighbours(first: Any, home: Any, shift: Any, tiles: Any, indptr: Any, neighbours: Any) -> None:
    nodes = len(first) - 1
    for old in prange(len(indptr) - 1):
        node, tile = old % nodes, old // nodes
        place = indptr[old]
        for edge in range(first[node], first[node + 1]):
            other = _node_of(tiles, tile, shift[edge], home[edge], nodes)
            if other >= 0:
                neighbours[place] = other
                place += 1


@njit(cache=True)
def _sorted_neighbours(
    first: Any, home: Any, shift: Any, tiles: Any, number: Any, old: int, columns: Any, edges: Any
) -> int:
    """Write the new numbers of a node's neighbours in order, and the edges to them; return their count."""
    nodes = len(first) - 1
    node, tile = old % nodes, old // nodes
    result = 0
    for edge in range(first[node], first[node + 1]):
        other = _node_of(tiles, tile, shift[edge], home[edge], nodes)
        if other < 0:
            continue
        column = number[other]
        place = result
        while place > 0 and columns[place - 1] > column:
            columns[place], edges[place] = columns[place - 1], edges[place - 1]
            place -= 1
        columns[place], edges[place] = column, edge
        result += 1
    return result


@njit(parallel=True, cache=True)
def _write_diffusion(
    order: Any,
    number: Any,
    first: Any,
    home: Any,
    shift: Any,
    tiles: Any,
    seed: int,
    indptr: Any,
    indices: Any,
    values: Any,
) -> None:
    widest = np.max(first[1:] - first[:-1])
    nodes = len(first) - 1
    rows = np.int64(len(order))
    for part in prange((rows + 1023) // 1024):
        columns, edges = np.empty(widest, np.int64), np.empty(widest, np.int64)
        for row in range(part * 1024, min(rows, (part + 1) * 1024)):
            old = order[row]
            result = _sorted_neighbours(first, home, shift, tiles, number, old, columns, edges)
            node = old % nodes
            total, diagonal = float(first[node + 1] - first[node] - result), 0
            for k in range(result):
                place = indptr[row] + k
                column = columns[k]
                indices[place] = column
                if column == row:
                    diagonal = place
                else:
                    coupling = 0.5 + random_share(seed, 1, min(row, column) * rows + max(row, column))
                    values[place] = -coupling
                    total += coupling
            values[diagonal] = total


@njit(parallel=True, cache=True)
def _write_elasticity(
    order: Any,
    number: Any,
    first: Any,
    home: Any,
    shift: Any,
    blocks: Any,
    tiles: Any,
    indptr: Any,
    indices: Any,
    values: Any,
) -> None:
    widest = np.max(first[1:] - first[:-1])
    for part in prange((len(order) + 255) // 256):
        columns, edges = np.empty(widest, np.int64), np.empty(widest, np.int64)
        for row in range(part * 256, min(len(order), (part + 1) * 256)):
            result = _sorted_neighbours(first, home, shift, tiles, number, order[row], columns, edges)
            for k in range(result):
                for r in range(3):
                    place = indptr[3 * row + r] + 3 * k
                    for q in range(3):
                        indices[place + q] = 3 * columns[k] + q
                        values[place + q] = blocks[edges[k], r, q]
