"""Who has handed in what: the texts of a folder."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from experiments.course.exercise import Exercise
from experiments.course.submission import Submission, read_submission
from vecsim.support.errors import UserError
from vecsim.support.shown_text import printable

SUFFIX = ".s"
DEEPEST = 3
"""Folders in each other below a student's, as archives have them."""
MOST = 100_000
"""Files and folders of a batch."""


@dataclass(frozen=True)
class HandedIn:
    """A text of a student.

    Attributes
    ----------
    student
        The name of the folder, or of the file, that is the student's.
    exercise
        Its name; as the file is called where there is no such exercise.
    submission
        The text; None where there is none that can be graded.
    problem
        Why, in a line.
    """

    student: str
    exercise: str
    submission: Submission | None = None
    problem: str = ""


def handed_in(folder: str, exercises: Mapping[str, Exercise], only: Exercise | None) -> list[HandedIn]:
    """Return the texts of a folder by student and exercise.

    A student's texts lie in a folder of the student's name and are called by their exercises
    (``exercise-03.s`` or ``3.s``). If all are of one exercise, a student's folder has one text of any name,
    or the file itself has the student's name. Nothing that a link points to is read.

    Parameters
    ----------
    folder
        The folder of all.
    exercises
        By name.
    only
        The exercise of all texts, if it is one.

    Raises
    ------
    UserError
        There is no such folder, or no text in it.
    """
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        raise UserError(f"{folder}: {error.strerror or error}; name the folder of all submissions") from None
    results: list[HandedIn] = []
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            results += _of_student(entry.name, _texts(Path(entry.path)), exercises, only)
        elif entry.name.endswith(SUFFIX):
            student = entry.name.removesuffix(SUFFIX)
            if only is None:
                raise UserError(
                    f"{printable(entry.path)}: whose is it? Put it into a folder of "
                    f"the student's name, or name the exercise: vecsim grade EXERCISE --batch {folder}"
                )
            results.append(_read(student, only.name, Path(entry.path)))
    if not results:
        raise UserError(
            f"{folder}: has no text of a student; one lies in STUDENT/exercise-01.s, for instance"
        )
    return results


def _of_student(
    student: str, paths: list[Path], exercises: Mapping[str, Exercise], only: Exercise | None
) -> Iterator[HandedIn]:
    by_exercise: dict[str, list[Path]] = {}
    for path in paths:
        by_exercise.setdefault(only.name if only else _exercise(path, exercises), []).append(path)
    if not paths:
        yield HandedIn(student, only.name if only else "", problem="no text")
    for exercise, same in by_exercise.items():
        if exercise not in exercises:
            yield HandedIn(student, exercise, problem="no exercise has this name; vecsim grade lists them")
        elif len(same) > 1:
            names = ", ".join(printable(path.name) for path in same[:5])
            yield HandedIn(student, exercise, problem=f"{len(same)} texts of one exercise: {names}")
        else:
            yield _read(student, exercise, same[0])


def _exercise(path: Path, exercises: Mapping[str, Exercise]) -> str:
    stem = path.name.removesuffix(SUFFIX)
    numbered = f"exercise-{int(stem):02}" if stem.isascii() and stem.isdecimal() and len(stem) < 3 else stem
    return numbered if numbered in exercises else stem


def _read(student: str, exercise: str, path: Path) -> HandedIn:
    try:  # reports for the student do not show where the text lies at the teacher's
        return HandedIn(student, exercise, read_submission(str(path), printable(path.name)))
    except UserError as error:
        return HandedIn(student, exercise, problem=str(error))


def _texts(folder: Path, depth: int = 0) -> list[Path]:
    """Return the texts of a folder; links to texts are among them, and refused when they are read."""
    texts: list[Path] = []
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda each: each.name):
            if entry.is_dir(follow_symlinks=False):
                texts += _texts(Path(entry.path), depth + 1) if depth < DEEPEST else []
            elif entry.name.endswith(SUFFIX):
                texts.append(Path(entry.path))
            if len(texts) > MOST:
                raise UserError(f"{folder}: has more than {MOST:,} texts; name the folder of one course")
    return texts
