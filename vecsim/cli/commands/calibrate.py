"""``vecsim calibrate``: what the HiSM paper leaves open, searched for what comes nearest to its Table 2."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vecsim.cli import options
from vecsim.cli.commands.reproduce import show_item
from vecsim.cli.printing.console import fill, table
from vecsim.cli.printing.output import Output, OutputFile
from vecsim.engines import DEFAULT_ENGINE
from vecsim.results.provenance import provenance
from vecsim.support.progress import Progress
from vecsim.support.shown_text import utf8
from vecsim.support.suggestions import counted

if TYPE_CHECKING:
    from experiments.papers.hism.calibration.calibration import Calibration

FOLDER = "calibrated"
"""Where the report goes if the user does not say."""
PRESET = "proposed.toml"
"""The proposed machine, next to the report."""


def calibrate(
    out: options.OutOption = FOLDER,
    machine: options.MachineOption = "vs2003",
    set_: options.SetOption = None,
    engine: options.EngineOption = DEFAULT_ENGINE,
    jobs: options.JobsOption = None,
    results: Annotated[
        str | None,
        typer.Option(
            "--results",
            metavar="FILE.journal",
            help="Store simulated cycles in this file, and simulate only what is not in it.",
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="A short test: only small matrices, one start of the search.")
    ] = False,
    starts: Annotated[
        int | None,
        typer.Option(
            "--starts",
            metavar="N",
            min=1,
            help="Number of starting points of the search; default 12.",
        ),
    ] = None,
    candidates: Annotated[
        int | None,
        typer.Option(
            "--candidates",
            metavar="N",
            min=1,
            help="End the search after N candidates; default 800.",
        ),
    ] = None,
    json: options.JsonOption = None,
) -> None:
    """Search for the machine nearest to Table 2 of the HiSM paper, in what the paper leaves open.

    The report gives the proposed machine, the distance of every candidate, and on which machines the paper's
    conclusions hold.
    """
    from experiments.papers.hism.calibration.calibration import CANDIDATES, STARTS, Effort
    from experiments.papers.hism.calibration.calibration import calibrate as search
    from experiments.papers.hism.calibration.report import report
    from experiments.papers.kit.request import Request
    from experiments.report.agreement import outcome_of_claim
    from experiments.report.environment import processors
    from experiments.report.folder import PAGE, SUFFIXES, check_folder, files_of, write
    from vecsim.machine import to_toml

    provenance()  # of the code as it is now, not when the report is written, hours later
    folder = check_folder(out, (*SUFFIXES, Path(PRESET).suffix))
    output = Output(json)
    if results is not None:
        # Refuses what cannot be written, before any work is done.
        OutputFile(results, "--results", updated=True)
    with Progress() as work:
        request = Request(
            options.chosen_machine(machine, set_),
            engine=engine,
            jobs=jobs or processors(),
            results=None if results is None else Path(results),
            watch=work.show,
        )
        result = search(request, effort=Effort(quick, starts or STARTS, candidates or CANDIDATES))
        work.show("drawing", 1.0)
        built = report(result, engine)
        files = files_of(built) | {PRESET: utf8(to_toml(result.machine))}
    write(files, out)
    show_item(output, built.items[0])
    rows = [
        [s.conclusion, s.extent, f"{s.holds} of {s.examined}", outcome_of_claim(s.at_proposal)]
        for s in result.sensitivities
    ]
    output.table(fill(table(["conclusion of the paper", "holds on", "machines", "proposal"]), rows))
    output.text(f"{folder / PAGE} and {counted(len(files) - 1, 'file')} next to it")
    output.finish("vecsim calibrate", _document(result, engine=engine))


def _document(result: Calibration, **how: Any) -> dict[str, Any]:
    """Return the proposal as one JSON object."""
    from experiments.code_fingerprint import code_fingerprint
    from experiments.papers.hism.calibration.choices import options_of
    from experiments.papers.hism.measurements import VALUE_BYTES

    distance = result.proposal.distance
    return {
        **how,
        "value_bits": 8 * VALUE_BYTES,
        "quick": result.effort.quick,
        "starts": result.effort.begun,
        "finished": result.finished,
        "examined": len(result.examined),
        "proposal": dict(result.proposal.candidate),
        "machine": result.machine.to_dict(),
        "code_sha256": code_fingerprint(),
        "matrices": {
            name: {"pattern_sha256": member.pattern_sha256} for name, member in result.ground.members.items()
        },
        "options": options_of(result.proposal.candidate, result.choices),
        "score": distance.score,
        "numbers": [
            {"row": row, "quantity": group, "ours": ours, "ratio": distance.ratio(row, group)}
            for (row, group), ours in distance.numbers.items()
        ],
        "conclusions": [
            {
                "conclusion": s.conclusion,
                "holds": s.holds,
                "examined": s.examined,
                "extent": s.extent,
                "proposal": s.at_proposal,
            }
            for s in result.sensitivities
        ],
    }
