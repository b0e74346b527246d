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
from experiments.papers.hism.table2 import GROUPS, PRINTED, PROGRAMS, grouped, ratio_of_means, size_limits
from experiments.papers.hism.timing import Cycles, Measured, Times, relative
from experiments.papers.kit.numbers import average
from experiments.papers.kit.request import Request
from experiments.report.comparison import Comparison
from experiments.report.item import Item
from vecsim.data import load
from vecsim.data.search_path import MATRIX_FOLDERS, files_in, matrix_folders
from vecsim.results.digests import pattern_sha256
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
    pattern_sha256
        See `vecsim.results.digests`.
    """

    name: str
    path: str
    size: int
    pattern_sha256: str


@dataclass(frozen=True)
class UnseenRuns:
    """What the programs took on the matrices outside the suite.

    Attributes
    ----------
    sizes
        Stored entries, by name.
    measured
        What the programs took.
    """

    sizes: Mapping[str, int]
    measured: Measured


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
    gaps = () if unseen.sizes else (f"No file outside the suite: {MATRIX_FOLDERS} names no folder with one.",)
    return Item(
        NAME,
        "Table 2, out of sample",
        "The six averages with the same machine and the same programs on the suite, to which the machine was "
        "calibrated, and on all matrix files found that are not in it. Each matrix is in the group to which "
        "its number of non-zeros belongs. The paper's number stands next to the averages over all sizes. An "
        "average has the range that leaving out one matrix gives.",
        tuple(rows),
        gaps=gaps,
        faults=unseen.measured.wrong(),
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
    others = unseen_matrices()
    measured = measure_members(others, load_unseen, request, repr)
    for each in others:
        if each.name in measured.timings:
            request.matrices[each.name] = {"pattern_sha256": each.pattern_sha256}
    return UnseenRuns({each.name: each.size for each in others}, measured)


def unseen_matrices() -> tuple[UnseenMatrix, ...]:
    """Return the matrix files of ``VECSIM_MATRICES`` that the suite does not have.

    A file counts as the suite's if it has the pattern or the name of a member. A file that cannot be read, or
    that has no entries, is left out.
    """
    members = suite.members()
    names = {name for member in members for name in (member.name, member.original)}
    patterns = {member.pattern_sha256 for member in members}
    others: dict[str, UnseenMatrix] = {}
    for folder in matrix_folders():
        for name, path in files_in(folder):
            if name in names or name in others:
                continue
            matrix = _read(path)
            if matrix is None or not matrix.nnz:
                continue
            pattern = pattern_sha256(matrix)
            if pattern not in patterns:
                patterns.add(pattern)  # of files with the same pattern, the first counts
                others[name] = UnseenMatrix(name, str(path), int(matrix.nnz), pattern)
    return tuple(sorted(others.values(), key=lambda each: (each.size, each.name)))


def load_unseen(matrix: UnseenMatrix) -> Any:
    """Return the csr_array of a matrix outside the suite.

    Raises
    ------
    UserError
        The file cannot be read any more.
    """
    return load(matrix.path, download=False).csr


def _read(path: Path) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return load(path, download=False).csr
    except UserError:
        return None
