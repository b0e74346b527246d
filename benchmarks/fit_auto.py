"""Fit what `auto` knows of a device: measure, fit, check.

    python -m benchmarks.fit_auto measure FILE [--seconds 120] [--formats A,B]   on a machine with the GPU
    python -m benchmarks.fit_auto recount FILE...                     what the formats do, counted anew
    python -m benchmarks.fit_auto fit FILE...                         writes gpu/choice/constants.toml
    python -m benchmarks.fit_auto check FILE...                       auto against the best, anew

Of several files a later one counts where both have a format of a matrix: after a change of kernels their
formats alone are measured again. `recount` puts into the lines of a file what `Kernel.work` says now.

The fit takes the constants with which choices lose least and the logarithms of estimated and measured times
agree, where times near the best of their matrix weigh most: which format is second worst need not be known.
`fit` prints how well `auto` would have chosen for matrices of families that it has not seen, an eighth of
them left out at a time, and each in turn.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from gpu.choice.cost_model import (
    CONSTANTS,
    Constants,
    Counts,
    Machine,
    batches,
    microseconds,
    missed_bytes,
    uneven,
    window_bytes,
)
from vecsim.errors import UserError
from vecsim.provenance import provenance

Floats = NDArray[np.float64]

FEWEST = 12
"""Measurements that a format needs for constants of its own."""
NEAR = 1.5
"""Times up to so many times the best of their matrix are near it."""
FAR = 1.0
"""The weight of a time falls with this power of its distance from the best of its matrix."""
TEMPERATURE = 0.04
"""Logarithms of estimates that are so much apart count as chosen 2.7 times as often one as the other."""
STAGES = ((4, 75), (2, 75), (1, 300))
"""From smooth to sharp: times the temperature, and the most steps."""
MOST_LOST = 1.0
"""A choice loses no more, so that no single matrix draws the fit to itself."""
WITHIN, AT_ALL = 3.0, 0.3
"""Weights of how far estimates are off within a matrix, and at all, beside what choices lose."""
OUTLIER = 0.1
DRAWN, DRAWN_SHARED = 0.01, 1e-4
"""How strongly constants of formats are drawn to their mean, and shared ones to where they start."""
PARTS = 8
"""Parts of the families, each of which is left out once."""
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
MACHINE_RANGE = {
    "launch_us": (0.1, 5.0),
    "sector_ns": (1e-5, 0.02),
    "uneven_power": (0.01, 1.0),
    "cache_bytes": (5e6, 1.2e8),
    "cache_sharpness": (1.0, 10.0),
    "x_bytes": (3e6, 6e7),
    "memory_gb_per_s": (1500.0, 9000.0),
    "scattered_gb_per_s": (500.0, 9000.0),
}
SPEED_START = (6000.0, 6000.0, 100.0, 0.8, 0.05, 0.002)
SPEED_RANGE = (
    (200.0, 20000.0),
    (200.0, 20000.0),
    (0.5, 2000.0),
    (0.2, 30.0),
    (0.0005, 5.0),
    (1e-5, 0.05),
)
OWN = len(SPEED_START)
"""Constants of a format: two rates, batch, start, warp, gather."""


@dataclass(frozen=True)
class Measured:
    """The measurements of a file, one array a column."""

    lines: list[dict[str, Any]]
    us: Floats
    stored: Floats
    vectors: Floats
    batches: Floats
    sectors: Floats
    warp_sectors: Floats
    launches: Floats
    warps: Floats
    uneven: Floats
    window: Floats
    double: NDArray[np.bool_]
    format: NDArray[np.int64]
    case: NDArray[np.int64]
    family: NDArray[np.int64]
    formats: list[str]

    @classmethod
    def of(cls, lines: list[dict[str, Any]]) -> Measured:
        """Arrange lines of `benchmarks.measure_choice`; those without a time are left out."""
        lines = [line for line in lines if "us" in line]
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
            column(lambda line: line["warp_sectors"]),
            work("launches"),
            work("warps"),
            uneven(work("warps"), work("block_warps")),
            window_bytes(
                work("scattered") > 0,
                column(lambda line: line["mean_spread"]),
                column(lambda line: line["columns"]),
                size,
            ),
            size == 8,
            np.array([formats.index(line["format"]) for line in lines]),
            numbered([f"{line['matrix']} {line['dtype']}" for line in lines]),
            numbered([line["family"] for line in lines]),
            formats,
        )

    def best(self) -> Floats:
        """Give the best time of each measurement's matrix."""
        best = np.full(int(self.case.max()) + 1, np.inf)
        np.minimum.at(best, self.case, self.us)
        found: Floats = best[self.case]
        return found


def predicted(measured: Measured, machine: Machine, speeds: Floats) -> Floats:
    """Estimate all times; `speeds` has a row for each format, the constants in the order of `SPEED_START`."""
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


def fitted(measured: Measured, kept: NDArray[np.bool_] | None = None) -> tuple[Machine, Floats]:
    """Fit the constants to the measurements that are kept; all start from the same values."""
    low, high = np.log(np.array([*MACHINE_RANGE.values(), *(SPEED_RANGE * len(measured.formats))])).T
    loss, found = Loss(measured, kept), _start(measured)
    for times, steps in STAGES:
        found = minimize(
            loss.value_and_gradient,
            np.clip(found, low, high),
            (times * TEMPERATURE,),
            jac=True,
            method="L-BFGS-B",
            bounds=list(zip(low, high, strict=True)),
            options={"maxiter": steps, "maxfun": 3 * steps, "maxcor": 40, "gtol": 1e-9, "ftol": 1e-10},
        ).x
    return _unpacked(found)


def _start(measured: Measured) -> Floats:
    return np.log([*MACHINE_START.values(), *(SPEED_START * len(measured.formats))])


def _unpacked(logarithms: Floats) -> tuple[Machine, Floats]:
    values, names = np.exp(logarithms), list(MACHINE_START)
    machine = Machine(**dict(zip(names, map(float, values), strict=False)))
    return machine, values[len(names) :].reshape(-1, OWN)


class Loss:
    """What a fit makes small, of the logarithms of the constants.

    Three things: what choices lose, if of two formats the one with the lower estimate is taken the more
    surely the further it is below the other; how far estimates are off within a matrix; and how far at all.
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
        self.lost = np.minimum(MOST_LOST, self.us - np.log(measured.best()))
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
        times: Floats = np.log(predicted(self.measured, *_unpacked(logarithms)))
        off = times - self.us
        within = off - self._by_case(self.weight * off) / self.of_case
        choice, by_choice = self._of_choice(times, temperature)
        inner, by_inner = self._of_distance(within)
        outer, by_outer = self._of_distance(off)
        by_inner -= self.weight * self._by_case(by_inner) / self.of_case
        drawn, by_drawn = _drawn(logarithms, _start(self.measured))
        by_times = by_choice + WITHIN * by_inner + AT_ALL * by_outer
        value = choice + WITHIN * inner + AT_ALL * outer + drawn
        return value, self._by_constants(logarithms, times, by_times) + by_drawn

    def _of_choice(self, times: Floats, temperature: float) -> tuple[float, Floats]:
        """Give the mean logarithm that choices lose, and its derivatives by the logarithms of estimates."""
        least = np.full(self.cases, np.inf)
        np.minimum.at(least, self.measured.case, times)
        likely = np.exp((least[self.measured.case] - times) / temperature)
        likely /= self._by_case(likely)
        more = self.lost - self._by_case(likely * self.lost)
        likely *= self.kept / self.kept_cases
        return float((likely * self.lost).sum()), -likely * more / temperature

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
            changed: Floats = np.log(predicted(self.measured, *_unpacked(moved))) - times
            return changed / step * by_times

        for k in range(shared):
            found[k] = changes(k).sum()
        # A format's constants change its own times alone: all formats are moved at once.
        for k in range(OWN):
            own = slice(shared + k, None, OWN)
            found[own] = np.bincount(self.measured.format, changes(own), len(self.measured.formats))
        return found


def _drawn(logarithms: Floats, start: Floats) -> tuple[float, Floats]:
    """Give how far the constants of formats lie from their means, and shared ones from the start."""
    shared = len(MACHINE_START)
    own = logarithms[shared:].reshape(-1, OWN)
    apart, moved = own - own.mean(axis=0), logarithms[:shared] - start[:shared]
    value = DRAWN * (apart**2).sum() / len(own) + DRAWN_SHARED * (moved**2).sum()
    return float(value), np.append(2 * DRAWN_SHARED * moved, 2 * DRAWN * apart.ravel() / len(own))


def quality(measured: Measured, times: Floats, kept: NDArray[np.bool_] | None = None) -> Floats:
    """Give for each matrix and type the time of the format with the least estimate over the best time."""
    ratios = []
    for case in np.unique(measured.case if kept is None else measured.case[kept]):
        of_case = np.flatnonzero(measured.case == case)
        chosen = of_case[np.argmin(times[of_case])]
        ratios.append(measured.us[chosen] / measured.us[of_case].min())
    return np.array(ratios)


def described(ratios: Floats) -> str:
    """Say how good choices were."""
    return (
        f"auto over best: geometric mean {np.exp(np.log(ratios).mean()):.3f}, "
        f"{(ratios > 1.1).sum()} of {len(ratios)} over 1.1, {(ratios > 1.15).sum()} over 1.15, "
        f"{(ratios > 1.5).sum()} over 1.5, "
        f"worst {ratios.max():.2f}"
    )


def document(measured: Measured, machine: Machine, speeds: Floats, facts: dict[str, Any]) -> str:
    """Write constants.toml.

    Parameters
    ----------
    measured
        What was fitted on.
    machine
        The fitted constants that formats share.
    speeds
        (formats, 6): those of each format, in the order of `SPEED_START`.
    facts
        The table [provenance].
    """
    lines = [
        "# What `auto` knows of the device: written by `python -m benchmarks.fit_auto fit`, not by hand.",
        "",
    ]
    lines.append("[provenance]")
    lines += [f"{key} = {json.dumps(value)}" for key, value in facts.items()]
    lines += ["", "[machine]"]
    lines += [f"{name} = {float(f'{getattr(machine, name):.4g}')}" for name in MACHINE_START]
    counts = np.bincount(measured.format, minlength=len(measured.formats))
    middle = np.median(speeds[counts >= FEWEST], axis=0)
    for name, speed in [
        ("default", middle),
        *((name, speeds[k]) for k, name in enumerate(measured.formats) if counts[k] >= FEWEST),
    ]:
        single, double, batch, start, warp, gather = (float(f"{value:.4g}") for value in speed)
        lines += ["", f"[format.{name}]", f"gb_per_s = [{single}, {double}]"]
        lines += [f"batch_ns = {batch}", f"start_us = {start}", f"warp_ns = {warp}"]
        lines += [f"gather_ns = {gather}"]
    return "\n".join(lines) + "\n"


def read(paths: Sequence[Path]) -> list[dict[str, Any]]:
    """Read the lines of files; of a format measured twice on a matrix the later line counts."""
    latest: dict[tuple[str, str, str], dict[str, Any]] = {}
    for path in paths:
        for text in path.read_text().splitlines():
            line = json.loads(text)
            latest[line["matrix"], line["dtype"], line["format"]] = line
    return list(latest.values())


def fit(paths: Sequence[Path], target: Path, device: str, commit: str) -> None:
    """Fit, print how well, and write the constants.

    Parameters
    ----------
    paths
        Lines of `benchmarks.measure_choice`.
    target
        The file of constants.
    device, commit
        On what, and of which code, the times are.
    """
    measured = Measured.of(read(paths))
    machine, speeds = fitted(measured)
    times = predicted(measured, machine, speeds)
    near = measured.us <= NEAR * measured.best()
    residual = np.abs(np.log(times / measured.us))
    middle, tail = np.median(residual[near]), np.quantile(residual[near], 0.9)
    print(
        f"{len(measured.us)} measurements; |log(estimated / measured)|: median {np.median(residual):.3f}, of "
        f"times near the best {middle:.3f}, 90 % of them below {tail:.3f}"
    )
    print("all seen:", described(quality(measured, times)))
    facts = {
        "device": device,
        "date": datetime.now(UTC).date().isoformat(),
        "commit": commit,
        "matrices": len({line["matrix"] for line in measured.lines}),
        "measurements": len(measured.us),
        "median_residual": round(float(middle), 4),
        "auto_over_best": round(float(np.exp(np.log(quality(measured, times)).mean())), 4),
    }
    _write(target, document(measured, machine, speeds, facts))
    for name, parts in (("unseen", PARTS), ("unseen_in_turn", len(np.unique(measured.family)))):
        unseen = left_out(measured, parts)
        print(f"families left out, in {parts} parts:", described(unseen))
        facts[f"auto_over_best_{name}"] = round(float(np.exp(np.log(unseen).mean())), 4)
    _write(target, document(measured, machine, speeds, facts))


def _write(target: Path, text: str) -> None:
    part = target.with_suffix(".part")
    part.write_text(text)
    part.replace(target)


def left_out(measured: Measured, parts: int = PARTS) -> Floats:
    """Give the quality of choices for each family, of constants fitted without its part of all families."""
    ratios = []
    for part in range(parts):
        out = measured.family % parts == part
        if out.any():
            times = predicted(measured, *fitted(measured, ~out))
            ratios.append(quality(measured, times, out))
    return np.concatenate(ratios)


def check(paths: Sequence[Path]) -> None:
    """Print how well the constants of the package choose, and where not."""
    measured, constants = Measured.of(read(paths)), Constants.read()
    own = [constants.speed(name) for name in measured.formats]
    speeds = np.array([[each.of_type(4)[0], *each.of_type(8)] for each in own])
    times = predicted(measured, constants.machine, speeds)
    print(described(quality(measured, times)))
    for case in np.unique(measured.case):
        of_case = np.flatnonzero(measured.case == case)
        chosen, best = of_case[np.argmin(times[of_case])], of_case[np.argmin(measured.us[of_case])]
        if measured.us[chosen] > 1.15 * measured.us[best]:
            a, b = measured.lines[chosen], measured.lines[best]
            print(
                f"{a['matrix']:36} {a['dtype']} {a['nnz']:9} {a['format']:22} {a['us']:8.2f} us (estimate "
                f"{times[chosen]:8.2f}), best {b['format']:22} {b['us']:8.2f} ({times[best]:8.2f})"
            )


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fit_auto", description=__doc__)
    parser.add_argument("command", choices=("measure", "recount", "fit", "check"))
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--processes", type=int, default=14)
    parser.add_argument("--only", default="", help="one family of matrices")
    parser.add_argument("--done", type=Path, help="lines of an earlier run: of its matrices --formats alone")
    parser.add_argument("--formats", default="", help="measure these alone, with commas between them")
    parser.add_argument("--device", default="NVIDIA H200")
    parser.add_argument("--commit", default="", help="of the measured code; this one's without it")
    parser.add_argument("--to", type=Path, default=CONSTANTS)
    given = parser.parse_args(arguments)
    if given.command == "measure":
        from benchmarks.measure_choice import measure

        formats = [name for name in given.formats.split(",") if name]
        try:
            count = measure(given.files[0], given.seconds, given.processes, given.only, given.done, formats)
        except UserError as error:
            raise SystemExit(str(error)) from None
        print(count, "measurements")
    elif given.command == "recount":
        from benchmarks.measure_choice import recount

        for file in given.files:
            recount(file, given.processes)
    elif given.command == "fit":
        fit(given.files, given.to, given.device, given.commit or str(provenance().commit))
    else:
        check(given.files)


if __name__ == "__main__":
    main()
