"""What was measured, as ratios: how many times PELLR is faster than another method."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np

from experiments.papers.pellr.methods import METHODS
from experiments.papers.pellr.results import Gpu, MatrixRecord, Record, Results, Status
from experiments.papers.pellr.subjects import QUADRO_P600_THREADS

DTYPES = {"float64": "f64", "float32": "f32"}
"""The types, and how they are called in tables."""
SETS = {
    "alone": "matrices as they are",
    "filled": "repeated until they fill the GPU",
    "generated": "generated, a million rows",
}
"""Kinds of comparisons, and how panels of charts are called."""
STATUS_WORDS: dict[Status, str] = {
    "ok": "",
    "not_representable": "refused",
    "left_out": "left out",
    "failed": "failed",
}
"""How tables show a time that was not measured."""
ELLR = "ellr"
CUT_ELLR = "ellr-sliced"
NEAR = "pellr-near"
FLOAT64_ERROR, FLOAT32_ERROR = 1e-12, 1e-5
"""Errors that no product may exceed, but for the roundoff of the longest chain that one thread sums."""


class Speeds:
    """Results, asked by matrix, method and type.

    Parameters
    ----------
    results
        What was measured.
    """

    def __init__(self, results: Results) -> None:
        self.results = results
        self.gpu: Gpu = results.gpu
        self._records = {(each.matrix, each.method, each.dtype): each for each in results.records}

    @cached_property
    def sets(self) -> dict[str, list[MatrixRecord]]:
        """The measured matrices of each of `SETS`, by rising sigma as the paper's axes have them."""
        found: dict[str, list[MatrixRecord]] = {name: [] for name in SETS}
        for matrix in self.results.matrices:
            if not matrix.missing:
                found[matrix.kind if matrix.kind in SETS else "alone"].append(matrix)
        return {name: sorted(each, key=lambda matrix: matrix.sigma) for name, each in found.items()}

    @property
    def missing(self) -> dict[str, str]:
        """Why matrices were not measured, by name."""
        return {each.name: each.missing for each in self.results.matrices if each.missing}

    def record(self, matrix: MatrixRecord, method: str, dtype: str) -> Record | None:
        """Give a record; None if the method was not tried."""
        return self._records.get((matrix.name, method, dtype))

    def time(self, matrix: MatrixRecord, method: str, dtype: str) -> float | None:
        """Give the microseconds of a product; None if there is no time."""
        record = self._records.get((matrix.name, method, dtype))
        return None if record is None else record.median_us

    def absent(self, matrix: MatrixRecord, method: str, dtype: str) -> str:
        """Say in a word or two why there is no time."""
        record = self._records.get((matrix.name, method, dtype))
        return "not measured" if record is None else STATUS_WORDS[record.status]

    def gflops(self, matrix: MatrixRecord, method: str, dtype: str) -> float | None:
        """Give the performance as the paper does: 2 nnz / T, in 10^9 a second."""
        time = self.time(matrix, method, dtype)
        return None if time is None else 2 * matrix.nnz / time / 1000

    def ratio(self, matrix: MatrixRecord, method: str, dtype: str, own: str = "pellr") -> float | None:
        """Give how many times PELLR, or another method of our `own`, is faster than a method.

        ``ellr`` is ELLPACK-R as published where it takes at most four times CRS, else cut into slices.

        Parameters
        ----------
        matrix
            Which matrix.
        method
            The slower one, by the name that the results give it.
        dtype
            float32 or float64.
        own
            The method of ours.
        """
        if method == ELLR:
            method = self.ellr(matrix)
        other, time = self.time(matrix, method, dtype), self.time(matrix, own, dtype)
        return None if other is None or time is None else other / time

    def ellr(self, matrix: MatrixRecord) -> str:
        """Give the method that stands for ELLPACK-R on a matrix."""
        return ELLR if self.time(matrix, ELLR, "float64") is not None else CUT_ELLR

    def ratios(
        self, matrices: Iterable[MatrixRecord], method: str, dtype: str, own: str = "pellr"
    ) -> dict[str, float]:
        """Give the ratios whose times were measured, by name of the matrix.

        Parameters
        ----------
        matrices
            Which matrices.
        method, dtype, own
            As of `ratio`.
        """
        found = {matrix.name: self.ratio(matrix, method, dtype, own) for matrix in matrices}
        return {name: ratio for name, ratio in found.items() if ratio is not None}

    def waves(self, matrix: MatrixRecord) -> float:
        """Give how often the rows of a matrix, a thread each, fill the GPU."""
        return matrix.rows / self.gpu.threads

    def best(self, matrix: MatrixRecord, dtype: str, methods: Sequence[str]) -> str | None:
        """Give the fastest of methods; None if none has a time."""
        times = {method: self.time(matrix, method, dtype) for method in methods}
        there = {method: time for method, time in times.items() if time is not None}
        return min(there, key=lambda method: there[method]) if there else None

    def faults(self) -> tuple[str, ...]:
        """Name every product that was wrong."""
        longest = {matrix.name: matrix.longest for matrix in self.results.matrices}
        return tuple(
            f"{METHODS[each.method].label if each.method in METHODS else each.method} on {each.matrix}, "
            f"{each.dtype}: relative error {each.error:.1e}"
            for each in self.results.records
            if each.error is not None and not each.error <= _allowed(each.dtype, longest.get(each.matrix, 0))
        )


def _allowed(dtype: str, longest: int) -> float:
    if dtype == "float32":
        return max(FLOAT32_ERROR, longest * 2.0**-24)
    return max(FLOAT64_ERROR, longest * 2.0**-53)


def geometric_mean(ratios: Iterable[float]) -> float | None:
    """Give the geometric mean; None of nothing."""
    found = list(ratios)
    return float(np.exp(np.mean(np.log(found)))) if found else None


def rank_correlation(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Give Spearman's rank correlation; None where fewer than three pairs or equal numbers leave none."""
    from scipy.stats import spearmanr

    if len(first) < 3 or len(set(first)) < 2 or len(set(second)) < 2:
        return None
    return float(spearmanr(first, second).statistic)


def waves_of_the_paper(matrix: MatrixRecord) -> float:
    """Give how often the rows of a matrix, not repeated, fill the paper's GPU."""
    return matrix.rows / matrix.copies / QUADRO_P600_THREADS
