"""``vecsim compare`` and ``vecsim rerun``: results in files, side by side and once more."""

from __future__ import annotations

import tempfile
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
FILE_HELP = "A JSON file of `vecsim run` or `vecsim exec`, or the folder of a sweep."


def compare(
    before: Annotated[
        str,
        typer.Argument(
            metavar="A", help="A JSON file of `vecsim run`, `exec` or `why`, or a folder of a sweep."
        ),
    ],
    after: Annotated[str, typer.Argument(metavar="B", help="Another of the same command.")],
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
        int, typer.Option("--most", min=1, help="Runs to show, those that changed most.")
    ] = SHOWN,
    parts: Annotated[
        int,
        typer.Option(
            "--parts",
            min=0,
            help="Runs that are shown by cause and, where both files have them, by instruction.",
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
    found = compared(read_document(Path(before)), read_document(Path(after)))
    if threshold is not None and not (found.changes or found.apart):
        raise UserError(f"--threshold {threshold:g}: {before} and {after} have no run in common to compare")
    _show(output, found, most)
    for change in found.changes[:parts]:
        if change.before != change.after or change.program:
            output.text(" ".join(change.key))
            causes = [replace(part, name=label(part.name)) for part in change.causes]
            output.table(_side_by_side("cycles by cause", causes))
            if change.lines:
                output.table(_side_by_side("instruction", change.lines[:LINES_SHOWN]))
    output.finish("vecsim compare", found.to_dict())
    if threshold is not None and (found.largest > threshold or found.apart):
        raise typer.Exit(DIFFERENT)


def _show(output: Output, found: Comparison, most: int) -> None:
    for each in found.inputs:
        output.text(each.in_words())
    if found.inputs:
        output.text("inputs differ: a difference in cycles is not due to the machine or the options alone")
    if found.apart:
        output.text(f"not compared, as their matrices differ: {_some(found.apart)}")
    if found.made:
        output.table(fill(table(["made with", "A", "B"]), found.made))
    rows = [
        (
            " ".join(change.key),
            change.before,
            change.after,
            f"{change.percent:+.2f} %",
            {None: None, True: "another", False: "the same"}[change.program],
            _most(change.causes),
        )
        for change in found.changes[:most]
    ]
    made = table(["run"], ["cycles A", "cycles B", "change"])
    made.add_column("program")
    made.add_column("most of it")
    output.table(fill(made, rows))
    same = sum(change.before == change.after for change in found.changes)
    left_out = max(len(found.changes) - most, 0)
    output.text(
        f"{counted(len(found.changes), 'run')} in common, {same:,} with the same cycles; largest change "
        f"{found.largest:.2f} %" + (f"; {left_out:,} are not shown (--most)" if left_out else "")
    )
    for keys, name in ((found.only_before, "A"), (found.only_after, "B")):
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
    json: JsonOption = None,
) -> None:
    """Run what a result names once more, and say whether the cycles are the same."""
    from experiments.whatif.compare import read_document
    from experiments.whatif.compare import rerun as repeated

    document = read_document(Path(file))
    output = Output(json, inputs=[document.path])
    with Progress() as progress, tempfile.TemporaryDirectory() as folder:

        def watch(what: str, number: int, of: int) -> None:
            progress.show(what, number / of)

        again = repeated(document, extend=extend or (), store=Path(folder) / "store", watch=watch)
    found = again.runs
    for line in again.inputs:
        output.text(line)
    rows = [
        (
            " ".join(each.key),
            each.then,
            each.now,
            "yes" if each.same else "no",
            {None: None, True: "another", False: "the same"}[each.program],
        )
        for each in found
        if len(found) <= SHOWN or not each.same
    ]
    made = table(["run"], ["cycles then", "now"])
    made.add_column("same")
    made.add_column("program")
    if rows:
        output.table(fill(made, rows))
    if not found:
        raise UserError(f"{document.path}: the result names no run to repeat")
    same = sum(each.same for each in found)
    output.text(f"{same:,} of {counted(len(found), 'run')} take the same cycles")
    output.finish(
        "vecsim rerun",
        {
            "file": str(document.path),
            "of": document.kind,
            "inputs": again.inputs,
            "runs": [
                {"key": each.key, "then": each.then, "now": each.now, "other_program": each.program}
                for each in found
            ],
        },
    )
    if same < len(found):
        raise typer.Exit(DIFFERENT)
