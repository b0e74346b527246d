"""Slow viscous flow: two velocities at each node of a square, three pressures in each."""

from typing import Any, Literal

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from vecsim.data.finite_elements.assembly import assemble

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_ALONG_Y_FIRST = (0, 1, 2, 3, 4, 5, 6, 7, 8)
_CORNERS_SIDES_CENTRE = (0, 6, 8, 2, 3, 7, 5, 1, 4)
"""Local nodes as 3 * (step along x) + (step along y), in the order in which unknowns are first met."""


def driven_cavity(cells: int, boundary: Literal["dropped", "kept"] = "dropped") -> Any:
    """Return the Stokes matrix of a driven cavity, a unit square of `cells` x `cells` squares.

    Biquadratic velocities u and v, linear pressure that jumps between squares (values 1, xi, eta with xi
    and eta from -1 to 1), viscosity 1, stress form; unknowns are numbered as they are first met, square by
    square along y. All velocities couple within a square, and with its pressures.

    Parameters
    ----------
    cells
        Squares along each side.
    boundary
        "dropped": the velocities of the boundary and the first pressure are no unknowns. This is the
        DRIVCAV collection: 5 and 20 cells are e05r0000 and e20r0000, every entry (to the seven digits of
        the files), so 30 and 40 cells are e30r0000 and e40r0000 (order compared; no file was available).
        "kept": they stay as unknowns with a one on the diagonal and a row, but no column, of couplings.
        This is the pattern of DRIVCAV_OLD: 15 cells is that of cavity14, entry by entry, 20 cells has the
        order and number of entries of cavity16. (Its values are of a flow with inertia, ours are not.)

    Returns
    -------
    scipy.sparse.csr_array
        float64; couplings that are zero are stored.
    """
    nodes = 2 * cells + 1
    first = 2 * np.arange(cells)
    x, y = np.meshgrid(first, first, indexing="ij")
    order = np.array(_ALONG_Y_FIRST if boundary == "dropped" else _CORNERS_SIDES_CENTRE)
    corner = (x * nodes + y).ravel()
    element_nodes = corner[:, None] + order // 3 * nodes + order % 3

    velocities = (2 * element_nodes[..., None] + (0, 1)).reshape(cells * cells, 18)
    pressures = 2 * nodes * nodes + np.arange(3 * cells * cells).reshape(-1, 3)
    unknowns = np.concatenate([velocities, pressures], axis=1)
    held = np.zeros(2 * nodes * nodes + 3 * cells * cells, dtype=np.bool_)
    grid = held[: 2 * nodes * nodes].reshape(nodes, nodes, 2)
    grid[[0, -1]] = grid[:, [0, -1]] = True
    held[pressures[0, 0]] = True

    matrix, coupled = _square(1 / cells, order)
    free = ~held if boundary == "dropped" else np.ones_like(held)
    number = _as_first_met(unknowns, free)
    whole = assemble(number[unknowns], matrix, int(free.sum()), coupled)
    return whole if boundary == "dropped" else _held_in_place(whole, number[held])


def _as_first_met(unknowns: IntArray, free: NDArray[np.bool_]) -> IntArray:
    met = unknowns.ravel()
    met = met[free[met]]
    names, first = np.unique(met, return_index=True)
    number = np.full(len(free), -1)
    number[names[np.argsort(first)]] = np.arange(len(names))
    return number


def _held_in_place(matrix: Any, held: IntArray) -> Any:
    # A one on the diagonal of a held unknown, nothing else in its column; its row stays.
    is_held = np.zeros(matrix.shape[0], dtype=np.bool_)
    is_held[held] = True
    coo = matrix.tocoo()
    stays = ~is_held[coo.col]
    rows, columns = (np.concatenate([old[stays], held]) for old in (coo.row, coo.col))
    values = np.concatenate([coo.data[stays], np.ones(len(held))])
    return scipy.sparse.coo_array((values, (rows, columns)), shape=matrix.shape).tocsr()


def _square(width: float, order: IntArray) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Matrix of one square, (21, 21), and which places it touches: all but pairs of pressures."""
    # On a line from -1 to 1, nodes -1, 0, 1: products of shape functions (N) and derivatives (D).
    mass = np.array([[4, 2, -1], [2, 16, 2], [-1, 2, 4]]) / 15
    slope = np.array([[-3, -4, 1], [4, 0, -4], [-1, 4, 3]]) / 6  # D_i N_j
    stiffness = np.array([[7, -8, 1], [-8, 16, -8], [1, -8, 7]]) / 6
    integral, moment = np.array([1, 4, 1]) / 3, np.array([-1, 0, 1]) / 3
    slope_integral, slope_moment = np.array([-1, 0, 1]), np.array([2, -4, 2]) / 3

    xx, yy = np.kron(stiffness, mass), np.kron(mass, stiffness)
    xy = np.kron(slope, slope.T)
    momentum = np.zeros((9, 2, 9, 2))
    momentum[:, 0, :, 0], momentum[:, 1, :, 1] = 2 * xx + yy, xx + 2 * yy
    # 2 e(u) : e(v) pairs u with v as D_y(test) N_x against D_x(trial) N_y.
    momentum[:, 0, :, 1], momentum[:, 1, :, 0] = xy.T, xy
    divergence = np.zeros((9, 2, 3))
    along_x = [(slope_integral, integral), (slope_moment, integral), (slope_integral, moment)]
    along_y = [(integral, slope_integral), (moment, slope_integral), (integral, slope_moment)]
    for k in range(3):
        divergence[:, 0, k] = np.kron(*along_x[k])
        divergence[:, 1, k] = np.kron(*along_y[k])

    matrix = np.zeros((21, 21))
    matrix[:18, :18] = momentum[order][:, :, order].reshape(18, 18)
    matrix[:18, 18:] = -width / 2 * divergence[order].reshape(18, 3)
    matrix[18:, :18] = matrix[:18, 18:].T
    coupled = np.ones((21, 21), dtype=np.bool_)
    coupled[18:, 18:] = False
    return matrix, coupled
