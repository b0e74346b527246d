"""Random hyperbolic graphs: hubs and locality at once.

Points are sampled by hashes of the seed (`keyed_entries`). Which of them are joined is decided in floating
point.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, prange

from vecsim.data.synthetic.keyed_entries import csr_of_keys, key, random_share, require_in
from vecsim.support.errors import UserError

_RING_WIDTH = np.log(2.0)
"""Of rings about the centre; points of a ring may join one outside it within about the same angle."""


def hyperbolic(nodes: int, mean: int, exponent: float, seed: int = 1) -> Any:
    """Return the symmetric pattern of a random hyperbolic graph, its nodes numbered by their angle.

    Points of a hyperbolic disc of radius R, their angles all alike and their radii of the density
    ``sinh(a r)`` with ``a = (exponent - 1) / 2``, are joined if they are nearer than R (D. Krioukov, F.
    Papadopoulos, M. Kitsak, A. Vahdat and M. Boguñá, "Hyperbolic geometry of complex networks", Physical
    Review E 82, 2010). R is such that the mean degree is about `mean` in a large graph. Degrees follow a
    power law of this exponent. Candidates are sought ring by ring (M. von Looz, H. Meyerhenke and R. Prutkin,
    "Generating random hyperbolic graphs in subquadratic time", 2015).

    Parameters
    ----------
    nodes
        Rows and columns.
    mean
        About the mean degree.
    exponent
        Of the power law of degrees, above 2, at most 20.
    seed
        Another seed gives another graph.

    Returns
    -------
    scipy.sparse.csr_array
        float64, with sorted 32-bit indices.

    Raises
    ------
    UserError
        If a number is out of its range.
    """
    require_in("N", nodes, 1, 2**27)
    require_in("K", mean, 1, (2**31 - 1) // nodes)
    if not 2 < exponent <= 20:
        raise UserError(f"A {exponent} is not possible: use more than 2, at most 20")
    alpha = (exponent - 1) / 2
    radius = max(1.0, 2 * np.log(2 * nodes * (alpha / (alpha - 0.5)) ** 2 / (np.pi * mean)))
    angles, radii = _points(nodes, alpha, radius, np.uint64(seed))
    angles.sort()
    rings = max(1, int(np.ceil(radius / 2 / _RING_WIDTH)))
    inner = np.append(0.0, radius / 2 + np.arange(rings) * (radius / 2 / rings))
    ring = np.searchsorted(inner, radii, side="right") - 1
    members = np.argsort(ring, kind="stable")
    first = np.searchsorted(ring[members], np.arange(len(inner) + 1))
    points = angles, radii, np.cosh(radii), np.sinh(radii)
    counts = np.zeros(nodes + 1, np.int64)
    _join(points, radius, inner, members, first, counts, np.empty(0, np.uint64))
    ends = np.cumsum(counts)
    keys = np.empty(2 * int(ends[-1]), np.uint64)
    _join(points, radius, inner, members, first, ends, keys)
    return csr_of_keys(keys, nodes, nodes, seed, True)


@njit(parallel=True, cache=True)
def _points(nodes: int, alpha: float, radius: float, seed: Any) -> Any:
    """Return angles and radii, the quantiles of random shares."""
    angles, radii = np.empty(nodes), np.empty(nodes)
    for node in prange(nodes):
        angles[node] = 2 * np.pi * random_share(seed, 2, node)
        share = random_share(seed, 3, node)
        radii[node] = np.arccosh(1 + share * (np.cosh(alpha * radius) - 1)) / alpha
    return angles, radii


@njit(parallel=True, cache=True)
def _join(points: Any, radius: float, inner: Any, members: Any, first: Any, at: Any, keys: Any) -> None:
    """Count the edges of each node to nodes farther out (of node v at v + 1 of `at`), or write their keys.

    Parameters
    ----------
    points
        Angles, rising, radii, and the hyperbolic cosine and sine of these.
    radius
        Points nearer than this are joined.
    inner
        Inner radius of each ring.
    members, first
        The nodes of each ring by their angle, and where those of each ring begin.
    at
        The counts; where `keys` has room, the edges before those of each node.
    keys
        Two keys for each edge.
    """
    angles, radii, cosh, sinh = points
    nearest = np.cosh(radius)
    for index in prange(len(angles)):
        node = np.int64(index)
        edges = at[node] if len(keys) else 0
        for ring in range(len(inner)):
            if ring + 1 < len(inner) and inner[ring + 1] <= radii[node]:
                continue
            reach = _reach(radii[node], max(inner[ring], radii[node]), radius)
            own = members[first[ring] : first[ring + 1]]
            count = len(own)
            begin, end = 0, count
            if reach < np.pi:
                begin = _place_of(angles, own, angles[node] - reach)
                end = _place_of(angles, own, angles[node] + reach)
            for place in range(begin, end):
                other = own[place % count]
                farther = radii[other] > radii[node] or (radii[other] == radii[node] and other > node)
                product = sinh[node] * sinh[other] * np.cos(angles[node] - angles[other])
                if not farther or cosh[node] * cosh[other] - product >= nearest:
                    continue
                if len(keys):
                    keys[2 * edges], keys[2 * edges + 1] = key(node, other), key(other, node)
                edges += 1
        if not len(keys):
            at[node + 1] = edges


@njit(cache=True)
def _reach(own: float, other: float, radius: float) -> float:
    """Return the angle within which points of these radii, or larger ones of the other, are joined."""
    if own + other <= radius:
        return np.pi
    cosine = (np.cosh(own) * np.cosh(other) - np.cosh(radius)) / (np.sinh(own) * np.sinh(other))
    # A little more, so that rounding leaves out no candidate.
    return float(np.arccos(max(-1.0, min(1.0, cosine)))) + 1e-9


@njit(cache=True)
def _place_of(angles: Any, members: Any, angle: float) -> Any:
    """Return the first place with at least this angle, counted on through full turns in both directions."""
    turns = np.floor(angle / (2 * np.pi))
    rest = angle - 2 * np.pi * turns
    low, high = 0, len(members)
    while low < high:
        middle = (low + high) // 2
        if angles[members[middle]] < rest:
            low = middle + 1
        else:
            high = middle
    return low + int(turns) * len(members)
