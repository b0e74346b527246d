"""What a sweep shows: speed against each thing varied, what matters most, pairs, and where programs cross."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log
from pathlib import Path
from statistics import geometric_mean, quantiles
from typing import Any

import numpy as np

from experiments.comparison import Comparison
from experiments.report.environment import made_by
from experiments.report.item import (
    Appendix,
    BarChart,
    Item,
    Panel,
    Part,
    Report,
    ScatterChart,
    ScatterPanel,
    Table,
)
from experiments.results.document import TABLE_FILE, read_document
from experiments.results.layouts import SWEEP
from vecsim.errors import UserError

FEWEST_MATRICES = 4
"""Of fewer a line through them says nothing."""
MOST_PLACES = 144
"""Values of two things together that a table of both may have."""
NO_RESULT = "no result"
OPTION = "option."


@dataclass(frozen=True)
class Cells:
    """The cells of a sweep that have a result.

    Attributes
    ----------
    varied
        Values of each thing that was varied, by name, in the order of the specification.
    programs, matrices
        Names, in the order of the specification.
    rows
        A cell each: ``matrix``, ``program``, what is varied, ``cycles``, ``per_nnz`` and ``a_row``, the
        matrix's non-zeros a row.
    faults
        How many cells have none.
    """

    varied: Mapping[str, tuple[str, ...]]
    programs: tuple[str, ...]
    matrices: tuple[str, ...]
    rows: tuple[Mapping[str, Any], ...]
    faults: int


def read_cells(folder: Path) -> Cells:
    """Read the folder that ``vecsim sweep --out`` wrote.

    Raises
    ------
    UserError
        It is none, or no cell of it has a result.
    """
    document = read_document(folder)
    if document.kind != SWEEP:
        raise UserError(f"{folder}: holds results of {document.kind}, those of {SWEEP} are explained")
    told = document.content["sweep"]
    varied = {name: tuple(map(_written, values)) for name, values in told["set"].items()}
    varied |= {f"option.{name}": tuple(map(_written, values)) for name, values in told["option"].items()}
    lines = list(csv.DictReader((document.path.with_name(TABLE_FILE)).read_text("utf-8").splitlines()))
    rows = tuple(_row(line, varied) for line in lines if line["cycles"])
    if not rows:
        raise UserError(f"{folder}: no cell has a result; the column fault of {TABLE_FILE} says why")
    matrices = tuple(dict.fromkeys(row["matrix"] for row in rows))
    return Cells(varied, tuple(told["programs"]), matrices, rows, len(lines) - len(rows))


def _written(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _row(line: Mapping[str, str], varied: Iterable[str]) -> dict[str, Any]:
    numbers = {"cycles": int(line["cycles"]), "per_nnz": float(line["cycles_per_nnz"])}
    values = {name: line[name].lower() if line[name] in ("True", "False") else line[name] for name in varied}
    a_row = int(line["nnz"]) / int(line["rows"])
    return {"matrix": line["matrix"], "program": line["program"], "a_row": a_row, **numbers, **values}


def report(folder: Path) -> Report:
    """Make the report of a sweep.

    Raises
    ------
    UserError
        As :func:`read_cells`.
    """
    cells = read_cells(folder)
    items = [against(cells, name) for name, values in cells.varied.items() if len(values) > 1]
    if sum(len(values) > 1 for values in cells.varied.values()) > 1:
        items.append(what_matters(cells))
        items += pairs(cells)
    if len(cells.programs) > 1 and len(cells.matrices) >= FEWEST_MATRICES:
        items.append(crossings(cells))
    if not items:
        raise UserError(
            f"{folder}: nothing was varied, and there are too few matrices and programs to compare"
        )
    source = (
        f"{len(cells.rows):,} cells of {len(cells.matrices)} matrices and {len(cells.programs)} programs; "
        f"{cells.faults:,} have no result."
    )
    part = Part("sweep", source, tuple(items))
    return Report(f"Sweep {folder.resolve().name}", (part,), (_specification(cells), made_by()))


def _specification(cells: Cells) -> Appendix:
    rows = (
        ("matrices", ", ".join(cells.matrices)),
        ("programs", ", ".join(cells.programs)),
        *((name, ", ".join(values)) for name, values in cells.varied.items()),
    )
    return Appendix("sweep-varied", "What was varied", table=Table(("what", "values"), rows))


def _means(cells: Cells, program: str, where: Mapping[str, str]) -> list[float]:
    """Give for each matrix the geometric mean of a program's cycles a non-zero where these values hold."""
    found: dict[str, list[float]] = {}
    for row in cells.rows:
        if row["program"] == program and all(row[name] == value for name, value in where.items()):
            found.setdefault(row["matrix"], []).append(row["per_nnz"])
    return [geometric_mean(values) for values in found.values()]


def _overall(means: Sequence[float]) -> float | None:
    return geometric_mean(means) if means else None


def against(cells: Cells, name: str) -> Item:
    """Show cycles against one thing varied: means over the matrices and all else, and their quartiles."""
    values = cells.varied[name]
    series: dict[str, tuple[float | None, ...]] = {}
    rows = []
    for program in cells.programs:
        means = [_means(cells, program, {name: value}) for value in values]
        series[program] = tuple(map(_overall, means))
        for value, of in zip(values, means, strict=True):
            rows.append(Comparison(value, program, "", _overall(of), absent=NO_RESULT))
            if len(of) > 1:
                low, _, high = quantiles(of, n=4, method="inclusive")
                rows.append(Comparison(value, f"{program}, lower quartile", "", low))
                rows.append(Comparison(value, f"{program}, upper quartile", "", high))
    title = f"Cycles a non-zero against {name}"
    chart = BarChart(
        title=title,
        value_label="cycles a non-zero",
        panels=(Panel("", values, series),),
        description=f"Bars: {title.lower()}, for each program.",
        category_label=name,
        bars_from=None,
    )
    summary = (
        f"Geometric means over {len(cells.matrices)} matrices and over everything else that was varied; the "
        "quartiles are of the matrices."
    )
    return Item(f"sweep-{name}", title, summary, tuple(rows), chart)


def what_matters(cells: Cells) -> Item:
    """Show for each thing varied how much slower its worst value is than its best, the largest first."""
    effect: dict[str, dict[str, float]] = {}
    for name, values in cells.varied.items():
        for program in cells.programs:
            means = [_overall(_means(cells, program, {name: value})) for value in values]
            known = [mean for mean in means if mean is not None]
            if len(known) > 1:
                effect.setdefault(name, {})[program] = max(known) / min(known)
    order = sorted(effect, key=lambda name: -max(effect[name].values()))
    rows = [
        Comparison(name, program, "", effect[name].get(program), absent=NO_RESULT)
        for name in order
        for program in cells.programs
    ]
    title = "What matters most"
    series = {p: tuple(effect[name].get(p) for name in order) for p in cells.programs}
    chart = BarChart(
        title=title,
        value_label="slowest value / fastest value",
        panels=(Panel("", tuple(name.removeprefix(OPTION) for name in order), series),),
        description="Bars: how much slower the worst value of each thing varied is than its best.",
        logarithmic=True,
    )
    summary = (
        "For each thing that was varied the geometric mean of cycles with its slowest value over that with "
        "its fastest; over all matrices and everything else that was varied."
    )
    return Item("sweep-what-matters", title, summary, tuple(rows), chart)


def pairs(cells: Cells) -> list[Item]:
    """Show cycles for the values of two things together, a table for each program."""
    found = []
    several = [name for name, values in cells.varied.items() if len(values) > 1]
    for first, second in itertools.combinations(several, 2):
        if len(cells.varied[first]) * len(cells.varied[second]) > MOST_PLACES:
            continue
        rows = [
            Comparison(
                f"{program}, {first}={a}",
                f"{second}={b}",
                "",
                _overall(_means(cells, program, {first: a, second: b})),
                absent=NO_RESULT,
            )
            for program in cells.programs
            for a in cells.varied[first]
            for b in cells.varied[second]
        ]
        title = f"Cycles a non-zero against {first} and {second}"
        summary = "Geometric means over the matrices and over everything else that was varied."
        found.append(Item(f"sweep-{first}-{second}", title, summary, tuple(rows)))
    return found


def crossings(cells: Cells) -> Item:
    """Show how the programs compare as rows get longer, and where the faster one changes."""
    base, *others = cells.programs
    points = {each: _ratios(cells, each, base) for each in others}
    rows = []
    for each in others:
        slope, explained, crossing = _line(points[each])
        told = "" if crossing else "the line through the matrices does not cross 1 among them"
        row = f"{each} / {base}"
        rows += [
            Comparison(row, "exponent of non-zeros a row", "", slope),
            Comparison(row, "share of the variance explained", "", explained),
            Comparison(row, "equal at non-zeros a row", "", crossing, note=told, absent="nowhere"),
        ]
    title = f"Cycles beside those of {base}, by non-zeros a row"
    chart = ScatterChart(
        title=title,
        x_label="non-zeros a row",
        y_label=f"cycles / cycles of {base}",
        panels=(ScatterPanel("", {name: tuple(of) for name, of in points.items()}),),
        description=f"Points: a matrix each, the cycles of the other programs over those of {base}.",
    )
    summary = (
        "Each point is a matrix, geometric means over everything that was varied. A line is laid through the "
        "logarithms by least squares; where it meets 1 both take as long."
    )
    return Item("sweep-crossings", title, summary, tuple(rows), chart)


def _ratios(cells: Cells, program: str, base: str) -> list[tuple[float, float]]:
    found = []
    for matrix in cells.matrices:
        of = [row for row in cells.rows if row["matrix"] == matrix]
        means = [
            geometric_mean([row["cycles"] for row in of if row["program"] == name] or [float("nan")])
            for name in (program, base)
        ]
        if all(mean == mean for mean in means):  # neither is NaN
            found.append((of[0]["a_row"], means[0] / means[1]))
    return found


def _line(points: Sequence[tuple[float, float]]) -> tuple[float | None, float | None, float | None]:
    """Lay a line through the logarithms: its slope, what it explains, where it meets 1 among the points."""
    across, up = [log(x) for x, _ in points], [log(y) for _, y in points]
    if len(points) < FEWEST_MATRICES or max(across) - min(across) < log(1.1):
        return None, None, None
    slope, height = np.polyfit(across, up, 1)
    left = float(np.sum((np.array(up) - slope * np.array(across) - height) ** 2))
    spread = float(np.sum((np.array(up) - np.mean(up)) ** 2))
    place = -height / slope if slope else float("inf")
    crossing = exp(place) if min(across) <= place <= max(across) else None
    return float(slope), 1 - left / spread if spread else None, crossing
