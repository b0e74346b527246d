"""What a million machines say, as tables: counts, averages, values, conclusions, and the nearest."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence

import numpy as np

from experiments.made_by import SAMPLE, made_by
from experiments.papers.hism.calibration.choices import STANDARDS
from experiments.papers.hism.calibration.headings import STATES
from experiments.papers.hism.calibration.many_machines import SEED, Ints, cycles_of, digest_of_sample
from experiments.papers.hism.calibration.matrices import Ground
from experiments.papers.hism.calibration.posterior import (
    PILOT,
    PILOT_SEED,
    QUANTILES,
    SPREADS,
    Flags,
    Floats,
    Posterior,
    average_times,
    differences,
    fits,
)
from experiments.papers.hism.calibration.simulation import Simulator
from experiments.papers.hism.measurements import Load
from experiments.papers.hism.table2 import PRINTED
from experiments.papers.hism.timing import METHODS
from programs.declaration import SCHEDULE
from vecsim.machine import Machine

Rows = list[tuple[str, ...]]
"""The first has the names of the columns."""

SCHEDULED = "crs", "bbcs", "hism"
"""Programs whose schedules the calibration decides; those of the others are a convention."""
NEAREST = 10
"""Machines that are listed."""
WHOLE = 5
"""Machines that fit, chosen at random, that run on all matrices of the suite, too."""
KNOWN = "tols340"
"""A matrix of the suite that needs no file: cycles on it are kept of the nearest machines."""


def tables(result: Posterior, base: Machine, ground: Ground, load: Load, minutes: float) -> dict[str, Rows]:
    """Return the tables by the ends of their names.

    Parameters
    ----------
    result
        The machines and their times.
    base
        The machine whose fields hold where no choice sets them.
    ground, load
        The matrices, and what returns one.
    minutes
        Of the processors, that it took.
    """
    return {
        "machines": counts(result, ground.missing, minutes, digest_of_sample(base)),
        "machines-looks": looks(result),
        "machines-averages": averages(result),
        "machines-choices": choices(result),
        "machines-conclusions": conclusions(result),
        "machines-nearest": nearest(result, load(ground.members[KNOWN])),
    }


def written(rows: Rows) -> str:
    """Return a table as CSV."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def counts(result: Posterior, missing: Sequence[str], minutes: float, sampled: str) -> Rows:
    """Return how many machines there are, and how they were made.

    Parameters
    ----------
    result
        The machines and their times.
    missing
        Matrices of the suite that were not found.
    minutes
        Of the processors, that it took.
    sampled
        What :data:`SAMPLE` names.
    """
    rows = {
        "machines": f"{len(result.sample.values):,}",
        "families, which share sizes and programs": f"{len(result.sample.families):,}",
        "machines of the pilot": f"{PILOT[0] * PILOT[1]:,}",
        "matrices of the sample": str(len(result.weights)),
        "machines on the sample of matrices": f"{len(result.passed):,}",
    }
    for spreads, state in zip(SPREADS, STATES[1:], strict=True):
        rows[state] = f"{int(result.fit(spreads).sum()):,}"
        rows[f"{state}: families"] = f"{len(np.unique(_families(result, spreads))):,}"
        rows[f"{state}: of the pilot"] = str(int(result.pilot_fit(spreads).sum()))
    for standard in STANDARDS:
        count = int(_of_standard(result, standard)[result.fit(max(SPREADS))].sum())
        rows[f"{STATES[-1]}, with CRS, BBCS and HiSM {standard}"] = f"{count:,}"
    rows |= {
        f"of the pilot's that {STATES[-1]}, pass the cheap looks": str(result.pilot_kept),
        "not found": ", ".join(missing) or "none",
        "seeds": f"{SEED}, of the pilot {PILOT_SEED}",
        **made_by(),
        SAMPLE: sampled,
        "processors' time": f"{minutes:.1f} minutes",
    }
    return [("what", "which"), *rows.items()]


def _of_standard(result: Posterior, schedule: str) -> Flags:
    """Return which of the machines that pass the cheap looks have three programs in one schedule."""
    names = [choice.name for choice in result.sample.choices]
    same = np.ones(len(result.passed), bool)
    for program in SCHEDULED:
        place = names.index(f"{METHODS[program]}: {SCHEDULE.name}")
        values = [value.name for value in result.sample.choices[place].values]
        same &= result.sample.values[result.passed, place] == values.index(schedule)
    return same


def looks(result: Posterior) -> Rows:
    """Return the cheap looks: their matrices, errors, and how many machines they leave."""
    rows: Rows = [("look", "matrix", *(f"error of {row} in per cent" for row in PRINTED), "machines left")]
    for number, (look, left) in enumerate(zip(result.predictions, result.left, strict=True), 1):
        errors = (f"{100 * error:.1f}" for error in look.error)
        rows.append((str(number), look.names[-1], *errors, f"{left:,}"))
    return rows


def averages(result: Posterior) -> Rows:
    """Return quantiles of the six averages, of machines at random and of those that fit."""
    columns = [f"{state}: {100 * q:.0f} %" for state in STATES for q in QUANTILES]
    rows: Rows = [("row", "paper", *columns, f"{STATES[0]}: above 1 in per cent")]
    of = (result.pilot_away, *(result.away[:, result.fit(n)] for n in SPREADS))
    for place, (row, printed) in enumerate(PRINTED.items()):
        ours = [float(printed[0]) * np.exp(np.quantile(away[place], QUANTILES)) for away in of]
        above = 100 * float((float(printed[0]) * np.exp(of[0][place]) > 1).mean())
        rows.append((row, printed[0], *(f"{value:.2f}" for each in ours for value in each), f"{above:.1f}"))
    return rows


def choices(result: Posterior) -> Rows:
    """Return, for each value of each choice, its share of the machines that fit, with a standard error."""
    heads = [f"{state}, {what} in per cent" for state in STATES[1:] for what in ("share", "error")]
    rows: Rows = [("choice", "value", "sampled in per cent", *heads)]
    for place, choice in enumerate(result.sample.choices):
        for number, value in enumerate(choice.values):
            has = result.sample.values[result.passed, place] == number
            cells = [cell for n in SPREADS for cell in _share(has[result.fit(n)], _families(result, n))]
            rows.append((choice.name, value.name, f"{100 / len(choice.values):.1f}", *cells))
    return rows


def _families(result: Posterior, spreads: int) -> Ints:
    return result.passed[result.fit(spreads)] // result.sample.each


def _share(has: Flags, families: Ints) -> tuple[str, str]:
    """Return a share in per cent and its standard error, of machines that come in families."""
    if not len(has):
        return "", ""
    share = float(has.mean())
    _, of = np.unique(families, return_inverse=True)
    error = float(np.sqrt((np.bincount(of, has - share) ** 2).sum())) / len(has)
    return f"{100 * share:.1f}", f"{100 * error:.1f}"


def conclusions(result: Posterior) -> Rows:
    """Return on how many machines each conclusion holds."""
    rows: Rows = [("conclusion", *(cell for state in STATES for cell in (state, f"of {state}")))]
    for words, holds in result.conclusions.items():
        of_pilot = result.pilot_conclusions[words]
        cells = [str(int(of_pilot.sum())), str(len(of_pilot))]
        for n in SPREADS:
            fit = result.fit(n)
            cells += [str(int(holds[fit].sum())), str(int(fit.sum()))]
        rows.append((words, *cells))
    return rows


def nearest(result: Posterior, csr: object) -> Rows:
    """Return the machines with the smallest scores, their averages and cycles on one matrix."""
    away = np.abs(result.away)
    order = np.argsort(away.mean(axis=0) + away.max(axis=0), kind="stable")[:NEAREST]
    members = np.sort(result.passed[order])
    cycles = cycles_of(result.sample, csr, members)
    heads = (*(f"{METHODS[program]} on {KNOWN}" for program in METHODS), *PRINTED)
    rows: Rows = [("score", *heads, *(choice.name for choice in result.sample.choices))]
    for place in order:
        member = result.passed[place]
        score = away[:, place].mean() + away[:, place].max()
        own = cycles[:, np.searchsorted(members, member)]
        ours = _averages(result.away[:, place])
        rows.append((f"{score:.4f}", *map(str, own), *ours, *_named(result, int(member))))
    return rows


def whole(result: Posterior, simulator: Simulator, names: Sequence[str], base: Machine) -> Rows:
    """Return the averages of some machines that fit, on the sample of matrices and on all.

    Parameters
    ----------
    result
        The machines and their times.
    simulator
        Runs the programs on all matrices.
    names
        Of these.
    base
        The machine whose fields hold where no choice sets them.
    """
    fit = np.flatnonzero(result.fit(max(SPREADS)))
    chosen = np.random.default_rng(WHOLE).choice(fit, WHOLE, replace=False)
    rows: Rows = [("machine", *(f"{row}, {on}" for on in ("sample", "all") for row in PRINTED), STATES[-1])]
    for place in chosen:
        member = int(result.passed[place])
        family, machine = (
            result.sample.families[member // result.sample.each],
            result.sample.machine(member, base),
        )
        of = simulator.cycles([(machine, variant) for variant in family.variants], names)
        cycles = np.array([[[each[name]] for each in of] for name in names])
        cycles += result.sample.fixed_cycles(np.array([member]))
        away = differences(average_times(cycles, np.ones(len(names))))
        fits_all = "yes" if fits(away, max(SPREADS))[0] else "no"
        rows.append((str(member), *_averages(result.away[:, place]), *_averages(away[:, 0]), fits_all))
    return rows


def _averages(away: Floats) -> Iterator[str]:
    for (_, printed), each in zip(PRINTED.items(), away, strict=True):
        yield f"{float(printed[0]) * np.exp(each):.3f}"


def _named(result: Posterior, member: int) -> Iterator[str]:
    for choice, value in zip(result.sample.choices, result.sample.values[member], strict=True):
        yield choice.values[value].name
