"""What was measured, asked by matrix, operation, method and type; averages as the paper has them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from experiments.papers.hisparse.methods import METHODS, OWN, SUMS
from experiments.papers.hisparse.results import MatrixRecord, Record, Results

OPERATIONS_OF_AN_ENTRY = 3
"""In the paper's GFLOPS: two multiplications, one with the scaling factor, and an addition (section 7)."""
FLOAT64_ERROR, FLOAT32_ERROR = 1e-12, 1e-5
"""Errors that no product may exceed, but for the roundoff of the longest row."""


class Measured:
    """Results.

    Parameters
    ----------
    results
        What was measured.
    """

    def __init__(self, results: Results) -> None:
        self.results = results
        self.matrices = [each for each in results.matrices if not each.missing]
        self._records = {(r.matrix, r.operation, r.method, r.dtype): r for r in results.records}

    @property
    def of_the_paper(self) -> list[MatrixRecord]:
        """The measured matrices that stand for one of the paper."""
        return [each for each in self.matrices if each.stands_for]

    @property
    def missing(self) -> dict[str, str]:
        """Why matrices were not measured, by name."""
        return {each.name: each.missing for each in self.results.matrices if each.missing}

    def record(self, matrix: MatrixRecord, operation: str, method: str, dtype: str) -> Record | None:
        """Give a record; None if the method was not tried.

        Parameters
        ----------
        matrix
            Which matrix.
        operation, method, dtype
            Names, as in `Record`.
        """
        return self._records.get((matrix.name, operation, method, dtype))

    def time(self, matrix: MatrixRecord, operation: str, method: str, dtype: str) -> float | None:
        """Give the microseconds of an operation; None if there is no time.

        Parameters
        ----------
        matrix
            Which matrix.
        operation, method, dtype
            Names, as in `Record`.
        """
        record = self.record(matrix, operation, method, dtype)
        return None if record is None else record.median_us

    def absent(self, matrix: MatrixRecord, operation: str, method: str, dtype: str) -> str:
        """Say in a word or two why there is no time.

        Parameters
        ----------
        matrix
            Which matrix.
        operation, method, dtype
            Names, as in `Record`.
        """
        record = self.record(matrix, operation, method, dtype)
        return "not measured" if record is None else "" if record.status == "ok" else record.status

    def gflops(self, matrix: MatrixRecord, operation: str, method: str, dtype: str) -> float | None:
        """Give the performance as the paper does: 3 nnz / T, in 10^9 a second.

        Parameters
        ----------
        matrix
            Which matrix.
        operation, method, dtype
            Names, as in `Record`.
        """
        time = self.time(matrix, operation, method, dtype)
        return None if time is None else OPERATIONS_OF_AN_ENTRY * matrix.nnz / time / 1000

    def tried(self, operation: str, method: str) -> bool:
        """Say whether there is any record of an operation by a method."""
        return any((r.operation, r.method) == (operation, method) for r in self.results.records)

    def has(self, operation: str) -> bool:
        """Say whether any time of an operation was measured."""
        return any(r.operation == operation and r.median_us is not None for r in self.results.records)

    def times(
        self, matrices: Iterable[MatrixRecord], operation: str, methods: Sequence[str], dtype: str
    ) -> list[tuple[MatrixRecord, tuple[float, ...]]]:
        """Give the times of several methods on the matrices on which all have one.

        Parameters
        ----------
        matrices
            Which matrices.
        operation, methods, dtype
            Names, as in `Record`.
        """
        found = []
        for matrix in matrices:
            times = [self.time(matrix, operation, method, dtype) for method in methods]
            there = tuple(time for time in times if time is not None)
            if len(there) == len(methods):
                found.append((matrix, there))
        return found

    def ratios(
        self,
        matrices: Iterable[MatrixRecord],
        operation: str,
        method: str,
        dtype: str,
        *,
        own_operation: str = "",
    ) -> dict[str, float]:
        """Give how many times HiSparse is faster than a method, by matrix.

        Parameters
        ----------
        matrices
            Which matrices.
        operation, method, dtype
            What it is compared with.
        own_operation
            The operation of HiSparse; the same if empty.
        """
        found = {}
        for matrix in matrices:
            own = self.time(matrix, own_operation or operation, OWN, dtype)
            other = self.time(matrix, operation, method, dtype)
            if own is not None and other is not None:
                found[matrix.name] = other / own
        return found

    def faults(self) -> tuple[str, ...]:
        """Name every result that was wrong, or not the same twice."""
        longest = {matrix.name: max(matrix.longest, matrix.rows) for matrix in self.results.matrices}
        wrong = [
            f"{METHODS[r.method].label if r.method in METHODS else r.method}, {r.operation} of {r.matrix}, "
            f"{r.dtype}: relative error {r.error:.1e}"
            for r in self.results.records
            if r.error is not None and not r.error <= _allowed(r, longest.get(r.matrix, 0))
        ]
        changed = [
            f"{r.method}, {r.operation} of {r.matrix}, {r.dtype}: two runs differ"
            for r in self.results.records
            if r.same_bits is False
        ]
        return (*wrong, *changed)


def _allowed(record: Record, longest: int) -> float:
    """Give the error allowed: none of a sum of matrices; of a product by sums of at most so many terms."""
    if record.operation in SUMS:
        return 0.0
    if record.dtype == "float32":
        return max(FLOAT32_ERROR, longest * 2.0**-24)
    return max(FLOAT64_ERROR, longest * 2.0**-53)


def geometric_mean(numbers: Iterable[float]) -> float | None:
    """Give the geometric mean; None of nothing."""
    found = list(numbers)
    return float(np.exp(np.mean(np.log(found)))) if found else None


def averages(times_us: Sequence[float]) -> tuple[float, float] | None:
    """Give mean and standard deviation in milliseconds, as Tables 1 and 2; None of nothing."""
    if not times_us:
        return None
    return float(np.mean(times_us)) / 1000, float(np.std(times_us)) / 1000


def spread(ratios: dict[str, float]) -> str:
    """Say the geometric mean, the least and the most of some ratios."""
    mean = geometric_mean(ratios.values())
    if mean is None:
        return "not measured"
    low, high = min(ratios, key=lambda name: ratios[name]), max(ratios, key=lambda name: ratios[name])
    return f"{mean:.2f} on average, {ratios[low]:.2f} ({low}) to {ratios[high]:.2f} ({high})"
