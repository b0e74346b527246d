"""What stands behind the items of the HiSM paper: the matrices, the cycles, the machine."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from experiments.papers.hism.calibration import kept
from experiments.papers.hism.format_tables import KEY
from experiments.papers.hism.suite import Member
from experiments.papers.hism.suite_runs import SuiteRuns
from experiments.papers.hism.table2 import averages_over_all
from experiments.papers.hism.timing import METHODS
from experiments.papers.kit.request import Request
from experiments.report.item import Appendix, Table
from experiments.report.number_tables import three_digits
from vecsim.data import Matrix
from vecsim.machine import load_machine, to_toml
from vecsim.results.digests import pattern_sha256

PROVENANCES = {
    "file": "a file of the collection",
    "generated": "made by its published definition, which was compared with files of its family",
    "pattern": "entries where the collection's matrix has them, other values (no cycle depends on them)",
    "stand-in": "another matrix, of like size and kind",
}
"""What the words of the column mean."""


def make(request: Request) -> tuple[Appendix, ...]:
    """Give the matrices and their cycles, as far as they were asked for, the machine and its calibration."""
    runs, six = request.kept.get(SuiteRuns), request.kept.get(KEY)
    if runs is None:
        return (table_matrices(six),) if six else ()
    return (
        *((table_matrices(six),) if six else ()),
        matrices(runs),
        cycles(runs),
        _machine(request),
        *kept.appendices(averages_over_all(runs) if request.machine == load_machine("vs2003") else None),
    )


def remarks(request: Request) -> tuple[str, ...]:
    """Say how much the conclusions depend on how the programs are written, if any was simulated."""
    return kept.by_standard() if request.kept.get(SuiteRuns) is not None else ()


def table_matrices(six: Mapping[str, Matrix]) -> Appendix:
    """List the matrices of Tables 1 and 3 that could be had."""
    rows = tuple(
        (
            name,
            Path(matrix.source).name,
            *map(str, matrix.csr.shape),
            str(matrix.csr.nnz),
            pattern_sha256(matrix.csr),
        )
        for name, matrix in six.items()
    )
    columns = ("matrix", "from", "rows", "columns", "non-zeros", "SHA-256 of the pattern")
    return Appendix(
        "hism-table-matrices",
        "The matrices of Tables 1 and 3",
        table=Table(columns, rows, frozenset(columns[2:5])),
    )


def matrices(runs: SuiteRuns) -> Appendix:
    """List every matrix of the suite with its provenance."""
    columns = ("matrix", "provenance", "available", "rows", "columns", "non-zeros", "locality", "a row")
    numbers = frozenset(columns[3:])
    more = ("collection", "application", "origin", "stands in for", "note", "SHA-256 of the pattern")
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
        Table((*columns, *more), tuple(_matrix(runs, member) for member in runs.members.values()), numbers),
    )


def _matrix(runs: SuiteRuns, member: Member) -> tuple[str, ...]:
    return (
        member.name,
        member.provenance,
        runs.missing.get(member.name, "yes"),
        str(member.rows),
        str(member.columns),
        str(member.size),
        three_digits(member.locality),
        three_digits(member.average_per_row),
        member.collection,
        member.application,
        member.origin,
        member.stands_in_for,
        member.note,
        member.pattern_sha256,
    )


def cycles(runs: SuiteRuns) -> Appendix:
    """List what every program took on every matrix."""
    columns = ("matrix", "program", "cycles", "of CHiSM's", "instructions", "bytes moved", "relative error")
    rows = tuple(
        (
            matrix,
            timing.program,
            str(timing.cycles),
            f"{timing.cycles / timings['chism'].cycles:.4f}",
            str(timing.instructions),
            str(timing.bytes_moved),
            f"{timing.relative_error:.1e}",
        )
        for matrix, timings in runs.measured.timings.items()
        for timing in timings.values()
    )
    paragraph = (
        f"Programs: {', '.join(METHODS)}. Values are 32 bits wide; x is uniform in 0 to 1. The relative "
        "error is max |y - r| / (|A| |x|), r by SciPy in float64."
    )
    return Appendix("hism-cycles", "Every run", (paragraph,), Table(columns, rows, frozenset(columns[2:])))


def _machine(request: Request) -> Appendix:
    return Appendix(
        "",
        "The machine",
        (f"{request.machine.label_with_digest}; simulated with the engine {request.engine}.",),
        listing=to_toml(request.machine),
    )
