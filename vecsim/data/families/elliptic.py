"""Elliptic operators with a first derivative: the PDE and CDDE matrices of the NEP collection."""

from typing import Any

import numpy as np

from vecsim.data.families.assembly import stencil


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
