"""Random graphs by models of network science: growth by degree, expected degrees, communities.

As in `random_graphs`, every random number is a hash of the seed and of its purpose (`keyed_entries`), so a
matrix depends on its arguments alone, loops are left out, and an edge sampled twice is stored once.
"""

from typing import Any

import numpy as np
from numba import njit, prange

from vecsim.data.synthetic.keyed_entries import (
    NOTHING,
    csr_of_keys,
    key,
    random_share,
    require_exponent,
    require_in,
    require_share,
)
from vecsim.data.synthetic.power_laws import rank_by_weight

MOST_KEYS = 2**31 - 1
"""Sampled entries of a matrix."""


def preferential_attachment(nodes: int, per_node: int, seed: int = 1) -> Any:
    """Return the symmetric pattern of a graph that grows by preferential attachment.

    Each new node joins `per_node` earlier nodes, each with a probability proportional to its degree (A.-L.
    Barabási and R. Albert, "Emergence of scaling in random networks", Science 286, 1999). In the list of the
    ends of all edges (V. Batagelj and U. Brandes, "Efficient generation of large random networks", Physical
    Review E 71, 2005) the new end of an edge is any earlier place of the list. Such references are followed
    by hashing (P. Sanders and C. Schulz, "Scalable generation of scale-free graphs", 2016).

    Parameters
    ----------
    nodes
        Rows and columns, numbered as they come.
    per_node
        Edges that each node brings.
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
    require_in("N", nodes, 1, 2**30)
    require_in("M", per_node, 1, MOST_KEYS // 2 // nodes)
    keys = _attachment_keys(nodes, per_node, np.uint64(seed))
    return csr_of_keys(keys, nodes, nodes, seed, True)


def chung_lu(nodes: int, mean: int, exponent: float, seed: int = 1) -> Any:
    """Return the symmetric pattern of a graph with given expected degrees, which follow a power law.

    The node of rank r has a weight of ``r**(-1 / (exponent - 1))``; two nodes are joined with a probability
    proportional to both weights (F. Chung and L. Lu, "Connected components in random graphs with given
    expected degree sequences", Annals of Combinatorics 6, 2002). ``nodes * mean / 2`` edges draw both ends
    (C. Seshadhri, T. G. Kolda and A. Pinar, Physical Review E 85, 2012). Nodes are shuffled.

    Parameters
    ----------
    nodes
        Rows and columns.
    mean
        Mean degree before equal edges are stored once.
    exponent
        Of the power law of degrees, above 1.
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
    require_in("N", nodes, 1, 2**30)
    require_in("M", mean, 1, MOST_KEYS // nodes)
    require_exponent("A", exponent)
    labels = np.random.default_rng(seed).permutation(nodes).astype(np.int64)
    weight = 1.0 / (exponent - 1.0)
    keys = _pair_keys(nodes * mean // 2, labels, weight, labels, weight, True, np.uint64(seed))
    return csr_of_keys(keys, nodes, nodes, seed, True)


def ratings(users: int, items: int, mean: int, exponent: float, seed: int = 1) -> Any:
    """Return the matrix of users and the items that they rate: a bipartite graph of expected degrees.

    Users and items have weights as in `chung_lu` and are joined with a probability proportional to both (S.
    G. Aksoy, T. G. Kolda and A. Pinar, "Measuring and modeling bipartite graphs with community structure",
    Journal of Complex Networks 5, 2017). Both sides are shuffled.

    Parameters
    ----------
    users, items
        Rows and columns.
    mean
        Mean number of ratings of a user before equal ones are stored once.
    exponent
        Of both power laws, above 1.
    seed
        Another seed gives another matrix.

    Returns
    -------
    scipy.sparse.csr_array
        float64, with sorted 32-bit indices.

    Raises
    ------
    UserError
        If a number is out of its range.
    """
    require_in("M", users, 1, 2**30)
    require_in("N", items, 1, 2**30)
    require_in("K", mean, 1, MOST_KEYS // users)
    require_exponent("A", exponent)
    rng = np.random.default_rng(seed)
    rows, columns = (rng.permutation(count).astype(np.int64) for count in (users, items))
    weight = 1.0 / (exponent - 1.0)
    keys = _pair_keys(users * mean, rows, weight, columns, weight, False, np.uint64(seed))
    return csr_of_keys(keys, users, items, seed, False)


def communities(nodes: int, count: int, mean: int, outside: float, seed: int = 1) -> Any:
    """Return the symmetric pattern of a stochastic block model of equal communities.

    An edge joins two nodes of a community, all alike, or with probability `outside` two nodes of any (P. W.
    Holland, K. B. Laskey and S. Leinhardt, "Stochastic blockmodels: first steps", Social Networks 5, 1983).
    The nodes of a community are neighbours.

    Parameters
    ----------
    nodes
        Rows and columns.
    count
        Communities.
    mean
        Mean degree before equal edges are stored once.
    outside
        A probability, 0 to 1.
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
    require_in("N", nodes, 1, 2**30)
    require_in("B", count, 1, nodes)
    require_in("K", mean, 1, MOST_KEYS // nodes)
    require_share("P", outside)
    keys = _community_keys(nodes, count, nodes * mean // 2, outside, np.uint64(seed))
    return csr_of_keys(keys, nodes, nodes, seed, True)


@njit(parallel=True, cache=True)
def _attachment_keys(nodes: int, per_node: int, seed: Any) -> Any:
    edges = nodes * per_node
    keys = np.empty(2 * edges, np.uint64)
    for edge in prange(edges):
        node = edge // per_node
        # Place 2 e of the list of ends is the new node of edge e, place 2 e + 1 the end that it draws.
        place = int(random_share(seed, 2, edge) * (2 * edge + 1))
        while place % 2:
            place = int(random_share(seed, 2, place // 2) * place)
        other = place // 2 // per_node
        loop = other == node
        keys[2 * edge] = NOTHING if loop else key(node, other)
        keys[2 * edge + 1] = NOTHING if loop else key(other, node)
    return keys


@njit(parallel=True, cache=True)
def _pair_keys(
    pairs: int,
    rows: Any,
    row_weight: float,
    columns: Any,
    column_weight: float,
    symmetric: bool,
    seed: Any,
) -> Any:
    sides = 2 if symmetric else 1
    keys = np.empty(sides * pairs, np.uint64)
    for pair in prange(pairs):
        row = rows[rank_by_weight(random_share(seed, 2, pair), len(rows), row_weight)]
        column = columns[rank_by_weight(random_share(seed, 3, pair), len(columns), column_weight)]
        loop = symmetric and row == column
        keys[sides * pair] = NOTHING if loop else key(row, column)
        if symmetric:
            keys[sides * pair + 1] = NOTHING if loop else key(column, row)
    return keys


@njit(parallel=True, cache=True)
def _community_keys(nodes: int, count: int, edges: int, outside: float, seed: Any) -> Any:
    keys = np.empty(2 * edges, np.uint64)
    for edge in prange(edges):
        node = int(random_share(seed, 2, edge) * nodes)
        first, last = 0, nodes
        if random_share(seed, 4, edge) >= outside:
            own = node * count // nodes
            # The first node of community c is the least with node * count // nodes == c.
            first, last = (own * nodes + count - 1) // count, ((own + 1) * nodes + count - 1) // count
        other = first + int(random_share(seed, 3, edge) * (last - first))
        loop = other == node
        keys[2 * edge] = NOTHING if loop else key(node, other)
        keys[2 * edge + 1] = NOTHING if loop else key(other, node)
    return keys
