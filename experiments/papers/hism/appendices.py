"""What stands after the items of the HiSM paper: the matrices, the cycles, the machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from experiments.papers.hism.calibration import recorded_tables
from experiments.papers.hism.calibration.choices import CHOICES
from experiments.papers.hism.format_tables import KEY
from experiments.papers.hism.open_claims import is_calibrated
from experiments.papers.hism.suite import Member
from experiments.papers.hism.suite_runs import SuiteRuns
from experiments.papers.hism.table2 import averages_over_all
from experiments.papers.hism.timing import METHODS, Timing
from experiments.papers.kit.request import Request
from experiments.papers.kit.tables import table
from experiments.report.item import Appendix
from experiments.report.number_tables import three_digits
from vecsim.data import Matrix
from vecsim.machine import to_toml
from vecsim.results.digests import pattern_sha256

PROVENANCES = {
    "file": "a file of the collection",
    "generated": "made by its published definition, which was compared with files of its family",
    "pattern": "entries where the collection's matrix has them, other values (no cycle depends on them)",
    "stand-in": "another matrix, of like size and kind",
}
"""What the words of the column mean."""


def make(request: Request) -> tuple[Appendix, ...]:
    """Return the matrices and their cycles, as far as asked for, the machine and its calibration."""
    runs, six = request.cached.get(SuiteRuns), request.cached.get(KEY)
    if runs is None:
        return (table_matrices(six),) if six else ()
    return (
        *((table_matrices(six),) if six else ()),
        matrices(runs),
        cycles(runs),
        _machine(request),
        *recorded_tables.appendices(averages_over_all(runs) if is_calibrated(request.machine) else None),
    )


def remarks(request: Request) -> tuple[str, ...]:
    """Return what the agreements prove, if any program was simulated."""
    if request.cached.get(SuiteRuns) is None:
        return ()
    return (
        "Decoded: the formula was worked out from these very numbers. Calibrated: the search for the machine "
        f"aimed at them; {len(METHODS) - 1} are independent, against {len(CHOICES)} open choices. Predicted: "
        "all others. Among machines that it cannot distinguish, the calibration also counts the claims.",
        *recorded_tables.by_standard(),
    )


def stand_in_matrices(request: Request) -> str:
    """Return in words how many matrices of the suite stand in for others, if any was simulated."""
    runs = request.cached.get(SuiteRuns)
    if runs is None:
        return ""
    standing_in = sum(each.provenance == "stand-in" for each in runs.members.values())
    return f"{standing_in} of {len(runs.members)} matrices"


def table_matrices(six: Mapping[str, Matrix]) -> Appendix:
    """List the matrices of Tables 1 and 3 that could be had."""
    columns: dict[str, Callable[[tuple[str, Matrix]], object]] = {
        "matrix": lambda of: of[0],
        "from": lambda of: Path(of[1].source).name,
        "rows": lambda of: of[1].csr.shape[0],
        "columns": lambda of: of[1].csr.shape[1],
        "non-zeros": lambda of: of[1].csr.nnz,
        "SHA-256 of the pattern": lambda of: pattern_sha256(of[1].csr),
    }
    filled = table(six.items(), columns, slice(2, 5))
    return Appendix("hism-table-matrices", "The matrices of Tables 1 and 3", table=filled)


def matrices(runs: SuiteRuns) -> Appendix:
    """List every matrix of the suite with its provenance."""
    columns: dict[str, Callable[[Member], object]] = {
        "matrix": lambda m: m.name,
        "provenance": lambda m: m.provenance,
        "available": lambda m: runs.missing.get(m.name, "yes"),
        "rows": lambda m: m.rows,
        "columns": lambda m: m.columns,
        "non-zeros": lambda m: m.size,
        "locality": lambda m: three_digits(m.locality),
        "a row": lambda m: three_digits(m.average_per_row),
        "collection": lambda m: m.collection,
        "application": lambda m: m.application,
        "origin": lambda m: m.origin,
        "stands in for": lambda m: m.stands_in_for,
        "note": lambda m: m.note,
        "SHA-256 of the pattern": lambda m: m.pattern_sha256,
    }
    counts = {
        word: sum(member.provenance == word for member in runs.members.values()) for word in PROVENANCES
    }
    return Appendix(
        "hism-matrices",
        "The matrices of the suite",
        (
            f"{len(runs.members)} matrices, chosen by the paper's criteria of size, locality and average "
            "non-zeros per row before any of them was simulated.",
            "; ".join(f"{word} ({counts[word]}): {meaning}" for word, meaning in PROVENANCES.items()) + ".",
        ),
        table(runs.members.values(), columns, slice(3, 8)),
    )


def cycles(runs: SuiteRuns) -> Appendix:
    """List what every program took on every matrix."""
    result = runs.measured.timings
    columns: dict[str, Callable[[tuple[str, Timing]], object]] = {
        "matrix": lambda of: of[0],
        "program": lambda of: of[1].program,
        "cycles": lambda of: of[1].cycles,
        "of CHiSM's": lambda of: f"{of[1].cycles / result[of[0]]['chism'].cycles:.4f}",
        "instructions": lambda of: of[1].instructions,
        "bytes moved": lambda of: of[1].bytes_moved,
        "relative error": lambda of: f"{of[1].relative_error:.1e}",
    }
    every = [(matrix, timing) for matrix, timings in result.items() for timing in timings.values()]
    paragraph = (
        f"Programs: {', '.join(METHODS)}. Values are 32 bits wide; x is uniform in 0 to 1. The relative "
        "error is max |y - r| / (|A| |x|), r by SciPy in float64."
    )
    return Appendix("hism-cycles", "Every run", (paragraph,), table(every, columns, slice(2, None)))


def _machine(request: Request) -> Appendix:
    return Appendix(
        "",
        "The machine",
        (f"{request.machine.label_with_digest}; simulated with the engine {request.engine}.",),
        listing=to_toml(request.machine),
    )
