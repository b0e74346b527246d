"""Reacting and diffusing substances: Brusselator, Olmstead flow and tubular reactor of the NEP collection."""

from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse

from vecsim.data.families.assembly import FloatArray, coupled, csr, stencil

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

    D is read out of tub1000 of the collection, of which entries of the first 63 and last 17 points were
    compared: they agree, the file being in single precision, but for the last point, where the file's
    reaction is 10^-17 times ours. In tub100 the least entry belongs to another state. So neither
    name is claimed.
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
