"""Whether two machines rank formats alike: correlations of ratios over matrices, and of orders by matrix."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.stats import kendalltau, rankdata

from experiments.crosscheck.products import Check
from experiments.crosscheck.results import Checked

ALIKE = 1.05
"""Times that differ by less than this factor count as equal: a GPU's vary by as much from run to run."""
RESAMPLES = 2000
"""Samples of the matrices, with replacement, for an interval."""
LEVEL = 0.95
"""How many of them lie in it."""


@dataclass(frozen=True)
class Ratio:
    """How two programs compare on a matrix.

    Attributes
    ----------
    matrix
        Its name.
    cycles, time
        Simulated cycles, and GPU time of the format, of the first over the second.
    """

    matrix: Checked
    cycles: float
    time: float


@dataclass(frozen=True)
class Correlation:
    """How two rankings of the same things agree.

    Attributes
    ----------
    count
        Things.
    spearman, kendall
        1 for the same order, -1 for the reverse; NaN if either has no order at all.
    low, high
        Bootstrap interval: 95 % of the resamples have a Spearman's rho between these.
    """

    count: int
    spearman: float
    kendall: float
    low: float
    high: float


@dataclass(frozen=True)
class Sides:
    """On how many matrices the same one of two programs is faster on both machines.

    Attributes
    ----------
    same
        The same one is faster.
    other
        The other one is.
    alike
        On the GPU they are equally fast.
    """

    same: int
    other: int
    alike: int


@dataclass(frozen=True)
class Order:
    """The formats of one matrix in the order of each machine.

    Attributes
    ----------
    matrix
        The matrix.
    cycles, times
        By format.
    """

    matrix: Checked
    cycles: Mapping[str, float]
    times: Mapping[str, float]

    @cached_property
    def kendall(self) -> float:
        """Kendall's tau between both orders."""
        return float(kendalltau(list(self.cycles.values()), list(self.times.values())).statistic)

    @property
    def fastest_by_cycles(self) -> str:
        """The format with the fewest cycles."""
        return min(self.cycles, key=lambda name: self.cycles[name])

    @property
    def fastest_on_gpu(self) -> str:
        """The format with the shortest time."""
        return min(self.times, key=lambda name: self.times[name])

    @property
    def lost(self) -> float:
        """How many times longer the GPU takes with the format of the fewest cycles than with its own best."""
        return self.times[self.fastest_by_cycles] / min(self.times.values())


def ratios(matrices: Iterable[Checked], first: str, second: str) -> list[Ratio]:
    """Compare two programs on every matrix on which the GPU timed both formats."""
    matches = []
    for matrix in matrices:
        checks = by_program(matrix)
        one, other = checks[first], checks[second]
        if one.gpu_us is not None and other.gpu_us is not None:
            matches.append(Ratio(matrix, one.cycles / other.cycles, one.gpu_us / other.gpu_us))
    return matches


def orders(matrices: Iterable[Checked], programs: Sequence[str]) -> list[Order]:
    """Return both orders of these programs on every matrix on which the GPU timed them all."""
    matches = []
    for matrix in matrices:
        checks = by_program(matrix)
        times = {name: checks[name].gpu_us for name in programs}
        known = {name: time for name, time in times.items() if time is not None}
        if len(known) == len(programs):
            matches.append(Order(matrix, {name: float(checks[name].cycles) for name in programs}, known))
    return matches


def by_program(matrix: Checked) -> dict[str, Check]:
    """Return the checks of a matrix by the name of the program."""
    return {check.program: check for check in matrix.check.checks}


def sides(matches: Iterable[Ratio]) -> Sides:
    """Count on which side of 1 both ratios are."""
    same = other = alike = 0
    for ratio in matches:
        if 1 / ALIKE < ratio.time < ALIKE:
            alike += 1
        elif (ratio.cycles < 1) == (ratio.time < 1):
            same += 1
        else:
            other += 1
    return Sides(same, other, alike)


def correlation(first: Sequence[float], second: Sequence[float]) -> Correlation:
    """Correlate two rankings of the same things."""
    one, other = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if len(one) < 2:
        nothing = float("nan")
        return Correlation(len(one), nothing, nothing, nothing, nothing)
    draws = np.random.Generator(np.random.PCG64(0)).integers(0, len(one), (RESAMPLES, len(one)))
    sampled = _spearman(one[draws], other[draws])
    known = sampled[~np.isnan(sampled)]
    outside = (1 - LEVEL) / 2
    low, high = np.quantile(known, (outside, 1 - outside)) if len(known) else (float("nan"),) * 2
    tau = float(kendalltau(one, other).statistic)
    return Correlation(len(one), float(_spearman(one, other)), tau, float(low), float(high))


def of_ratios(matches: Sequence[Ratio]) -> Correlation:
    """Correlate the ratios of both machines."""
    return correlation([ratio.cycles for ratio in matches], [ratio.time for ratio in matches])


def explained_by(matches: Sequence[Ratio], feature: Callable[[Checked], float]) -> tuple[float, float]:
    """Return Spearman's rho of a feature of the matrices with the ratios of cycles, and of times."""
    values = [feature(ratio.matrix) for ratio in matches]
    return (
        spearman(values, [ratio.cycles for ratio in matches]),
        spearman(values, [ratio.time for ratio in matches]),
    )


def spearman(first: Sequence[float], second: Sequence[float]) -> float:
    """Return Spearman's rho of two rankings of the same things; NaN where either has no order."""
    if len(first) < 2:
        return float("nan")
    return float(_spearman(np.asarray(first, dtype=float), np.asarray(second, dtype=float)))


def _spearman(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Pearson's correlation of the ranks along the last axis; NaN where one side is all equal."""
    ranks = [rankdata(values, axis=-1) for values in (first, second)]
    one, other = (rank - rank.mean(axis=-1, keepdims=True) for rank in ranks)
    with np.errstate(invalid="ignore", divide="ignore"):
        rho: np.ndarray = (one * other).sum(axis=-1) / np.sqrt(
            (one**2).sum(axis=-1) * (other**2).sum(axis=-1)
        )
    return rho
