"""A table of migration between counties by the gravity model: a stand-in for psmigr_1."""

from typing import Any

import numpy as np
import scipy.sparse

_SPREAD = 1.4
"""Spread of the logarithm of the populations of US counties."""
_SCATTER = 1.4
"""Of a flow about what the model gives; with it 48 % of the entries have a partner across the diagonal."""


def migration(counties: int, entries: int, states: int = 7, seed: int = 19851) -> Any:
    """Return the largest flows between counties by the gravity model.

    Counties are listed state by state; the states are the squares of a `states` x `states` grid, listed
    row by row. A county lies anywhere in its square and has a log-normal population. The flow between two
    is the product of their populations over the square of their distance, times a log-normal chance for
    each direction; the diagonal holds those who stayed and is full. Of the others the largest are stored,
    so that there are `entries` in all.

    psmigr_1 (US counties, 1965-1970) has 3140 rows and 543,162 entries, a full diagonal, and 48 % of its
    entries have a partner across it. Like it are order, number of entries, diagonal, a few counties that
    trade with nearly all others, denser squares where neighbours are listed together. The places of its
    entries are not known here, and so its locality is not.

    Parameters
    ----------
    counties
        Rows.
    entries
        To be stored.
    states
        Along a side of the grid.
    seed
        Of the legacy generator, whose stream NumPy has frozen.
    """
    stream = np.random.RandomState(seed)
    state = np.arange(counties) * states * states // counties
    places = np.stack([state // states, state % states], axis=1) + stream.random_sample((counties, 2))
    log_population = _SPREAD * stream.standard_normal(counties)
    chance = _SCATTER * stream.standard_normal((counties, counties))

    east, north = (np.subtract.outer(axis, axis) for axis in places.T)
    apart = east * east + north * north
    np.fill_diagonal(apart, 1)
    log_flow = chance - np.log(apart)
    log_flow += log_population[:, None]
    log_flow += log_population
    np.fill_diagonal(log_flow, np.inf)
    least = np.partition(log_flow, -entries, axis=None)[-entries]
    rows, columns = np.nonzero(log_flow >= least)
    np.fill_diagonal(log_flow, 2 * log_population)
    flow = np.exp(log_flow[rows, columns])
    return scipy.sparse.coo_array((flow, (rows, columns)), shape=(counties, counties)).tocsr()
