"""Matrices of the NEP collection (Non-Hermitian Eigenvalue Problems): each by its published definition."""

import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse

from vecsim.data.families.assembly import FloatArray, coupled, csr, stencil


def pde(points_x: int, points_y: int) -> Any:
    """Return the NEP collection's partial differential operator on a grid of inner points.

    Central differences, scaled by the mesh width in y squared, of
    -(p u_x)_x - (q u_y)_y + r u_x + (r u)_x + t u on the unit square with Dirichlet boundaries, where
    p = exp(-xy), q = exp(xy), r = 20 (x + y), t = 1 / (1 + x + y). Source: H. Elman, 1982, as MATPDE in
    the NEP collection (beta = 20, gamma = 0). The collection's files hold the transpose: the generator
    writes rows, the files are read by columns.

    Compared with: pde2961 (47 x 63), every entry; pde225 (15 x 15), pde900 (30 x 30), the collection's
    index.
    """
    hx, hy = 1 / (points_x + 1), 1 / (points_y + 1)
    ratio, drift = (hy / hx) ** 2, hy * hy / hx
    y, x = np.meshgrid(hy * np.arange(1, points_y + 1), hx * np.arange(1, points_x + 1), indexing="ij")

    west, east = np.exp(-(x - hx / 2) * y), np.exp(-(x + hx / 2) * y)
    south, north = np.exp(x * (y - hy / 2)), np.exp(x * (y + hy / 2))
    r, r_west, r_east = 20 * (x + y), 20 * (x - hx + y), 20 * (x + hx + y)
    terms = {
        (0, 0): ratio * (east + west) + north + south + hy * hy / (1 + x + y),
        (0, -1): -(ratio * west + drift / 2 * (r + r_west)),
        (0, 1): -ratio * east + drift / 2 * (r + r_east),
        (-1, 0): -south,
        (1, 0): -north,
    }
    return stencil((points_y, points_x), terms).T.tocsr()


def pde_square(points: int) -> Any:
    """Return `pde` on a `points` x `points` grid."""
    return pde(points, points)


def convection_diffusion(points: int, p1: float, p2: float, p3: float) -> Any:
    """Return the constant-coefficient convection-diffusion operator on a `points` x `points` grid.

    Central differences, scaled by the mesh width h squared, of -u_xx - u_yy + 2 p1 u_x + 2 p2 u_y - p3 u
    on the unit square with Dirichlet boundaries: 4 - p3 h^2 on the diagonal, -1 - p1 h and -1 + p1 h to
    the neighbours in x, -1 - p2 h and -1 + p2 h in y. Source: the NEP collection (MVMMCD, CDDE). The
    collection's files have the signs of p1 and p2 reversed, and so has this.

    Compared with: cdde1 (31 x 31, p = 1, 2, 30), every entry; cdde2 to cdde6, the collection's index.

    Parameters
    ----------
    points
        Nodes a side, without those on the boundary.
    p1, p2, p3
        The constants of the equation.
    """
    h = 1 / (points + 1)
    beta, gamma = p1 * h, p2 * h
    terms = {
        (0, 0): 4 - p3 * h * h,
        (0, -1): -1 + beta,
        (0, 1): -1 - beta,
        (-1, 0): -1 + gamma,
        (1, 0): -1 - gamma,
    }
    return stencil((points, points), terms)


def convection_diffusion_square(points: int) -> Any:
    """Return `convection_diffusion` with the constants of cdde2, p = 25, 50, 30."""
    return convection_diffusion(points, 25, 50, 30)


def convection_diffusion_cube(points: int) -> Any:
    """Return the operator of `convection_diffusion` on a grid of `points` nodes a side.

    -u_xx - u_yy - u_zz + 2 (25 u_x + 50 u_y + 75 u_z) - 30 u, scaled by the mesh width squared, with the
    signs of the first derivatives as there.
    """
    h = 1 / (points + 1)
    terms: dict[tuple[int, ...], float] = {(0, 0, 0): 6 - 30 * h * h}
    for axis, drift in enumerate((75 * h, 50 * h, 25 * h)):
        step = tuple(int(axis == k) for k in range(3))
        terms[step] = -1 - drift
        terms[tuple(-k for k in step)] = -1 + drift
    return stencil((points, points, points), terms)


_SECOND = {(0,): -2, (-1,): 1, (1,): 1}
_LAPLACE = {(0, 0): -4, (0, -1): 1, (0, 1): 1, (-1, 0): 1, (1, 0): 1}
"""What every model has along a line or on a square: second differences, Dirichlet boundaries."""


def olmstead(points: int) -> Any:
    """Return the Olmstead flow model on n = `points` inner points, of order 2 n.

    u_t = (1 - c) v_xx + c u_xx + a u, b v_t = u - v on (0, pi), c = 0.1, a = 4.7, b = 2,
    u and v of a point side by side. Source: K. Meerbergen, 1994, in the NEP collection (OLM).

    Compared with: olm500 and olm1000, every entry; olm100, olm2000, olm5000, the collection's index.
    """
    c, a, b = 0.1, 4.7, 2.0
    stiffness = ((points + 1) / np.pi) ** 2 * stencil((points,), _SECOND)
    return coupled((stiffness, [[c, 1 - c], [0, 0]]), (_identity(points), [[a, 0], [1 / b, -1 / b]]))


def brusselator_wave(points: int) -> Any:
    """Return the Brusselator wave model on n = `points` inner points, of order 2 n.

    Jacobian of two reacting, diffusing substances u and v along a tube of length L = 0.51302, all of u
    before all of v: diffusion d1 = 0.008, d2 = 0.004, reaction a = 2, b = 5.45. Source: Y. Saad, 1992, as
    MVMBWM in the NEP collection.

    Compared with: bwm200, every entry; bwm2000, the collection's index.
    """
    second = ((points + 1) / 0.51302) ** 2 * stencil((points,), _SECOND)
    return coupled(([[0.008, 0], [0, 0.004]], second), (_reaction(2), _identity(points)))


def brusselator(points: int, length: float) -> Any:
    """Return the reaction-diffusion Brusselator on a square of `points` x `points` inner points.

    Jacobian at the steady state of u_t = (d1 / L^2) (u_xx + u_yy) - (b + 1) u + u^2 v + c,
    v_t = (d2 / L^2) (v_xx + v_yy) - u^2 v + b u on the unit square with Dirichlet boundaries: d1 = 0.004,
    d2 = 0.008, b = 5.45, c = 2, L = `length`, u and v of a point side by side. Source: K. Meerbergen,
    1994, in the NEP collection (RDB).

    Compared with: rdb200 (10 x 10, L = 0.5) and rdb1250l (25 x 25, L = 1), every entry; the rest of the
    series, the collection's index.
    """
    laplace = ((points + 1) / length) ** 2 * stencil((points, points), _LAPLACE)
    return coupled((laplace, [[0.004, 0], [0, 0.008]]), (_identity(points * points), _reaction(2)))


def brusselator_square(points: int) -> Any:
    """Return `brusselator` with L = 1."""
    return brusselator(points, 1)


def tubular_reactor(points: int) -> Any:
    """Return the tubular reactor model on n = `points` points, of order 2 n.

    Jacobian at the steady state of y_t = y_xx / Pe - y_x - D y r(T), T_t = T_xx / Pe - T_x - beta (T - 1)
    + B D y r(T), r(T) = exp(gamma - gamma / T), on (0, 1) with y_x = Pe (y - 1), T_x = Pe (T - 1) at 0 and
    y_x = T_x = 0 at 1: Pe = 5, B = 0.5, gamma = 25, beta = 3.5, D = 0.23, central differences on n points
    with both ends, y and T of a point side by side. Source: R. F. Heinemann, A. B. Poore, Chemical
    Engineering Science 36(8), 1981, as TUB in the NEP collection.

    D is read out of tub1000 of the collection. Its entries of the first 63 and last 17 points were compared:
    they agree in the file's single precision, but for the last point, where the file's reaction is 10^-17
    times ours. In tub100 the least entry belongs to another state. So neither name is claimed.
    """
    transport = _transport(points)
    state = np.ones(2 * points)
    change = np.inf
    for _ in range(50):
        jacobian, rate = _reactor(transport, state)
        step = _banded_solution(jacobian, rate)
        # Newton's method, until rounding keeps it from coming closer.
        before, change = change, np.abs(step).max()
        if change >= before / 2 and change < 1e-6:
            break
        state -= step
    return jacobian


_PECLET = 5.0


def _transport(points: int) -> Any:
    # Diffusion and convection of y and of T; what the inflow adds is in _reactor.
    h = 1 / (points - 1)
    diffusion, convection = 1 / (_PECLET * h * h), 1 / (2 * h)
    before = np.full(points, diffusion + convection)
    after = np.full(points, diffusion - convection)
    middle = np.full(points, -2 * diffusion)
    # The neighbour beyond an end is expressed by the one inside.
    middle[0] -= 2 * h * _PECLET * before[0]
    after[0] += before[0]
    before[-1] += after[-1]
    line = stencil((points,), {(0,): middle, (-1,): before, (1,): after})
    return coupled((line, [[1, 0], [0, 1]]))


def _reactor(transport: Any, state: FloatArray) -> tuple[Any, FloatArray]:
    # The Jacobian and the rates of change.
    b, d, gamma, beta = 0.5, 0.23, 25.0, 3.5
    y, t = state[::2], state[1::2]
    reaction = d * np.exp(gamma - gamma / t)
    heating = y * reaction * gamma / (t * t)
    u = np.arange(0, len(state), 2)
    rows, columns = [u, u, u + 1, u + 1], [u, u + 1, u, u + 1]
    local = csr(transport.shape, rows, columns, [-reaction, -heating, b * reaction, b * heating - beta])
    # The inflow: y = T = 1 is carried without change, so it adds what the first rows lack.
    rate = transport @ (state - 1)
    rate[::2] -= y * reaction
    rate[1::2] += b * y * reaction - beta * (t - 1)
    return transport + local, rate


def _banded_solution(matrix: Any, right: FloatArray) -> FloatArray:
    # Two diagonals on either side.
    entries = matrix.tocoo()
    bands = np.zeros((5, len(right)))
    bands[2 + entries.row - entries.col, entries.col] = entries.data
    return np.asarray(scipy.linalg.solve_banded((2, 2), bands, right))


def _reaction(c: float) -> list[list[float]]:
    # The Brusselator's reaction at its steady state, for the changes of u and v; b = 5.45.
    return [[5.45 - 1, c * c], [-5.45, -c * c]]


def _identity(size: int) -> Any:
    return scipy.sparse.eye_array(size)


def grcar(size: int) -> Any:
    """Return Grcar's matrix: -1 below the diagonal, 1 on it and on the three diagonals above.

    Source: J. F. Grcar, SAND89-8691, 1989, as MVMGRC in the NEP collection.
    """
    return stencil((size,), {(0,): 1, (-1,): -1, (1,): 1, (2,): 1, (3,): 1})


def ising(pairs: int) -> Any:
    """Return the transfer matrix K L of the Ising model, of order 2 `pairs`.

    K has the rotations by alpha on the diagonal, L those by beta, shifted by one and closed in the
    corners: alpha = beta = pi / 4. Source: B. Friedman, as MVMISG in the NEP collection.
    """
    alpha = beta = np.pi / 4
    rotation = np.array([[np.cos(alpha), np.sin(alpha)], [-np.sin(alpha), np.cos(alpha)]])
    size = 2 * pairs
    first = np.arange(0, size, 2)
    second = first + 1
    before, after = (first - 1) % size, (second + 1) % size
    # L has cos beta on the diagonal, in the first row of a pair -sin beta at its left, in the second
    # sin beta at its right.
    rows, columns, values = [], [], []
    for row, (c, s) in zip((first, second), rotation, strict=True):
        rows += [row, row, row, row]
        columns += [before, first, second, after]
        values += [-c * np.sin(beta), c * np.cos(beta), s * np.cos(beta), s * np.sin(beta)]
    return csr((size, size), rows, columns, values)


def boundary_problem(size: int) -> Any:
    """Return the left side of y'' + mu^2 y = 0, y(0) = 0, y'(0) + gamma y'(1) = 0 on `size` points.

    (1, -2, 1) in all rows but the last, which holds the boundary: 4, -1 in front, gamma, -4 gamma,
    3 gamma at the end; gamma = 0.01. Source: G. W. Stewart, as MVMODE in the NEP collection. Compared
    with: odepa400, the collection's index.
    """
    node = np.arange(size)
    rows = [node[:-1], node[1:-1], node[:-1], np.full(5, size - 1)]
    columns = [node[:-1], node[:-2], node[1:], np.array([0, 1, size - 3, size - 2, size - 1])]
    return csr((size, size), rows, columns, [-2, 1, 1, np.array([4, -1, 0.01, -0.04, 0.03])])


def random_walk(steps: int) -> Any:
    """Return the random walk on a triangular grid of (m + 1)(m + 2) / 2 nodes, m = `steps`.

    From node (j, i), j + i <= m, the walk goes down, to (j - 1, i) or (j, i - 1), with probability
    (j + i) / m, and up, to (j + 1, i) or (j, i + 1), otherwise; equally likely where both are on the
    grid. Entry (k, l) is the probability of a step from node l to node k, so columns sum to one; nodes
    are numbered along j, then i. Source: G. W. Stewart, SRRIT, TR-514, University of Maryland, 1978, as
    MVMRWK in the NEP collection.

    The collection's rw136, rw496 and rw5151 (m = 15, 30, 100) have one entry less. By the collection's
    index they reach m below the diagonal and m + 1 above it, and half of their entries have no mirror
    image; here it is m + 1 on both sides, and all have one. Steps from row to row of the grid that land one
    node off account for that, and for the entry, as two steps then coincide; but several such slips agree
    with the index. So these names are not claimed.
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
    return csr((len(i), len(i)), rows, columns, values)


def tolosa(more: int) -> Any:
    """Return the Tolosa matrix of order 90 + 5 `more`.

    Five by five blocks of order m = 18 + `more`: the identity in block (1, 2); Y_1 to Y_5 along the second
    row; below it the identity in block column 2 and beta_i times the identity on the diagonal. Y_i begins
    with the data block X_i of order 18; Y_1 and Y_2 go on with -omega_k^2 and -2 alpha_k omega_k on the
    diagonal, k = 1, ..., `more`, where omega_k = 150 + 6 k, alpha_k = c (k - 1) + 0.001,
    c = 0.299 / `more`. Source: S. Godet-Thobie, CERFACS, 1991, as MVMTLS in the NEP collection.

    Compared with: tols90, every entry (it is where X and beta come from); tols340, tols1090, tols2000 and
    tols4000, the collection's index.
    """
    m = 18 + more
    data = tomllib.loads((Path(__file__).parent / "tolosa.toml").read_text())
    x = np.array(data["x"])
    beta = np.repeat(data["beta"], m)

    block = np.arange(m)
    k = np.arange(1, more + 1)
    omega = 150.0 + 6 * k
    alpha = 0.299 / max(more, 1) * (k - 1) + 0.001
    x_row, x_column = (index.ravel() for index in np.indices(x.shape))
    # Column 18 b + c of X belongs to column c of block b.
    x_column = x_column // 18 * m + x_column % 18
    below = np.arange(2 * m, 5 * m)
    rest = m + block[18:]
    rows = [block, m + x_row, rest, rest, below, below]
    columns = [m + block, x_column, rest - m, rest, m + below % m, below]
    values = [1.0, x.ravel(), -(omega**2), -2 * alpha * omega, 1.0, beta]
    return csr((5 * m, 5 * m), rows, columns, values)
