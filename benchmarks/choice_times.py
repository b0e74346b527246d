"""The measured times that `auto` is fitted on, one array a column; what its choices lose by them.

They are the lines that `benchmarks.measure_choice` writes: a format of a matrix each.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpu.choice.cost_model import (
    Counts,
    Machine,
    batches,
    microseconds,
    missed_bytes,
    past_l1,
    uneven,
    window_bytes,
)
from gpu.choice.structure import Work
from vecsim.support.errors import UserError

Floats = NDArray[np.float64]

WORK = tuple(field.name for field in fields(Work))
OF_PATTERN = ("mean_spread",)
"""What is counted of a matrix next to the work of a format: columns."""


@dataclass(frozen=True)
class Measured:
    """Measurements; each array has an element for each of them.

    Attributes
    ----------
    lines
        As they were read.
    us
        Measured times, microseconds.
    stored, vectors
        Bytes of the format that are read, and of x and y.
    batches
        Of loads of one thread, one after the other.
    sectors, load_lines
        Sectors of x, of 32 bytes, that blocks of threads ask for, and lines, of 128, that loads of warps do.
    launches, warps
        Kernels, and warps of threads.
    uneven
        What the busiest multiprocessor has to do, over the mean.
    sums
        Sums that are added to y, or what takes as long.
    x_bytes
        Bytes of x.
    window
        Bytes of x within which threads that run together read.
    double
        Whether values are float64.
    format, case, family
        Numbers of the format, of the matrix with its type and the device, and of the family of the matrix.
    formats
        Names, by their numbers.
    """

    lines: list[dict[str, Any]]
    us: Floats
    stored: Floats
    vectors: Floats
    batches: Floats
    sectors: Floats
    load_lines: Floats
    launches: Floats
    warps: Floats
    uneven: Floats
    sums: Floats
    x_bytes: Floats
    window: Floats
    double: NDArray[np.bool_]
    deterministic: NDArray[np.bool_]
    format: NDArray[np.int64]
    case: NDArray[np.int64]
    family: NDArray[np.int64]
    formats: list[str]

    @classmethod
    def of(cls, lines: list[dict[str, Any]]) -> Measured:
        """Arrange lines of `benchmarks.measure_choice`; those without a time are left out.

        Raises
        ------
        UserError
            If lines lack what is counted today.
        """
        lines = [line for line in lines if "us" in line]
        _all_counted(lines)
        size = np.array([8.0 if line["dtype"] == "float64" else 4.0 for line in lines])
        formats = sorted({line["format"] for line in lines})

        def column(take: Any) -> Floats:
            return np.array([float(take(line)) for line in lines])

        def work(name: str) -> Floats:
            return column(lambda line: line["work"][name])

        def numbered(names: list[str]) -> NDArray[np.int64]:
            return np.unique(names, return_inverse=True)[1].astype(np.int64)

        return cls(
            lines,
            column(lambda line: line["us"]),
            work("stored_bytes"),
            size * column(lambda line: line["rows"] + line["columns"]),
            batches(work("chain"), work("ahead")),
            work("sectors"),
            work("lines"),
            work("launches"),
            work("warps"),
            uneven(work("warps"), work("block_warps")),
            work("sums"),
            size * column(lambda line: line["columns"]),
            window_bytes(
                work("scattered") > 0,
                column(lambda line: line["mean_spread"]),
                column(lambda line: line["columns"]),
                size,
            ),
            size == 8,
            np.array([_is_deterministic(line["format"]) for line in lines]),
            np.array([formats.index(line["format"]) for line in lines]),
            numbered([" ".join(_case(line)) for line in lines]),
            numbered([line["family"] for line in lines]),
            formats,
        )

    def best(self, among: NDArray[np.bool_] | None = None) -> Floats:
        """Return the best time of each measurement's matrix, of these measurements."""
        best = np.full(int(self.case.max()) + 1, np.inf)
        np.minimum.at(best, self.case, self.us if among is None else np.where(among, self.us, np.inf))
        result: Floats = best[self.case]
        return result


def _is_deterministic(name: str) -> bool:
    """Return whether a format gives the same results in every run, as those do that are no longer there."""
    from gpu.kernel_registry import KERNELS

    return name not in KERNELS or KERNELS[name].deterministic


def _all_counted(lines: list[dict[str, Any]]) -> None:
    """Refuse lines of earlier measurements that counted less."""
    for line in lines:
        missing = [name for name in WORK if name not in line["work"]]
        missing += [name for name in OF_PATTERN if name not in line]
        if missing:
            raise UserError(
                f"{line['matrix']} {line['dtype']} {line['format']}: the line has no {', '.join(missing)}, "
                "like those of earlier code; run `python -m benchmarks.fit_auto recount FILE...`"
            )


def read(paths: Sequence[Path]) -> list[dict[str, Any]]:
    """Read the lines of files; of a format measured twice on a matrix and device the later line counts.

    Lines that say ``again`` do not replace the one before: the geometric mean of all these times counts, and
    of all places in the memory of the device that they were measured in.

    Raises
    ------
    UserError
        A file cannot be read, or has a line that is not a measurement.
    """
    latest: dict[tuple[str, ...], dict[str, Any]] = {}
    times: dict[tuple[str, ...], list[float]] = {}
    for path in paths:
        for line in _lines(path):
            key = *_case(line), line["format"]
            if not line.get("again"):
                latest[key], times[key] = line, []
            if key in latest and "us" in line:
                times[key] += line.get("placements", [line["us"]])
    return [
        line | ({"us": geometric_mean(times[key]), "placements": times[key]} if times[key] else {})
        for key, line in latest.items()
    ]


def _case(line: dict[str, Any]) -> tuple[str, str, str]:
    """Return the matrix, the type, and the device where the line tells it."""
    return line["matrix"], line["dtype"], line.get("device", "")


def geometric_mean(times: Sequence[float]) -> float:
    """Return the geometric mean of times."""
    return float(np.exp(np.log(times).mean()))


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    try:
        texts = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(
            f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}; name a "
            "file that you can read"
        ) from None
    for number, text in enumerate(texts, 1):
        try:
            line = json.loads(text)
        except ValueError as error:
            raise UserError(f"{path}, line {number}: is not JSON: {error}; measure again") from None
        if not isinstance(line, dict) or not {"matrix", "dtype", "format"} <= set(line):
            raise UserError(
                f"{path}, line {number}: is not a measurement of fit_auto; it must have matrix, "
                "dtype and format"
            )
        yield line


FAR = 1.0
"""The weight of a time falls with this power of its distance from the best of its matrix."""
MOST_LOST = 1.0
"""A choice loses no more, a natural logarithm of times, so that no single matrix draws the fit to itself."""
OF_ANY, OF_DETERMINISTIC = 2 / 3, 1 / 3
"""Weights of what choices lose among all formats, and among those whose results are the same in every run."""
WITHIN, AT_ALL = 5.0, 0.5
"""Weights of how far estimates are off within a matrix, and at all, next to what choices lose."""
OUTLIER = 0.2
"""Estimates further off count by how far, nearer ones by its square: a natural logarithm of times."""
REGULARISE, REGULARISE_SHARED = 0.004, 1e-4
"""Strength of regularisation: of constants of formats to their mean, of shared ones to their start.

This is the penalty, on the scale of the logarithms that choices lose, for a constant whose natural logarithm
is 1 away.
"""
MACHINE_START = {
    "launch_us": 1.5,
    "sector_ns": 0.005,
    "sum_ns": 0.0025,
    "uneven_power": 0.3,
    "cache_bytes": 1.5e7,
    "cache_sharpness": 3.0,
    "x_bytes": 2e7,
    "memory_gb_per_s": 4300.0,
    "scattered_gb_per_s": 2000.0,
    "overlap": 2.0,
    "l1_bytes": 1e5,
}
"""Where the fit begins, in the units of `Machine`."""
SPEED_START = {
    "gb_per_s of float32": 6000.0,
    "gb_per_s of float64": 6000.0,
    "batch_ns": 100.0,
    "start_us": 0.8,
    "warp_ns": 0.05,
    "gather_ns": 0.002,
}
"""The same of a format's own constants, in the units of `Speed`."""
OWN = len(SPEED_START)
"""Constants of a format."""


def predicted(measured: Measured, machine: Machine, speeds: Floats) -> Floats:
    """Estimate all times, microseconds.

    Parameters
    ----------
    measured
        What was measured.
    machine
        The constants that formats share.
    speeds
        (formats, 6): those of each format, in the order of `SPEED_START`.
    """
    counts = Counts(
        measured.stored + measured.vectors,
        measured.batches,
        past_l1(measured.sectors, measured.x_bytes, machine),
        measured.load_lines,
        missed_bytes(measured.sectors, measured.window, machine),
        measured.launches,
        measured.warps,
        measured.uneven,
        measured.sums,
    )
    single, double, *own = speeds[measured.format].T
    times: Floats = microseconds(counts, machine, np.where(measured.double, double, single), *own)
    return times


def start(measured: Measured) -> Floats:
    """Return the logarithms of the constants where the fit begins: shared ones, then those of each format."""
    return np.log([*MACHINE_START.values(), *(list(SPEED_START.values()) * len(measured.formats))])


def unpacked(logarithms: Floats) -> tuple[Machine, Floats]:
    """Return the constants of such logarithms: shared ones, and a row for each format."""
    values, names = np.exp(logarithms), list(MACHINE_START)
    machine = Machine(**dict(zip(names, map(float, values), strict=False)))
    return machine, values[len(names) :].reshape(-1, OWN)


class Loss:
    """What a fit makes small, of the logarithms of the constants.

    Three things: what choices lose, among all formats and among the deterministic ones, if of two the one
    with the lower estimate is taken the more surely the further it is below the other; how far estimates are
    off within a matrix; and how far at all.
    Constants of formats are regularised towards their mean, so that a format follows the others where its
    own measurements say little.

    Parameters
    ----------
    measured
        The measurements.
    recorded
        Which of them count; all without it.
    """

    def __init__(self, measured: Measured, recorded: NDArray[np.bool_] | None = None) -> None:
        self.measured, self.cases = measured, int(measured.case.max()) + 1
        self.weights = np.ones(len(measured.us)) if recorded is None else recorded.astype(float)
        self.us = np.log(measured.us)
        every = np.ones(len(measured.us), np.bool_)
        self.choices = [
            (among, weight, np.minimum(MOST_LOST, self.us - np.log(measured.best(among))))
            for among, weight in ((every, OF_ANY), (measured.deterministic, OF_DETERMINISTIC))
        ]
        weight = self.weights * (measured.best() / measured.us) ** FAR
        self.weight = weight / weight.sum()
        self.of_case = np.maximum(self._by_case(self.weight), 1e-12)
        self.weighted_cases = len(np.unique(measured.case[self.weights > 0]))

    def _by_case(self, numbers: Floats) -> Floats:
        """Return for each measurement the sum over those of its matrix."""
        sums = np.bincount(self.measured.case, numbers, self.cases).astype(np.float64)
        return sums[self.measured.case]

    def value_and_gradient(self, logarithms: Floats, temperature: float) -> tuple[float, Floats]:
        """Return the loss and its derivatives."""
        times: Floats = np.log(predicted(self.measured, *unpacked(logarithms)))
        off = times - self.us
        within = off - self._by_case(self.weight * off) / self.of_case
        choice, by_choice = self._of_choice(times, temperature)
        inner, by_inner = self._of_distance(within)
        outer, by_outer = self._of_distance(off)
        by_inner -= self.weight * self._by_case(by_inner) / self.of_case
        penalty, by_penalty = _regularisation(logarithms, start(self.measured))
        by_times = by_choice + WITHIN * by_inner + AT_ALL * by_outer
        value = choice + WITHIN * inner + AT_ALL * outer + penalty
        return value, self._by_constants(logarithms, times, by_times) + by_penalty

    def _of_choice(self, times: Floats, temperature: float) -> tuple[float, Floats]:
        """Return the mean logarithm that choices lose, and its derivatives by the logarithms of estimates."""
        value, by_times = 0.0, np.zeros(len(times))
        for among, weight, lost in self.choices:
            open_times = np.where(among, times, np.inf)
            least = np.full(self.cases, np.inf)
            np.minimum.at(least, self.measured.case, open_times)
            likely = np.exp((least[self.measured.case] - open_times) / temperature)
            likely /= self._by_case(likely)
            more = lost - self._by_case(likely * lost)
            likely *= weight * self.weights / self.weighted_cases
            value += float((likely * lost).sum())
            by_times -= likely * more / temperature
        return value, by_times

    def _of_distance(self, off: Floats) -> tuple[float, Floats]:
        """Return the mean of squares that grow but linearly far out, and its derivatives."""
        root = np.sqrt(1 + (off / OUTLIER) ** 2)
        return float((self.weight * 2 * OUTLIER**2 * (root - 1)).sum()), self.weight * 2 * off / root

    def _by_constants(self, logarithms: Floats, times: Floats, by_times: Floats) -> Floats:
        """Carry derivatives by the logarithms of estimates on to those of constants, by differences."""
        shared, step = len(MACHINE_START), 1e-5
        result = np.zeros(len(logarithms))

        def changes(which: Any) -> Floats:
            moved = logarithms.copy()
            moved[which] += step
            changed: Floats = np.log(predicted(self.measured, *unpacked(moved))) - times
            return changed / step * by_times

        for k in range(shared):
            result[k] = changes(k).sum()
        # A format's constants change its own times alone: all formats are moved at once.
        for k in range(OWN):
            own = slice(shared + k, None, OWN)
            result[own] = np.bincount(self.measured.format, changes(own), len(self.measured.formats))
        return result


def _regularisation(logarithms: Floats, begin: Floats) -> tuple[float, Floats]:
    """Return how far the constants of formats lie from their means, and shared ones from the start."""
    shared = len(MACHINE_START)
    own = logarithms[shared:].reshape(-1, OWN)
    apart, moved = own - own.mean(axis=0), logarithms[:shared] - begin[:shared]
    value = REGULARISE * (apart**2).sum() / len(own) + REGULARISE_SHARED * (moved**2).sum()
    return float(value), np.append(2 * REGULARISE_SHARED * moved, 2 * REGULARISE * apart.ravel() / len(own))
