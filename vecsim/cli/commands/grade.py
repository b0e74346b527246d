"""``vecsim grade``: exercises, and whether a text does what one asks."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vecsim.cli import completion
from vecsim.cli.grade_batch import Batch, grade_submissions
from vecsim.cli.options import AutoEngineOption, ExercisesOption, JobsOption, JsonOption
from vecsim.cli.printing.console import fill, table
from vecsim.cli.printing.output import Output, OutputFile
from vecsim.cli.printing.streams import in_one_line
from vecsim.engines import AUTO
from vecsim.support.errors import UserError
from vecsim.support.shown_text import printable
from vecsim.support.suggestions import counted

if TYPE_CHECKING:
    from experiments.course.exercise import Exercise
    from experiments.course.grades import Grade

NOT_RIGHT = 1
"""Exit code when a text does not do what its exercise asks."""


def grade(
    exercise: Annotated[
        str | None,
        typer.Argument(
            metavar="EXERCISE",
            help="The exercise, such as exercise-03 or 3; without it all are listed.",
            autocompletion=completion.exercises,
        ),
    ] = None,
    file: Annotated[
        str | None,
        typer.Argument(metavar="FILE.s", help="Your text; without it the exercise is shown."),
    ] = None,
    start: Annotated[
        str | None, typer.Option("--start", metavar="FILE.s", help="Write the text to begin with.")
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            "--seed",
            min=0,
            help="Seed of the cases, to repeat a grade; default random.",
        ),
    ] = None,
    exercises: ExercisesOption = "",
    batch: Annotated[
        str | None,
        typer.Option("--batch", metavar="DIR", help="Grade all texts in a folder of students' folders."),
    ] = None,
    out: Annotated[
        str | None, typer.Option("--out", metavar="FILE.csv", help="With --batch: the table of grades.")
    ] = None,
    seed_from: Annotated[
        str | None,
        typer.Option(
            "--seed-from",
            metavar="NAME",
            help="With --batch: a name that decides, with each student's, the cases.",
        ),
    ] = None,
    jobs: JobsOption = None,
    engine: AutoEngineOption = AUTO,
    json: JsonOption = None,
) -> None:
    """Run your text on random cases of an exercise, and check its results and cycles.

    Exit code 1 means that it is wrong or too slow.
    """
    from experiments.course.registry import find

    if batch is not None:
        _batch(Batch(batch, exercise, exercises, out, seed_from, jobs, engine), file, start, seed, json)
        return
    for option, value in (("--out", out), ("--seed-from", seed_from), ("--jobs", jobs)):
        if value is not None:
            raise UserError(f"{option} {value}: is of a batch; name the folder of all texts by --batch DIR")
    if exercise is None:
        if start is not None:
            raise UserError(
                f"--start {start}: the exercise is missing; use vecsim grade EXERCISE --start {start}"
            )
        _list(Output(json), exercises)
        return
    chosen = find(exercise, exercises)
    if start is not None:
        if file is not None:
            raise UserError(f"--start {start}: writes the text to begin with; leave it out to grade {file}")
        _begin(chosen, start)
    elif file is None:
        output = Output(json)
        output.text(chosen.statement)
        output.text(f"\nvecsim grade {chosen.name} --start my.s writes the text to begin with")
        output.finish("vecsim grade", {"exercise": chosen.name, "statement": chosen.statement})
    else:
        _grade(chosen, file, seed, engine, Output(json, inputs=[file]))


def _batch(asked: Batch, file: str | None, start: str | None, seed: int | None, json: str | None) -> None:
    for option, value in (("", file), ("--start", start), ("--seed", seed)):
        if value is not None:
            raise UserError(f"{option} {value}: does not go with --batch; leave it out".strip())
    grade_submissions(asked, Output(json))


def _list(output: Output, own: str) -> None:
    from experiments.course.registry import all_exercises

    rows = [(each.name, each.title) for each in all_exercises(own).values()]
    output.table(fill(table(["exercise", "what it is"]), rows))
    output.text("vecsim grade EXERCISE shows what it asks, --start my.s writes the text to begin with")
    output.finish("vecsim grade", {"exercises": [{"name": name, "title": title} for name, title in rows]})


def _begin(chosen: Exercise, start: str) -> None:
    """Write the text to begin with, over nothing that is there."""
    target = OutputFile(start, "--start")
    if Path(start).exists():
        raise UserError(f"{start}: is there already, and may be your work; name another file")
    target.write(chosen.starter.encode("utf-8"))
    typer.echo(printable(f"{start}: {chosen.title}; vecsim grade {chosen.name} {start} says how it does"))


def _grade(chosen: Exercise, file: str, seed: int | None, engine: str, output: Output) -> None:
    from experiments.course.confined import grade_confined
    from experiments.course.grades import fresh_seed
    from experiments.course.submission import read_submission

    used = fresh_seed() if seed is None else seed
    result = grade_confined(chosen, read_submission(file), seed=used, engine=engine)
    _show(output, file, result)
    document = {
        "exercise": chosen.name,
        "file": file,
        "seed": result.seed,
        "passed": result.passed,
        "results": [asdict(each) for each in result.results],
        "hint": result.hint,
        "what_if": dict(result.what_if),
    }
    output.finish("vecsim grade", document)
    if not result.passed:
        raise typer.Exit(NOT_RIGHT)


def _show(output: Output, file: str, result: Grade) -> None:
    from experiments.course.grades import NO_CASE, first_problem

    rows = [
        (each.case, "not right" if each.problem else "right", each.cycles, each.budget)
        if each.problem != "budget"
        else (each.case, "too slow", each.cycles, each.budget)
        for each in result.results
    ]
    output.table(fill(table(["case", ""], ["cycles", "budget"]), rows))
    first = first_problem(result.results)
    alike = [each for each in result.results if first is not None and each.problem == first.problem]
    for each in alike[-1:]:  # the largest
        output.text(f"{each.case}: " + "\n".join(map(in_one_line, each.text.split("\n"))))
    for change, cycles in result.what_if:
        output.text(f"{result.results[-1].case} with {change}: {counted(cycles, 'cycle')}")
    right = sum(not each.problem for each in result.results)
    sampled = f"the cases of --seed {result.seed}"
    if result.passed:
        output.text(f"{result.exercise}: passed on {sampled}")
    else:
        output.text(f"hint: {result.hint}")
        if alike[-1].case != NO_CASE:
            case = f"{result.exercise}:{result.results.index(alike[-1]) + 1} --seed {result.seed}"
            output.text(f"step through it: vecsim debug {file} --exercise {case}")
        output.text(f"{result.exercise}: not yet; {right} of {len(result.results)} are right, {sampled}")
