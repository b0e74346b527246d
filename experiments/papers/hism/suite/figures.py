"""The ten matrices of each of Figures 2 to 4."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from experiments.papers.hism.suite.member import Criterion, Member, members
from experiments.papers.hism.suite.stated_by_paper import FIGURE_LENGTH, LOG_STEPS, NAMED_IN_FIGURES, RANGES

Group = Literal["small", "medium", "large"]

STAND_IN_HANDICAP = 0.25
"""In steps of a figure's scale: by so much a stand-in must be nearer to a point than an original."""


@dataclass(frozen=True)
class FigureMember:
    """One of the ten matrices of a figure.

    Attributes
    ----------
    criterion
        What the figure sorts by: size (Figure 2), average_per_row (Figure 3), locality (Figure 4).
    position
        From 1, the least, to 10.
    group
        "small" for the first three, "medium" for the next four, "large" for the last three.
    point
        Of the logarithmic scale, that it is to be near.
    value
        What it has.
    name
        Of the member.
    named_by_paper
        Whether the paper's text names the matrix, or the one it stands for, as one of this figure.
    """

    criterion: Criterion
    position: int
    group: Group
    point: float
    value: float
    name: str
    named_by_paper: bool


def scale(criterion: Criterion) -> list[float]:
    """Return the ten points of a figure's logarithmic scale, from the paper's least value to its greatest."""
    return [RANGES[criterion][0] * LOG_STEPS[criterion] ** k for k in range(FIGURE_LENGTH)]


def figure(criterion: Criterion, suite: Sequence[Member] | None = None) -> tuple[FigureMember, ...]:
    """Return the ten matrices of the figure that sorts by `criterion`.

    What the paper names takes the point it is nearest to. Then, point by point from the least, the nearest
    member (see `steps_away`) that lies between those of the neighbouring points; of two that are equally
    near the first by name.

    Parameters
    ----------
    criterion
        What to sort by.
    suite
        At least ten members, for instance those without stand-ins; None for all of the suite.
    """
    among = members() if suite is None else suite
    ordered = sorted(among, key=lambda member: (getattr(member, criterion), member.name))
    away = steps_away(criterion, ordered)
    named = NAMED_IN_FIGURES[criterion]
    taken = {int(np.argmin(away[k])): k for k, member in enumerate(ordered) if member.original in named}
    for point in range(FIGURE_LENGTH):
        if point not in taken:
            first = max((k for at, k in taken.items() if at < point), default=-1) + 1
            end = min((k for at, k in taken.items() if at > point), default=len(ordered))
            # Enough must be left for the points between this one and the next that is taken.
            later = min((at for at in taken if at > point), default=FIGURE_LENGTH)
            between = range(first, end - (later - point - 1))
            taken[point] = min((round(away[k, point], 9), ordered[k].name, k) for k in between)[-1]
    return tuple(
        FigureMember(
            criterion,
            point + 1,
            _group(point),
            scale(criterion)[point],
            float(getattr(ordered[taken[point]], criterion)),
            ordered[taken[point]].name,
            ordered[taken[point]].original in named,
        )
        for point in range(FIGURE_LENGTH)
    )


def steps_away(criterion: Criterion, suite: Sequence[Member]) -> NDArray[np.float64]:
    """Return how far each member is from each point of a figure's scale, float64 of (members, 10).

    In steps of the scale; a stand-in counts as `STAND_IN_HANDICAP` farther, so that originals come first.
    """
    values = np.array([getattr(member, criterion) for member in suite], dtype=np.float64)
    handicap = np.array([0 if member.has_original_pattern else STAND_IN_HANDICAP for member in suite])
    away = np.log(values)[:, None] - np.log(scale(criterion))
    steps: NDArray[np.float64] = np.abs(away) / np.log(LOG_STEPS[criterion]) + handicap[:, None]
    return steps


def _group(point: int) -> Group:
    return "small" if point < 3 else "medium" if point < 7 else "large"
