"""An adaptive sweep: cells are spent where it is least certain which of two programs is faster."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from math import prod

import numpy as np

from experiments.whatif.sweep.answer import Combination, answer, combinations_of, ratios_of
from experiments.whatif.sweep.certainty import CERTAIN, MOST_COMBINATIONS
from experiments.whatif.sweep.question import read_question
from experiments.whatif.sweep.specification import LISTED, Sweep
from experiments.whatif.sweep.table import SweepTable
from vecsim.support.errors import UserError
from vecsim.support.suggestions import counted

MOST_CORNERS = 16
"""Corners of the ranges that are computed at first; of more a Latin hypercube."""

WORTH_WORKERS = 10.0
"""Seconds of the engine from which a round is worth the start of other processes."""

Swept = Callable[[Sweep, int, bool], SweepTable]
"""Runs a sweep, given how many cells were spent before, and whether to use this process alone."""


def adapted(what: Sweep, swept: Swept) -> SweepTable:
    """Run an adaptive sweep.

    It begins with the corners of the ranges and their centre. Then it computes the combination whose answer
    is least certain, one after the other, until all answers are certain or its cells are spent.

    Parameters
    ----------
    what
        The sweep.
    swept
        What runs the sweep of the listed points of a round.

    Returns
    -------
    SweepTable
        Of a sweep of the listed points that were computed, which runs as it is again.

    Raises
    ------
    UserError
        Its cells do not suffice to begin, there are too many combinations, or scikit-learn is not installed.
    """
    what.check_count()
    question, factors = read_question(what.question, what.program_names), what.factors
    combinations = combinations_of(factors)
    chosen, most = _first(what), min(what.adaptive // cells_a_point(what), len(combinations))
    answer(question, factors, dict.fromkeys(combinations[:2], 0.0))  # before any work: is there a library
    ratios: dict[Combination, float] = {}
    new, alone, computed, seconds = chosen, False, 0, 0.0
    while new:
        spent = cells_a_point(what) * (len(chosen) - len(new))
        table = swept(_listed(what, new), spent, alone)
        computed, seconds = computed + table.computed, seconds + table.engine_seconds
        alone = table.engine_seconds < WORTH_WORKERS
        ratios |= ratios_of(table.columns, list(factors), question)
        new = []
        if len(chosen) < most:
            distance = np.abs(answer(question, factors, ratios).below)
            distance[[combinations.index(each) for each in chosen]] = np.inf
            place = int(distance.argmin())
            if distance[place] < CERTAIN:
                new = [combinations[place]]
        chosen = [*chosen, *new]
    ordered = sorted(chosen, key=combinations.index)
    table = swept(_listed(what, ordered), 0, True)
    return replace(table, computed=computed + table.computed, engine_seconds=seconds + table.engine_seconds)


def cells_a_point(what: Sweep) -> int:
    """Return how many cells a combination of values takes."""
    return max(len(what.matrices), 1) * len(what.programs) * what.placements


def _listed(what: Sweep, points: list[Combination]) -> Sweep:
    known = {name: {str(value): value for value in values} for name, values in what.factors.items()}
    at = tuple({name: known[name][each] for name, each in zip(known, point, strict=True)} for point in points)
    return replace(what, design=LISTED, adaptive=0, at=at)


def _first(what: Sweep) -> list[Combination]:
    """Return the combinations to begin with."""
    values, each = [[str(value) for value in of] for of in what.factors.values()], cells_a_point(what)
    if prod(map(len, values)) > MOST_COMBINATIONS:
        raise UserError(
            f"adaptive: {prod(map(len, values)):,} combinations, at most {MOST_COMBINATIONS:,} are possible: "
            "name fewer values"
        )
    ends = [tuple(dict.fromkeys((of[0], of[-1]))) for of in values]
    if prod(map(len, ends)) <= MOST_CORNERS:
        first = list(itertools.product(*ends))
    else:
        begin = replace(what, design="latin-hypercube", samples=MOST_CORNERS, adaptive=0)
        first = [tuple(str(point[name]) for name in what.factors) for point in begin.combinations()]
    first = list(dict.fromkeys([*first, tuple(of[len(of) // 2] for of in values)]))
    if what.adaptive < each * len(first):
        raise UserError(
            f"adaptive = {what.adaptive}: too few cells to begin with: "
            f"{counted(len(first), 'point')} of {counted(each, 'cell')} take {each * len(first)}"
        )
    return first
