"""Speed against what a machine costs: which machines nobody beats in both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from experiments.report.comparison import Comparison
from experiments.report.item import Appendix, Item, ScatterChart, ScatterPanel, Table
from experiments.whatif.explain.cells import ABSENT, Cells
from experiments.whatif.sweep.cost import COUNTED, WEIGHTS, cost
from experiments.whatif.sweep.specification import ARGUMENT, DEFINE, OPTION
from vecsim.support.suggestions import amount

Floats = npt.NDArray[np.float64]
MOST_SHOWN = 40
"""Machines on the front that the page names; the file has all."""
MACHINES_FILE = "sweep-machines"


@dataclass(frozen=True)
class Candidate:
    """A program on a machine.

    Attributes
    ----------
    program
        Its name.
    point
        What was varied, ``name=value`` each; empty for the machine as it is.
    cost
        See `experiments.whatif.sweep.cost`.
    speed
        Non-zeros a cycle, the geometric mean over all matrices; of texts runs in a million cycles.
    """

    program: str
    point: str
    cost: float
    speed: float


def candidates(cells: Cells) -> list[Candidate]:
    """Return every program on every machine that has a result for every matrix.

    There are none where symbols or arguments are varied: these may change what is computed.
    """
    if any(name.startswith((DEFINE, ARGUMENT)) for name in cells.several):
        return []
    places = np.column_stack([cells.program, *cells.place.values()])
    points, which = np.unique(places, axis=0, return_inverse=True)
    which = which.reshape(-1)
    counts = np.bincount(which)
    logs = np.bincount(which, np.log(cells.per_nnz))
    results = []
    for number, (program, *point) in enumerate(points.tolist()):
        if counts[number] == len(cells.matrices):
            chosen = {
                name: cells.varied[name][place]
                for name, place in zip(cells.place, point, strict=True)
                if place != ABSENT
            }
            numbers = {
                name: int(value)
                for name, value in chosen.items()
                if not name.startswith(OPTION) and value.isdecimal()
            }
            name = cells.programs[program]
            price = float(cost({**cells.machine, **numbers}, name, cells.value_bits, cells.cost))
            message = ", ".join(f"{key.removeprefix(OPTION)}={value}" for key, value in chosen.items())
            results.append(Candidate(name, message, price, float(np.exp(-logs[number] / counts[number]))))
    return results


def front(of: Sequence[Candidate]) -> list[Candidate]:
    """Return those that are faster than everything as cheap or cheaper, by rising cost."""
    places = front_places(np.array([each.cost for each in of]), np.array([-each.speed for each in of]))
    return [of[place] for place in places]


def front_places(cost: Floats, time: Floats) -> npt.NDArray[np.intp]:
    """Return the places of those that take less time than everything as cheap or cheaper, by rising cost.

    Parameters
    ----------
    cost, time
        (n,) of each; of equal ones the first counts.
    """
    order = np.lexsort((time, cost))
    if not len(order):
        return order
    least = np.minimum.accumulate(time[order])
    best: npt.NDArray[np.intp] = order[np.append(True, least[1:] < least[:-1])]
    return best


def pareto(cells: Cells, of: Sequence[Candidate]) -> Item:
    """Show speed against cost, with the machines that none is cheaper and faster than."""
    best = front(of)
    rows = []
    for each in best[:MOST_SHOWN]:
        label = f"{each.program}: {each.point or 'the machine as it is'}"
        rows += [Comparison(label, "cost", "", each.cost), Comparison(label, cells.speed, "", each.speed)]
    title = "Speed against the cost of the machine"
    chart = ScatterChart(
        title=title,
        x_label="cost, in lanes",
        y_label=cells.speed,
        panels=(
            ScatterPanel(
                "",
                {name: tuple((c.cost, c.speed) for c in of if c.program == name) for name in cells.programs},
                lines={"front": _steps(best)},
            ),
        ),
        description="Points: a program on a machine each. A line: the fastest for its cost.",
        first_colour=0,
    )
    weights = {**WEIGHTS, **cells.cost}
    counted = ", ".join(f"{name} {weight:.3g}" for name, weight in weights.items() if weight)
    free = _without_cost(cells)
    summary = (
        "Each point is a program on a machine, with the geometric mean over everything else; the line joins "
        f"what nothing cheaper is faster than. The cost is a sum of weights times numbers: {counted}. "
        f"{MACHINES_FILE}.csv has every point; [cost] in the specification gives other weights."
    )
    if free:
        summary += f" It does not count {', '.join(free)}."
    more = len(best) - MOST_SHOWN
    gaps = (f"{amount(more, 'more point')} of the front: see {MACHINES_FILE}.csv.",) if more > 0 else ()
    return Item("sweep-front", title, summary, tuple(rows), chart, gaps=gaps)


def _steps(best: Sequence[Candidate]) -> tuple[tuple[float, float], ...]:
    """Return the line of a front: for each cost the speed that it buys."""
    steps: list[tuple[float, float]] = []
    for each in best:
        if steps:
            steps.append((each.cost, steps[-1][1]))
        steps.append((each.cost, each.speed))
    return tuple(steps)


def _without_cost(cells: Cells) -> list[str]:
    """Name numbers of the machine that were varied and that the cost does not depend on."""
    return [name for name in cells.several if name not in COUNTED and not name.startswith(OPTION)]


def machines(cells: Cells, of: Sequence[Candidate]) -> Appendix:
    """Return every point of the picture as a table, which is a CSV file, too."""
    on_front = set(front(of))
    rows = tuple(
        (c.program, c.point, f"{c.cost:.6g}", f"{c.speed:.6g}", "yes" if c in on_front else "")
        for c in sorted(of, key=lambda c: (c.cost, -c.speed))
    )
    columns = ("program", "varied", "cost", cells.speed, "front")
    return Appendix(
        MACHINES_FILE, "Machines, by cost", table=Table(columns, rows, frozenset({"cost", cells.speed}))
    )
