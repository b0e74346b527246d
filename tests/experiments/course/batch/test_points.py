"""What a grade earns, worked by hand."""

import pytest

from experiments.course.batch.points import earned
from experiments.course.exercise import Band, Points
from experiments.course.grades import Grade, Result

POINTS = Points(60, (Band(1.0, 40), Band(1.5, 20)))


def right(cycles, problem=""):
    return Result("N", problem, cycles=cycles, budget=100)


@pytest.mark.parametrize(("results", "cases", "points"), [
    ([right(90), right(100)], 2, 100),
    ([right(90), right(101, "budget")], 2, 80),
    ([right(90), right(150, "budget")], 2, 80),
    ([right(90), right(151, "budget")], 2, 60),
    ([right(90), right(80, "wrong")], 2, 30),
    ([right(90), right(80), right(80, "uses")], 3, 40),
    ([right(90), Result("N", "endless", budget=100)], 4, 15),
    ([Result("the text", "assembly")], 0, 0),
])  # fmt: skip
def test_points(results, cases, points):
    assert earned(Grade("exercise-01", 0, tuple(results), cases), POINTS) == points
    assert POINTS.most == 100
