"""What was measured, and the file that keeps it: rendering needs nothing else."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, field
from typing import Literal

from experiments.papers.kit.recorded import kept_json
from experiments.papers.kit.source import read_results
from experiments.papers.layouts.paper import KIND

REAL = "real product"
"""How the names of this project's own products of real matrices begin, in the place of a form of cuSPARSE."""
Five = tuple[float, float, float, float, float]
"""Least, lower quartile, median, upper quartile, greatest."""


@dataclass(frozen=True)
class MatrixRecord:
    """A matrix that was measured, or was to be.

    Attributes
    ----------
    name, entry, note, stands_for
        As of `experiments.papers.layouts.subjects.Subject`.
    rows, entries
        Counts.
    row_lengths
        Of the entries of rows.
    bandwidths
        Of the bandwidths of rows that have entries, in per cent of the columns.
    missing
        Why it was not measured; empty if it was.
    """

    name: str
    entry: str
    note: str = ""
    stands_for: str = ""
    rows: int = 0
    entries: int = 0
    row_lengths: Five = (0.0, 0.0, 0.0, 0.0, 0.0)
    bandwidths: Five = (0.0, 0.0, 0.0, 0.0, 0.0)
    missing: str = ""


Search = Literal["joint", "paper", "schedule"]


@dataclass(frozen=True)
class SearchRecord:
    """What a search found.

    Attributes
    ----------
    matrix, dtype
        Of which.
    search
        ``joint``: layouts and schedules. ``paper``: the same among the paper's layouts. ``schedule``:
        schedules alone, in the natural layout.
    layout, schedule
        The best.
    median_us, nbytes
        Of it: warm, and the matrix with its padding.
    variants
        How many were measured.
    complete
        Whether the time was enough for all that were not pruned.
    bound_us
        The time in which the entries, their columns and both vectors can be read and written once.
    reason
        Why nothing was found; empty if something was.
    """

    matrix: str
    dtype: str
    search: Search
    layout: str = ""
    schedule: str = ""
    median_us: float | None = None
    nbytes: int | None = None
    variants: int = 0
    complete: bool = True
    bound_us: float | None = None
    reason: str = ""


@dataclass(frozen=True)
class LibraryRecord:
    """A product of cuSPARSE, or of this project for real matrices.

    Attributes
    ----------
    matrix, dtype, form
        Of what, and in which form: of `gpu.compound.cusparse_forms`, or `REAL` and the name of a kernel.
    median_us, nbytes, error
        Warm; of the matrix; the largest difference over the largest component.
    reason
        Why it was not measured; empty if it was.
    """

    matrix: str
    dtype: str
    form: str
    median_us: float | None = None
    nbytes: int | None = None
    error: float | None = None
    reason: str = ""


@dataclass(frozen=True)
class Results:
    """Everything that one run measured.

    Attributes
    ----------
    kind
        What the file says it is.
    made, commit
        When it began (ISO 8601, UTC), and of which code.
    gpu
        The name of the device; empty if there was none, and then there are matrices alone.
    facts
        Versions and limits of it, as text.
    seconds
        What the phases of the run took.
    matrices, searches, library
        In the order in which they were measured.
    command, versions
        What made it (`vecsim.results.provenance`).
    """

    kind: Literal["vecsim reproduce layouts"]
    made: str
    commit: str
    gpu: str
    facts: dict[str, str]
    seconds: dict[str, float]
    matrices: tuple[MatrixRecord, ...]
    searches: tuple[SearchRecord, ...] = ()
    library: tuple[LibraryRecord, ...] = ()
    command: tuple[str, ...] = ()
    versions: dict[str, str] = field(default_factory=dict)

    def search(self, matrix: str, dtype: str, search: str) -> SearchRecord | None:
        """Give what a search found; None if it was not made or found nothing."""
        wanted = (matrix, dtype, search)
        found = (each for each in self.searches if (each.matrix, each.dtype, each.search) == wanted)
        return next((each for each in found if each.median_us), None)

    def best_of_library(self, matrix: str, dtype: str, part: str = "") -> LibraryRecord | None:
        """Give the fastest form of cuSPARSE, of those with these words in their name; None without any.

        Parameters
        ----------
        matrix, dtype
            Of which product.
        part
            Words in the name; `REAL` for the fastest of this project's real products instead.
        """
        found = [
            each
            for each in self.library
            if (each.matrix, each.dtype) == (matrix, dtype) and part in each.form and each.median_us
            if each.form.startswith(REAL) == (part == REAL)
        ]
        return min(found, key=lambda each: each.median_us or 0.0, default=None)


def to_json(results: Results) -> bytes:
    """Write results, a line for each record."""
    return kept_json(asdict(results), ("matrices", "searches", "library"))


def read(path: str | os.PathLike[str]) -> Results:
    """Read results; raise as `experiments.papers.kit.source.read_results`."""
    return read_results(path, Results, KIND)
