"""Tables of grades: CSV for the teacher, for Moodle, and JSON as Gradescope reads it."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import Any

from experiments.course.batch.gradebook import Graded, by_student
from experiments.course.grades import Result, first_problem
from vecsim.support.shown_text import printable

COLUMNS = (
    "student", "exercise", "passed", "points", "of", "right", "cases", "cycles", "budget", "problem", "text",
    "hint", "seed", "file", "sha256",
)  # fmt: skip
_MOODLE_FOLDER = re.compile(r"(?P<name>.+?)_(?P<number>\d+)_assignsubmission_\w+")
"""How Moodle calls the folder of a student in an archive of all submissions."""
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""With what a text begins that programs for tables would execute."""


def table(graded: Sequence[Graded]) -> bytes:
    """Return a CSV table with a row for each text."""
    return _csv(COLUMNS, map(_row, graded))


def _row(each: Graded) -> list[object]:
    grade, first = each.grade, first_problem(each.grade.results)
    last = grade.results[-1]
    right = sum(not result.problem for result in grade.results)
    cases = max(grade.cases, len(grade.results))
    passed = "yes" if grade.passed else "no"
    problem, text = (first.problem, first.text) if first else ("", "")
    return [
        each.student, each.exercise, passed, each.points, each.most, right, cases, last.cycles, last.budget,
        problem, text, grade.hint, grade.seed, each.file, each.sha256,
    ]  # fmt: skip


def moodle(graded: Sequence[Graded]) -> bytes:
    """Return a table as Moodle's grade import and its offline grading worksheet take it.

    ``Identifier`` is that of the worksheet if the folder of a student is called as Moodle calls it, otherwise
    the folder's name; it is for the teacher to say to what Moodle maps it.
    """
    rows = []
    for student, all_of in by_student(graded):
        match = _MOODLE_FOLDER.fullmatch(student)
        identifier = f"Participant {match['number']}" if match else student
        name = match["name"] if match else student
        most = sum(each.most for each in all_of)
        feedback = "; ".join(map(_feedback, all_of))
        rows.append([identifier, name, sum(each.points for each in all_of), most, feedback])
    return _csv(("Identifier", "Full name", "Grade", "Maximum grade", "Feedback comments"), rows)


def _feedback(each: Graded) -> str:
    points = f"{each.exercise or 'no exercise'}: {each.points:g} of {each.most:g}"
    first = first_problem(each.grade.results)
    if first is None:
        return f"{points}, passed"
    return f"{points}, not yet: {said(first)}. Hint: {each.grade.hint}"


def gradescope(all_of: Sequence[Graded]) -> dict[str, Any]:
    """Return what Gradescope reads as ``results.json`` of a student."""
    return {
        "score": sum(each.points for each in all_of),
        "output": "\n".join(map(_feedback, all_of)),
        "stdout_visibility": "hidden",
        "tests": [
            {
                "name": each.exercise,
                "score": each.points,
                "max_score": each.most,
                "status": "passed" if each.grade.passed else "failed",
                "output": "\n".join([*map(said, each.grade.results), each.grade.hint]).strip(),
            }
            for each in all_of
        ],
    }


def said(result: Result) -> str:
    """Return what came of a case in a line."""
    if not result.problem:
        return f"{result.case}: right, {result.cycles:,} cycles of {result.budget:,}"
    return f"{result.case}: {result.problem}: {result.text}"


def _csv(head: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    writer.writerows([[_cell(value) for value in row] for row in rows])
    return text.getvalue().encode("utf-8")


def _cell(value: object) -> object:
    """Return what stands in a cell: in one line, and no formula."""
    if value is None or isinstance(value, int | float):
        return value
    text = " ".join(printable(str(value)).split("\n"))
    return f"'{text}" if text.startswith(_FORMULA) else text
