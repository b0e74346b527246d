"""Figures 6 and 8 to 12: how many times PELLR is faster than the other formats, and the speeds of all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from experiments.papers.kit.charts import bars
from experiments.papers.pellr import speed_verdicts, verdicts
from experiments.papers.pellr.methods import METHODS
from experiments.papers.pellr.results import (
    BY_WARP,
    CUT_ELLR,
    CUT_PELLR,
    DTYPES,
    HYB,
    NEAR,
    PELLR,
    SETS,
    MatrixRecord,
    Results,
)
from experiments.papers.pellr.texts import matrix_note, notes_of, subject_label
from experiments.papers.pellr.wins import FIGURE_12
from experiments.report.comparison import Comparison
from experiments.report.item import BarChart, Item, Panel, Verdict

OWN = {"": "", BY_WARP: ", N_w lengths", CUT_PELLR: ", cut", NEAR: ", near"}
"""What is compared, and how it is marked: PELLR as published, and in other forms."""
DRAWN = {"": "", NEAR: ", near"}
"""Those that have bars."""
PANEL = 12
"""Matrices that a panel of a chart can label."""


@dataclass(frozen=True)
class RatioFigure:
    """A figure of ratios.

    Attributes
    ----------
    method
        What PELLR is compared with.
    printed
        Ratios that the text prints, by the paper's name of the matrix.
    """

    method: str
    printed: dict[str, str]


@dataclass(frozen=True)
class SpeedFigure:
    """A figure of the performance of several methods.

    Attributes
    ----------
    title
        What it is called here.
    methods
        From left to right.
    verdicts
        Checks what the text says.
    more
        Methods that stand in the table alone.
    """

    title: str
    methods: tuple[str, ...]
    verdicts: Callable[[Results], Iterator[Verdict]]
    more: tuple[str, ...] = ()


RATIO_FIGURES = {
    6: RatioFigure("ellr", {"memplus": "1.1"}),
    8: RatioFigure(HYB, {"memplus": "0.7"}),
    9: RatioFigure("biell", {"memplus": "0.8172"}),
    10: RatioFigure("bijad", {}),
}
SPEED_FIGURES = {
    11: SpeedFigure(
        "Figure 11: PELLR, HYB, BiELL and BiJAD",
        (PELLR, HYB, "biell", "bijad"),
        speed_verdicts.of_four,
        (CUT_PELLR,),
    ),
    12: SpeedFigure(
        "Figure 12: all formats",
        FIGURE_12,
        speed_verdicts.of_all,
        ("csrs", BY_WARP, CUT_ELLR, CUT_PELLR, NEAR, "hyb", "hyb-mean"),
    ),
}
"""The figures by number."""


def ratio_item(results: Results, number: int) -> Item:
    """Make a figure of ratios."""
    figure = RATIO_FIGURES[number]
    label = METHODS[figure.method].label
    title = f"Figure {number}: PELLR against {label}"
    return results.item(
        f"pellr-fig{number}",
        title,
        f"Time of a product y = A x with {label} divided by that with PELLR, on one GPU: above 1 PELLR is "
        "faster. Matrices stand by rising sigma, the standard deviation of their row lengths, as on the "
        "paper's axes. The paper prints bars without numbers; those it gives in words stand next to ours and "
        "are counted in the table of claims. PELLR is one slice of all rows, as published; “N_w lengths” has "
        "a length for each warp alone; “cut” has slices of a warp, and “near” takes these in the order of "
        "their first rows.",
        tuple(_ratio_rows(figure, results)),
        chart=BarChart(
            title=f"{title} (higher: PELLR is faster)",
            value_label=f"time of {label} / time of PELLR",
            panels=_ratio_panels(figure.method, results),
            category_label="matrix and its sigma",
            reference=1.0,
            logarithmic=True,
            description=f"Bar chart of how many times PELLR is faster than {label}; all numbers are in the "
            "table",
        ),
        verdicts=verdicts.against(results, figure.method),
        notes=notes_of(results),
    )


def _ratio_rows(figure: RatioFigure, results: Results) -> list[Comparison]:
    return [
        Comparison(
            subject_label(matrix),
            DTYPES[dtype] + suffix,
            "" if suffix or matrix.group != "file" else figure.printed.get(matrix.stands_for, ""),
            results.ratio(matrix, figure.method, dtype, own),
            matrix_note(matrix, results, figure.method),
            results.absent(matrix, own or PELLR, dtype),
            implied=True,
            elsewhere=True,
        )
        for part in SETS
        for matrix in results.sets[part]
        for own, suffix in OWN.items()
        for dtype in DTYPES
        if not own or results.record(matrix, own, dtype) is not None
    ]


def _ratio_panels(method: str, results: Results) -> tuple[Panel, ...]:
    return tuple(
        bars(
            _panel_title(title, chosen),
            chosen,
            _category,
            {dtype + suffix: (dtype, own) for own, suffix in DRAWN.items() for dtype in DTYPES},
            lambda matrix, key: results.ratio(matrix, method, *key),
            lambda matrix, key: results.absent(matrix, method, key[0]),
        )
        for part, title in SETS.items()
        for chosen in _at_once(results.sets[part])
    )


def speed_item(results: Results, number: int) -> Item:
    """Make a figure of performances."""
    figure = SPEED_FIGURES[number]
    labels = ", ".join(METHODS[method].label for method in figure.methods)
    rows = [
        Comparison(
            subject_label(matrix),
            f"{METHODS[method].label} {short}",
            "",
            results.gflops(matrix, method, dtype),
            "" if record.status == "ok" else record.remark,
            results.absent(matrix, method, dtype),
        )
        for part in SETS
        for matrix in results.sets[part]
        for dtype, short in DTYPES.items()
        for method in (*figure.methods, *figure.more)
        if (record := results.record(matrix, method, dtype)) is not None
    ]
    return results.item(
        f"pellr-fig{number}",
        figure.title,
        f"Performance of {labels} as the paper gives it, 2 nnz / T in GFlops; higher is faster. Matrices "
        "stand by rising sigma.",
        tuple(rows),
        chart=BarChart(
            title=f"{figure.title}, float64 (higher is faster)",
            value_label="GFlops",
            panels=_speed_panels(figure.methods, results),
            category_label="matrix and its sigma",
            description=f"{figure.title}: bars of GFlops in float64; all numbers are in the table",
            logarithmic=True,
            bars_from=None,
        ),
        verdicts=figure.verdicts(results),
        notes=notes_of(results),
    )


def _speed_panels(methods: Sequence[str], results: Results) -> tuple[Panel, ...]:
    """Draw float64, of matrices on which most methods have a time: repeated ones are not for all of them."""

    def timed(matrix: MatrixRecord, method: str) -> bool:
        return results.time(matrix, method, "float64") is not None

    panels = []
    for part, title in SETS.items():
        matrices = [
            m for m in results.sets[part] if sum(timed(m, each) for each in methods) > len(methods) // 2
        ]
        for chosen in _at_once(matrices):
            there = [method for method in methods if any(timed(matrix, method) for matrix in chosen)]
            panels.append(
                bars(
                    _panel_title(title, chosen),
                    chosen,
                    _category,
                    {METHODS[method].label: method for method in there},
                    lambda matrix, method: results.gflops(matrix, method, "float64"),
                    lambda matrix, method: results.absent(matrix, method, "float64"),
                )
            )
    return tuple(panels)


def _at_once(matrices: Sequence[MatrixRecord]) -> list[Sequence[MatrixRecord]]:
    """Cut matrices into halves where a panel would hold more than it can label."""
    if len(matrices) <= PANEL:
        return [matrices] if matrices else []
    half = -(-len(matrices) // 2)
    return [matrices[:half], matrices[half:]]


def _panel_title(title: str, matrices: Sequence[MatrixRecord]) -> str:
    return f"{title}, sigma {_sigma(matrices[0])} to {_sigma(matrices[-1])}"


def _sigma(matrix: MatrixRecord) -> str:
    return f"{matrix.sigma:.1f}" if matrix.sigma < 10 else f"{matrix.sigma:.0f}"


def _category(matrix: MatrixRecord) -> str:
    name = matrix.of if matrix.group == "filled" else matrix.name
    return f"{name.removesuffix('-pattern')}\n{_sigma(matrix)}"
