"""What a grade earns."""

from __future__ import annotations

from experiments.course.exercise import Points
from experiments.course.grades import Grade


def earned(grade: Grade, points: Points) -> float:
    """Return the points of a grade, rounded to a hundredth.

    A case is right if its results are, however long it took. Points for cycles need all cases right.
    """
    cases = max(grade.cases, len(grade.results))
    right = [result for result in grade.results if result.problem in ("", "budget") and result.cycles]
    total = points.right * len(right) / cases
    if len(right) == cases:
        share = max(result.cycles / result.budget for result in right if result.cycles and result.budget)
        total += next((band.points for band in points.bands if share <= band.share), 0)
    return round(total, 2)
