"""Every solution passes and every starter does not, with its own hint; whatever a text is, grading ends."""

import math
import os
import random

import pytest
from tiers import one_in

from experiments.exercises.exercise import Products
from experiments.exercises.grading import GENERAL_HINTS, PROBLEMS, grade
from experiments.exercises.registry import EXERCISES, find
from experiments.exercises.workspace import FIRST, workspace
from vecsim.errors import UserError

NAMES = list(EXERCISES)
AXPY = EXERCISES["exercise-01"]


def graded(tmp_path, text, exercise=AXPY, engine="simpy"):
    path = tmp_path / "my.s"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return grade(exercise, str(path), engine=engine)


def test_there_are_twelve_and_each_has_a_text_to_begin_with_and_a_statement():
    assert [each.number for each in EXERCISES.values()] == list(range(1, 13))
    for each in EXERCISES.values():
        assert each.statement.startswith(f"Exercise {each.number}: {each.title} (")
        assert set(each.hints) <= set(PROBLEMS) == set(GENERAL_HINTS) | {"uses"}


@pytest.mark.parametrize("name", one_in(6, NAMES))
def test_a_solution_passes(name):
    found = grade(EXERCISES[name], str(EXERCISES[name].solution), engine="simpy")
    assert found.passed and not found.hint
    assert len(found.results) >= 3


@pytest.mark.parametrize("name", one_in(6, NAMES))
def test_a_starter_does_not_pass_and_the_hint_is_of_its_exercise(name):
    exercise = EXERCISES[name]
    found = grade(exercise, str(exercise.starter), engine="simpy")
    assert not found.passed
    assert found.hint in exercise.hints.values()


@pytest.mark.ci
@pytest.mark.parametrize("name", [name for name in NAMES if not isinstance(EXERCISES[name].cases, Products)])
def test_budgets_are_a_quarter_above_the_solution(name):
    exercise = EXERCISES[name]
    for each in grade(exercise, str(exercise.solution), engine="simpy").results:
        assert 1.15 * each.cycles <= each.budget <= math.ceil(1.3 * each.cycles)


BAD = {
    "again: j again": ("endless", "no end after"),
    "again: addi x5, x5, 1\nbnez x5, again\nhalt": ("endless", "an infinite loop"),
    "halt": ("unwritten", "Z[0] was never written"),
    "nop": ("fault", "outside the program"),
    "li x1, 5000\njr x1": ("fault", "outside the program"),
    "li x3, X\nsw x3, (x3)\nhalt": ("stray", "which is X[0], an input"),
    "li x3, Z\nli x4, 64\nsetvl x4\nsv.w v1, 32(x3)\nhalt": ("stray", "bytes behind the end of Z"),
    "li x3, -4\nlw x4, (x3)\nhalt": ("fault", "outside memory"),
    "li x3, 0x7fffffff\nsb x4, (x3)": ("assembly", "sb"),
    "addd x1, x2, x3": ("assembly", "unknown instruction 'addd'"),
    "": ("assembly", "no instruction"),
    b"\xff\xfe\x00\x01": ("assembly", "not text in UTF-8"),
    "# " + "x" * 300_000: ("assembly", "a text has 262,144 at most"),
    ".data\n.space 2000000000\n.text\nhalt": ("assembly", ""),
    "li x3, " + "(" * 5000 + "1" + ")" * 5000: ("assembly", ""),
    ".equ A, 1 << 100000\nhalt": ("assembly", ""),
    "mts blocklen, x3\nlds.w v1, v2, v3, (x0)\nhalt": ("unwritten", ""),
}


@pytest.mark.parametrize("text", one_in(3, BAD), ids=range(len(BAD)))
def test_what_is_wrong_is_said(tmp_path, text):
    problem, said = BAD[text]
    found = graded(tmp_path, text)
    first = next(each for each in found.results if each.problem)
    assert first.problem == problem or (problem == "assembly" and first.problem in ("fault", "assembly"))
    assert said in first.text
    assert found.hint


def test_what_is_not_to_be_used(tmp_path):
    text = EXERCISES["exercise-09"].solution.read_text()
    found = graded(tmp_path, text, EXERCISES["exercise-10"])
    assert found.results[0].problem == "uses" and "ldb is not to be used" in found.results[0].text


@pytest.mark.ci
@pytest.mark.parametrize("seed", range(10))
def test_garbage(tmp_path, seed):
    """Bytes, and lines of right programs in any order: all end, none passes by chance."""
    draw = random.Random(seed)
    lines = [line for name in NAMES for line in EXERCISES[name].starter.read_text().splitlines()]
    draw.shuffle(lines)
    for text in (os.urandom(2000), "\n".join(lines[:300]), "\n".join(lines[:40]) + "\nhalt"):
        assert not graded(tmp_path, text).passed


def test_memory_of_a_case():
    room = workspace(AXPY.cases()[2])
    begins = sorted(room.symbols[name] for name in ("A", "X", "Y", "Z"))
    assert begins[0] == FIRST and all(at % 16 == 0 for at in begins)
    assert room.symbols["X"] + 400 + 64 <= room.symbols["Y"]


def test_names():
    assert find("3") is find("03") is find("exercise-03")
    with pytest.raises(UserError, match="no exercise '13'"):
        find("13")


def test_what_is_missing(tmp_path):
    found = graded(tmp_path, "halt", EXERCISES["exercise-03"])
    assert "mergev is to be used" in found.results[0].text
    assert "names the instruction" in found.hint
