"""Tables 1 to 6: the best layout of each matrix, and what tuning layouts gains over schedules alone."""

from __future__ import annotations

from collections.abc import Iterator

from experiments.papers.kit.numbers import geometric_mean
from experiments.papers.layouts.figures import by_size, large_ones
from experiments.papers.layouts.printed import BY_LAYOUTS, GPUS, TABLES, PrintedTable
from experiments.papers.layouts.results import MatrixRecord, Results, SearchRecord
from experiments.papers.layouts.texts import ABSENT, READING
from experiments.report.comparison import Comparison
from experiments.report.item import Item, Verdict

PAPERS, ALL = "gain, the paper's layouts", "gain, all layouts"
SHARE = "share of the bound, %"
SEARCHES = {PAPERS: "paper", ALL: "joint"}


def make(results: Results, number: int) -> Item:
    """Make the item of a table.

    Parameters
    ----------
    results
        What was measured.
    number
        1 to 6.
    """
    printed = next(each for each in TABLES if each.number == number)
    rows = [
        Comparison(name, f"gain on {gpu}", tuned.speedup, None, tuned.layout, "the paper's GPU")
        for name, of_gpus in printed.matrices.items()
        for gpu, tuned in zip(GPUS, of_gpus, strict=True)
    ]
    rows += [row for each in _matrices(results, printed) for row in _rows(results, each, printed.dtype)]
    return results.item(
        f"layouts-table{number}",
        f"Table {number}: {printed.entry} entries, {printed.dtype}",
        "The time of the best schedule in the natural layout over that of the best layout and schedule, and "
        "which that is: among the paper's layouts, and among all of this project's, with sorted rows and "
        "16-bit columns.",
        tuple(rows),
        verdicts=_verdicts(results, printed),
        notes=READING,
    )


def _matrices(results: Results, printed: PrintedTable) -> tuple[MatrixRecord, ...]:
    return tuple(each for each in results.matrices if each.group == printed.entry and not each.missing)


def _rows(results: Results, matrix: MatrixRecord, dtype: str) -> Iterator[Comparison]:
    for quantity, search in SEARCHES.items():
        match = results.search(matrix.name, dtype, search)
        note = "" if match is None else _said(match)
        value = results.gain(matrix.name, dtype, search)
        yield Comparison(matrix.label, quantity, "", value, note, ABSENT)
    best = results.search(matrix.name, dtype, "joint")
    if best and best.median_us and best.bound_us:
        yield Comparison(matrix.label, SHARE, "", 100 * best.bound_us / best.median_us)


def _said(match: SearchRecord) -> str:
    cut = "" if match.complete else "; the time was over before all were"
    return f"{match.layout}, {match.schedule}, {match.median_us:.1f} us; {match.variants} variants{cut}"


def _verdicts(results: Results, printed: PrintedTable) -> Iterator[Verdict]:
    gains = {
        each.name: results.gain(each.name, printed.dtype, "paper") for each in _matrices(results, printed)
    }
    match = {name: value for name, value in gains.items() if value is not None}
    mean = geometric_mean(list(match.values()))
    numbers = ABSENT if mean is None else by_size(match, large_ones(results), "times")
    yield Verdict(
        "Tuning layouts and schedules together is faster than tuning schedules alone",
        None if mean is None else mean > 1,
        numbers,
    )
    if printed.number == 5:
        most = max(match.values(), default=None)
        yield Verdict(
            f"It is up to {BY_LAYOUTS} times faster",
            None if most is None else most >= BY_LAYOUTS,
            ABSENT if most is None else f"up to {most:.2f} times",
        )
    if printed.entry == "quaternion":
        yield _outer_is_ellpack_r(results, printed)


def _outer_is_ellpack_r(results: Results, printed: PrintedTable) -> Verdict:
    best = {
        each.name: results.search(each.name, printed.dtype, "paper") for each in _matrices(results, printed)
    }
    layouts = {name: match.layout for name, match in best.items() if match is not None}
    return Verdict(
        "Of the outer layouts ELLPACK-R is preferred for all quaternionic matrices",
        all(layout.startswith("ellpack-r") for layout in layouts.values()) if layouts else None,
        "; ".join(f"{name}: {layout}" for name, layout in layouts.items()) or ABSENT,
    )
