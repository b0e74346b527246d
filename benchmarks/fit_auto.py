"""Fit what `auto` knows of a device: measure, fit, check.

    python -m benchmarks.fit_auto measure FILE [--seconds 120] [--formats A,B]   on a machine with the GPU
    python -m benchmarks.fit_auto recount FILE...                     what the formats do, counted anew
    python -m benchmarks.fit_auto fit FILE...                         writes gpu/choice/constants.toml
    python -m benchmarks.fit_auto check FILE...                       auto against the best, anew

Of several files a later one counts where both have a format of a matrix: after a change of kernels their
formats alone are measured again. `recount` puts into the lines of a file what `Kernel.work` says now.

The fit takes the constants that make the logarithms of estimated and measured times agree best, where times
near the best of their matrix weigh most: which format is second worst need not be known. `fit` prints how
well `auto` would have chosen for matrices of families that it has not seen, an eighth of them left out at a
time.
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
from scipy.optimize import least_squares

from gpu.choice.cost_model import (
    CONSTANTS,
    Constants,
    Counts,
    Machine,
    Speed,
    microseconds,
    missed_bytes,
    window_bytes,
)
from vecsim.errors import UserError
from vecsim.provenance import provenance

Floats = NDArray[np.float64]

FEWEST = 12
"""Measurements that a format needs for constants of its own."""
NEAR = 1.5
"""Times up to so many times the best of their matrix weigh fully."""
FAR_WEIGHT = 0.25
ROUNDS = 4
MOST_STEPS = 40
PARTS = 8
"""Parts of the families, each of which is left out once."""
MACHINE_START = {
    "power": 3.0,
    "launch_us": 1.5,
    "sector_ns": 0.005,
    "ahead": 8.0,
    "cache_bytes": 5e7,
    "cache_sharpness": 4.0,
    "x_bytes": 3e7,
    "memory_gb_per_s": 4300.0,
    "scattered_gb_per_s": 2000.0,
}
MACHINE_RANGE = {
    "power": (1.0, 8.0),
    "launch_us": (0.1, 5.0),
    "sector_ns": (1e-5, 0.01),
    "ahead": (0.5, 100.0),
    "cache_bytes": (1e7, 1.2e8),
    "cache_sharpness": (1.0, 10.0),
    "x_bytes": (3e6, 6e7),
    "memory_gb_per_s": (1500.0, 9000.0),
    "scattered_gb_per_s": (500.0, 9000.0),
}
SPEED_START = (4000.0, 4500.0, 60.0, 1.0, 0.1)
SPEED_RANGE = ((200.0, 12000.0), (200.0, 12000.0), (0.5, 2000.0), (0.3, 30.0), (0.001, 5.0))
OWN = len(SPEED_START)
"""Constants of a format: two rates, step, start, warp."""


@dataclass(frozen=True)
class Measured:
    """The measurements of a file, one array a column."""

    lines: list[dict[str, Any]]
    us: Floats
    stored: Floats
    vectors: Floats
    chain: Floats
    sectors: Floats
    launches: Floats
    warps: Floats
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

        def numbered(names: list[str]) -> NDArray[np.int64]:
            return np.unique(names, return_inverse=True)[1].astype(np.int64)

        return cls(
            lines,
            column(lambda line: line["us"]),
            column(lambda line: line["work"]["stored_bytes"]),
            size * column(lambda line: line["rows"] + line["columns"]),
            column(lambda line: line["work"]["chain"]),
            column(lambda line: line["work"]["sectors"]),
            column(lambda line: line["work"]["launches"]),
            column(lambda line: line["work"]["warps"]),
            window_bytes(
                column(lambda line: line["work"]["scattered"]) > 0,
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
    """Estimate all times; `speeds` has a row for each format: two rates, step, start and warp."""
    counts = Counts(
        measured.stored + measured.vectors,
        measured.chain,
        measured.sectors,
        missed_bytes(measured.sectors, measured.window, machine),
        measured.launches,
        measured.warps,
    )
    own = speeds[measured.format]
    rate = np.where(measured.double, own[:, 1], own[:, 0])
    times: Floats = microseconds(counts, rate, own[:, 2], own[:, 3], own[:, 4], machine)
    return times


def fitted(measured: Measured, kept: NDArray[np.bool_] | None = None) -> tuple[Machine, Floats]:
    """Fit the constants to the measurements that are kept.

    What is estimated to be near the best, but is not, would be chosen: it weighs more in each next round.
    """
    logarithms = np.log([*MACHINE_START.values(), *(SPEED_START * len(measured.formats))])
    weight = np.where(measured.us <= NEAR * measured.best(), 1.0, FAR_WEIGHT)
    if kept is not None:
        weight = weight * kept
    for _ in range(ROUNDS):
        logarithms = _fitted_once(measured, weight, logarithms)
        times = predicted(measured, *_unpacked(logarithms))
        least = np.full(int(measured.case.max()) + 1, np.inf)
        np.minimum.at(least, measured.case, times)
        tempting = (times < 1.15 * least[measured.case]) & (measured.us > 1.1 * measured.best())
        weight = np.where(tempting, np.minimum(4.0, 2 * np.maximum(weight, 0.5 * (weight > 0))), weight)
    return _unpacked(logarithms)


def _unpacked(logarithms: Floats) -> tuple[Machine, Floats]:
    values, names = np.exp(logarithms), list(MACHINE_START)
    machine = Machine(**dict(zip(names, map(float, values), strict=False)))
    return machine, values[len(names) :].reshape(-1, OWN)


def _fitted_once(measured: Measured, weight: Floats, first: Floats) -> Floats:
    """Give the logarithms of the constants for these weights, beginning with others."""
    names, count = list(MACHINE_START), len(measured.formats)
    start = np.log([*MACHINE_START.values(), *(SPEED_START * count)])
    low, high = np.log(np.array([*MACHINE_RANGE.values(), *(SPEED_RANGE * count)])).T
    of_format = [measured.format == number for number in range(count)]

    def residuals(logarithms: Floats) -> Floats:
        difference = np.log(predicted(measured, *_unpacked(logarithms)) / measured.us)
        # Constants that nothing was measured for stay where they are.
        bound: Floats = np.append(weight * difference, 1e-3 * (logarithms - start))
        return bound

    def jacobian(logarithms: Floats) -> Floats:
        base, step = residuals(logarithms), 1e-5
        made = np.zeros((len(base), len(logarithms)))
        for k in range(len(names)):
            moved = logarithms.copy()
            moved[k] += step
            made[:, k] = (residuals(moved) - base) / step
        # A format's constants change its own times alone: all formats are moved at once.
        for k in range(OWN):
            moved = logarithms.copy()
            moved[len(names) + k :: OWN] += step
            change = (residuals(moved) - base) / step
            for number, own in enumerate(of_format):
                made[: len(own), len(names) + OWN * number + k][own] = change[: len(own)][own]
        for k in range(len(logarithms)):
            made[len(measured.us) + k] = 0
            made[len(measured.us) + k, k] = 1e-3
        return made

    found = least_squares(
        residuals,
        np.clip(first, low + 1e-9, high - 1e-9),
        jacobian,
        bounds=(low, high),
        loss="soft_l1",
        f_scale=0.1,
        max_nfev=MOST_STEPS,
    )
    logarithms: Floats = found.x
    return logarithms


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
        f"{(ratios > 1.1).sum()} of {len(ratios)} over 1.1, {(ratios > 1.5).sum()} over 1.5, "
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
        (formats, 5): those of each format, in the order of `Speed`.
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
        single, double, step, start, warp = (float(f"{value:.4g}") for value in speed)
        lines += ["", f"[format.{name}]", f"gb_per_s = [{single}, {double}]"]
        lines += [f"step_ns = {step}", f"start_us = {start}", f"warp_ns = {warp}"]
    return "\n".join(lines) + "\n"


def read(paths: Sequence[Path]) -> list[dict[str, Any]]:
    """Read the lines of files; of a format measured twice on a matrix the later line counts."""
    latest: dict[tuple[str, str, str], dict[str, Any]] = {}
    for path in paths:
        for text in path.read_text().splitlines():
            line = json.loads(text)
            latest[line["matrix"], line["dtype"], line["format"]] = line
    return list(latest.values())


def fit(paths: Sequence[Path], target: Path, device: str) -> None:
    """Fit, print how well, and write the constants."""
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
        "commit": str(provenance().commit),
        "matrices": len({line["matrix"] for line in measured.lines}),
        "measurements": len(measured.us),
        "median_residual": round(float(middle), 4),
        "auto_over_best": round(float(np.exp(np.log(quality(measured, times)).mean())), 4),
    }
    _write(target, document(measured, machine, speeds, facts))
    unseen = left_out(measured)
    print("families left out:", described(unseen))
    facts["auto_over_best_unseen"] = round(float(np.exp(np.log(unseen).mean())), 4)
    _write(target, document(measured, machine, speeds, facts))


def _write(target: Path, text: str) -> None:
    part = target.with_suffix(".part")
    part.write_text(text)
    part.replace(target)


def left_out(measured: Measured) -> Floats:
    """Give the quality of choices for each family, of constants fitted without it and some others."""
    ratios = []
    for part in range(PARTS):
        out = measured.family % PARTS == part
        if out.any():
            times = predicted(measured, *fitted(measured, ~out))
            ratios.append(quality(measured, times, out))
    return np.concatenate(ratios)


def check(paths: Sequence[Path]) -> None:
    """Print how well the constants of the package choose, and where not."""
    measured, constants = Measured.of(read(paths)), Constants.read()
    own: list[Speed] = [constants.speed(name) for name in measured.formats]
    speeds = np.array([[*each.gb_per_s, each.step_ns, each.start_us, each.warp_ns] for each in own])
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
        fit(given.files, given.to, given.device)
    else:
        check(given.files)


if __name__ == "__main__":
    main()
