"""What the study gives: which format is fastest, by how much, and which number explains it."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources

import numpy as np
import numpy.typing as npt

from experiments.made_by import SAMPLE, made_by
from experiments.papers.hism.timing import METHODS
from experiments.report.item import BarChart, Panel
from experiments.whatif.which_format.machines import PARAMETERS, SEED, Ints, Places, digest_of_sample

Floats = npt.NDArray[np.float64]
Rows = list[tuple[str, ...]]
"""The first has the names of the columns."""

TABLES = ("wins", "ratios", "variance", "provenance")
RATIOS = {
    "CRS / HiSM": ("crs", "hism"),
    "JD / HiSM": ("jd", "hism"),
    "BBCS / HiSM": ("bbcs", "hism"),
    "CHiSM / HiSM": ("chism", "hism"),
}
"""Quotients of cycles, by what tables call them."""
QUANTILES = (0.05, 0.5, 0.95)
ALL = "all"
"""What stands for every matrix, and for every value of every parameter."""
PANELS = 5
"""Parameters in the picture."""


def tables(cycles: Mapping[str, Ints], places: Places) -> dict[str, Rows]:
    """Return the tables by name.

    Parameters
    ----------
    cycles
        (programs, M) of each matrix, by its name.
    places
        (M, parameters) which value each machine has.
    """
    return {
        "wins": list(_wins(cycles, places)),
        "ratios": list(_ratios(cycles)),
        "variance": list(_variance(cycles, places)),
    }


def made(places: Places, seconds: float) -> Rows:
    """Return how the tables were made.

    Parameters
    ----------
    places
        (M, parameters) of all machines.
    seconds
        Processors' time of all.
    """
    rows = {
        "machines": f"{len(places):,}",
        "seed": str(SEED),
        **made_by(),
        SAMPLE: digest_of_sample(),
        "processors' time": f"{seconds / 60:.1f} minutes",
    }
    return [("what", "which"), *rows.items()]


def written(rows: Rows) -> str:
    """Return a table as CSV."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def recorded(name: str) -> list[dict[str, str]]:
    """Return the rows of a recorded table, one of :data:`TABLES`, by column."""
    path = resources.files("experiments.whatif") / "recorded" / f"which-format-{name}.csv"
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))


def _wins(cycles: Mapping[str, Ints], places: Places) -> Iterator[tuple[str, ...]]:
    """Yield the share of machines on which each format is fastest; a tie of HiSM and CHiSM counts as HiSM."""
    yield "matrix", "parameter", "value", *METHODS.values()
    of = {matrix: each.argmin(axis=0) for matrix, each in cycles.items()}
    of[ALL] = np.concatenate(list(of.values()))
    for matrix, fastest in of.items():
        yield matrix, ALL, ALL, *_shares(fastest)
        for column, (name, values) in enumerate(PARAMETERS.items()):
            place = np.resize(places[:, column], len(fastest))
            for number, value in enumerate(values):
                yield matrix, name, str(value), *_shares(fastest[place == number])


def _shares(fastest: Ints) -> Iterator[str]:
    for count in np.bincount(fastest, minlength=len(METHODS)):
        yield f"{100 * count / len(fastest):.2f}"


def _ratios(cycles: Mapping[str, Ints]) -> Iterator[tuple[str, ...]]:
    """Yield how many times as long a format takes as HiSM."""
    heads = (f"{100 * quantile:.0f} %" for quantile in QUANTILES)
    yield "matrix", "ratio", *heads, "HiSM faster, per cent of machines"
    for matrix, each in cycles.items():
        for name, logs in _logarithms(each).items():
            shown = (f"{np.exp(value):.3f}" for value in np.quantile(logs, QUANTILES))
            yield matrix, name, *shown, f"{100 * float((logs > 0).mean()):.2f}"


def _logarithms(cycles: Ints) -> dict[str, Floats]:
    order = list(METHODS)
    logs = np.log(cycles)
    return {name: logs[order.index(a)] - logs[order.index(b)] for name, (a, b) in RATIOS.items()}


def _variance(cycles: Mapping[str, Ints], places: Places) -> Iterator[tuple[str, ...]]:
    """Yield the share of the variance of each logarithm that each parameter explains alone."""
    yield "matrix", "response", *PARAMETERS
    for matrix, each in cycles.items():
        of = dict(zip(METHODS.values(), np.log(each), strict=True)) | _logarithms(each)
        for name, logs in of.items():
            yield matrix, name, *(f"{100 * explained(logs, of):.2f}" for of in places.T)


def explained(response: Floats, places: npt.NDArray[np.int8]) -> float:
    """Return the share of a variance that the mean of each value explains.

    Machines are sampled independently and evenly, so that shares of several parameters add.

    Parameters
    ----------
    response
        (M,) the logarithms.
    places
        (M,) which value each machine has.
    """
    counts = np.bincount(places)
    means = np.bincount(places, response) / np.maximum(counts, 1)
    between = float(counts @ (means - response.mean()) ** 2) / len(response)
    variance = float(response.var())
    return between / variance if variance else 0.0


def leading(rows: Sequence[Mapping[str, str]], number: int = PANELS) -> list[str]:
    """Return the parameters whose values change most which format is fastest, of the table ``wins``.

    The change is the largest difference of a format's share between two values, over all matrices.
    """

    def change(name: str) -> float:
        of = [row for row in rows if row["matrix"] == ALL and row["parameter"] == name]
        shares = [[float(row[title]) for row in of] for title in METHODS.values()]
        return max(max(each) - min(each) for each in shares)

    return sorted(PARAMETERS, key=change, reverse=True)[:number]


def chart(rows: Sequence[Mapping[str, str]]) -> BarChart:
    """Return the picture of the table ``wins``: by matrix, and by the values of the leading parameters."""
    whole = [row for row in rows if row["parameter"] == ALL and row["matrix"] != ALL]
    panels = [_panel("matrix", [row["matrix"] for row in whole], whole)]
    for name in leading(rows):
        of = [row for row in rows if row["matrix"] == ALL and row["parameter"] == name]
        panels.append(_panel(name, [row["value"] for row in of], of))
    title = "Which format is fastest on a million machines"
    return BarChart(
        title,
        "share of machines, per cent",
        tuple(panels),
        description=f"{title}: per cent of machines by matrix, and by values of the leading parameters.",
        bars_from=0.0,
    )


def _panel(title: str, categories: Sequence[str], rows: Sequence[Mapping[str, str]]) -> Panel:
    series = {name: tuple(float(row[name]) for row in rows) for name in METHODS.values()}
    return Panel(title, tuple(categories), series)
