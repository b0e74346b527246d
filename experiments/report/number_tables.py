"""An item's long list of numbers as tables to be read: a line for each row, columns for quantities."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from experiments.report.agreement import Outcome
from experiments.report.comparison import Comparison

SHORT = 60
"""Letters up to which a note stands next to its row, however many rows have it."""


@dataclass(frozen=True)
class Cell:
    """One number as shown.

    Attributes
    ----------
    paper, ours, difference
        The paper's, ours, the difference in per cent; empty where there is none.
    outcome
        Whether ours agrees with the paper's; None where the paper has no number.
    note
        Number of the note that it has for itself; None for none.
    """

    paper: str = ""
    ours: str = ""
    difference: str = ""
    outcome: Outcome | None = None
    note: int | None = None


@dataclass(frozen=True)
class Line:
    """A row of the table.

    Attributes
    ----------
    label
        Its label.
    cells
        In the order of the quantities.
    note
        Number of the note of all its cells; None for none.
    remark
        What is to be said of it next to the numbers.
    """

    label: str
    cells: tuple[Cell, ...]
    note: int | None
    remark: str


@dataclass(frozen=True)
class Pivot:
    """A table of numbers.

    Attributes
    ----------
    with_paper
        Whether its rows have numbers of the paper.
    quantities
        Its columns.
    lines
        Its rows.
    """

    with_paper: bool
    quantities: tuple[str, ...]
    lines: tuple[Line, ...]

    @property
    def has_remarks(self) -> bool:
        """Whether any row has a remark."""
        return any(line.remark for line in self.lines)


class _Footnotes:
    """The notes that tables refer to, numbered from 1 as they are first needed."""

    def __init__(self, rows: Sequence[Comparison]) -> None:
        self.numbers: dict[str, int] = {}
        self._labels: dict[str, set[str]] = {}
        for row in rows:
            self._labels.setdefault(row.note, set()).add(row.row)

    def number(self, note: str) -> int | None:
        """Return the number of a note; None if there is nothing to say."""
        return self.numbers.setdefault(note, len(self.numbers) + 1) if note else None

    def fits_beside(self, note: str) -> bool:
        """Return whether a note belongs next to its row: it is short, or of this row alone."""
        return bool(note) and (len(note) <= SHORT or len(self._labels[note]) == 1)


def pivots(rows: Sequence[Comparison]) -> tuple[tuple[Pivot, ...], tuple[str, ...]]:
    """Return the tables of an item, first the rows that the paper prints, and the notes that they refer to.

    Returns
    -------
    pivots
        At most two; a row belongs to the first if the paper prints any of its numbers.
    notes
        Note number 1 comes first.
    """
    printed = {row.row for row in rows if row.paper}
    footnotes = _Footnotes(rows)
    order = tuple(dict.fromkeys(row.quantity for row in rows))
    results = []
    for with_paper in (True, False):
        part = [row for row in rows if (row.row in printed) == with_paper]
        there = {row.quantity for row in part}
        quantities = tuple(quantity for quantity in order if quantity in there)
        if part:
            results.append(Pivot(with_paper, quantities, _lines(part, quantities, footnotes, with_paper)))
    return tuple(results), tuple(footnotes.numbers)


def _lines(
    rows: Sequence[Comparison], quantities: Sequence[str], footnotes: _Footnotes, with_paper: bool
) -> tuple[Line, ...]:
    by_label: dict[str, dict[str, Comparison]] = {}
    for row in rows:
        by_label.setdefault(row.row, {})[row.quantity] = row
    lines = []
    for label, result in by_label.items():
        notes = {row.note for row in result.values()}
        common = notes.pop() if len(notes) == 1 else None
        remark = common if common is not None and not with_paper and footnotes.fits_beside(common) else ""
        number = footnotes.number(common) if common and not remark else None
        cells = tuple(
            _cell(result[q], footnotes.number(result[q].note) if common is None else None)
            if q in result
            else Cell()
            for q in quantities
        )
        lines.append(Line(label, cells, number, remark))
    return tuple(lines)


def _cell(row: Comparison, note: int | None) -> Cell:
    return Cell(row.paper, shown(row), row.difference_in_words, row.outcome, note)


def shown(row: Comparison) -> str:
    """Write our number: with one decimal more than the paper's, otherwise with three significant digits."""
    if row.ours is None:
        return row.absent
    if row.paper:
        decimals = len(row.paper.partition(".")[2]) + 1
        ours = f"{row.ours:,.{decimals}f}"
    else:
        ours = three_digits(row.ours)
    if row.without_one is None:
        return ours
    return f"{ours} ({' to '.join(map(three_digits, row.without_one))} without one)"


def number_text(value: float | None, form: str = "{:.4g}") -> str:
    """Write a number; empty for None."""
    return "" if value is None else form.format(value)


def three_digits(value: float) -> str:
    """Write a number with three significant digits; from 100 on whole, below 0.0001 with a power of ten."""
    rounded = float(f"{value:.3g}")
    if abs(rounded) >= 100:
        return f"{value:,.0f}"
    return f"{rounded:#.3g}" if abs(rounded) >= 1e-4 or not rounded else f"{rounded:.2e}"


def largest(rows: Iterable[Comparison]) -> Comparison | None:
    """Return the row that is furthest from the paper, in per cent; None if none can be compared."""
    compared = [row for row in rows if row.difference_percent is not None]
    return max(compared, key=lambda row: abs(row.difference_percent or 0.0), default=None)
