"""How many of a million machines fit Table 2 within its spread, which ones, and what they agree on.

Cheap looks come first. Small matrices predict the averages over the suite, by a linear model of logarithms
that is fitted to other machines of the same kind. All machines are timed on one matrix, those that are near
enough by its prediction on another, and so on. Machines that are near enough by all predictions are timed on
the sample that the search of the calibration uses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from experiments.papers.hism import suite
from experiments.papers.hism.calibration.against_the_paper import Weights, distance, means
from experiments.papers.hism.calibration.many_machines import SEED, Ints, Sample, cycles_of, draw
from experiments.papers.hism.calibration.matrices import Ground
from experiments.papers.hism.calibration.search import Evaluated
from experiments.papers.hism.measurements import Load
from experiments.papers.hism.recorded_calibration import rows
from experiments.papers.hism.table2 import PRINTED, PROGRAMS
from experiments.papers.hism.timing import METHODS
from vecsim.machine import Machine

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

SPREADS = (1, 2)
"""A machine fits within as many spreads if each of the six averages does."""
WIDE = 2.5
"""Standard errors of the prediction that are added to the largest of :data:`SPREADS` in a cheap look."""
PILOT = 256, 16
"""Families, and machines of each, that the prediction is fitted to. They are an unbiased sample, too."""
PILOT_SEED = SEED + 1
LOOKS = 3
"""Cheap looks, each on one matrix more."""
CHEAP = 8_000
"""Stored entries, at most, of these."""
QUANTILES = (0.0, 0.05, 0.5, 0.95, 1.0)


def spread() -> Floats:
    """Return the (6,) spread of the recorded calibration, by the rows of Table 2, as shares of an average."""
    of = {row["row"]: float(row["spread in per cent"]) / 100 for row in rows("spread")}
    return np.array([of[row] for row in PRINTED])


def average_times(cycles: Ints, weights: Floats) -> Floats:
    """Return the (programs, M) mean times, CHiSM's being 1.

    Parameters
    ----------
    cycles
        (matrices, programs, M).
    weights
        (matrices,).
    """
    relative = cycles / cycles[:, -1:, :]
    result: Floats = np.einsum("n,npm->pm", weights / weights.sum(), relative)
    return result


def differences(times: Floats) -> Floats:
    """Return the (6, M) logarithms of ours / paper's, by the rows of Table 2, of (programs, M) mean times."""
    order = list(METHODS)
    ours = [times[order.index(slow)] / times[order.index(fast)] for slow, fast in PROGRAMS.values()]
    paper = np.array([float(PRINTED[row][0]) for row in PROGRAMS])
    result: Floats = np.log(np.array(ours) / paper[:, None])
    return result


def fits(away: Floats, spreads: int, error: Floats | float = 0.0) -> Flags:
    """Return which of M machines are within some spreads of the paper in each of the six averages.

    Parameters
    ----------
    away
        (6, M) what :func:`differences` returns.
    spreads
        How many.
    error
        (6,) what is allowed in addition.
    """
    allowed = spreads * np.log1p(spread()) + error
    limits = np.broadcast_to(allowed, (len(away),))
    return np.asarray((np.abs(away) <= limits[:, None]).all(axis=0))


@dataclass(frozen=True, eq=False)
class Prediction:
    """A linear model of the logarithms of mean times.

    Attributes
    ----------
    names
        Matrices that predict.
    coefficients
        (features, programs - 1) of CRS, JD, BBCS and HiSM.
    error
        (6,) standard error of the logarithm of each average, on machines that it was not fitted to.
    """

    names: tuple[str, ...]
    coefficients: Floats
    error: Floats

    def differences(self, cycles: Ints) -> Floats:
        """Return the predicted (6, M) differences from (names, programs, M) cycles."""
        return differences(_times(features(cycles) @ self.coefficients))


def features(cycles: Ints) -> Floats:
    """Return the (M, features) logarithms of times, CHiSM's being 1, with their squares and a constant."""
    logs = np.log(cycles[:, :-1] / cycles[:, -1:]).reshape(-1, cycles.shape[2])
    return np.concatenate([np.ones((1, logs.shape[1])), logs, logs**2]).T


def _times(logs: Floats) -> Floats:
    return np.exp(np.column_stack([logs, np.zeros(len(logs))])).T


def predictions(
    cycles: Ints, names: Sequence[str], weights: Floats, cheap: Sequence[str], each: int
) -> tuple[Prediction, ...]:
    """Choose the matrices that predict best, one after the other; return what 1, 2 ... of them predict.

    Parameters
    ----------
    cycles
        (matrices, programs, M) of the pilot.
    names, weights
        Of its matrices.
    cheap
        Names of those that may predict.
    each
        Machines of a family: every second family is left out to measure the error.
    """
    times = average_times(cycles, weights)
    wanted, away = np.log(times[:-1]).T, differences(times)
    out = (np.arange(len(wanted)) // each) % 2 == 1

    def fitted(chosen: Sequence[str]) -> Prediction:
        made_of = features(cycles[[names.index(name) for name in chosen]])
        coefficients = np.linalg.lstsq(made_of[~out], wanted[~out], rcond=None)[0]
        left = differences(_times(made_of @ coefficients))[:, out] - away[:, out]
        return Prediction(tuple(chosen), coefficients, np.sqrt((left**2).mean(axis=1)))

    results: list[Prediction] = []
    for _ in range(LOOKS):
        chosen = results[-1].names if results else ()
        tried = [fitted((*chosen, name)) for name in cheap if name not in chosen]
        results.append(min(tried, key=lambda prediction: float(prediction.error.sum())))
    return tuple(results)


def near_enough(predicted: Floats, look: Prediction) -> Flags:
    """Return which of M machines a cheap look leaves, by their predicted (6, M) differences."""
    return fits(predicted, max(SPREADS), WIDE * look.error)


@dataclass(frozen=True, eq=False)
class Posterior:
    """What a million machines say.

    Attributes
    ----------
    sample
        The machines.
    weights
        Of the matrices on which those are timed that pass the cheap looks.
    predictions
        Of the cheap looks.
    left
        Machines after each of them.
    passed
        (k,) machines that pass them.
    away
        (6, k) how far they are from the paper, as logarithms.
    pilot_away
        (6, P) the same of the pilot: machines of the same kind, none left out.
    pilot_kept
        Of the pilot's machines that fit within the most spreads, how many pass the cheap looks.
    conclusions, pilot_conclusions
        (k,) and (P,) of each conclusion whether it holds; of the first only for machines that fit.
    """

    sample: Sample
    weights: Mapping[str, float]
    predictions: tuple[Prediction, ...]
    left: tuple[int, ...]
    passed: Ints
    away: Floats
    pilot_away: Floats
    pilot_kept: int
    conclusions: Mapping[str, Flags]
    pilot_conclusions: Mapping[str, Flags]

    def fit(self, spreads: int) -> Flags:
        """Return which of :attr:`passed` fit within some spreads."""
        return fits(self.away, spreads)

    def pilot_fit(self, spreads: int) -> Flags:
        """Return which of the pilot fit within some spreads."""
        return fits(self.pilot_away, spreads)


def posterior(
    base: Machine,
    ground: Ground,
    weights: Weights,
    *,
    families: int,
    each: int,
    load: Load = suite.load,
    watch: Callable[[str], None] = print,
) -> Posterior:
    """Time machines at random and compare them with the paper.

    Parameters
    ----------
    base
        The machine whose fields hold where no choice sets them.
    ground
        The matrices.
    weights
        Those of the sample that the search uses, by group.
    families, each
        How many, and how many machines each has.
    load
        Returns the matrix of a member.
    watch
        Called with what goes on.

    Raises
    ------
    UserError
        A program cannot be recorded, or a matrix cannot be loaded.
    """
    names, of = list(weights["all"]), np.array(list(weights["all"].values()))

    def timed(sample: Sample, on: Iterable[str], members: Ints, words: str) -> Ints:
        results = []
        for name in on:
            watch(f"{words}: {len(members)} machines on {name}")
            results.append(cycles_of(sample, load(ground.members[name]), members))
        return np.array(results)

    pilot = draw(base, *PILOT, seed=PILOT_SEED)
    of_pilot = timed(pilot, names, np.arange(len(pilot.values)), "pilot")
    cheap = [name for name in names if ground.members[name].size <= CHEAP]
    looks = predictions(of_pilot, names, of, cheap, PILOT[1])
    sample = draw(base, families, each)
    passed, left = np.arange(len(sample.values)), []
    known = np.empty((0, len(METHODS), len(passed)), np.int64)
    for look in looks:
        known = np.concatenate([known, timed(sample, look.names[-1:], passed, "cheap look")])
        near = near_enough(look.differences(known), look)
        passed, known = passed[near], known[:, :, near]
        left.append(len(passed))
    cycles = timed(sample, names, passed, "sample of the suite")
    away = differences(average_times(cycles, of))
    pilot_away = differences(average_times(of_pilot, of))
    kept = fits(pilot_away, max(SPREADS))
    for look in looks:
        predicted = look.differences(of_pilot[[names.index(name) for name in look.names]])
        kept &= near_enough(predicted, look)
    return Posterior(
        sample,
        weights["all"],
        looks,
        tuple(left),
        passed,
        away,
        pilot_away,
        int(kept.sum()),
        concluded(ground, weights, cycles, fits(away, max(SPREADS))),
        concluded(ground, weights, of_pilot, np.ones(of_pilot.shape[2], bool)),
    )


def concluded(ground: Ground, weights: Weights, cycles: Ints, chosen: Flags) -> dict[str, Flags]:
    """Return on which of M machines each conclusion of the paper holds; False of those not chosen.

    Parameters
    ----------
    ground, weights
        The matrices.
    cycles
        (matrices, programs, M).
    chosen
        (M,) machines that are looked at.
    """
    results: dict[str, Flags] = {}
    for member in np.flatnonzero(chosen):
        of = {
            name: dict(zip(METHODS, counts, strict=True))
            for name, counts in zip(weights["all"], cycles[:, :, member].tolist(), strict=True)
        }
        evaluated = Evaluated({}, of, distance(means(of, weights)))
        for words, holds in ground.concluded(evaluated, weights).items():
            if holds is not None:
                results.setdefault(words, np.zeros(len(chosen), bool))[member] = holds
    return results
