"""Figures 6 and 8 to 12: how many times PELLR is faster than the other formats, and the speeds of all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from experiments.papers.pellr import verdicts
from experiments.papers.pellr.methods import METHODS
from experiments.papers.pellr.results import MatrixRecord
from experiments.papers.pellr.speeds import DTYPES, NEAR, SETS, STATUS_WORDS, Speeds
from experiments.papers.pellr.texts import GAP_WITHOUT_RESULTS, matrix_note, notes_of, subject_label
from experiments.report.comparison import Comparison
from experiments.report.item import BarChart, Item, Panel, Verdict

OWN = {"pellr": "", NEAR: ", near"}
"""What is compared, and how it is marked: PELLR, and with slices taken in the order of their first rows."""
PANEL = 12
"""Matrices that a panel of a chart can label."""

ON_LNSP3937 = (
    "The 4.5 of lnsp3937 cannot come of fewer iterations. By formula (1) sorting saves at most the longest "
    "row over the mean one. lnsp3937 has 3,937 rows and 25,407 non-zeros, 6.45 a row, and the paper prints "
    "10 for longest less shortest; the shortest has at most 6, so the longest at most 16 and the ratio is "
    "at most 2.5."
)
"""What the paper's own numbers say of its largest ratio."""


@dataclass(frozen=True)
class RatioFigure:
    """A figure of ratios.

    Attributes
    ----------
    number
        In the paper.
    method
        What PELLR is compared with.
    printed
        Ratios that the text prints, by the paper's name of the matrix.
    verdicts
        Checks what the text says.
    gaps
        What does not come out, whatever is measured.
    """

    number: int
    method: str
    printed: dict[str, str]
    verdicts: Callable[[Speeds], list[Verdict]]
    gaps: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """What it is called here."""
        return f"Figure {self.number}: PELLR against {METHODS[self.method].label}"


@dataclass(frozen=True)
class SpeedFigure:
    """A figure of the performance of several methods.

    Attributes
    ----------
    number
        In the paper.
    methods
        From left to right.
    title
        What it is called here.
    verdicts
        As in `RatioFigure`.
    """

    number: int
    methods: tuple[str, ...]
    title: str
    verdicts: Callable[[Speeds], list[Verdict]]


RATIO_FIGURES = {
    figure.number: figure
    for figure in (
        RatioFigure(6, "ellr", {"memplus": "1.1", "lnsp3937": "4.5"}, verdicts.against_ellr, (ON_LNSP3937,)),
        RatioFigure(
            8, "hyb-third", {"memplus": "0.7", "msc23052": "1.2", "bcsstk36": "1.2"}, verdicts.against_hyb
        ),
        RatioFigure(9, "biell", {"memplus": "0.8172"}, verdicts.against_biell),
        RatioFigure(10, "bijad", {}, verdicts.against_bijad),
    )
}
SPEED_FIGURES = {
    figure.number: figure
    for figure in (
        SpeedFigure(
            11,
            ("pellr", "hyb-third", "biell", "bijad"),
            "Figure 11: PELLR, HYB, BiELL and BiJAD",
            verdicts.of_four,
        ),
        SpeedFigure(
            12,
            ("csrv", "jad", "ell", "ellr", "ellr-sliced", "pellr", "hyb-third", "cucsr"),
            "Figure 12: all formats",
            verdicts.of_all,
        ),
    )
}
"""The figures by number."""


def ratio_item(number: int, speeds: Speeds | None) -> Item:
    """Make a figure of ratios; without results only what the paper prints."""
    figure = RATIO_FIGURES[number]
    label = METHODS[figure.method].label
    summary = (
        f"Time of a product y = A x with {label} divided by that with PELLR, on one GPU: above 1 PELLR is "
        "faster. Matrices stand by rising sigma, the standard deviation of their row lengths, as on the "
        "paper's axes. The paper prints bars without numbers; those it gives in words stand beside ours. "
        "“Near” is PELLR, the same arrays, with its slices taken in the order of their first rows."
    )
    if speeds is None:
        rows = [
            Comparison(name, DTYPES["float64"], printed, None, absent="not measured")
            for name, printed in figure.printed.items()
        ]
        return Item(f"pellr-fig{number}", figure.title, summary, tuple(rows), gaps=(GAP_WITHOUT_RESULTS,))
    return Item(
        f"pellr-fig{number}",
        figure.title,
        summary,
        tuple(_ratio_rows(figure, speeds)),
        chart=_ratio_chart(figure, speeds),
        verdicts=tuple(figure.verdicts(speeds)),
        notes=notes_of(speeds),
        gaps=(*figure.gaps, *_gaps(speeds)),
        faults=speeds.faults(),
    )


def _ratio_rows(figure: RatioFigure, speeds: Speeds) -> list[Comparison]:
    return [
        Comparison(
            subject_label(matrix),
            DTYPES[dtype] + suffix,
            ""
            if suffix or matrix.kind not in ("file", "pattern")
            else figure.printed.get(matrix.stands_for, ""),
            speeds.ratio(matrix, figure.method, dtype, own),
            matrix_note(matrix, speeds, figure.method),
            speeds.absent(matrix, figure.method, dtype),
        )
        for part in SETS
        for matrix in speeds.sets[part]
        for own, suffix in OWN.items()
        for dtype in DTYPES
    ]


def _ratio_chart(figure: RatioFigure, speeds: Speeds) -> BarChart | None:
    label = METHODS[figure.method].label
    panels = tuple(
        Panel(
            _panel_title(title, chosen),
            tuple(_category(matrix) for matrix in chosen),
            {
                dtype + suffix: tuple(speeds.ratio(matrix, figure.method, dtype, own) for matrix in chosen)
                for own, suffix in OWN.items()
                for dtype in DTYPES
            },
            {
                dtype + suffix: tuple(speeds.absent(matrix, figure.method, dtype) for matrix in chosen)
                for suffix in OWN.values()
                for dtype in DTYPES
            },
        )
        for part, title in SETS.items()
        for chosen in _at_once(speeds.sets[part])
    )
    if not panels:
        return None
    return BarChart(
        title=f"{figure.title} (higher: PELLR is faster)",
        value_label=f"time of {label} / time of PELLR",
        panels=panels,
        category_label="matrix and its sigma",
        reference=1.0,
        logarithmic=True,
        description=f"Bar chart of how many times PELLR is faster than {label}; all numbers are in the table",
    )


def speed_item(number: int, speeds: Speeds | None) -> Item:
    """Make a figure of performances; without results an empty one."""
    figure = SPEED_FIGURES[number]
    labels = ", ".join(METHODS[method].label for method in figure.methods)
    summary = (
        f"Performance of {labels} as the paper gives it, 2 nnz / T in GFlops; higher is faster. Matrices "
        "stand by rising sigma."
    )
    if speeds is None:
        return Item(f"pellr-fig{number}", figure.title, summary, (), gaps=(GAP_WITHOUT_RESULTS,))
    methods = (*figure.methods, NEAR, "hyb", "hyb-mean") if number == 12 else figure.methods
    rows = [
        Comparison(
            subject_label(matrix),
            f"{METHODS[method].label} {short}",
            "",
            speeds.gflops(matrix, method, dtype),
            _why_not(matrix, method, dtype, speeds),
            speeds.absent(matrix, method, dtype),
        )
        for part in SETS
        for matrix in speeds.sets[part]
        for dtype, short in DTYPES.items()
        for method in methods
        if speeds.record(matrix, method, dtype) is not None
    ]
    return Item(
        f"pellr-fig{number}",
        figure.title,
        summary,
        tuple(rows),
        chart=_speed_chart(figure, speeds),
        verdicts=tuple(figure.verdicts(speeds)),
        notes=notes_of(speeds),
        gaps=_gaps(speeds),
        faults=speeds.faults(),
    )


def _why_not(matrix: MatrixRecord, method: str, dtype: str, speeds: Speeds) -> str:
    record = speeds.record(matrix, method, dtype)
    return (
        "" if record is None or record.status == "ok" else f"{STATUS_WORDS[record.status]}: {record.reason}"
    )


def _speed_chart(figure: SpeedFigure, speeds: Speeds) -> BarChart | None:
    """Draw float64."""
    panels = []
    for part, title in SETS.items():
        matrices = [matrix for matrix in speeds.sets[part] if _has_most(matrix, figure.methods, speeds)]
        panels += [_speed_panel(title, chosen, figure, speeds) for chosen in _at_once(matrices)]
    if not panels:
        return None
    return BarChart(
        title=f"{figure.title}, float64 (higher is faster)",
        value_label="GFlops",
        panels=tuple(panels),
        category_label="matrix and its sigma",
        description=f"{figure.title}: bars of GFlops in float64; all numbers are in the table",
        logarithmic=True,
        bars_from=None,
    )


def _has_most(matrix: MatrixRecord, methods: Sequence[str], speeds: Speeds) -> bool:
    """Say whether most of the methods have a time: matrices that are repeated are not for all of them."""
    return sum(speeds.time(matrix, method, "float64") is not None for method in methods) > len(methods) // 2


def _speed_panel(title: str, matrices: Sequence[MatrixRecord], figure: SpeedFigure, speeds: Speeds) -> Panel:
    methods = [
        method
        for method in figure.methods
        if any(speeds.time(matrix, method, "float64") is not None for matrix in matrices)
    ]
    return Panel(
        _panel_title(title, matrices),
        tuple(_category(matrix) for matrix in matrices),
        {
            METHODS[method].label: tuple(speeds.gflops(matrix, method, "float64") for matrix in matrices)
            for method in methods
        },
        {
            METHODS[method].label: tuple(speeds.absent(matrix, method, "float64") for matrix in matrices)
            for method in methods
        },
    )


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
    name = matrix.of if matrix.kind == "filled" else matrix.name
    return f"{name.removesuffix('-pattern')}\n{_sigma(matrix)}"


def _gaps(speeds: Speeds) -> tuple[str, ...]:
    found = [f"Not measured: {name}: {why}" for name, why in speeds.missing.items()]
    failed = [each for each in speeds.results.records if each.status == "failed"]
    if failed:
        which = sorted({f"{each.method} on {each.matrix} ({each.reason})" for each in failed})
        found.append(f"Failed, and therefore without numbers: {'; '.join(which)}")
    return tuple(found)
