"""What the fit of `auto` makes small: what choices lose, and how far estimates are off."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.choice_measurements import Floats, Measured
from gpu.choice.cost_model import Counts, Machine, microseconds, missed_bytes

FAR = 1.0
"""The weight of a time falls with this power of its distance from the best of its matrix."""
MOST_LOST = 1.0
"""A choice loses no more, a natural logarithm of times, so that no single matrix draws the fit to itself."""
OF_ANY, OF_DETERMINISTIC = 2 / 3, 1 / 3
"""Weights of what choices lose among all formats, and among those whose results are the same in every run."""
WITHIN, AT_ALL = 3.0, 0.3
"""Weights of how far estimates are off within a matrix, and at all, beside what choices lose."""
OUTLIER = 0.1
"""Estimates further off count by how far, nearer ones by its square: a natural logarithm of times."""
DRAWN, DRAWN_SHARED = 0.01, 1e-4
"""How strongly constants of formats are drawn to their mean, and shared ones to where they start.

So much is lost, beside the logarithms that choices lose, where the natural logarithm of a constant is 1 away.
"""
MACHINE_START = {
    "launch_us": 1.5,
    "sector_ns": 0.005,
    "uneven_power": 0.3,
    "cache_bytes": 1.5e7,
    "cache_sharpness": 3.0,
    "x_bytes": 2e7,
    "memory_gb_per_s": 4300.0,
    "scattered_gb_per_s": 2000.0,
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
        measured.sectors,
        measured.warp_sectors,
        missed_bytes(measured.sectors, measured.window, machine),
        measured.launches,
        measured.warps,
        measured.uneven,
    )
    single, double, *own = speeds[measured.format].T
    times: Floats = microseconds(counts, machine, np.where(measured.double, double, single), *own)
    return times


def start(measured: Measured) -> Floats:
    """Give the logarithms of the constants where the fit begins: shared ones, then those of each format."""
    return np.log([*MACHINE_START.values(), *(list(SPEED_START.values()) * len(measured.formats))])


def unpacked(logarithms: Floats) -> tuple[Machine, Floats]:
    """Give the constants of such logarithms: shared ones, and a row for each format."""
    values, names = np.exp(logarithms), list(MACHINE_START)
    machine = Machine(**dict(zip(names, map(float, values), strict=False)))
    return machine, values[len(names) :].reshape(-1, OWN)


class Loss:
    """What a fit makes small, of the logarithms of the constants.

    Three things: what choices lose, among all formats and among the deterministic ones, if of two the one
    with the lower estimate is taken the more surely the further it is below the other; how far estimates are
    off within a matrix; and how far at all.
    Constants of formats are drawn to their mean, so that a format follows the others where its own
    measurements say little.

    Parameters
    ----------
    measured
        The measurements.
    kept
        Which of them count; all without it.
    """

    def __init__(self, measured: Measured, kept: NDArray[np.bool_] | None = None) -> None:
        self.measured, self.cases = measured, int(measured.case.max()) + 1
        self.kept = np.ones(len(measured.us)) if kept is None else kept.astype(float)
        self.us = np.log(measured.us)
        every = np.ones(len(measured.us), np.bool_)
        self.choices = [
            (among, weight, np.minimum(MOST_LOST, self.us - np.log(measured.best(among))))
            for among, weight in ((every, OF_ANY), (measured.deterministic, OF_DETERMINISTIC))
        ]
        weight = self.kept * (measured.best() / measured.us) ** FAR
        self.weight = weight / weight.sum()
        self.of_case = np.maximum(self._by_case(self.weight), 1e-12)
        self.kept_cases = len(np.unique(measured.case[self.kept > 0]))

    def _by_case(self, numbers: Floats) -> Floats:
        """Give for each measurement the sum over those of its matrix."""
        sums = np.bincount(self.measured.case, numbers, self.cases).astype(np.float64)
        return sums[self.measured.case]

    def value_and_gradient(self, logarithms: Floats, temperature: float) -> tuple[float, Floats]:
        """Give the loss and its derivatives."""
        times: Floats = np.log(predicted(self.measured, *unpacked(logarithms)))
        off = times - self.us
        within = off - self._by_case(self.weight * off) / self.of_case
        choice, by_choice = self._of_choice(times, temperature)
        inner, by_inner = self._of_distance(within)
        outer, by_outer = self._of_distance(off)
        by_inner -= self.weight * self._by_case(by_inner) / self.of_case
        drawn, by_drawn = _drawn(logarithms, start(self.measured))
        by_times = by_choice + WITHIN * by_inner + AT_ALL * by_outer
        value = choice + WITHIN * inner + AT_ALL * outer + drawn
        return value, self._by_constants(logarithms, times, by_times) + by_drawn

    def _of_choice(self, times: Floats, temperature: float) -> tuple[float, Floats]:
        """Give the mean logarithm that choices lose, and its derivatives by the logarithms of estimates."""
        value, by_times = 0.0, np.zeros(len(times))
        for among, weight, lost in self.choices:
            open_times = np.where(among, times, np.inf)
            least = np.full(self.cases, np.inf)
            np.minimum.at(least, self.measured.case, open_times)
            likely = np.exp((least[self.measured.case] - open_times) / temperature)
            likely /= self._by_case(likely)
            more = lost - self._by_case(likely * lost)
            likely *= weight * self.kept / self.kept_cases
            value += float((likely * lost).sum())
            by_times -= likely * more / temperature
        return value, by_times

    def _of_distance(self, off: Floats) -> tuple[float, Floats]:
        """Give the mean of squares that grow but linearly far out, and its derivatives."""
        root = np.sqrt(1 + (off / OUTLIER) ** 2)
        return float((self.weight * 2 * OUTLIER**2 * (root - 1)).sum()), self.weight * 2 * off / root

    def _by_constants(self, logarithms: Floats, times: Floats, by_times: Floats) -> Floats:
        """Carry derivatives by the logarithms of estimates on to those of constants, by differences."""
        shared, step = len(MACHINE_START), 1e-5
        found = np.zeros(len(logarithms))

        def changes(which: Any) -> Floats:
            moved = logarithms.copy()
            moved[which] += step
            changed: Floats = np.log(predicted(self.measured, *unpacked(moved))) - times
            return changed / step * by_times

        for k in range(shared):
            found[k] = changes(k).sum()
        # A format's constants change its own times alone: all formats are moved at once.
        for k in range(OWN):
            own = slice(shared + k, None, OWN)
            found[own] = np.bincount(self.measured.format, changes(own), len(self.measured.formats))
        return found


def _drawn(logarithms: Floats, begin: Floats) -> tuple[float, Floats]:
    """Give how far the constants of formats lie from their means, and shared ones from the start."""
    shared = len(MACHINE_START)
    own = logarithms[shared:].reshape(-1, OWN)
    apart, moved = own - own.mean(axis=0), logarithms[:shared] - begin[:shared]
    value = DRAWN * (apart**2).sum() / len(own) + DRAWN_SHARED * (moved**2).sum()
    return float(value), np.append(2 * DRAWN_SHARED * moved, 2 * DRAWN * apart.ravel() / len(own))
