"""``vecsim grade --batch``: the submissions of a whole course."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from vecsim.cli.printing.console import fill, table, warn
from vecsim.cli.printing.output import Output, OutputFile
from vecsim.support.errors import UserError
from vecsim.support.progress import Progress
from vecsim.support.suggestions import counted

if TYPE_CHECKING:
    from experiments.course.batch.gradebook import Graded
    from experiments.course.exercise import Exercise


@dataclass(frozen=True)
class Batch:
    """What is asked: the folder of submissions, one exercise or None for all, and how."""

    folder: str
    exercise: str | None
    own: str
    out: str | None
    seed_from: str | None
    processes: int | None
    engine: str


def grade_submissions(asked: Batch, output: Output) -> None:
    """Grade all texts of a folder, write tables and pages, and print what came of them."""
    from experiments.course.batch import tables
    from experiments.course.batch.gradebook import SUFFIX, document, grade_batch
    from experiments.course.batch.pages import SUMMARY, check_pages, write_pages
    from experiments.course.batch.submissions import handed_in
    from experiments.course.registry import all_exercises, find
    from experiments.report.environment import processors

    if asked.out is None or not asked.out.endswith(".csv"):
        raise UserError("--batch: name the table of grades, as in --out grades.csv")
    if asked.seed_from is None:
        raise UserError(
            "--batch: name what decides the cases, as in --seed-from midterm-2027; every student has "
            "other cases, and the same again as long as the name is the same"
        )
    target, pages = OutputFile(asked.out, "--out"), Path(asked.out).with_suffix("")
    check_pages(pages)
    exercises = all_exercises(asked.own)
    only = None if asked.exercise is None else find(asked.exercise, asked.own)
    texts = handed_in(asked.folder, exercises, only)
    with Progress() as bar:
        graded = grade_batch(
            texts,
            exercises,
            table=target.path,
            seed_from=asked.seed_from,
            engine=asked.engine,
            processes=asked.processes or processors(),
            progress=lambda done, total: bar.show("grading", done, total),
            say=warn,
        )
    target.write(tables.table(graded))
    write_pages(pages, graded, exercises)
    _show(output, exercises, graded)
    output.text(
        f"{asked.out}: {counted(len(graded), 'text')}; {pages}/{SUMMARY}.html for you, a page for each "
        f"student, moodle.csv and gradescope/ in {pages}; {asked.out}{SUFFIX} keeps all grades for the next "
        "time"
    )
    output.finish("vecsim grade --batch", {"grades": [document(each) for each in graded]})


def _show(output: Output, exercises: Mapping[str, Exercise], graded: Sequence[Graded]) -> None:
    rows = []
    for name in dict.fromkeys(each.exercise for each in graded):
        same = [each for each in graded if each.exercise == name]
        problems = Counter(
            next((result.problem for result in each.grade.results if result.problem), "") for each in same
        )
        passed = problems.pop("", 0)
        mean = sum(each.points for each in same) / len(same)
        rows.append(
            (
                name,
                exercises[name].title if name in exercises else "",
                ", ".join(f"{problem} {count}" for problem, count in problems.most_common()),
                len(same),
                passed,
                round(mean, 1),
            )
        )
    output.table(fill(table(["exercise", "", "not right"], ["texts", "passed", "mean points"]), rows))
