"""Whether any matrices near the points of Figure 2 give the paper's small, medium and large averages.

The paper drew three, four and three matrices, near the points of a logarithmic scale of sizes, and names the
first and the last of them. The groups are no partition of the suite: HiSM against BBCS is 1.39, 1.43 and 2.30
in them and 1.23 over all. So every choice is tried: for each point any matrix of the suite that is nearer to
it than to the other points, for a named one that matrix.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log, prod

import numpy as np
import numpy.typing as npt

from experiments.papers.hism.suite import FigureMember, Member
from experiments.papers.hism.table2 import printed_times
from experiments.papers.hism.timing import METHODS, Cycles, relative

WITHIN = 0.15
"""A mean counts as met if it is off by no more."""


@dataclass(frozen=True)
class Drawn:
    """What all choices of the matrices of a group give.

    Attributes
    ----------
    group
        Small, medium or large.
    choices
        How many there are.
    met
        So many have the mean times of all programs within :data:`WITHIN` of the paper's.
    best
        The names of the choice whose largest |ln(ours / paper's)| is least.
    ratios
        Of this choice: our mean time as a multiple of the paper's, by program.
    """

    group: str
    choices: int
    met: int
    best: tuple[str, ...]
    ratios: Mapping[str, float]


def near(figure2: Sequence[FigureMember], members: Mapping[str, Member]) -> list[list[str]]:
    """Give the names of the matrices near each point of Figure 2.

    Parameters
    ----------
    figure2
        Its places, from the least.
    members
        The suite as far as it is available, by name.
    """
    ends = [0.0, *(0.5 * (log(a.point) + log(b.point)) for a, b in pairwise(figure2)), float("inf")]
    found = []
    for place, (low, high) in zip(figure2, pairwise(ends), strict=True):
        named = [place.name] if place.named_by_paper and place.name in members else []
        found.append(named or [m.name for m in members.values() if low <= log(m.size) < high])
    return found


def drawn(
    group: str, cycles: Cycles, figure2: Sequence[FigureMember], members: Mapping[str, Member]
) -> Drawn | None:
    """Try every choice of a group; None if no matrix is near one of its points.

    Parameters
    ----------
    group
        Small, medium or large.
    cycles
        Of all members.
    figure2, members
        As for :func:`near`.
    """
    places = near(figure2, members)
    of_group = [names for place, names in zip(figure2, places, strict=True) if place.group == group]
    if not all(of_group):
        return None
    printed = printed_times(group)
    programs = [program for program in METHODS if program != "chism"]
    paper = np.array([printed[program] for program in programs])
    means = _means([np.array([[relative(cycles[n])[p] for p in programs] for n in ns]) for ns in of_group])
    ratios = means / paper
    best = int(np.abs(np.log(ratios)).max(axis=1).argmin())
    at = np.unravel_index(best, [len(names) for names in of_group])
    return Drawn(
        group,
        prod(map(len, of_group)),
        int((np.abs(ratios - 1) <= WITHIN).all(axis=1).sum()),
        tuple(names[int(k)] for names, k in zip(of_group, at, strict=True)),
        dict(zip(programs, map(float, ratios[best]), strict=True)),
    )


def _means(times: Sequence[npt.NDArray[np.float64]]) -> npt.NDArray[np.float64]:
    """Give the mean times of every choice of one row of each array; (choices, programs)."""
    total = times[0]
    for more in times[1:]:
        total = (total[:, None, :] + more[None, :, :]).reshape(-1, more.shape[1])
    found: npt.NDArray[np.float64] = total / len(times)
    return found
