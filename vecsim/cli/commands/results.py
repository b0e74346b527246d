"""``vecsim compare`` and ``vecsim rerun``: results in files, side by side and again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vecsim.cli.options import ExtendOption, JsonOption, finite
from vecsim.cli.printing.console import fill, table
from vecsim.cli.printing.output import Output
from vecsim.engines.cause import label
from vecsim.support.errors import UserError
from vecsim.support.progress import Progress
from vecsim.support.suggestions import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.table import Table

    from experiments.whatif.compare import Comparison
    from experiments.whatif.compare.comparison import Part

DIFFERENT = 1
"""Exit code when cycles differ: by more than the threshold, or at all from those of a run again."""
SHOWN = 20
"""Runs that are shown if the user does not say; of a result run again, all up to this number."""
LINES_SHOWN = 8
"""Instructions of a run that are shown, those that changed most."""
FILE_HELP = (
    "A JSON file of `vecsim run`, `exec` or `why`, the folder of a sweep, or an archive of `vecsim export`."
)


def compare(
    before: Annotated[
        str,
        typer.Argument(
            metavar="A", help="A JSON file of `vecsim run`, `exec` or `why`, or a folder of a sweep."
        ),
    ],
    after: Annotated[str, typer.Argument(metavar="B", help="Another result of the same command.")],
    threshold: Annotated[
        float | None,
        typer.Option(
            "--threshold",
            parser=finite("--threshold"),
            metavar="PERCENT",
            help="End with exit code 1 if cycles differ by more.",
        ),
    ] = None,
    most: Annotated[
        int, typer.Option("--most", min=1, help="Number of runs to show, the most changed first.")
    ] = SHOWN,
    parts: Annotated[
        int,
        typer.Option(
            "--parts",
            min=0,
            help="Number of runs to show by cause and, where both files have them, by instruction.",
        ),
    ] = 1,
    json: JsonOption = None,
) -> None:
    """Show what differs between two results: how they were made, and their cycles.

    Runs of the same matrix and program are compared, or, if each file has one run, these two.
    """
    from experiments.whatif.compare import compare as compared
    from experiments.whatif.compare import read_document

    output = Output(json, inputs=[path for path in (before, after) if Path(path).is_file()])
    match = compared(read_document(Path(before)), read_document(Path(after)))
    if threshold is not None and not (match.changes or match.apart):
        raise UserError(
            f"--threshold {threshold:g}: {before} and {after} have no run in common; choose "
            "results that share one"
        )
    _show(output, match, most)
    for change in match.changes[:parts]:
        if change.before != change.after or change.program:
            output.text(" ".join(change.key))
            causes = [replace(part, name=label(part.name)) for part in change.causes]
            output.table(_side_by_side("cycles by cause", causes))
            if change.lines:
                output.table(_side_by_side("instruction", change.lines[:LINES_SHOWN]))
    output.finish("vecsim compare", match.to_dict())
    if threshold is not None and (match.largest > threshold or match.apart):
        raise typer.Exit(DIFFERENT)


def _show(output: Output, match: Comparison, most: int) -> None:
    for each in match.inputs:
        output.text(each.in_words())
    if match.inputs:
        output.text("inputs differ: a difference in cycles is not due to the machine or the options alone")
    if match.apart:
        output.text(f"not compared, as their matrices differ: {_some(match.apart)}")
    if match.settings:
        output.table(fill(table(["made with", "A", "B"]), match.settings))
    rows = [
        (
            " ".join(change.key),
            change.before,
            change.after,
            f"{change.percent:+.2f} %",
            {None: None, True: "another", False: "the same"}[change.program],
            _most(change.causes),
        )
        for change in match.changes[:most]
    ]
    built = table(["run"], ["cycles A", "cycles B", "change"])
    built.add_column("program")
    built.add_column("most of it")
    output.table(fill(built, rows))
    same = sum(change.before == change.after for change in match.changes)
    left_out = max(len(match.changes) - most, 0)
    output.text(
        f"{counted(len(match.changes), 'run')} in common, {same:,} with the same cycles; largest change "
        f"{match.largest:.2f} %" + (f"; {left_out:,} are not shown (--most)" if left_out else "")
    )
    for keys, name in ((match.only_before, "A"), (match.only_after, "B")):
        if keys:
            output.text(f"only in {name}: {_some(keys)}")


def _some(keys: Sequence[tuple[str, ...]]) -> str:
    named = ", ".join(" ".join(key) for key in keys[:3]) + (", ..." if len(keys) > 3 else "")
    return f"{len(keys):,} ({named})"


def _most(causes: Sequence[Part]) -> str | None:
    return f"{label(causes[0].name)} {causes[0].change:+,}" if causes and causes[0].change else None


def _side_by_side(title: str, parts: Sequence[Part]) -> Table:
    rows = ((part.name, part.before, part.after, f"{part.change:+,}") for part in parts)
    return fill(table([title], ["cycles A", "cycles B", "change"]), rows)


def rerun(
    file: Annotated[str, typer.Argument(metavar="RESULT", help=FILE_HELP)],
    extend: ExtendOption = None,
    sample: Annotated[
        int | None,
        typer.Option("--sample", min=1, metavar="N", help="Repeat N of the runs, always the same ones."),
    ] = None,
    json: JsonOption = None,
) -> None:
    """Run the subject of a result again and compare the cycles."""
    from experiments.whatif.compare import read_document
    from experiments.whatif.compare import rerun as repeated

    document = read_document(Path(file))
    output = Output(json, inputs=[document.path])
    with Progress() as progress:

        def watch(what: str, number: int, of: int) -> None:
            progress.show(what, number / of)

        again = repeated(document, extend=extend or (), sample=sample, watch=watch)
    match = again.runs
    for line in (*again.inputs, *again.made):
        output.text(line)
    rows = [
        (
            " ".join(each.key),
            each.then,
            each.now,
            "yes" if each.same else "no",
            {None: None, True: "another", False: "the same"}[each.program],
        )
        for each in match
        if len(match) <= SHOWN or not each.same
    ]
    built = table(["run"], ["cycles then", "now"])
    built.add_column("same")
    built.add_column("program")
    if rows:
        output.table(fill(built, rows))
    if not match:
        raise UserError(f"{document.path}: the result names no run to repeat")
    same = sum(each.same for each in match)
    sampled = f", a sample of all {again.all_runs:,}" if len(match) < again.all_runs else ""
    output.text(f"{same:,} of {counted(len(match), 'run')} take the same cycles{sampled}")
    if again.left_out:
        output.text(f"{counted(again.left_out, 'run')} could not be repeated")
    output.finish(
        "vecsim rerun",
        {
            "file": str(document.path),
            "of": document.kind,
            "inputs": again.inputs,
            "made": again.made,
            "all_runs": again.all_runs,
            "runs": [
                {"key": each.key, "then": each.then, "now": each.now, "other_program": each.program}
                for each in match
            ],
        },
    )
    if same < len(match):
        raise typer.Exit(DIFFERENT)
