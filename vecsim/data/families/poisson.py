"""The Laplacian, and conduction of heat, by finite differences on a line, a square and a cube."""

from itertools import product
from typing import Any

import numpy as np

from vecsim.data.families.assembly import stencil


def laplace1d(points: int) -> Any:
    """Return the tridiagonal (-1, 2, -1) of order `points`."""
    return stencil((points,), {(0,): 2, (-1,): -1, (1,): -1})


def laplace2d(points: int) -> Any:
    """Return the five-point Laplacian on a `points` x `points` grid with Dirichlet boundaries.

    4 on the diagonal, -1 for each of the up to four neighbours, scaled by the mesh width squared; the
    grid is numbered along its rows.
    """
    return stencil((points, points), _star(2))


def laplace3d(points: int) -> Any:
    """Return the seven-point Laplacian on a grid of `points` nodes a side: 6, and -1 for a neighbour."""
    return stencil((points, points, points), _star(3))


def nine_point(points: int) -> Any:
    """Return the nine-point operator on a `points` x `points` grid.

    8 on the diagonal, -1 for each of the up to eight nodes around. Compared with: gr_30_30, every entry.
    """
    return stencil((points, points), _box(2))


def twenty_seven_point(points: int) -> Any:
    """Return the 27-point operator on a grid of `points` nodes a side.

    26 on the diagonal, -1 for each of the up to 26 nodes around, as in the High Performance Conjugate
    Gradient benchmark. Source: J. Dongarra, M. Heroux, P. Luszczek, 2015.
    """
    return stencil((points, points, points), _box(3))


def nested_cubes(points: int) -> Any:
    """Return heat conduction in a cube of three materials, on a grid of `points` nodes a side.

    Conductivity 10^6 at the nodes of the middle third, 0.01 at those of the surface, 100 between. A node is
    joined to the one before it along each axis by its own conductivity, to the one after it by the other's;
    the temperature outside is held. As in the original, the node after one is sought by its number: after
    the last of a row comes the first of the next, and nothing after the last of all. Source: H. Simon, NOS7
    of the LANPRO set, Harwell-Boeing collection, 1982; the rule is read out of nos7 (9 nodes a side), with
    which every entry was compared.
    """
    shape = (points,) * 3
    from_middle = np.abs(np.indices(shape) - (points - 1) / 2).max(axis=0)
    conductivity = np.where(from_middle < points / 6, 1e6, np.where(from_middle < points / 2 - 1, 100, 0.01))
    diagonal = 3 * conductivity
    terms: dict[tuple[int, ...], Any] = {}
    for axis in range(3):
        distance = points ** (2 - axis)
        after = np.append(conductivity.ravel()[distance:], np.zeros(distance)).reshape(shape)
        step = tuple(int(axis == k) for k in range(3))
        terms[step] = -after
        terms[tuple(-k for k in step)] = -conductivity
        diagonal += after
    return stencil(shape, {(0, 0, 0): diagonal} | terms)


def nine_point_pattern(points: int) -> Any:
    """Return ones where `nine_point` has an entry. Compared with: lap_25, every entry."""
    return stencil((points, points), dict.fromkeys(_box(2), 1))


def _star(dimensions: int) -> dict[tuple[int, ...], int]:
    steps = [step for step in product((-1, 0, 1), repeat=dimensions) if sum(map(abs, step)) <= 1]
    return {step: -1 if any(step) else 2 * dimensions for step in steps}


def _box(dimensions: int) -> dict[tuple[int, ...], int]:
    steps = list(product((-1, 0, 1), repeat=dimensions))
    return {step: -1 if any(step) else len(steps) - 1 for step in steps}
