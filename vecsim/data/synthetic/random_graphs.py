"""Random graphs and matrices at the size of a GPU, by published definitions, generated on all cores.

Every random number is a hash of the seed and of its purpose (`keyed_entries`), so a matrix depends on its
arguments alone and not on the number of threads. A position sampled more than once is stored once. A value
is a hash of its position, uniform in [-1, 1); symmetric patterns have symmetric values.
"""

from typing import Any

import numpy as np
from numba import njit, prange

from vecsim.data.synthetic.keyed_entries import (
    LOW_HALF,
    NOTHING,
    csr_of_keys,
    key,
    power_law,
    power_law_counts,
    random_bits,
    random_share,
    require_exponent,
    require_in,
    require_share,
)
from vecsim.support.errors import UserError

_A, _B, _C = 0.57, 0.19, 0.19
"""The initiator of the Graph500 benchmark, version 3, section 3."""


def kronecker(scale: int, edge_factor: int, seed: int = 1, *, symmetric: bool = True) -> Any:
    """Return the adjacency pattern of a Kronecker graph as the Graph500 benchmark defines it.

    ``edge_factor 2**scale`` edges of the initiator 0.57, 0.19, 0.19, 0.05 (R-MAT: Chakrabarti, Zhan and
    Faloutsos 2004) between vertices with shuffled labels. Loops are left out.

    Parameters
    ----------
    scale
        The graph has 2**scale vertices; 1 to 30.
    edge_factor
        Sampled edges for each vertex.
    seed
        Another seed gives another graph.
    symmetric
        Whether each edge is stored in both directions.

    Returns
    -------
    scipy.sparse.csr_array
        float64, with sorted 32-bit indices.

    Raises
    ------
    UserError
        If a size is out of its range, or the edges could not be counted in 32 bits.
    """
    require_in("scale", scale, 1, 30)
    require_in("edge_factor", edge_factor, 1, 2 ** (30 if symmetric else 31) >> scale)
    vertices = 1 << scale
    labels = np.random.default_rng(seed).permutation(vertices).astype(np.uint64)
    keys = _kronecker_keys(scale, edge_factor * vertices, labels, np.uint64(seed), symmetric)
    return csr_of_keys(keys, vertices, vertices, seed, symmetric)


def uniform(rows: int, per_row: int, seed: int = 1) -> Any:
    """Return a square matrix whose rows draw `per_row` columns each, all columns alike.

    Parameters
    ----------
    rows
        Rows and columns.
    per_row
        Samples for each row; a column sampled twice is stored once.
    seed
        Another seed gives another matrix.

    Returns
    -------
    scipy.sparse.csr_array
        float64, with sorted 32-bit indices.
    """
    require_in("rows", rows, 1, 2**30)
    require_in("per_row", per_row, 1, 2**31 // rows)
    return csr_of_keys(_uniform_keys(rows, per_row, np.uint64(seed)), rows, rows, seed, False)


def circuit(
    nodes: int,
    seed: int = 1,
    *,
    fanout_exponent: float = 2.5,
    wire_exponent: float = 1.5,
    rails: int = 4,
    rail_share: float = 0.3,
) -> Any:
    """Return the symmetric pattern of a circuit matrix: short wires, power-law fan-out, a few dense rows.

    Node v drives k others, ``P(k) ~ k**-fanout_exponent``, at distances d from it,
    ``P(d) ~ d**-wire_exponent`` in the order of placement (the wire lengths that Rent's rule gives: Donath
    1979, Davis, De and Meindl 1998). A rail (power, ground, clock) is joined to each node by chance: the
    first one to `rail_share` of them, each further one to half as many; rows and columns of rails are the
    dense ones that circuit simulators meet (Davis and Palamadai Natarajan 2010). The diagonal is full.

    Parameters
    ----------
    nodes
        Rows and columns.
    seed
        Another seed gives another matrix.
    fanout_exponent, wire_exponent
        Of the two power laws, above 1.
    rails
        The number of dense rows and columns.
    rail_share
        The part of all nodes on the first rail, 0 to 1.

    Returns
    -------
    scipy.sparse.csr_array
        float64, with sorted 32-bit indices.
    """
    require_in("nodes", nodes, 2, 2**27)
    require_in("rails", rails, 0, min(nodes, 64))
    require_exponent("fanout_exponent", fanout_exponent)
    require_exponent("wire_exponent", wire_exponent)
    require_share("rail_share", rail_share)
    fanout = power_law_counts(nodes, fanout_exponent, max(1, nodes // 16), 2.0, np.uint64(seed))
    first = np.concatenate(([0], np.cumsum(fanout)))
    keys = _circuit_keys(first, wire_exponent, rails, rail_share, np.uint64(seed))
    return csr_of_keys(keys, nodes, nodes, seed, True)


def web(
    pages: int, seed: int = 1, *, mean_links: float = 12.0, copied: float = 0.75, local: float = 0.8
) -> Any:
    """Return the links of a web of pages by the copying model, pages of a site side by side.

    The linear-growth copying model of Kumar, Raghavan, Rajagopalan, Sivakumar, Tomkins and Upfal ("Stochastic
    models for the Web graph", 2000): page v takes an earlier page as its prototype; each of its links is,
    with probability `copied`, the prototype's, otherwise it leads to any earlier page. That gives popular
    pages by a power law, ``P(k) ~ k**-((1 + a) / a)`` with a = `copied`. As in pages sorted by address (Boldi
    and Vigna 2004), a share `local` of prototypes and of other targets lies within 256 pages. The number of
    links follows a power law of exponent 2.7 (Broder et al. 2000).

    Parameters
    ----------
    pages
        Rows and columns.
    seed
        Another seed gives another web.
    mean_links
        About the mean number of links a page before equal ones are stored once.
    copied, local
        Probabilities, 0 to 1 (`copied` below 1).

    Returns
    -------
    scipy.sparse.csr_array
        float64, with sorted 32-bit indices; row v holds the links of page v.
    """
    require_in("pages", pages, 2, 2**27)
    require_share("copied", copied)
    require_share("local", local)
    if copied == 1:
        raise UserError("copied 1 is not possible: some links must not be copies; use less")
    # The mean of a Pareto variable of exponent 2.7 is 1.7 / 0.7 times its least value.
    links = power_law_counts(pages, 2.7, pages // 2, mean_links * 0.7 / 1.7, np.uint64(seed))
    first = np.concatenate(([0], np.cumsum(links)))
    return csr_of_keys(_web_keys(first, copied, local, np.uint64(seed)), pages, pages, seed, False)


def road(width: int, height: int, seed: int = 1, *, kept: float = 0.61) -> Any:
    """Return the symmetric pattern of a planar road-like graph: a grid of crossings with streets left out.

    Bond percolation on a square grid (Broadbent and Hammersley 1957): each street between neighbours is kept
    with probability `kept`; 0.61 gives 2.44 neighbours a crossing (road networks of the DIMACS challenge on
    shortest paths have 2.4 on average). Crossings are numbered by rows of the grid.

    Parameters
    ----------
    width, height
        Crossings in both directions.
    seed
        Another seed keeps other streets.
    kept
        A probability, 0 to 1.

    Returns
    -------
    scipy.sparse.csr_array
        float64, with sorted 32-bit indices.
    """
    require_in("width", width, 1, 2**20)
    require_in("height", height, 1, 2**29 // width)
    require_share("kept", kept)
    crossings = width * height
    return csr_of_keys(_road_keys(width, height, kept, np.uint64(seed)), crossings, crossings, seed, True)


@njit(parallel=True, cache=True)
def _kronecker_keys(scale: int, edges: int, labels: Any, seed: Any, symmetric: bool) -> Any:
    sides = 2 if symmetric else 1
    keys = np.empty(sides * edges, np.uint64)
    for edge in prange(edges):
        row, column = np.int64(0), np.int64(0)
        bits = np.uint64(0)
        for level in range(scale):
            # Each draw serves two levels, 32 bits each.
            bits = random_bits(seed, 2 + level // 2, edge) if level % 2 == 0 else bits >> np.uint64(32)
            share = np.float64(bits & LOW_HALF) * 2.0**-32
            row = 2 * row + (share >= _A + _B)
            column = 2 * column + (_A <= share < _A + _B or share >= _A + _B + _C)
        loop = row == column
        keys[sides * edge] = NOTHING if loop else key(labels[row], labels[column])
        if symmetric:
            keys[sides * edge + 1] = NOTHING if loop else key(labels[column], labels[row])
    return keys


@njit(parallel=True, cache=True)
def _uniform_keys(rows: int, per_row: int, seed: Any) -> Any:
    keys = np.empty(rows * per_row, np.uint64)
    for entry in prange(rows * per_row):
        keys[entry] = key(entry // per_row, int(random_share(seed, 2, entry) * rows))
    return keys


@njit(parallel=True, cache=True)
def _circuit_keys(first: Any, wire_exponent: float, rails: int, rail_share: float, seed: Any) -> Any:
    nodes = len(first) - 1
    wires = first[nodes]
    keys = np.full(2 * wires + nodes + 2 * nodes * rails, NOTHING)
    for index in prange(nodes):
        node = np.int64(index)
        for wire in range(first[node], first[node + 1]):
            distance = int(power_law(random_share(seed, 2, wire), wire_exponent, 1.0, nodes))
            other = node + (distance if random_bits(seed, 3, wire) & np.uint64(1) else -distance)
            if 0 <= other < nodes:
                keys[2 * wire], keys[2 * wire + 1] = key(node, other), key(other, node)
        keys[2 * wires + node] = key(node, node)
        share = rail_share
        for rail in range(rails):
            place = 2 * wires + nodes + 2 * (node * rails + rail)
            hub = int(random_share(seed, 4, rail) * nodes)
            if random_share(seed, 5 + rail, node) < share:
                keys[place], keys[place + 1] = key(node, hub), key(hub, node)
            share /= 2
    return keys


@njit(parallel=True, cache=True)
def _web_keys(first: Any, copied: float, local: float, seed: Any) -> Any:
    pages = len(first) - 1
    keys = np.empty(first[pages], np.uint64)
    for index in prange(pages):
        page = np.int64(index)
        for link in range(first[page], first[page + 1]):
            at: Any = np.int64(link)
            of: Any = page
            # Follow the copies back to the page that drew the link.
            while of > 0 and random_share(seed, 2, at) < copied:
                near = random_share(seed, 6, of) < local
                share = random_share(seed, 3, of)
                nearby: Any = of if of < 256 else 256
                prototype = of - 1 - int(share * nearby) if near else int(share * of)
                links = first[prototype + 1] - first[prototype]
                if links == 0:
                    break
                at = first[prototype] + (at - first[of]) % links
                of = prototype
            share = random_share(seed, 4, at)
            target = int(share * of)
            if random_share(seed, 5, at) < local:
                lowest = of - 256 if of > 256 else 0
                target = lowest + int(share * (512 if lowest + 512 < pages else pages - lowest))
            keys[link] = key(page, target)
    return keys


@njit(parallel=True, cache=True)
def _road_keys(width: int, height: int, kept: float, seed: Any) -> Any:
    crossings = width * height
    keys = np.full(4 * crossings, NOTHING)
    for crossing in prange(crossings):
        right, below = crossing + 1, crossing + width
        if right % width and random_share(seed, 2, crossing) < kept:
            keys[4 * crossing], keys[4 * crossing + 1] = key(crossing, right), key(right, crossing)
        if below < crossings and random_share(seed, 3, crossing) < kept:
            keys[4 * crossing + 2], keys[4 * crossing + 3] = key(crossing, below), key(below, crossing)
    return keys
