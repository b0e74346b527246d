"""Fit what `auto` knows of a device: measure, fit, check.

    python -m benchmarks.fit_auto measure FILE [--seconds 120] [--formats A,B]   on a machine with the GPU
    python -m benchmarks.fit_auto measure MORE --near FILE            those near the best, again
    python -m benchmarks.fit_auto recount FILE...                     what the formats do, counted again
    python -m benchmarks.fit_auto fit FILE...                         writes gpu/choice/constants.toml
    python -m benchmarks.fit_auto check FILE...                       auto against the best, again

Of several files a later one counts where both have a format of a matrix: after a change of kernels their
formats alone are measured again. A product takes up to 2.3 times as long in one place of the memory as in
another, so each is measured in several: their geometric mean counts. What was measured with `--near` does not
replace the times before, but adds to them. `recount` puts into the lines of a file what `Kernel.work` says
now. Times of several devices are fitted together: what each took counts apart.

The fit takes the constants with which choices lose least and the logarithms of estimated and measured times
agree, where times near the best of their matrix weigh most: which format is second worst need not be known.
`fit` prints how well `auto` would have chosen for matrices that it has not seen: an eighth of the families
left out at a time, and all recipes of one author (`COMPOSED` or `NAMED` of `benchmarks.choice_matrices`); and
which constants ended at a bound of what they may be.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from benchmarks.choice_matrices import NAMED
from benchmarks.choice_times import (
    MACHINE_START,
    SPEED_START,
    Floats,
    Loss,
    Measured,
    predicted,
    read,
    start,
    unpacked,
)
from gpu.choice.cost_model import CONSTANTS, Constants, Machine
from vecsim.results.atomic_files import write_file
from vecsim.results.provenance import provenance
from vecsim.support.errors import UserError

FEWEST = 12
"""Fewest measurements that a format needs for its own constants."""
NEAR = 1.5
"""Times up to this many times the best of their matrix are near it."""
TEMPERATURE = 0.04
"""Logarithms of estimates that are so much apart count as chosen 2.7 times as often one as the other."""
STAGES = ((4, 75), (2, 50), (1, 150))
"""From smooth to sharp: times the temperature, and the most steps."""
PARTS = 8
"""Parts that the families are divided into; each part is left out once."""
AT_BOUND = 1.001
"""A constant that is within this factor of a bound ended there."""
MACHINE_RANGE = {
    "launch_us": (0.1, 5.0),
    "sector_ns": (1e-5, 0.02),
    "sum_ns": (0.0023, 0.02),  # so much by the times of sell-segments-direct alone
    "uneven_power": (0.01, 1.0),
    "cache_bytes": (5e6, 1.2e8),
    "cache_sharpness": (1.0, 10.0),
    "x_bytes": (3e6, 6e7),
    "memory_gb_per_s": (1500.0, 9000.0),
    "scattered_gb_per_s": (500.0, 9000.0),
    "overlap": (1.0, 6.0),
    "l1_bytes": (1e3, 1e6),
}
"""Bounds of the fit, in the units of `Machine`."""
SPEED_RANGE = {
    "gb_per_s of float32": (200.0, 20000.0),
    "gb_per_s of float64": (200.0, 20000.0),
    "batch_ns": (0.5, 2000.0),
    "start_us": (0.2, 30.0),
    "warp_ns": (0.0005, 5.0),
    "gather_ns": (1e-5, 0.05),
}
"""The same of a format's own constants, in the units of `Speed`."""


def fitted(measured: Measured, recorded: NDArray[np.bool_] | None = None) -> tuple[Machine, Floats]:
    """Fit the constants to the measurements that are kept; all start from the same values."""
    ranges = np.log(
        np.array([*MACHINE_RANGE.values(), *(list(SPEED_RANGE.values()) * len(measured.formats))])
    )
    low, high = ranges.T
    loss, result = Loss(measured, recorded), start(measured)
    for times, steps in STAGES:
        result = minimize(
            loss.value_and_gradient,
            np.clip(result, low, high),
            (times * TEMPERATURE,),
            jac=True,
            method="L-BFGS-B",
            bounds=list(zip(low, high, strict=True)),
            options={"maxiter": steps, "maxfun": 3 * steps, "maxcor": 40, "gtol": 1e-9, "ftol": 1e-10},
        ).x
    return unpacked(result)


def at_bounds(formats: Sequence[str], machine: Machine, speeds: Floats) -> list[str]:
    """Name the constants that ended at a bound: their times may say less of them than the bound does.

    Parameters
    ----------
    formats
        Their names.
    machine
        The fitted constants that formats share.
    speeds
        (formats, 6): those of each format, in the order of `SPEED_START`.
    """
    every = [(name, getattr(machine, name), MACHINE_RANGE[name]) for name in MACHINE_START]
    for format, own in zip(formats, speeds, strict=True):
        every += [
            (f"{name} of {format}", value, SPEED_RANGE[name])
            for name, value in zip(SPEED_START, own, strict=True)
        ]
    return [
        f"{name} {float(f'{value:.4g}'):g}"
        for name, value, (low, high) in every
        if value < low * AT_BOUND or value > high / AT_BOUND
    ]


def quality(
    measured: Measured,
    times: Floats,
    recorded: NDArray[np.bool_] | None = None,
    *,
    deterministic: bool = False,
) -> Floats:
    """Return for each matrix and type the time of the format with the least estimate over the best time.

    Parameters
    ----------
    measured, times
        The measurements, and what is estimated of them.
    recorded
        Those whose matrices count; all without it.
    deterministic
        Whether there are but formats with the same results in every run.
    """
    ratios = []
    among = measured.deterministic if deterministic else np.ones(len(measured.us), np.bool_)
    for case in np.unique(measured.case if recorded is None else measured.case[recorded]):
        of_case = np.flatnonzero((measured.case == case) & among)
        chosen = of_case[np.argmin(times[of_case])]
        ratios.append(measured.us[chosen] / measured.us[of_case].min())
    return np.array(ratios)


def described(ratios: Floats) -> str:
    """Describe how good choices were."""
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


def fit(paths: Sequence[Path], target: Path, device: str, commit: str) -> None:
    """Fit, print how well, and write the constants.

    Parameters
    ----------
    paths
        Lines of `benchmarks.measure_choice`.
    target
        The file of constants.
    device, commit
        The GPU of the times, where the lines do not tell it, and the commit of the code.
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
    print("at a bound:", ", ".join(at_bounds(measured.formats, machine, speeds)) or "no constant")
    print("all seen:", described(quality(measured, times)))
    print("all seen, deterministic:", described(quality(measured, times, deterministic=True)))
    facts = {
        "device": device or " and ".join(sorted({line.get("device", "") for line in measured.lines})),
        "date": datetime.now(UTC).date().isoformat(),
        "commit": commit,
        "matrices": len({line["matrix"] for line in measured.lines}),
        "measurements": len(measured.us),
        "median_residual": round(float(middle), 4),
        "auto_over_best": round(float(np.exp(np.log(quality(measured, times)).mean())), 4),
    }
    write_file(target, document(measured, machine, speeds, facts).encode())
    named = np.isin([line["matrix"] for line in measured.lines], [recipe.name for recipe in NAMED])
    divisions = {
        "unseen": ("families left out, in parts", measured.family % PARTS),
        "unseen_author": ("composed or named recipes left out", named.astype(np.int64)),
    }
    for name, (what, part) in divisions.items():
        if len(np.unique(part)) == 1:
            continue
        unseen, fixed = left_out(measured, part)
        print(f"{what}: {described(unseen)}")
        print(f"{what}, deterministic: {described(fixed)}")
        facts[f"auto_over_best_{name}"] = round(float(np.exp(np.log(unseen).mean())), 4)
        facts[f"deterministic_over_best_{name}"] = round(float(np.exp(np.log(fixed).mean())), 4)
    write_file(target, document(measured, machine, speeds, facts).encode())


def left_out(measured: Measured, part: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Return the quality of choices for matrices that the fit has not seen.

    For each part constants are fitted to all others, and choose for the matrices of the part.

    Parameters
    ----------
    measured
        The measurements of all matrices.
    part
        The number of the part of each measurement.

    Returns
    -------
    (matrices and types,), twice: the time of the chosen format over the best, as of `quality`, one part after
    the other; and that among deterministic ones.
    """
    ratios: list[Floats] = []
    fixed: list[Floats] = []
    for number in np.unique(part):
        out = part == number
        times = predicted(measured, *fitted(measured, ~out))
        ratios.append(quality(measured, times, out))
        fixed.append(quality(measured, times, out, deterministic=True))
    return np.concatenate(ratios), np.concatenate(fixed)


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
    parser.add_argument("--near", type=Path, help="lines of an earlier run: those near the best again")
    parser.add_argument("--formats", default="", help="measure these alone, with commas between them")
    parser.add_argument("--device", default="", help="that the times are of; by the lines without it")
    parser.add_argument("--commit", default="", help="of the measured code; this one's without it")
    parser.add_argument("--to", type=Path, default=CONSTANTS)
    given = parser.parse_args(arguments)
    try:
        _run(given)
    except (UserError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(2) from None


def _run(given: argparse.Namespace) -> None:
    if given.command == "measure":
        from benchmarks.measure_choice import measure

        formats = [name for name in given.formats.split(",") if name]
        before = (given.done, formats, given.near)
        count = measure(given.files[0], given.seconds, given.processes, given.only, *before)
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
