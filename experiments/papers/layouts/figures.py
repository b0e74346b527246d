"""Figures 1 and 5: speed-ups over cuSPARSE; Figures 3 and 4: what the patterns are like."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from experiments.papers.kit.results import NOT_MEASURED
from experiments.papers.layouts import claims
from experiments.papers.layouts.forms import BASELINES
from experiments.papers.layouts.printed import OVER_CUSPARSE
from experiments.papers.layouts.results import OURS, PAPERS, MatrixRecord, Results, Search
from experiments.papers.layouts.texts import ABSENT, reading_of
from experiments.report.comparison import Comparison
from experiments.report.item import BarChart, Item, Panel
from experiments.report.parameter_charts import BoxChart, Five

BARS: dict[Search, str] = {
    PAPERS.alone: "as the paper, schedules alone",
    PAPERS.joint: "as the paper, layouts too",
    OURS.alone: "ours, schedules alone",
    OURS.joint: "ours, layouts too",
}
"""The bars of Figures 1 and 5 by search; the paper draws the first light and the second dark."""
GREATEST_OF_PAPER = "the greatest of the paper's matrices and three GPUs"
PLACES = ("least", "lower quartile", "median", "upper quartile", "greatest")


def over_cusparse(results: Results, number: int, dtype: str) -> Item:
    """Make the item of Figure 1 or 5.

    Parameters
    ----------
    results
        What was measured.
    number, dtype
        1 and float32, or 5 and float64.
    """
    rows = [row for matrix in results.matrices for row in _rows(results, matrix, dtype)]
    return results.item(
        f"layouts-fig{number}",
        f"Figure {number}: speed-ups over cuSPARSE, {dtype}",
        "How many times the product is faster than cuSPARSE's of the same matrix: complex numbers in its own "
        "formats, blocks in BSR, quaternions as real blocks of 4 x 4, which the paper compares with, and as "
        "complex ones of 2 x 2, which load half as much. Each with schedules alone in CSR of structures (the "
        "paper's light bars) and with layouts tuned, too (its dark bars), among what the paper tried and "
        "among all of ours. The paper prints bars without numbers.",
        (*_printed(results, number, dtype), *rows),
        chart=BarChart(
            title=f"Times faster than cuSPARSE, {dtype}",
            value_label="times faster",
            panels=tuple(
                panel for entry in BASELINES if (panel := _panel(results, entry, dtype)) is not None
            ),
            description="Bars of the speed-up of each matrix; all numbers are in the table",
            reference=1.0,
            logarithmic=True,
        ),
        verdicts=claims.over_cusparse(results, dtype),
        notes=reading_of(results),
    )


def _rows(results: Results, matrix: MatrixRecord, dtype: str) -> Iterator[Comparison]:
    for words, form in BASELINES.get(matrix.group, {}).items():
        library = results.best_of_library(matrix.name, dtype, form)
        note = matrix.missing if library is None else f"{library.method}: {library.median_us:.1f} us"
        for search, bar in BARS.items():
            value = results.speedup(matrix.name, dtype, form, search)
            yield Comparison(matrix.label, f"over {words}; {bar}", "", value, note, ABSENT)


def _printed(results: Results, number: int, dtype: str) -> Iterator[Comparison]:
    """Yield the numbers that the texts print for the figure, and ours of the same sort."""
    printed = str(OVER_CUSPARSE[dtype])
    label = "blocks and quaternions over cuSPARSE, up to"
    yield Comparison(label, "times", printed, None, GREATEST_OF_PAPER, "other GPUs")
    ratios = claims.over_papers_baseline(results, dtype, ("3 x 3 block", "quaternion"))
    yield Comparison(f"{label}: here", "times", "", *claims.greatest(ratios))
    if number == 5:
        label = "blocks alone over cuSPARSE, up to (section 6)"
        yield Comparison(label, "times", printed, None, GREATEST_OF_PAPER, "other GPUs", implied=True)
        blocks = claims.over_papers_baseline(results, dtype, ("3 x 3 block",))
        yield Comparison(f"{label}: here", "times", "", *claims.greatest(blocks))
        return
    growth = claims.growth_of_values(results, dtype)
    yield Comparison(
        "values of quaternions as real blocks of 4 x 4 (section 3.2)",
        "times the bytes",
        "4",
        *claims.greatest(growth),
        kind="decoded",
        measure="counted",
    )
    yield Comparison(
        "saved by unit quaternions as three numbers and a sign bit (section 6.2)",
        "% of the bytes",
        "25",
        *claims.saved_by_unit_quaternions(results),
        kind="decoded",
        measure="share",
    )


def _panel(results: Results, entry: str, dtype: str) -> Panel | None:
    """Return the bars of the matrices with such entries; None if there are none."""
    matrices = [each for each in results.matrices if each.group == entry]
    form = next(iter(BASELINES[entry].values()))
    series = {
        bar: tuple(results.speedup(each.name, dtype, form, search) for each in matrices)
        for search, bar in BARS.items()
    }
    if not any(height is not None for heights in series.values() for height in heights):
        return None
    shown = tuple(
        each.label.replace(" (", "\n(").replace("/", "/\n").replace(", ", ",\n") for each in matrices
    )
    absent = dict.fromkeys(series, (NOT_MEASURED,) * len(matrices))
    return Panel(f"{entry} entries, over {next(iter(BASELINES[entry]))}", shown, series, absent)


def patterns(results: Results, number: int) -> Item:
    """Make the item of Figure 3, entries of rows, or Figure 4, bandwidths.

    Parameters
    ----------
    results
        What is known.
    number
        3 or 4.
    """
    what, of = _PATTERNS[number]
    matrices = [matrix for matrix in results.matrices if not matrix.missing]
    rows = [
        Comparison(matrix.label, place, "", value)
        for matrix in matrices
        for place, value in zip(PLACES, of(matrix), strict=True)
    ]
    return Item(
        f"layouts-fig{number}",
        f"Figure {number}: {what}",
        f"{what.capitalize()}, of each matrix: least, quartiles, median, greatest. The paper draws them as "
        "boxes, without numbers. A block counts as one entry.",
        tuple(rows),
        BoxChart(
            title=what.capitalize(),
            value_label=what,
            boxes={matrix.label: of(matrix) for matrix in matrices},
            description=f"Box plots of the {what} of each matrix; all numbers are in the table",
        ),
        tuple(claims.of_row_lengths(results)) if number == 3 else (),
        gaps=tuple(f"Not made: {name}: {why}" for name, why in results.missing.items()),
    )


_PATTERNS: dict[int, tuple[str, Callable[[MatrixRecord], Five]]] = {
    3: ("entries of rows", lambda matrix: matrix.row_lengths),
    4: ("bandwidths of rows, in per cent of the columns", lambda matrix: matrix.bandwidths),
}
