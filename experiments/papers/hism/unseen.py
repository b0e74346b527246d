"""Out of sample: the averages of Table 2 on matrices that the suite, and so the calibration, never saw."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from experiments.papers.hism import suite
from experiments.papers.hism.measurements import measure_members
from experiments.papers.hism.suite_runs import SuiteRuns, suite_runs
from experiments.papers.hism.table2 import (
    GROUPS,
    IMPLIED,
    PRINTED,
    PROGRAMS,
    grouped,
    ratio_of_means,
    size_limits,
)
from experiments.papers.hism.timing import Cycles, Measured, Times, relative
from experiments.papers.kit.numbers import average
from experiments.papers.kit.request import Request
from experiments.report.comparison import Comparison
from experiments.report.item import Item, Verdict
from vecsim.data import load
from vecsim.data.search_path import MATRIX_FOLDERS, files_in, matrix_folders
from vecsim.results.digests import matrix_sha256, pattern_sha256
from vecsim.support.errors import UserError

NAME = "hism-unseen"
SUITE, UNSEEN = "the suite", "other matrices"


@dataclass(frozen=True)
class UnseenMatrix:
    """A matrix file outside the suite.

    Attributes
    ----------
    name
        Of the file, without its suffix.
    path
        The file.
    size
        Stored entries.
    sha256
        Of its entries and values; see `vecsim.results.digests.matrix_sha256`. Kept results are found by it.
    """

    name: str
    path: str
    size: int
    sha256: str


@dataclass(frozen=True)
class UnseenRuns:
    """What the programs took on the matrices outside the suite.

    Attributes
    ----------
    sizes
        Stored entries, by name.
    measured
        What the programs took.
    unread
        Why files were left out, by name.
    """

    sizes: Mapping[str, int]
    measured: Measured
    unread: Mapping[str, str]


def make(request: Request) -> Item:
    """Simulate the suite and all other matrices, and fill the table.

    Raises
    ------
    UserError
        As :func:`experiments.papers.hism.measurements.measure_members`.
    """
    return item(suite_runs(request), unseen_runs(request))


def unseen_runs(request: Request) -> UnseenRuns:
    """Simulate the matrices outside the suite, once for each request."""
    return request.once(UnseenRuns, lambda: _measured(request))


def item(runs: SuiteRuns, unseen: UnseenRuns) -> Item:
    """Make the table of what the programs took on the suite and on other matrices."""
    sizes = {member.name: member.size for member in runs.members.values()}
    limits = size_limits(grouped(runs.members.values(), runs.figures["size"]), sizes)
    sets = (
        (SUITE, runs.measured.cycles(), sizes),
        (UNSEEN, unseen.measured.cycles(), unseen.sizes),
    )
    rows = [row for words, cycles, sizes in sets for row in _rows(words, cycles, sizes, limits)]
    left_out = {**unseen.unread, **unseen.measured.failed}
    gaps = [f"Left out: {name}: {why}" for name, why in left_out.items()]
    if not unseen.sizes:
        gaps.append(f"No file outside the suite: {MATRIX_FOLDERS} names no folder with one.")
    return Item(
        NAME,
        "Table 2, out of sample",
        "The six averages with the same machine and the same programs on the suite, to which the machine was "
        "calibrated, and on all matrix files found that are not in it. Each matrix is in the group to which "
        "its number of non-zeros belongs. The paper's number stands next to the averages over all sizes. An "
        "average has the range that leaving out one matrix gives.",
        tuple(rows),
        verdicts=(_variety(rows),),
        gaps=tuple(gaps),
        faults=unseen.measured.wrong(),
    )


def _variety(rows: Sequence[Comparison]) -> Verdict:
    """Check whether the averages hold for other matrices, too: those that no other row of Table 2 implies."""
    named = {f"{label}, {UNSEEN}": label for label in PRINTED if label not in IMPLIED}
    averages = {
        named[row.row]: row for row in rows if row.row in named and row.quantity == GROUPS[0] and row.ours
    }
    detail = ", ".join(f"{label} {row.ours:.2f} (the paper: {row.paper})" for label, row in averages.items())
    return Verdict(
        "The averages hold for a wide variety of matrices (abstract; here: those outside the suite)",
        all(row.outcome == "confirmed" for row in averages.values()) if averages else None,
        detail or "no file outside the suite is found",
    )


def _rows(
    words: str, cycles: Cycles, sizes: Mapping[str, int], limits: Sequence[float]
) -> Iterator[Comparison]:
    for label, (slow, fast) in PROGRAMS.items():
        for group in GROUPS:
            names = [
                name
                for name in cycles
                if group == GROUPS[0] or GROUPS[1 + sum(sizes[name] > cut for cut in limits)] == group
            ]
            times = {name: relative(cycles[name]) for name in names}
            mean = average(times, partial(_ratio, slow, fast))
            yield Comparison(
                f"{label}, {words}",
                group,
                PRINTED[label][0] if group == GROUPS[0] else "",
                None if mean is None else mean.value,
                f"{len(names)} matrices",
                kind="calibrated" if words == SUITE else "predicted",
                implied=True,  # Table 2 counts the paper's numbers; those of other matrices it does not print
                without_one=None if mean is None else mean.without_one,
            )


def _ratio(slow: str, fast: str, times: Sequence[Times]) -> float:
    return ratio_of_means(times, slow, fast) or 0.0


def _measured(request: Request) -> UnseenRuns:
    request.watch("reading the matrices outside the suite", 0.0)
    others, unread = unseen_matrices()
    measured = measure_members(others, load_unseen, request, repr)
    for each in others:
        if each.name in measured.timings:
            request.matrices[each.name] = {"matrix_sha256": each.sha256}
    return UnseenRuns({each.name: each.size for each in others}, measured, unread)


def unseen_matrices() -> tuple[tuple[UnseenMatrix, ...], dict[str, str]]:
    """Return the matrix files that the suite does not have, and why others are left out.

    The files are those of ``VECSIM_MATRICES``. One counts as the suite's if it has the pattern or the name of
    a member. Of files with the same pattern the first counts. Of these nothing is said. A file that cannot be
    read or has no entries is named.
    """
    members = suite.members()
    names = {name for member in members for name in (member.name, member.original)}
    patterns = {member.pattern_sha256 for member in members}
    others: dict[str, UnseenMatrix] = {}
    unread: dict[str, str] = {}
    for folder in matrix_folders():
        for name, path in files_in(folder):
            if name in names or name in others:
                continue
            try:
                matrix = _read(path)
            except UserError as error:
                unread[name] = str(error)
                continue
            pattern = pattern_sha256(matrix)
            if not matrix.nnz:
                unread[name] = "it has no entries"
            elif pattern not in patterns:
                patterns.add(pattern)
                others[name] = UnseenMatrix(name, str(path), int(matrix.nnz), matrix_sha256(matrix))
    return tuple(sorted(others.values(), key=lambda each: (each.size, each.name))), unread


def load_unseen(matrix: UnseenMatrix) -> Any:
    """Return the csr_array of a matrix outside the suite.

    Raises
    ------
    UserError
        The file cannot be read any more, or has changed.
    """
    csr = _read(Path(matrix.path))
    if matrix_sha256(csr) != matrix.sha256:
        raise UserError(f"{matrix.path}: it changed while the programs ran; run them again")
    return csr


def _read(path: Path) -> Any:
    """Read a matrix; what reading changes, such as complex values, changes no cycle and is not reported."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return load(path, download=False).csr
