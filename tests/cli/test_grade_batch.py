"""`vecsim grade --batch` and `--exercises`: what is written and printed, and what is refused."""

import json

import pytest

from experiments.course.registry import EXERCISES
from tests.experiments.course.test_own_exercises import DRAWN, RIGHT, STATED
from tests.experiments.course.texts import solution, starter

AXPY = EXERCISES["exercise-01"]


def test_a_course_is_graded(vecsim, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for student, text in (("ada", solution(AXPY)), ("bob", starter(AXPY))):
        (tmp_path / "in" / student).mkdir(parents=True)
        (tmp_path / "in" / student / "1.s").write_bytes(text.read_bytes())
    arguments = (
        "grade",
        "--batch",
        "in",
        "--out",
        "grades.csv",
        "--seed-from",
        "midterm",
        "--engine",
        "simpy",
    )
    done = vecsim(*arguments, "--json", "all.json")
    assert done.code == 0 and "grades.csv: 2 texts; grades/summary.html for you" in done.out
    assert [each["passed"] for each in json.loads((tmp_path / "all.json").read_text())["grades"]] == [
        True,
        False,
    ]
    assert (tmp_path / "grades.csv").read_text().count("\n") == 3
    assert "unwritten 1" in done.out
    assert vecsim(*arguments).out == done.out


def test_an_exercise_of_ones_own(vecsim, tmp_path):
    (tmp_path / "double-it.toml").write_text(STATED)
    (tmp_path / "double-it.py").write_text(DRAWN)
    (tmp_path / "my.s").write_text(RIGHT)
    own = ("--exercises", tmp_path)
    assert "double-it    double" in vecsim("grade", *own).out
    assert "z = 2 x for N elements." in vecsim("grade", "double-it", *own).out
    assert vecsim("grade", "double-it", tmp_path / "my.s", *own, "--engine", "simpy").code == 0
    debugged = tmp_path / "script"
    debugged.write_text("run\nexpect x6 == 0\n")
    arguments = ("debug", tmp_path / "my.s", "--exercise", "double-it:1", *own, "--script", debugged)
    assert vecsim(*arguments).code == 0


def test_pages_that_cannot_be_written_are_found_out_first(vecsim, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "ada.s").write_bytes(solution(AXPY).read_bytes())
    (tmp_path / "grades").write_text("a file")
    wrong = vecsim("grade", "1", "--batch", "in", "--out", "grades.csv", "--seed-from", "t").mistake()
    assert wrong.startswith("the pages of --out lie in grades: ") and "is a file" in wrong
    assert {each.name for each in tmp_path.iterdir()} == {"in", "grades"}


@pytest.mark.parametrize(("arguments", "message"), [
    (["--batch", "in"], "name the table of grades, as in --out grades.csv"),
    (["--batch", "in", "--out", "grades.txt"], "name the table of grades"),
    (["--batch", "in", "--out", "grades.csv"], "name what decides the cases"),
    (["--batch", "nowhere", "--out", "g.csv", "--seed-from", "t"], "nowhere: No such file or directory"),
    (["99", "--batch", "in", "--out", "g.csv", "--seed-from", "t"], "no exercise '99'"),
    (["1", "my.s", "--batch", "in"], "my.s: does not go with --batch"),
    (["--batch", "in", "--seed", "3"], "--seed 3: does not go with --batch"),
    (["1", "--out", "grades.csv"], "--out grades.csv: is of a batch"),
    (["--exercises", "nowhere"], "nowhere: is no folder; name the folder of your exercises"),
])  # fmt: skip
def test_mistakes_are_one_line(vecsim, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    assert message in vecsim("grade", *arguments).mistake()
