"""Why JD is slow on qc324 (section 3.1.2): the programs again, on a machine without conflicts of banks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from experiments.papers.hism import suite
from experiments.papers.hism.measurements import measure_members
from experiments.papers.hism.suite import Criterion
from experiments.papers.hism.suite_runs import SuiteRuns
from experiments.papers.hism.timing import METHODS
from experiments.papers.kit.request import Request
from experiments.report.comparison import Kind
from experiments.report.item import Verdict

CAUSE_OF: Criterion = "locality"
"""What the figure sorts by that the paper says it of."""
MATRIX = "qc324"
KIND: Kind = "calibrated"
"""The banks were searched among values that were chosen with this sentence in mind."""
STEADY = 1.05
"""Up to this factor a program does not suffer from conflicts."""


def bank_conflicts(request: Request, runs: SuiteRuns) -> Verdict:
    """Check that conflicts of banks cause most of what JD takes on qc324 beyond the slowest other program.

    They do if more than half of it is gone where no bank is ever busy, and HiSM and CHiSM hardly change.

    Raises
    ------
    UserError
        As :func:`experiments.papers.hism.measurements.measure_members`.
    """
    claim = (
        f"Most of JD's excess on {MATRIX} over the slowest other program comes from conflicts of banks, "
        "which HiSM and CHiSM do not have"
    )
    member = next((each for each in runs.members.values() if each.original == MATRIX), None)
    if member is None or member.name not in runs.measured.timings:
        return Verdict(claim, None, f"{MATRIX}: not found", KIND)
    machine = request.machine.changed({"bank_busy": 0})
    without = replace(request, machine=machine, jobs=1, results=None)
    free = measure_members([member], suite.load, without).cycles()[member.name]
    usual = runs.measured.cycles()[member.name]
    suffers = any(usual[program] > STEADY * free[program] for program in ("hism", "chism"))
    words = ", ".join(f"{METHODS[program]} {usual[program]:,} ({free[program]:,})" for program in METHODS)
    return Verdict(
        claim,
        _excess(free) < _excess(usual) / 2 and not suffers,
        f"cycles, and in parentheses where no bank is ever busy: {words}; excess {_excess(usual):,} "
        f"({_excess(free):,})",
        KIND,
    )


def _excess(cycles: Mapping[str, int]) -> int:
    """Return by how many cycles JD is slower than the slowest other program; 0 if it is not."""
    return max(0, cycles["jd"] - max(count for program, count in cycles.items() if program != "jd"))
