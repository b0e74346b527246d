"""``vecsim reproduce``: the tables and figures of papers, made again, with a report."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vecsim.cli import completion, options
from vecsim.cli.printing.console import fill, table, tell
from vecsim.cli.printing.output import Output, OutputFile
from vecsim.engines import DEFAULT_ENGINE
from vecsim.results.provenance import provenance
from vecsim.support.errors import UserError
from vecsim.support.progress import Progress
from vecsim.support.suggestions import counted

if TYPE_CHECKING:
    from experiments.papers.kit.request import Request
    from experiments.report.item import Item, Report

WRONG = 1
"""Exit code when a result that the report rests on is wrong."""
GAP_WIDTH = 240
"""Letters of a gap that are shown; the report has all of it."""
SHORT = 9
"""Rows of a table that is shown though no paper prints any of it."""
FOLDER = "reproduced"
"""Where the report goes if the user does not say."""


def reproduce(
    name: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME",
            help="What to make: an item such as hism-table2, or a paper such as hism; see `vecsim list "
            "experiments`.",
            autocompletion=completion.experiments,
        ),
    ] = None,
    all_: Annotated[bool, typer.Option("--all", help="Make every item of every paper, on one page.")] = False,
    out: options.OutOption = FOLDER,
    machine: options.MachineOption = "vs2003",
    set_: options.SetOption = None,
    engine: options.EngineOption = DEFAULT_ENGINE,
    jobs: options.JobsOption = None,
    results: Annotated[
        list[str] | None,
        typer.Option(
            "--results",
            metavar="FILE.journal|FILE.json",
            help=".journal: store simulated cycles in this file at once, and simulate only the "
            "others. .json: show the GPU measurements of this file instead of measuring. "
            "Repeatable.",
        ),
    ] = None,
    json: options.JsonOption = None,
) -> None:
    """Reproduce tables and figures of papers: CSV, Markdown, PNG, SVG, and one HTML page with all of it.

    Exit code 1 means that a simulated product was wrong.
    """
    from experiments.papers.hism.results_file import ResultsFile
    from experiments.papers.kit.registry import chosen, every_experiment, recorded_files, require_cycles
    from experiments.papers.kit.registry import reproduce as make
    from experiments.papers.kit.request import Request
    from experiments.report.environment import processors
    from experiments.report.folder import PAGE, check_folder, files_of, write
    from experiments.report.tally import summary, words_by_kind

    if bool(name) == all_:
        raise UserError(
            f"{'--all: leave it out, or leave out' if all_ else 'nothing is chosen; use --all or'} "
            "names such as hism or hism-table2 (`vecsim list experiments`)"
        )
    asked = every_experiment() if all_ else chosen(name or ())
    provenance()  # of the code as it is now, not when the report is written
    folder = check_folder(out)
    output = Output(json)
    for file in results or ():
        if not file.endswith((".journal", ".json")):
            raise UserError(
                f"--results {file}: name a .journal for simulated cycles, or a .json measured on a GPU"
            )
    measured = [Path(file) for file in results or () if file.endswith(".json")]
    retained = [file for file in results or () if file.endswith(".journal")]
    if len(retained) > 1:
        raise UserError(
            f"--results {retained[1]}: cycles are stored in one file; leave it out or {retained[0]}"
        )
    for file in retained:
        require_cycles(asked, file)
        OutputFile(file, "--results", updated=True)  # refuses what cannot be written, before any work is done
    recorded = recorded_files(asked, measured)
    described = options.chosen_machine(machine, set_)
    with Progress() as work:
        request = Request(
            described,
            engine=engine,
            jobs=jobs or processors(),
            results=Path(retained[0]) if retained else None,
            recorded=recorded,
            folder=folder,
            watch=work.show,
        )
        if request.results is not None:
            ResultsFile(request.results, request).close()  # what it is shows before any work is done
        report = make(asked, request)
        work.show("drawing", 1.0)
        files = files_of(report)
    write(files, out)
    for item in report.items:
        show_item(output, item)
    for part in report.parts:
        for words in words_by_kind(part.items):
            output.text(f"{part.name}: {words}")
    if all_:
        of_papers = summary(report.parts)
        output.table(fill(table(of_papers.columns[:1], of_papers.columns[1:]), of_papers.rows))
    output.text(f"{folder / PAGE} and {counted(len(files) - 1, 'file')} next to it")
    output.finish("vecsim reproduce", _document(report, request))
    faults = [fault for item in report.items for fault in item.faults]
    if faults:
        tell(f"wrong results: {'; '.join(dict.fromkeys(faults))}")
        raise typer.Exit(WRONG)


def show_item(output: Output, item: Item) -> None:
    """Show the numbers that the paper prints next to ours, what it says in words, and the gaps.

    Where no paper prints any, a short table of ours is shown.
    """
    from experiments.report.number_tables import pivots

    output.text(f"{item.name}: {item.title}")
    printed = [row for row in item.rows if row.paper]
    short = len({row.row for row in item.rows}) <= SHORT
    for pivot in pivots(printed or (item.rows if short else ()))[0]:
        parts = ("paper", "ours", "diff.") if pivot.with_paper else ("",)
        heads = [f"{quantity}\n{part}".strip() for quantity in pivot.quantities for part in parts]
        rows = [
            [
                line.label,
                *(
                    text
                    for c in line.cells
                    for text in ((c.paper, c.ours, c.difference) if pivot.with_paper else (c.ours,))
                ),
            ]
            for line in pivot.lines
        ]
        output.table(fill(table([""], heads), rows))
    if item.verdicts:
        rows = [[verdict.outcome_in_words, verdict.claim, verdict.detail] for verdict in item.verdicts]
        output.table(fill(table(["outcome", "what the paper says", "here"]), rows))
    for gap in item.gaps:
        output.text(shorten(gap, GAP_WIDTH, placeholder=" ... (all in the report)"))


def _document(report: Report, request: Request) -> dict[str, Any]:
    """Return everything as one JSON object; ``value_bits`` is of the simulated programs."""
    from experiments.code_fingerprint import code_fingerprint
    from experiments.papers.hism.measurements import VALUE_BYTES
    from experiments.report.document import of_items
    from experiments.report.tally import tallies, tally

    return {
        "machine": request.machine.to_dict(),
        "engine": request.engine,
        "value_bits": 8 * VALUE_BYTES,
        "code_sha256": code_fingerprint(),
        "matrices": request.matrices,
        "papers": [
            {
                "name": part.name,
                "stand_ins": part.stand_ins,
                **asdict(tally(part.items)),
                "kinds": {kind: asdict(counts) for kind, counts in tallies(part.items).items()},
            }
            for part in report.parts
        ],
        "items": of_items(report.items),
    }
