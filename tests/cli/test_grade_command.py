"""`vecsim grade`: the list, a statement, a start, a grade."""

import json

import pytest

from experiments.course.registry import EXERCISES
from tests.experiments.course.texts import solution, starter

SOLUTION = solution(EXERCISES["exercise-01"])
STARTER = starter(EXERCISES["exercise-01"])


def test_the_list_and_a_statement(vecsim):
    listed = vecsim("grade").out
    assert all(f"{name}  {each.title}" in listed for name, each in EXERCISES.items())
    assert "z = a x + y for N elements" in vecsim("grade", "1").out


def test_a_text_to_begin_with_overwrites_nothing(vecsim, tmp_path):
    path = tmp_path / "my.s"
    assert vecsim("grade", "1", "--start", path).code == 0
    assert path.read_bytes() == STARTER.read_bytes()
    assert "is there already" in vecsim("grade", "1", "--start", path).mistake()


def test_a_right_text(vecsim, tmp_path):
    out = tmp_path / "grade.json"
    done = vecsim("grade", "exercise-01", SOLUTION, "--engine", "simpy", "--json", out)
    assert done.code == 0
    document = json.loads(out.read_text())
    assert f"exercise-01: passed on the cases of --seed {document['seed']}" in done.out
    assert document["passed"] and document["results"][0]["cycles"] <= document["results"][0]["budget"]


@pytest.mark.ci
def test_a_text_that_is_not_right(vecsim):
    done = vecsim("grade", "exercise-01", STARTER, "--engine", "simpy", "--seed", 7)
    assert done.code == 1
    assert "N = 1,007: Z[64] was never written; 943 elements not right" in done.out
    assert "hint: only one strip is done" in done.out
    assert f"vecsim debug {STARTER} --exercise exercise-01:4 --seed 7" in done.out
    assert "not yet; 2 of 4 are right, the cases of --seed 7" in done.out


def test_a_text_that_does_not_assemble(vecsim, tmp_path):
    path = tmp_path / "my.s"
    path.write_text("addd x1, x2, x3")
    done = vecsim("grade", "1", path, "--engine", "simpy")
    assert done.code == 1
    assert "did you mean" in done.out and "vecsim isa" in done.out and "--exercise" not in done.out


def test_a_text_on_a_case_in_the_debugger(vecsim, tmp_path):
    script = tmp_path / "script"
    script.write_text("run\nexpect float(Z + 252) != 0\nshow memory\n")
    done = vecsim("debug", STARTER, "--exercise", "1:3", "--seed", 7, "--script", script)
    assert done.code == 0 and "Z: 16 x float" in done.out
    product = solution(EXERCISES["exercise-09"])
    assert vecsim("debug", product, "--exercise", "9", "--script", script).code == 2  # there is no Z


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["grade", "exercise-03x"], "did you mean 'exercise-03'"),
        (["grade", "99"], "no exercise '99'"),
        (["grade", "1", "nowhere.s"], "nowhere.s: no such file"),
        (["grade", "1", "/dev/zero"], "/dev/zero: is a device, a text that is graded is needed"),
        (["grade", "9" * 5000], "no exercise"),
        (["grade", "1", STARTER, "--engine", "nope"], "unknown engine 'nope'"),
        (["grade", "--start", "my.s"], "the exercise is missing"),
        (["grade", "1", "a.s", "--start", "b.s"], "leave it out to grade"),
        (["debug", STARTER, "--exercise", "1:9"], "has no case 9; choose one from 1 to 4"),
        (["debug", STARTER, "--exercise", "1:x"], "exercise-03:2"),
        (["debug", STARTER, "pde225", "--exercise", "1"], "says on what it runs, not MATRIX"),
    ],
)
def test_what_it_refuses(vecsim, arguments, message):
    assert message in vecsim(*arguments).mistake()
