"""Figures 1 and 5: speed-ups over cuSPARSE; Figures 3 and 4: what the patterns are like."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping

from experiments.papers.kit.numbers import geometric_mean
from experiments.papers.layouts.printed import OVER_CUSPARSE
from experiments.papers.layouts.results import REAL, Five, MatrixRecord, Results
from experiments.papers.layouts.texts import ABSENT, READING
from experiments.report.comparison import Comparison
from experiments.report.item import BarChart, Item, Panel, Verdict

BASELINES = {
    "complex": {"the best of cuSPARSE": ""},
    "quaternion": {
        "BSR 4 x 4, the paper's baseline": "BSR 4 x 4",
        "complex BSR 2 x 2": "complex BSR 2 x 2",
        "four real products": "Hamilton",
    },
    "3 x 3 block": {
        "BSR 3 x 3, the paper's baseline": "BSR 3 x 3",
        "the best of cuSPARSE": "",
        "this project's real products": REAL,
    },
}
"""Baselines by entry type: words in the names of forms. The fastest of these forms counts."""
LARGE = 1_000_000
"""Entries above which a matrix does not stay in caches."""
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
        "complex ones of 2 x 2, which load half as much. The paper prints bars without numbers.",
        tuple(rows),
        chart=BarChart(
            title=f"Times faster than cuSPARSE, {dtype}",
            value_label="times faster",
            panels=tuple(panel for entry in BASELINES if (panel := _panel(results, rows, entry)) is not None),
            description="Bars of the speed-up of each matrix; all numbers are in the table",
            reference=1.0,
            logarithmic=True,
        ),
        verdicts=_verdicts(results, dtype),
        notes=READING,
    )


def _rows(results: Results, matrix: MatrixRecord, dtype: str) -> Iterator[Comparison]:
    for words, form in BASELINES.get(matrix.group, {}).items():
        library = results.best_of_library(matrix.name, dtype, form)
        note = matrix.missing if library is None else f"{library.method}: {library.median_us:.1f} us"
        value = results.speedup(matrix.name, dtype, form)
        yield Comparison(matrix.label, f"over {words}", "", value, note, ABSENT)


def _panel(results: Results, rows: list[Comparison], entry: str) -> Panel | None:
    """Return the bars of the matrices with such entries; None if there are none."""
    names = [each.label for each in results.matrices if each.group == entry]
    heights = {(row.row, row.quantity): row.ours for row in rows if row.row in names}
    kinds = dict.fromkeys(quantity for _, quantity in heights)
    if not any(height is not None for height in heights.values()):
        return None
    series = {kind: tuple(heights.get((name, kind)) for name in names) for kind in kinds}
    shown = tuple(name.replace(" (", "\n(").replace("/", "/\n").replace(", ", ",\n") for name in names)
    return Panel(f"{entry} entries", shown, series)


def _verdicts(results: Results, dtype: str) -> tuple[Verdict, ...]:
    result: dict[bool, dict[str, float]] = {True: {}, False: {}}
    for matrix in results.matrices:
        form = next(iter(BASELINES.get(matrix.group, {}).values()), None)
        value = None if form is None else results.speedup(matrix.name, dtype, form)
        if value is not None:
            result[matrix.group == "complex"][matrix.name] = value
    most = max(result[False].values(), default=None)
    of_complex, large = result[True], large_ones(results)
    mean = geometric_mean(
        [value for name, value in of_complex.items() if name in large] or of_complex.values()
    )
    return (
        Verdict(
            f"Blocks and quaternions are up to {OVER_CUSPARSE[dtype]} times faster than cuSPARSE",
            None if most is None else most >= OVER_CUSPARSE[dtype],
            ABSENT if most is None else f"up to {most:.2f} times",
        ),
        Verdict(
            "For complex matrices cuSPARSE is not reached on newer GPUs",
            None if mean is None else mean < 1,
            ABSENT if mean is None else by_size(of_complex, large, "times as fast"),
        ),
    )


def large_ones(results: Results) -> set[str]:
    """Return the names of the matrices that do not stay in caches."""
    return {each.name for each in results.matrices if each.nnz > LARGE}


def by_size(numbers: Mapping[str, float], large: Collection[str], words: str) -> str:
    """Return geometric means over the large and over the other matrices, as text.

    Parameters
    ----------
    numbers
        By the names of the matrices.
    large
        Names of the large ones.
    words
        What the numbers are.
    """
    sizes = {
        "with over a million entries": [numbers[each] for each in numbers if each in large],
        "smaller": [numbers[each] for each in numbers if each not in large],
    }
    return ", ".join(
        f"{geometric_mean(result):.2f} {words} by geometric mean of {len(result)} {name}"
        for name, result in sizes.items()
        if result
    )


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
    rows = [
        Comparison(matrix.label, place, "", value)
        for matrix in results.matrices
        if not matrix.missing
        for place, value in zip(PLACES, of(matrix), strict=True)
    ]
    return Item(
        f"layouts-fig{number}",
        f"Figure {number}: {what}",
        f"{what.capitalize()}, of each matrix: least, quartiles, median, greatest. The paper draws them as "
        "boxes, without numbers. A block counts as one entry.",
        tuple(rows),
        gaps=tuple(f"Not made: {name}: {why}" for name, why in results.missing.items()),
    )


_PATTERNS: dict[int, tuple[str, Callable[[MatrixRecord], Five]]] = {
    3: ("entries of rows", lambda matrix: matrix.row_lengths),
    4: ("bandwidths of rows, in per cent of the columns", lambda matrix: matrix.bandwidths),
}
