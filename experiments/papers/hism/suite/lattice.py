"""The hopping matrix of lattice quantum chromodynamics: the pattern of the collection's QCD matrices."""

from typing import Any

import numpy as np
import scipy.sparse

_SPINS, _COLOURS = 4, 3
_PARTNER = np.array([[3, 2, 1, 0], [3, 2, 1, 0], [2, 3, 0, 1]])
"""Entry of 1 +- gamma_mu next to the diagonal, by row, in a basis where gamma_4 is diagonal (+, +, -, -)."""


def wilson_hopping(sites: int) -> Any:
    """Return the Wilson fermion hopping matrix on a periodic lattice of `sites` to the fourth.

    Site x couples to its eight neighbours x +- mu by (1 -+ gamma_mu) times a 3 x 3 link. With gamma_4
    diagonal that is six entries a row for each of six neighbours and three for one of the other two: 39
    entries a row and none on the diagonal, as in the collection (4 sites: 3072 rows, 119,808 entries as
    conf5.0-00l4x4-*; 8 sites: 49,152 rows, 1,916,928 entries as conf5.4-00l8x8-*). Unknowns are numbered
    by site (first direction fastest), then spin, then colour; how the files number them is not known here,
    so they may differ by a permutation. The links are a formula's, where the collection's are random and
    complex.
    """
    count = sites**4
    place = np.arange(count)
    # The first direction is the fastest: the last axis of the grid.
    grid = place.reshape((sites,) * 4)
    rows, columns, values = [], [], []
    for direction in range(4):
        for step in (1, -1):
            neighbour = np.roll(grid, -step, axis=3 - direction).ravel()
            for spin in range(_SPINS):
                for other, sign in _spins(direction, step, spin):
                    site_row, site_column = (12 * place + 3 * spin, 12 * neighbour + 3 * other)
                    for a in range(_COLOURS):
                        for b in range(_COLOURS):
                            rows.append(site_row + a)
                            columns.append(site_column + b)
                            values.append(sign * np.cos(1 + place * 4 + direction + a - b))
    flat = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
    return scipy.sparse.coo_array(flat, shape=(12 * count, 12 * count)).tocsr()


def _spins(direction: int, step: int, spin: int) -> list[tuple[int, float]]:
    if direction == 3:
        upper = spin < 2
        return [(spin, 2.0)] if upper == (step > 0) else []
    return [(spin, 1.0), (int(_PARTNER[direction, spin]), float(-step))]
