"""Beams of finite elements, small ones against their definition, written again as plain loops."""

import numpy as np
from dense_matrices import same_entries

from vecsim.data.families.beams import clamped_beam, supported_beam, supported_beam_with_torsion


def flexure(h, stiffness):
    k = stiffness / h**3
    return k * np.array(
        [
            [12, 6 * h, -12, 6 * h],
            [6 * h, 4 * h**2, -6 * h, 2 * h**2],
            [-12, -6 * h, 12, -6 * h],
            [6 * h, 2 * h**2, -6 * h, 4 * h**2],
        ]
    )


def beam(elements, length, held, bars, stiffness):
    """Assemble element by element: bars, then deflection and rotation at every node; drop what is held."""
    h, unknowns = length / elements, len(bars) + 2
    whole = np.zeros((unknowns * (elements + 1),) * 2)
    for element in range(elements):
        start = unknowns * element
        for place, bar in enumerate(bars):
            ends = [start + place, start + place + unknowns]
            whole[np.ix_(ends, ends)] += bar / h * np.array([[1, -1], [-1, 1]])
        first = start + len(bars)
        ends = [first, first + 1, first + unknowns, first + unknowns + 1]
        whole[np.ix_(ends, ends)] += flexure(h, stiffness)
    last = unknowns * elements
    free = [k for k in range(len(whole)) if k not in held and k - last not in held]
    return whole[np.ix_(free, free)]


def test_beams_by_loops():
    same_entries(clamped_beam(4), beam(4, 10, (0, 1, 2), (1e4,), 1e5), 1e-12)
    same_entries(supported_beam(3), beam(3, 0.1, (0,), (), 0.009818), 1e-12)
    bars = (157080, 0.009817 / 1.29)
    same_entries(supported_beam_with_torsion(3), beam(3, 0.1, (0, 1, 2), bars, 0.009818), 1e-12)
