"""Random walks: a Markov chain's transition matrices."""

from typing import Any

import numpy as np

from vecsim.data.families.assembly import csr


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
