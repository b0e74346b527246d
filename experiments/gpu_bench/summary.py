"""What a run of the GPU benchmark says: means by class, the worst matrices, `auto` against the best."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from experiments.gpu_bench.records import OK, Record, Run
from experiments.gpu_bench.suite import CLASSES, suite

CSR = "csr"


@dataclass(frozen=True)
class Pair:
    """The best of both libraries on one product, replayed in turn.

    Attributes
    ----------
    ours, baseline
        Their final records; the ratio stands in `ours`.
    """

    ours: Record
    baseline: Record

    @property
    def ratio(self) -> float:
        """How many times faster ours is."""
        return float(self.ours.ratio or math.nan)


@dataclass(frozen=True)
class ClassMean:
    """How much faster ours is on the matrices of a class.

    Attributes
    ----------
    class_, dtype, operation, cache
        Which.
    matrices
        How many.
    mean
        Geometric mean of the ratios.
    worst, worst_ratio
        The matrix with the lowest.
    """

    class_: str
    dtype: str
    operation: str
    cache: str
    matrices: int
    mean: float
    worst: str
    worst_ratio: float


@dataclass(frozen=True)
class Auto:
    """What ``auto`` loses against the best of ours.

    Attributes
    ----------
    matrices
        How many products.
    mean
        Geometric mean of its time over the best one's.
    worst, worst_ratio
        Matrix and type where it loses most, and how much.
    """

    matrices: int
    mean: float
    worst: str
    worst_ratio: float


def pairs(records: Iterable[Record]) -> list[Pair]:
    """Return the final records two and two, in their order."""
    final = [record for record in records if record.stage == "final" and record.status == OK]
    baselines = {(*record.unit, record.cache): record for record in final if not record.ours}
    return [
        Pair(record, baselines[(*record.unit, record.cache)])
        for record in final
        if record.ours and (*record.unit, record.cache) in baselines
    ]


def geometric_mean(values: Sequence[float]) -> float:
    """Return the geometric mean; nan of nothing."""
    return float(np.exp(np.mean(np.log(values)))) if len(values) else math.nan


def class_means(records: Iterable[Record]) -> list[ClassMean]:
    """Return the geometric mean of each class, by type, operation and cache.

    Where matrices are large there is no cold measurement of most: cold means are given for small ones alone.
    """
    matches: dict[tuple[str, str, str, str], list[Pair]] = {}
    for pair in pairs(records):
        ours = pair.ours
        if ours.cache == "cold" and ours.class_ != "small":
            continue
        matches.setdefault((ours.operation, ours.class_, ours.cache, ours.dtype), []).append(pair)
    means = []
    for (operation, class_, cache, dtype), of in matches.items():
        worst = min(of, key=lambda pair: pair.ratio)
        mean = geometric_mean([pair.ratio for pair in of])
        means.append(
            ClassMean(class_, dtype, operation, cache, len(of), mean, worst.ours.matrix, worst.ratio)
        )
    order = {"spmv": 0, "spmv_t": 1, "warm": 0, "cold": 1, "float64": 0, "float32": 1}
    return sorted(
        means, key=lambda m: (order[m.operation], CLASSES.index(m.class_), order[m.cache], order[m.dtype])
    )


def against_csr(records: Sequence[Record]) -> list[tuple[Record, float, float]]:
    """Return for matrices of elasticity our best, and its speedup over CSR and over all of cuSPARSE.

    All are screened times, warm.
    """
    elasticity = {matrix.name for matrix in suite() if matrix.elasticity}
    matches = []
    for unit in dict.fromkeys(record.unit for record in records if record.matrix in elasticity):
        ours = [record for record in timed(records, unit) if record.ours]
        baselines = [record for record in timed(records, unit) if not record.ours]
        plain = [record for record in baselines if record.method.startswith(CSR)]
        if ours and plain and unit[2] == "spmv":
            best = min(ours, key=_us)
            matches.append(
                (best, _us(min(plain, key=_us)) / _us(best), _us(min(baselines, key=_us)) / _us(best))
            )
    return matches


def timed(records: Iterable[Record], unit: tuple[str, str, str]) -> list[Record]:
    """Return the records of a product that were timed warm, one after the other, `auto` apart."""
    return [
        record
        for record in records
        if record.unit == unit
        and (record.stage, record.cache, record.status) == ("screen", "warm", OK)
        and record.method != "auto"
    ]


def _us(record: Record) -> float:
    return float(record.median_us or math.nan)


def auto_losses(records: Sequence[Record]) -> list[tuple[Record, float]]:
    """Return the record of ``auto`` on each product A x, and its time over that of the best of ours."""
    losses = []
    for record in records:
        if record.method == "auto" and record.operation == "spmv" and record.status == OK:
            best = min(_us(each) for each in timed(records, record.unit) if each.ours)
            losses.append((record, _us(record) / best))
    return losses


def auto_summary(records: Sequence[Record]) -> Auto | None:
    """Return what ``auto`` loses over all products; None if nothing was measured."""
    losses = auto_losses(records)
    if not losses:
        return None
    worst, ratio = max(losses, key=lambda loss: loss[1])
    mean = geometric_mean([loss for _, loss in losses])
    return Auto(len(losses), mean, f"{worst.matrix} {worst.dtype}", ratio)


def share_of_copy(record: Record, copy_gb_per_s: float) -> float:
    """Return the rate at which a product moves its own bytes, x and y, as a share of the copy rate."""
    size = 8 if record.dtype == "float64" else 4
    moved = (record.bytes or 0) + (record.rows + record.cols) * size
    return moved / _us(record) / 1000 / copy_gb_per_s


def mean_of_classes(run: Run, dtype: str) -> float:
    """Return the mean of the classes' geometric means of the product, warm."""
    matches = [
        mean.mean
        for mean in class_means(run.records)
        if (mean.dtype, mean.operation, mean.cache) == (dtype, "spmv", "warm")
    ]
    return float(np.mean(matches)) if matches else math.nan


def not_measured(records: Sequence[Record]) -> list[Record]:
    """Return the records that say why something was not timed, pruned ones apart."""
    return [record for record in records if record.status not in (OK, "pruned")]
