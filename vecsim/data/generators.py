"""Matrices that a published definition determines entirely.

Where the name is that of a matrix of the NEP or SuiteSparse collection, the result is that matrix, up to
the digits printed in its file; which files this was compared with is said with each family.
"""

from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


def _csr(size: int, rows: list[Any], columns: list[Any], values: list[Any]) -> Any:
    # Lists of index arrays, and of values broadcast to them.
    data = [np.broadcast_to(value, np.shape(row)) for value, row in zip(values, rows, strict=True)]
    flat = tuple(np.concatenate([np.ravel(part) for part in parts]) for parts in (data, rows, columns))
    coo = scipy.sparse.coo_array((flat[0].astype(np.float64), (flat[1], flat[2])), shape=(size, size))
    csr = coo.tocsr()
    csr.sum_duplicates()
    return csr


def laplace2d(points: int) -> Any:
    """Return the five-point Laplacian on a `points` x `points` grid with Dirichlet boundaries.

    4 on the diagonal, -1 for each of the up to four neighbours, scaled by the mesh width squared; the
    grid is numbered along its rows.
    """
    node = np.arange(points * points).reshape(points, points)
    rows = [node, node[:, 1:], node[:, :-1], node[1:], node[:-1]]
    columns = [node, node[:, :-1], node[:, 1:], node[:-1], node[1:]]
    return _csr(points * points, rows, columns, [4, -1, -1, -1, -1])


def random_walk(steps: int) -> Any:
    """Return the random walk on a triangular grid of (m + 1)(m + 2) / 2 nodes, m = `steps`.

    From node (j, i), j + i <= m, the walk goes down, to (j - 1, i) or (j, i - 1), with probability
    (j + i) / m, and up, to (j + 1, i) or (j, i + 1), otherwise; equally likely where both are on the
    grid. Entry (k, l) is the probability of a step from node l to node k, so columns sum to one; nodes
    are numbered along j, then i. Source: G. W. Stewart, SRRIT, TR-514, University of Maryland, 1978, as
    MVMRWK in the NEP collection.

    The collection's files of such walks (rw136, rw496, rw5151) have one entry less and an unsymmetric
    pattern, which this definition has not; so they are not claimed here.
    """
    i, j = (axis.ravel() for axis in np.indices((steps + 1, steps + 1)))
    on_grid = i + j <= steps
    i, j = i[on_grid], j[on_grid]
    number = np.full((steps + 1, steps + 1), -1)
    number[i, j] = np.arange(len(i))

    down, up = (i + j) / steps, 1 - (i + j) / steps
    rows, columns, values = [], [], []
    for di, dj, chance in ((0, -1, down), (-1, 0, down), (0, 1, up), (1, 0, up)):
        # Up, both neighbours are on the grid or none; down, an edge has only one.
        both = (i > 0) & (j > 0) if chance is down else np.ones(len(i), dtype=np.bool_)
        stays = (i + di >= 0) & (j + dj >= 0) & (i + j + di + dj <= steps)
        rows.append(number[i[stays] + di, j[stays] + dj])
        columns.append(number[i[stays], j[stays]])
        values.append(np.where(both, chance / 2, chance)[stays])
    return _csr(len(i), rows, columns, values)


def pde(points_x: int, points_y: int) -> Any:
    """Return the NEP collection's partial differential operator on a grid of inner points.

    Central differences, scaled by the mesh width in y squared, of
    -(p u_x)_x - (q u_y)_y + r u_x + (r u)_x + t u on the unit square with Dirichlet boundaries, where
    p = exp(-xy), q = exp(xy), r = 20 (x + y), t = 1 / (1 + x + y). Source: H. Elman, 1982, as MATPDE in
    the NEP collection (beta = 20, gamma = 0). The collection's files hold the transpose: the generator
    writes rows, the files are read by columns.

    Compared with: pde2961 (47 x 63), every entry; pde225 (15 x 15), pde900 (30 x 30), their entries'
    number, least and greatest value.
    """
    hx, hy = 1 / (points_x + 1), 1 / (points_y + 1)
    ratio, drift = (hy / hx) ** 2, hy * hy / hx
    y, x = np.meshgrid(hy * np.arange(1, points_y + 1), hx * np.arange(1, points_x + 1), indexing="ij")
    node = np.arange(points_x * points_y).reshape(points_y, points_x)

    west, east = np.exp(-(x - hx / 2) * y), np.exp(-(x + hx / 2) * y)
    south, north = np.exp(x * (y - hy / 2)), np.exp(x * (y + hy / 2))
    r = 20 * (x + y)
    r_west, r_east = 20 * (x - hx + y), 20 * (x + hx + y)
    diagonal = ratio * (east + west) + north + south + hy * hy / (1 + x + y)
    to_west = -(ratio * west + drift / 2 * (r + r_west))
    to_east = -ratio * east + drift / 2 * (r + r_east)

    here = [node, node[:, 1:], node[:, :-1], node[1:], node[:-1]]
    there = [node, node[:, :-1], node[:, 1:], node[:-1], node[1:]]
    values = [diagonal, to_west[:, 1:], to_east[:, :-1], -south[1:], -north[:-1]]
    return _csr(points_x * points_y, there, here, values)


def olmstead(size: int) -> Any:
    """Return the Olmstead flow model of order `size` = 2 n.

    u_t = (1 - c) v_xx + c u_xx + a u, b v_t = u - v on (0, pi), n inner points, c = 0.1, a = 4.7, b = 2,
    u and v of a point side by side. Source: K. Meerbergen, 1994, in the NEP collection (OLM). Compared
    with: olm500 and olm1000, every entry.
    """
    points = size // 2
    c, a, b = 0.1, 4.7, 2.0
    stiffness = ((points + 1) / np.pi) ** 2
    u = 2 * np.arange(points)
    v = u + 1
    rows = [u, u, v, v, u[1:], u[:-1], u[1:], u[:-1]]
    columns = [u, v, u, v, u[:-1], u[1:], v[:-1], v[1:]]
    along_u, along_v = c * stiffness, (1 - c) * stiffness
    values = [a - 2 * along_u, -2 * along_v, 1 / b, -1 / b, along_u, along_u, along_v, along_v]
    return _csr(size, rows, columns, values)


def brusselator_wave(size: int) -> Any:
    """Return the Brusselator wave model of order `size` = 2 n.

    Jacobian of two reacting, diffusing substances u and v along a tube of length L = 0.51302, n inner
    points, all of u before all of v: diffusion d1 = 0.008, d2 = 0.004, reaction a = 2, b = 5.45. Source:
    Y. Saad, 1992, in the NEP collection (BWM). Compared with: bwm200, every entry.
    """
    points = size // 2
    a, b, length = 2.0, 5.45, 0.51302
    stiffness_u, stiffness_v = (d * ((points + 1) / length) ** 2 for d in (0.008, 0.004))
    u = np.arange(points)
    v = u + points
    rows = [u, u, v, v, u[1:], u[:-1], v[1:], v[:-1]]
    columns = [u, v, u, v, u[:-1], u[1:], v[:-1], v[1:]]
    values = [b - 1 - 2 * stiffness_u, a * a, -b, -a * a - 2 * stiffness_v]
    return _csr(size, rows, columns, [*values, stiffness_u, stiffness_u, stiffness_v, stiffness_v])


def trefethen(size: int) -> Any:
    """Return the matrix of primes of order `size`.

    The first `size` primes on the diagonal, 1 where rows and columns are 1, 2, 4, 8, ... apart. Source:
    N. Trefethen, SIAM News 35(1), 2002, problem 7. Compared with: Trefethen_20, every entry.
    """
    node = np.arange(size)
    rows: list[Any] = [node]
    columns: list[Any] = [node]
    values: list[Any] = [_primes(size)]
    step = 1
    while step < size:
        rows += [node[step:], node[:-step]]
        columns += [node[:-step], node[step:]]
        values += [1, 1]
        step *= 2
    return _csr(size, rows, columns, values)


def _primes(count: int) -> IntArray:
    # The k-th prime lies below k (ln k + ln ln k) for k >= 6.
    limit = max(15, int(count * (np.log(count) + np.log(np.log(max(count, 3))))) + 1)
    prime = np.ones(limit, dtype=np.bool_)
    prime[:2] = False
    for factor in range(2, int(limit**0.5) + 1):
        if prime[factor]:
            prime[factor * factor :: factor] = False
    return np.flatnonzero(prime)[:count]
