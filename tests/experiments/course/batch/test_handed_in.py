"""Who has handed in what: folders of students, archives, links and names of all kinds."""

import os

import pytest

from experiments.course.batch.submissions import handed_in
from experiments.course.registry import EXERCISES
from vecsim.support.errors import UserError


def put(folder, *paths):
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text("halt\n")


def texts_of(folder, only=None):
    return [
        (each.student, each.exercise, each.submission and each.submission.name, each.problem)
        for each in handed_in(str(folder), EXERCISES, only)
    ]


def test_texts_are_called_by_their_exercises(tmp_path):
    put(tmp_path, "ada/exercise-01.s", "ada/work/12.s", "ada/notes.txt", "bob/03.s")
    assert texts_of(tmp_path) == [
        ("ada", "exercise-01", "exercise-01.s", ""),
        ("ada", "exercise-12", "12.s", ""),
        ("bob", "exercise-03", "03.s", ""),
    ]


def test_texts_of_one_exercise_have_any_name(tmp_path):
    put(tmp_path, "ada/my.s", "bob.s", "readme.md")
    only = EXERCISES["exercise-04"]
    assert texts_of(tmp_path, only) == [
        ("ada", "exercise-04", "my.s", ""),
        ("bob", "exercise-04", "bob.s", ""),
    ]


def test_what_cannot_be_graded_is_said_and_nothing_of_a_link_is_read(tmp_path):
    put(tmp_path, "ada/1.s", "ada/more/exercise-01.s", "ada/exercise-99.s", "empty/readme.md")
    (tmp_path / "eve").mkdir()
    (tmp_path / "eve" / "1.s").symlink_to("/etc/passwd")
    os.mkfifo(tmp_path / "eve" / "2.s")
    (tmp_path / "mallory").symlink_to("/etc", target_is_directory=True)
    results = {(student, exercise): rest for student, exercise, *rest in texts_of(tmp_path)}
    assert "2 texts of one exercise: 1.s, exercise-01.s" in results["ada", "exercise-01"][1]
    assert "no exercise has this name" in results["ada", "exercise-99"][1]
    assert results["empty", ""] == [None, "no text"]
    assert results["eve", "exercise-01"][1].startswith("1.s: is a symbolic link")
    assert results["eve", "exercise-02"][1].startswith("2.s: is a pipe")
    assert "mallory" not in {student for student, _ in results}


def test_what_is_refused(tmp_path):
    with pytest.raises(UserError, match="name the folder of all submissions"):
        texts_of(tmp_path / "nowhere")
    with pytest.raises(UserError, match="has no text of a student"):
        texts_of(tmp_path)
    put(tmp_path, "bob.s")
    with pytest.raises(UserError, match="whose is it"):
        texts_of(tmp_path)
