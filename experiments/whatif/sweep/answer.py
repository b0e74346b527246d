"""The answer to a sweep's question, for every combination of the values that are varied."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from experiments.whatif.sweep.attributes import Value
from experiments.whatif.sweep.certainty import CERTAIN, Floats, certainty, positions
from experiments.whatif.sweep.question import Question

Combination = tuple[str, ...]
"""A value of each thing that is varied, as texts."""
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Answer:
    """Where a question is answered by yes.

    Attributes
    ----------
    question
        The question.
    factors
        The values of all that is varied, by name.
    ratios
        float64, for each combination in the order of a grid, the ratio of cycles, computed or predicted.
    below
        float64, for each combination in the order of a grid, how many standard deviations the logarithm of
        the ratio of cycles is below the threshold; infinite where it was computed.
    """

    question: Question
    factors: Mapping[str, Sequence[Value]]
    ratios: Floats
    below: Floats

    @property
    def yes(self) -> Bools:
        """Where the answer is certainly yes, bool."""
        return np.asarray(self.below >= CERTAIN)

    @property
    def no(self) -> Bools:
        """Where it is certainly no, bool."""
        return np.asarray(self.below <= -CERTAIN)

    def rows(self) -> list[tuple[str, str, str, str]]:
        """Return where it is yes, unknown and no: values of the last thing, for each choice of all others."""
        *others, last = self.factors
        values = [str(value).lower() for value in self.factors[last]]
        yes, no = (each.reshape(-1, len(values)) for each in (self.yes, self.no))
        choices = itertools.product(*(self.factors[name] for name in others))
        return [
            (
                ", ".join(f"{n}={str(v).lower()}" for n, v in zip(others, choice, strict=True)) or "all",
                _runs(values, yes[at]),
                _runs(values, ~yes[at] & ~no[at]),
                _runs(values, no[at]),
            )
            for at, choice in enumerate(choices)
        ]


def _runs(values: Sequence[str], chosen: Bools) -> str:
    """Name chosen values, neighbours by the first and the last: ``0 to 40, 60``."""
    runs = [
        [values[at] for at, _ in group]
        for is_chosen, group in itertools.groupby(enumerate(chosen.tolist()), key=lambda each: each[1])
        if is_chosen
    ]
    return ", ".join(run[0] if len(run) == 1 else f"{run[0]} to {run[-1]}" for run in runs)


def answer(
    question: Question, factors: Mapping[str, Sequence[Value]], ratios: Mapping[Combination, float]
) -> Answer:
    """Answer a question.

    Parameters
    ----------
    question, factors
        Of the sweep.
    ratios
        By the values of a combination, the logarithm of the ratio of cycles, the geometric mean over the
        matrices, if there are any.

    Raises
    ------
    UserError
        Combinations are missing, and scikit-learn is not installed.
    """
    combinations = combinations_of(factors)
    known = [at for at, each in enumerate(combinations) if each in ratios]
    values = np.array([ratios[combinations[at]] for at in known]) - question.threshold
    if not known:
        predicted, below = np.full(len(combinations), np.nan), np.zeros(len(combinations))
    elif len(known) == len(combinations):
        predicted, below = values, np.where(values < 0, np.inf, -np.inf)
    else:
        predicted, below = certainty(positions(factors), known, values.tolist())
    return Answer(question, factors, np.exp(predicted + question.threshold), below)


def combinations_of(factors: Mapping[str, Sequence[Value]]) -> list[Combination]:
    """Return every combination of values, in the order of a grid."""
    return list(itertools.product(*([str(value) for value in values] for values in factors.values())))


def ratios_of(
    columns: Mapping[str, Sequence[object]], factors: Sequence[str], question: Question
) -> dict[Combination, float]:
    """Return the mean logarithm of the ratio of cycles over the matrices, by the values that are varied.

    Parameters
    ----------
    columns
        Of the table of the sweep.
    factors
        Names of what is varied.
    question
        Which programs.

    Returns
    -------
    dict
        Without combinations in which a matrix has no result.
    """
    logs: dict[Combination, dict[tuple[object, str], float]] = {}
    wanted = {question.first, question.second}
    programs = columns["program"]
    matrices = columns.get("matrix", [""] * len(programs))
    rows = zip(matrices, programs, columns["cycles"], *(columns[name] for name in factors), strict=True)
    for matrix, program, cycles, *values in rows:
        if program in wanted:
            own = logs.setdefault(tuple(map(str, values)), {})
            own[matrix, str(program)] = float(np.log(cycles)) if isinstance(cycles, int) else np.nan
    sums = {
        values: sum(log if program == question.first else -log for (_, program), log in own.items())
        / (len(own) // 2)
        for values, own in logs.items()
    }
    return {values: mean for values, mean in sums.items() if not np.isnan(mean)}
