"""A teacher's own exercises: read, graded, and wrong in every way that is said in one line."""

import pytest

from experiments.course.confined import grade_confined
from experiments.course.grading import grade
from experiments.course.own_exercises import read_exercises
from experiments.course.registry import EXERCISES, all_exercises, find
from experiments.course.submission import Submission
from vecsim.support.errors import UserError

STATED = """
title = "double"
statement = '''
z = 2 x for N elements.'''
starter = '''
start:
        halt
'''
needed = ["addvv"]
what_if = ["chaining=false"]
[hints]
budget = "one load is enough"
[points]
right = 5
bands = [{ share = 1.0, points = 5 }]
"""
DRAWN = """
import numpy as np
from experiments.course.exercise import Case

def cases(random):
    for n in (1, int(random.integers(65, 128))):
        x = random.integers(-99, 99, n).astype(np.float32)
        yield Case(f"N = {n}", {"X": x}, {"Z": 2 * x}, 60 + 4 * n, {"N": n}, work=n)
"""
RIGHT = """
start:  li x3, X
        li x5, Z
        li x6, N
strip:  setvl x8, x6
        lv.w v1, (x3)
        addvv.s v1, v1, v1
        sv.w v1, (x5)
        slli x9, x8, 2
        add x3, x3, x9
        add x5, x5, x9
        sub x6, x6, x8
        bnez x6, strip
        halt
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "double-it.toml").write_text(STATED)
    (tmp_path / "double-it.py").write_text(DRAWN)
    return tmp_path


def test_an_exercise_may_ask_for_an_instruction(folder):
    file = folder / "double-it.toml"
    file.write_text(STATED.replace('needed = ["addvv"]', "hardware = 1"))
    exercise = read_exercises(str(folder))["double-it"]
    own = RIGHT.replace("addvv.s v1, v1, v1", "twicev.s v1, v1")
    declared = '.instruction "twicev.s vd=, va", "{}"\n'
    texts = RIGHT, declared.format("va + va") + own, declared.format("2 * va") + own
    how = {"seed": 0, "engine": "simpy"}
    grades = [grade(exercise, Submission("my.s", text.encode()), **how) for text in texts]
    assert [each.passed for each in grades] == [False, True, False]
    assert "declares no instruction" in grades[0].results[0].text
    assert "of cost 3 (twicev.s 3); at most 1" in grades[2].results[0].text


@pytest.mark.ci
def test_an_exercise_of_a_folder_is_graded_like_the_others(folder):
    exercise = find("double-it", str(folder))
    assert exercise.statement.splitlines() == ["double", "", "z = 2 x for N elements."]
    assert (exercise.points.most, exercise.what_if) == (10, ("chaining=false",))
    grade = grade_confined(exercise, Submission("my.s", RIGHT.encode()), seed=3, engine="simpy")
    assert grade.passed and grade.cases == 2 and grade.what_if
    grade = grade_confined(exercise, Submission("my.s", exercise.starter.encode()), seed=3, engine="simpy")
    assert grade.results[0].problem == "uses" and not grade.passed
    assert list(all_exercises(str(folder))) == ["double-it", *EXERCISES]


def test_a_digest_has_all_that_an_exercise_consists_of(folder):
    first = find("double-it", str(folder)).sha256
    assert first == find("double-it", str(folder)).sha256
    (folder / "double-it.py").write_text(DRAWN.replace("-99", "-98"))
    second = find("double-it", str(folder)).sha256
    (folder / "double-it.toml").write_text(STATED.replace("right = 5", "right = 6"))
    assert len({first, second, find("double-it", str(folder)).sha256}) == 3


@pytest.mark.parametrize(("old", "new", "message"), [
    ("title =", "titel =", "double-it.toml: titel: "),
    ('"addvv"', '"addv"', "double-it.toml: no instruction 'addv'"),
    ('"addvv"', '"popm"', "double-it.toml: needed: popm cannot be checked"),
    ("budget =", "budgets =", "hints.budgets: use one of limits"),
    ("chaining=false", "chain=false", "double-it.toml: "),
    ("right = 5", "right = -5", "points.right: "),
    ("[hints]", "[hints", "double-it.toml:"),
    ("def cases", "def case", "double-it.py: declares no cases"),
    ("random.integers(-99", "np.random.default_rng().integers(-99", "cases of one seed differ"),
    ('{"N": n}', '{"X": n}', "'X' is named twice"),
    ('{"N": n}', '{"x3": n}', "'x3' is the name of a register"),
    ('{"N": n}', '{"3": n}', "'3' is no symbol"),
    ("yield Case(", "Case(", "cases yields none; yield at least one Case"),
    ("2 * x}", "2.0 * x.astype(float)}", "Z must be an array (n,) of float32"),
    ("60 + 4 * n", "0", "budget 0; use a number of cycles"),
    ("yield Case(", "yield n; Case(", "cases yields int"),
    ("for n in (1,", "for n in (1 // 0,", "double-it.py:6: ZeroDivisionError"),
    ("for n in (1,", "for n in (0,", "X is empty"),
    ("import numpy", "import nmpy", "double-it.py:2: No module named"),
])  # fmt: skip
def test_mistakes_are_said_in_a_line(folder, old, new, message):
    for name in ("double-it.toml", "double-it.py"):
        path = folder / name
        path.write_text(path.read_text().replace(old, new))
    with pytest.raises(UserError) as wrong:
        read_exercises(str(folder))
    assert message in str(wrong.value)


def test_what_else_is_refused(folder):
    with pytest.raises(UserError, match="is no folder"):
        read_exercises(str(folder / "nowhere"))
    (folder / "exercise-01.toml").write_text(STATED)
    (folder / "exercise-01.py").write_text(DRAWN)
    with pytest.raises(UserError, match="vecsim has an exercise of this name"):
        all_exercises(str(folder))
    (folder / "My Exercise.toml").write_text(STATED)
    with pytest.raises(UserError, match="small letters, digits and hyphens"):
        read_exercises(str(folder))
