"""What was measured, with what the paper on layouts asks of it: rendering needs nothing else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from experiments.papers.kit import results as kit
from experiments.papers.kit.results import Record
from experiments.report.parameter_charts import Five

LARGE = 1_000_000
"""Entries above which a matrix counts as large."""
REALS = ("float32", "float64")
REAL = "real product"
"""How the names of this project's own products of real matrices begin, in the place of a form of cuSPARSE."""
Search = Literal["joint", "schedule", "paper", "paper schedule"]


@dataclass(frozen=True)
class Scope:
    """Layouts and schedules that are searched together, and the same schedules alone.

    Attributes
    ----------
    words
        What they are.
    joint, alone
        The searches.
    """

    words: str
    joint: Search
    alone: Search


PAPERS = Scope("the paper's layouts and schedules", "paper", "paper schedule")
OURS = Scope("all of ours", "joint", "schedule")
SCOPES = (PAPERS, OURS)


@dataclass(frozen=True)
class MatrixRecord(kit.MatrixRecord):
    """A matrix that was measured, or was to be; its group is what its entries are.

    Attributes
    ----------
    row_lengths
        Of the entries of rows.
    bandwidths
        Of the bandwidths of rows that have entries, in per cent of the columns.
    """

    row_lengths: Five = (0.0, 0.0, 0.0, 0.0, 0.0)
    bandwidths: Five = (0.0, 0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True)
class SearchRecord:
    """What a search found.

    Attributes
    ----------
    matrix, dtype
        The names of the matrix and of the type.
    search
        ``joint``: layouts and schedules. ``schedule``: schedules alone, in the natural layout. ``paper`` and
        ``paper schedule``: the same among the layouts and schedules that the paper tried.
    layout, schedule
        The best.
    median_us, nbytes
        Of it: warm, in turn with the finalists of the other searches and with cuSPARSE; and the matrix with
        its padding.
    variants
        How many were measured.
    complete
        Whether the time was enough for all that were not pruned.
    stream_us
        What plain reads of as many bytes take, again and again: the entries, their columns in 16 bits, the
        fewest that a layout stores, and both vectors. No lower bound: of a product another part may stay in
        the L2 cache.
    reason
        Why nothing was found; empty if something was.
    by_layout
        The least microseconds of each layout, among the paper's; timed once, not in turn.
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
    stream_us: float | None = None
    reason: str = ""
    by_layout: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Results(kit.Results):
    """Everything that one run measured.

    Attributes
    ----------
    records
        Forms of cuSPARSE (`experiments.baseline.cusparse_forms`), and products of this project: `REAL` and
        the name of a kernel. Their errors are the largest difference over the largest component.
    searches
        In the order in which they were made.
    """

    paper = "layouts"

    matrices: tuple[MatrixRecord, ...]
    searches: tuple[SearchRecord, ...] = ()

    @cached_property
    def _searches(self) -> dict[tuple[str, str, str], SearchRecord]:
        return {(each.matrix, each.dtype, each.search): each for each in self.searches if each.median_us}

    def search(self, matrix: str, dtype: str, search: str) -> SearchRecord | None:
        """Return what a search found; None if it was not made or found nothing."""
        return self._searches.get((matrix, dtype, search))

    def gain(self, matrix: str, dtype: str, scope: Scope) -> float | None:
        """Return how many times a joint search is faster than schedules alone; None if one was not made.

        Parameters
        ----------
        matrix, dtype
            As of `SearchRecord`.
        scope
            What is searched.
        """
        best, natural = self.search(matrix, dtype, scope.joint), self.search(matrix, dtype, scope.alone)
        if not (best and natural and best.median_us and natural.median_us):
            return None
        return natural.median_us / best.median_us

    def speedup(self, matrix: str, dtype: str, form: str, search: Search = OURS.joint) -> float | None:
        """Return how many times the best of a search is faster than cuSPARSE; None if unknown.

        Parameters
        ----------
        matrix, dtype, search
            As of `SearchRecord`.
        form
            Words in the names of the forms that count.
        """
        best, library = self.search(matrix, dtype, search), self.best_of_library(matrix, dtype, form)
        if not (best and library and best.median_us and library.median_us):
            return None
        return library.median_us / best.median_us

    def best_of_library(self, matrix: str, dtype: str, part: str = "") -> Record | None:
        """Return the fastest form of cuSPARSE, of those with these words in their name; None without any.

        Parameters
        ----------
        matrix, dtype
            The product.
        part
            Words in the name; `REAL` for the fastest of this project's real products instead.
        """
        matches = [
            each
            for each in self.records
            if (each.matrix, each.dtype) == (matrix, dtype) and part in each.method and each.median_us
            if each.method.startswith(REAL) == (part == REAL)
        ]
        return min(matches, key=lambda each: each.median_us or 0.0, default=None)

    def gaps(self) -> tuple[str, ...]:
        """Return the missing matrices and searches, and why; a form that cuSPARSE refuses is not one."""
        matches = [f"{name}: {why}" for name, why in self.missing.items()]
        matches += [f"{s.matrix}, {s.dtype}, {s.search}: {s.reason}" for s in self.searches if s.reason]
        cut = [
            f"Cut by the time limit after {s.variants} variants: {s.matrix}, {s.dtype}, {s.search}"
            for s in self.searches
            if not s.complete and not s.reason
        ]
        return (*(f"Not measured: {each}" for each in matches), *cut)

    def of(self, entry: str) -> tuple[MatrixRecord, ...]:
        """Return the matrices with such entries that were measured."""
        return tuple(each for each in self.matrices if each.group == entry and not each.missing)

    @property
    def large(self) -> frozenset[str]:
        """Names of the matrices of over a million entries: caches hold a part of them at most."""
        return frozenset(each.name for each in self.matrices if each.nnz > LARGE and not each.missing)

    def gains(self, entry: str, dtype: str, scope: Scope, *, large: bool = False) -> dict[str, float]:
        """Return what `gain` returns of the matrices with such entries, by name.

        Parameters
        ----------
        entry
            What the entries are.
        dtype, scope
            As of `gain`.
        large
            Whether only large matrices count.
        """
        return self._by_matrix(entry, large, lambda name: self.gain(name, dtype, scope))

    def speedups(
        self, entry: str, dtype: str, form: str, search: Search, *, large: bool = False
    ) -> dict[str, float]:
        """Return what `speedup` returns of the matrices with such entries, by name.

        Parameters
        ----------
        entry, large
            As of `gains`.
        dtype, form, search
            As of `speedup`.
        """
        return self._by_matrix(entry, large, lambda name: self.speedup(name, dtype, form, search))

    def shares(self, entry: str, dtype: str, *, large: bool = False) -> dict[str, float]:
        """Return what plain reads of as many bytes take, in per cent of the time, by the name of the matrix.

        Parameters
        ----------
        entry, dtype, large
            As of `gains`.
        """
        return self._by_matrix(entry, large, lambda name: self.share(name, dtype))

    def share(self, matrix: str, dtype: str) -> float | None:
        """Return what plain reads of as many bytes take, in per cent of the time of the best variant."""
        match = self.search(matrix, dtype, OURS.joint)
        return (
            100 * match.stream_us / match.median_us if match and match.stream_us and match.median_us else None
        )

    def _by_matrix(self, entry: str, large: bool, number: Callable[[str], float | None]) -> dict[str, float]:
        names = [each.name for each in self.of(entry) if not large or each.name in self.large]
        return {name: value for name in names if (value := number(name)) is not None}
