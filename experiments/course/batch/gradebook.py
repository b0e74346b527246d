"""The grades of a batch, kept one by one: a batch that was stopped goes on where it was."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from experiments.code_fingerprint import code_fingerprint
from experiments.course.batch.forked import Task, grade_all
from experiments.course.batch.points import earned
from experiments.course.batch.submissions import HandedIn
from experiments.course.exercise import Exercise, Points
from experiments.course.grades import NO_CASE, SEEDS, Grade, Result
from vecsim.results.journal import Journal

KIND = "vecsim grade --batch"
SUFFIX = ".journal"
"""Follows the name of the table in that of the file that keeps the grades."""
NOTHING = Points(0, ())
_GRADE = TypeAdapter(Grade)


@dataclass(frozen=True)
class Graded:
    """What came of a text of a student.

    Attributes
    ----------
    student, exercise
        Whose, and the name of the exercise.
    file, sha256
        What the text is called, and its digest; both empty if there was none to grade.
    grade
        Its grade.
    points, most
        What it earned, and could have earned.
    """

    student: str
    exercise: str
    file: str
    sha256: str
    grade: Grade
    points: float
    most: float


def seed_of(name: str, student: str, exercise: str) -> int:
    """Return the seed of a student's cases: the same for the same name, another for every student."""
    text = "\0".join((name, student, exercise)).encode("utf-8", "surrogateescape")
    return int.from_bytes(hashlib.sha256(text).digest()[:8]) % SEEDS


def grade_batch(
    texts: Sequence[HandedIn],
    exercises: Mapping[str, Exercise],
    *,
    table: Path,
    seed_from: str,
    engine: str,
    processes: int,
    progress: Callable[[int, int], None],
    say: Callable[[str], None],
) -> list[Graded]:
    """Grade the texts that have no grade yet, and return all grades in the order of the texts.

    Parameters
    ----------
    texts
        Who has handed in what.
    exercises
        By name.
    table
        The file that will have the table; grades are kept next to it.
    seed_from
        Decides, with the student and the exercise, which cases a text gets.
    engine
        A name of :data:`vecsim.engines.running.ENGINES`, or :data:`vecsim.engines.AUTO`.
    processes
        How many texts are graded at once.
    progress
        Is called with how many texts have a grade, of how many.
    say
        Is called with a line for whatever of the kept grades had to be left out.

    Raises
    ------
    UserError
        Grades cannot be kept, or vecsim itself fails.
    """
    code = code_fingerprint()
    results: dict[int, Graded] = {}
    open_tasks: list[tuple[int, Task, str]] = []
    with Journal(table.with_name(table.name + SUFFIX), KIND, say=say) as journal:
        kept = {record["key"]: record["grade"] for record in journal.records}
        for number, text in enumerate(texts):
            exercise = exercises.get(text.exercise)
            if exercise is None or text.submission is None:
                results[number] = _without_text(text, exercise)
                continue
            seed = seed_of(seed_from, text.student, exercise.name)
            task = Task(exercise, text.submission, seed)
            key = _key(task, code, engine)
            if key in kept:
                results[number] = _graded(text.student, task, _GRADE.validate_python(kept[key]))
            else:
                open_tasks.append((number, task, key))
        progress(len(results), len(texts))
        tasks = [task for _, task, _ in open_tasks]
        for index, grade in grade_all(tasks, engine=engine, processes=processes) if tasks else ():
            number, task, key = open_tasks[index]
            journal.append({"key": key, "grade": asdict(grade)})
            results[number] = _graded(texts[number].student, task, grade)
            progress(len(results), len(texts))
    return [results[number] for number in range(len(texts))]


def _key(task: Task, code: str, engine: str) -> str:
    """Return a digest of all that a grade depends on; messages in it name the file."""
    parts = (code, engine, task.exercise.name, task.exercise.sha256, str(task.seed), task.submission.name)
    text = "\0".join(parts).encode("utf-8", "surrogateescape")
    return hashlib.sha256(text + b"\0" + task.submission.content).hexdigest()


def _graded(student: str, task: Task, grade: Grade) -> Graded:
    points = task.exercise.points
    sha256 = hashlib.sha256(task.submission.content).hexdigest()
    name = task.submission.name
    return Graded(student, task.exercise.name, name, sha256, grade, earned(grade, points), points.most)


def _without_text(text: HandedIn, exercise: Exercise | None) -> Graded:
    result = Result(NO_CASE, "file", text.problem)
    hint = "a text is a file, no link, called by its exercise: exercise-03.s"
    grade = Grade(text.exercise, 0, (result,), hint=hint)
    most = exercise.points.most if exercise else 0
    return Graded(text.student, text.exercise, "", "", grade, 0, most)


def by_student(graded: Sequence[Graded]) -> Iterator[tuple[str, list[Graded]]]:
    """Yield the grades of each student."""
    students: dict[str, list[Graded]] = {}
    for each in graded:
        students.setdefault(each.student, []).append(each)
    yield from students.items()


def safe_file_names(students: Sequence[str]) -> dict[str, str]:
    """Return for each student a name that a file can have, with room for a suffix; no two are the same."""
    return {student: _file_name(student) for student in students}


def _file_name(student: str) -> str:
    encoded = os.fsencode(student)
    plain = all(letter.isalnum() or letter in " _-.@()+" for letter in student) and not student.startswith(
        "."
    )
    if plain and len(encoded) <= 100 and student.isprintable():
        return student
    kept = "".join(letter if letter.isalnum() and letter.isascii() else "-" for letter in student[:40])
    return f"{kept.strip('-') or 'student'}-{hashlib.sha256(encoded).hexdigest()[:12]}"


def document(each: Graded) -> dict[str, Any]:
    """Return a grade as JSON has it."""
    return {**asdict(each), "passed": each.grade.passed}
