"""No cheat passes, and no text that comes with vecsim passes an exercise that is not its own."""

from functools import cache
from pathlib import Path

import pytest
from tiers import one_in

from experiments.course.draws import draw
from experiments.course.grading import MACHINE, grade
from experiments.course.registry import EXERCISES
from experiments.course.submission import Submission
from tests.experiments.course.cheats import CHEATS, SHIPPED, changed
from tests.experiments.course.plain_grader import objection
from tests.experiments.course.texts import solution
from vecsim.machine import load_machine


@cache
def random_trials(number, seed):
    return draw(EXERCISES[f"exercise-{number:02}"], seed, load_machine(MACHINE))


def graded(exercise, text, seed=1, engine="jit"):
    trials = random_trials(exercise.number, seed)
    return grade(exercise, Submission("my.s", text.encode()), seed=seed, engine=engine, trials=trials)


@pytest.mark.parametrize("seed", one_in(3, range(3)))
@pytest.mark.parametrize("cheat", CHEATS, ids=lambda cheat: cheat.name)
def test_a_cheat_does_not_pass(cheat, seed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("my.s").write_text(cheat.text)
    exercise = EXERCISES[f"exercise-{cheat.exercise:02}"]
    actual = graded(exercise, cheat.text, seed)
    assert next(each.problem for each in actual.results if each.problem) == cheat.problem


@pytest.mark.parametrize(("number", "change"), [
    # the upper end without mergev, which each element has gone through
    (3, ("        mergev  v3, v4, v3\n", "        minvs.s v3, v3, f2\n")),
    # the same twice
    (3, ("        mergev  v3, v4, v3\n", "        mergev  v3, v4, v3\n        mergev  v3, v4, v3\n")),
])  # fmt: skip
def test_an_honest_text_passes(number, change):
    exercise = EXERCISES[f"exercise-{number:02}"]
    for seed in range(3):
        actual = graded(exercise, changed(solution(exercise).read_text(), change), seed)
        assert {each.problem for each in actual.results} <= {"", "budget"}


def test_the_texts_that_come_with_vecsim():
    assert len(SHIPPED) > 60
    assert {"programs/crs/plain.s", "programs/course/axpy.s"} < SHIPPED.keys()
    assert sum(name.startswith("docs/tutorial/own-program.md") for name in SHIPPED) == 4


@pytest.mark.parametrize("exercise", one_in(6, EXERCISES.values()), ids=lambda exercise: exercise.name)
def test_no_text_that_comes_with_vecsim_passes_an_exercise(exercise):
    passing = {name for name, text in SHIPPED.items() if graded(exercise, text).passed}
    assert not passing


@pytest.mark.ci
@pytest.mark.parametrize("exercise", EXERCISES.values(), ids=lambda exercise: exercise.name)
def test_the_plain_grader_agrees(exercise):
    """It accepts the solution and refuses a text that does nothing, and every cheat that is not right."""
    assert objection(exercise.number, solution(exercise).read_text(), 1) == ""
    assert objection(exercise.number, "halt", 1)
    for cheat in CHEATS:
        if cheat.exercise == exercise.number and cheat.problem in ("wrong", "unwritten", "stray"):
            assert objection(exercise.number, cheat.text, 1)
