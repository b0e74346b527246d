"""Pages of a batch: one for each student, and a summary for the teacher."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import quantiles

import jinja2

from experiments.course.batch.gradebook import Graded, by_student, document, safe_file_names
from experiments.course.batch.tables import gradescope, moodle
from experiments.course.exercise import Exercise
from experiments.course.grades import first_problem
from experiments.report.folder import check_folder
from vecsim.results.atomic_files import write_file
from vecsim.support.errors import UserError
from vecsim.support.shown_text import printable

GRADESCOPE = "gradescope"
"""Folder of what Gradescope reads."""
SUMMARY = "summary"
"""Name of the teacher's page; a student of this name has another."""


@dataclass(frozen=True)
class Quartiles:
    """Least, first quarter, half, third quarter and most of some numbers."""

    least: float
    low: float
    middle: float
    high: float
    most: float


@dataclass(frozen=True)
class Overview:
    """An exercise in the summary.

    Attributes
    ----------
    exercise, title
        Which.
    texts, passed
        How many were handed in, and how many passed.
    points
        Of all texts.
    cycles
        Cycles of the largest case as a share of its budget, of those whose results are right; None if there
        are none.
    hints
        How often each hint was given, the most frequent first.
    """

    exercise: str
    title: str
    texts: int
    passed: int
    points: Quartiles
    cycles: Quartiles | None
    hints: tuple[tuple[str, int], ...]


def check_pages(folder: Path) -> None:
    """Find out, before texts are graded, whether their pages can be written to a folder.

    Raises
    ------
    UserError
        They cannot.
    """
    try:
        check_folder(str(folder / GRADESCOPE), ())
    except UserError as error:
        raise UserError(f"the pages of --out lie in {folder}: {error}") from None


def write_pages(folder: Path, graded: Sequence[Graded], exercises: Mapping[str, Exercise]) -> None:
    """Write a page and a JSON file for each student, the summary, and what Moodle and Gradescope read.

    Parameters
    ----------
    folder
        Is made if it is not there.
    graded
        All grades.
    exercises
        By name.

    Raises
    ------
    UserError
        A file cannot be written.
    """
    scope = folder / GRADESCOPE
    try:
        scope.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"{scope}: {error.strerror or error}; choose another place for --out") from None
    students = dict(by_student(graded))
    names = safe_file_names(list(students))
    names |= {student: f"{name}-student" for student, name in names.items() if name.lower() == SUMMARY}
    titles = {name: exercise.title for name, exercise in exercises.items()}
    page = _template("student.html.j2")
    for student, all_of in students.items():
        shown = {"student": printable(student), "grades": all_of, "titles": titles}
        _write(folder / f"{names[student]}.html", page.render(**shown))
        _write_json(folder / f"{names[student]}.json", [document(each) for each in all_of])
        _write_json(scope / f"{names[student]}.json", gradescope(all_of))
    overviews = [
        _overview(titles.get(name, ""), name, [each for each in graded if each.exercise == name])
        for name in dict.fromkeys(each.exercise for each in graded)
    ]
    rows = [
        (printable(student), f"{names[student]}.html", all_of, sum(each.points for each in all_of))
        for student, all_of in students.items()
    ]
    _write(folder / f"{SUMMARY}.html", _template("summary.html.j2").render(overviews=overviews, rows=rows))
    write_file(folder / "moodle.csv", moodle(graded))


def _overview(title: str, name: str, texts: Sequence[Graded]) -> Overview:
    hints = Counter(each.grade.hint for each in texts if each.grade.hint)
    shares = [
        last.cycles / last.budget
        for each in texts
        if (last := each.grade.results[-1]).cycles
        and last.budget
        and ((problem := first_problem(each.grade.results)) is None or problem.problem == "budget")
    ]
    return Overview(
        exercise=name,
        title=title,
        texts=len(texts),
        passed=sum(each.grade.passed for each in texts),
        points=_quartiles([each.points for each in texts]),
        cycles=_quartiles(shares) if shares else None,
        hints=tuple(hints.most_common()),
    )


def _quartiles(numbers: Sequence[float]) -> Quartiles:
    low, middle, high = quantiles(numbers, n=4, method="inclusive") if len(numbers) > 1 else [numbers[0]] * 3
    return Quartiles(min(numbers), low, middle, high, max(numbers))


def _write(path: Path, text: str) -> None:
    write_file(path, text.encode("utf-8"))


def _write_json(path: Path, value: object) -> None:
    _write(path, json.dumps(value, indent=1, ensure_ascii=True) + "\n")


def _template(name: str) -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
    )
    return environment.get_template(name)


def _shown(value: object) -> object:
    """Return what a page shows of a value; what a macro returns is HTML already."""
    return printable(value) if isinstance(value, str) and not hasattr(value, "__html__") else value
