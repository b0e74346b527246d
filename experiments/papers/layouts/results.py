"""What was measured, with what the paper on layouts asks of it: rendering needs nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from experiments.papers.kit import results as kit
from experiments.papers.kit.results import Record

REAL = "real product"
"""How the names of this project's own products of real matrices begin, in the place of a form of cuSPARSE."""
Five = tuple[float, float, float, float, float]
"""Least, lower quartile, median, upper quartile, greatest."""
Search = Literal["joint", "schedule", "paper", "paper schedule"]


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
    bound_us
        The time in which the entries, their columns in 16 bits, the fewest that a layout stores, and both
        vectors can be read and written once.
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
class Results(kit.Results):
    """Everything that one run measured.

    Attributes
    ----------
    records
        Forms of cuSPARSE (`gpu.compound.cusparse_forms`), and products of this project: `REAL` and the name
        of a kernel. Their errors are the largest difference over the largest component.
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

    def gain(self, matrix: str, dtype: str, search: str) -> float | None:
        """Return how many times a joint search is faster than schedules alone; None if one was not made.

        Parameters
        ----------
        matrix, dtype, search
            As of `SearchRecord`.
        """
        best, natural = self.search(matrix, dtype, search), self.search(matrix, dtype, "schedule")
        if not (best and natural and best.median_us and natural.median_us):
            return None
        return natural.median_us / best.median_us

    def speedup(self, matrix: str, dtype: str, form: str) -> float | None:
        """Return how many times ours is faster than forms of cuSPARSE with these words; None if unknown."""
        best, library = self.search(matrix, dtype, "joint"), self.best_of_library(matrix, dtype, form)
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
        return tuple(f"Not measured: {each}" for each in matches)
