"""Batches: graded in processes with limits, kept one by one, gone on with, and the same table again."""

import csv
import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest

from experiments.course.batch import forked
from experiments.course.batch.forked import Task, grade_all
from experiments.course.batch.gradebook import grade_batch, safe_file_names, seed_of
from experiments.course.batch.pages import write_pages
from experiments.course.batch.submissions import HandedIn, handed_in
from experiments.course.batch.tables import gradescope, moodle, table
from experiments.course.confined import grade_confined
from experiments.course.registry import EXERCISES
from experiments.course.submission import Submission
from tests.experiments.course.texts import solution

AXPY, DOT = EXERCISES["exercise-01"], EXERCISES["exercise-02"]
RIGHT = solution(AXPY).read_bytes()
TEXTS = [
    HandedIn("ada", AXPY.name, Submission("1.s", RIGHT)),
    HandedIn("ada", DOT.name, Submission("2.s", DOT.starter.encode())),
    HandedIn("<b>bob</b>", AXPY.name, Submission("1.s", b"again: j again\n")),
    HandedIn("=eve", AXPY.name, problem="1.s: is a symbolic link"),
    HandedIn("Zoë Müller_1234567_assignsubmission_file", AXPY.name, Submission("z.s", b"\xff\x00")),
]  # fmt: skip


def batch(folder, seed_from="midterm", texts=TEXTS):
    return grade_batch(
        texts,
        EXERCISES,
        table=folder / "grades.csv",
        seed_from=seed_from,
        engine="jit",
        processes=2,
        progress=lambda done, total: None,
        say=lambda line: None,
    )


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    return batch(tmp_path_factory.mktemp("batch"))


@pytest.mark.ci
def test_grades_are_those_of_a_single_text_with_the_seed_of_the_student(graded):
    for each, text in zip(graded[:3], TEXTS[:3], strict=True):
        seed = seed_of("midterm", each.student, each.exercise)
        alone = grade_confined(EXERCISES[each.exercise], text.submission, seed=seed, engine="jit")
        assert each.grade == alone
    assert [each.grade.passed for each in graded] == [True, False, False, False, False]
    assert len({each.grade.seed for each in graded if each.file}) == 4
    assert seed_of("final", "ada", AXPY.name) != seed_of("midterm", "ada", AXPY.name)


def test_what_is_kept_is_not_graded_again(tmp_path, monkeypatch, graded):
    assert batch(tmp_path, texts=TEXTS[:2]) == graded[:2]
    done = []
    monkeypatch.setattr(forked, "judged", lambda *given, **named: done.append(given) or b"")
    assert batch(tmp_path, texts=TEXTS[:2]) == graded[:2]
    monkeypatch.undo()
    again = batch(tmp_path, "final", TEXTS[:2])
    assert [each.grade.seed for each in again] != [each.grade.seed for each in graded[:2]]


def test_a_process_that_is_late_is_ended(monkeypatch):
    monkeypatch.setattr(forked, "WALL_SECONDS", 0.2)
    monkeypatch.setattr(forked, "judged", lambda *given, **named: time.sleep(60))
    [(number, grade)] = grade_all([Task(AXPY, Submission("my.s", RIGHT), 0)], engine="jit", processes=1)
    assert number == 0 and "takes more than" in grade.results[0].text


def test_the_table_has_a_row_for_each_text_and_no_formula(graded):
    rows = list(csv.DictReader(table(graded).decode().splitlines()))
    assert [row["student"] for row in rows][:4] == ["ada", "ada", "<b>bob</b>", "'=eve"]
    assert rows[0]["points"] == "100.0" and rows[0]["passed"] == "yes" and rows[0]["right"] == "4"
    assert rows[2]["problem"] == "endless" and rows[2]["cases"] == "4"
    assert rows[3]["problem"] == "file" and "symbolic link" in rows[3]["text"]
    assert "save it as UTF-8" in rows[4]["text"]


def test_moodle_and_gradescope_get_what_they_read(graded):
    rows = list(csv.DictReader(moodle(graded).decode().splitlines()))
    assert [row["Identifier"] for row in rows] == ["ada", "<b>bob</b>", "'=eve", "Participant 1234567"]
    assert rows[3]["Full name"] == "Zoë Müller"
    assert "; exercise-02: " in rows[0]["Feedback comments"] and ". Hint: " in rows[0]["Feedback comments"]
    assert float(rows[0]["Grade"]) == sum(each.points for each in graded[:2])
    document = gradescope(graded[:2])
    assert document["score"] == sum(test["score"] for test in document["tests"])
    assert [test["status"] for test in document["tests"]] == ["passed", "failed"]
    assert "N = 1: right" in document["tests"][0]["output"]


def test_pages_escape_what_students_write(tmp_path, graded):
    write_pages(tmp_path, graded, EXERCISES)
    summary = (tmp_path / "summary.html").read_text()
    assert "<b>bob" not in summary and "&lt;b&gt;bob" in summary
    assert '<td class="number">' in summary and "&lt;td" not in summary
    names = set(re.findall(r'href="([^"]+)"', summary))
    assert all((tmp_path / name).exists() for name in names - {name for name in names if "%" in name})
    ada = (tmp_path / "ada.html").read_text()
    assert "vecsim grade exercise-02 2.s --seed" in ada and "Hint" in ada
    assert json.loads((tmp_path / "ada.json").read_text())[0]["passed"]
    assert (tmp_path / "moodle.csv").exists() and len(list((tmp_path / "gradescope").iterdir())) == 4


def test_names_of_files():
    students = ["ada", "../eve", "a" * 300, "x/y", "", "...", "Zoë", os.fsdecode(b"\xff")]
    names = safe_file_names(students)
    assert names["ada"] == "ada" and names["Zoë"] == "Zoë"
    assert len(set(names.values())) == len(students)
    assert all(len(os.fsencode(name)) < 120 and "/" not in name for name in names.values())


@pytest.mark.ci
def test_a_batch_that_is_killed_goes_on_and_gives_the_same_table(tmp_path):
    for number in range(6):
        (tmp_path / "in" / f"s{number:02}").mkdir(parents=True)
        text = RIGHT if number % 2 else RIGHT[: 140 * number]
        (tmp_path / "in" / f"s{number:02}" / "1.s").write_bytes(text)
    command = [sys.executable, "-m", "vecsim", "grade", "--batch", "in", "--seed-from", "t", "--jobs", "1"]
    kept = tmp_path / "killed.csv.journal"
    quiet = {"cwd": tmp_path, "stdout": subprocess.DEVNULL}
    with subprocess.Popen([*command, "--out", "killed.csv"], **quiet) as process:
        deadline = time.monotonic() + 120
        while not (kept.exists() and kept.read_bytes().count(b"\n") > 2) and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
    before = kept.read_bytes()
    assert not (tmp_path / "killed.csv").exists()
    for out in ("killed.csv", "whole.csv"):
        subprocess.run([*command, "--out", out], check=True, **quiet)
    assert (tmp_path / "killed.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()
    assert kept.read_bytes().startswith(before[: before.rindex(b"\n") + 1])
    assert len(handed_in(str(tmp_path / "in"), EXERCISES, None)) == 6
