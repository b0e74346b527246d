"""What a report is made of: reproduced tables and figures, their pictures, and what stands after them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from experiments.report.agreement import Outcome, outcome_of_claim
from experiments.report.comparison import Comparison, Kind
from experiments.report.parameter_charts import BoxChart, HeatChart, LineChart, RangeChart


@dataclass(frozen=True)
class Panel:
    """Groups of bars over one axis.

    Attributes
    ----------
    title
        What it says above; empty for none.
    categories
        Label of each group of bars, lines separated by newlines.
    series
        Heights by the name of the series, one for each category; None where there is no number.
    absent
        In a word or two what is shown where a height is None; `NOT_FOUND` for series that this does not name.
    """

    title: str
    categories: tuple[str, ...]
    series: Mapping[str, tuple[float | None, ...]]
    absent: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class BarChart:
    """A picture of bars; all panels have one scale.

    Attributes
    ----------
    title
        What it says above all panels.
    value_label
        What the heights are, with their unit.
    panels
        From left to right, then down; a series may be missing in some.
    reference
        Height of a line to compare with, if any.
    reference_label
        What the legend calls this line; empty for nothing.
    category_label
        What stands below the labels of the groups.
    separators
        After how many groups a line separates those that follow, in every panel.
    description
        What it shows, for those who cannot see it.
    logarithmic
        Whether the axis is.
    bars_from
        Where bars begin on a logarithmic axis: 1 for ratios, so that smaller ones hang; None for the foot.
    """

    title: str
    value_label: str
    panels: tuple[Panel, ...]
    description: str
    category_label: str = ""
    reference: float | None = None
    reference_label: str = ""
    separators: tuple[int, ...] = ()
    logarithmic: bool = False
    bars_from: float | None = 1.0


@dataclass(frozen=True)
class ScatterPanel:
    """Points over two axes.

    Attributes
    ----------
    title
        What it says above; empty for none.
    series
        Points, across and up, by the name of the series.
    labels
        What stands next to single points, by their place.
    lines
        Lines through points, in the colour of the series of their name, grey for other names.
    marks
        Where a line stands up, with what it says.
    """

    title: str
    series: Mapping[str, tuple[tuple[float, float], ...]]
    labels: Mapping[tuple[float, float], str] = field(default_factory=dict)
    lines: Mapping[str, tuple[tuple[float, float], ...]] = field(default_factory=dict)
    marks: Mapping[float, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ScatterChart:
    """A picture of points over logarithmic axes.

    Attributes
    ----------
    title
        What it says above all panels.
    x_label, y_label
        What the axes are, with their units.
    panels
        From left to right, then down; all with the same series.
    description
        What it shows, for those who cannot see it.
    reference
        Where a line across and a line up stand, if any; with them, a diagonal of equal numbers.
    level
        Where a line across stands, if any.
    x_labels
        What each panel's axis across is, where it is not `x_label` for all.
    first_colour
        Of the first series, a place in `COLOURS`; the others follow.
    """

    title: str
    x_label: str
    y_label: str
    panels: tuple[ScatterPanel, ...]
    description: str
    reference: float | None = None
    level: float | None = None
    x_labels: tuple[str, ...] = ()
    first_colour: int = 1


@dataclass(frozen=True)
class PatternPanel:
    """Where a square matrix has entries.

    Attributes
    ----------
    title
        What it says above.
    side
        Rows and columns.
    step
        Side of the blocks that lines separate; with `side`, lines separate the places of single entries.
    entries
        Row and column of each.
    texts
        What stands in each; empty for nothing.
    """

    title: str
    side: int
    step: int
    entries: tuple[tuple[int, int], ...]
    texts: tuple[str, ...] = ()


@dataclass(frozen=True)
class PatternChart:
    """A picture of patterns of entries.

    Attributes
    ----------
    title
        What it says above all panels.
    panels
        From left to right.
    description
        What it shows, for those who cannot see it.
    """

    title: str
    panels: tuple[PatternPanel, ...]
    description: str


Chart = BarChart | ScatterChart | LineChart | RangeChart | BoxChart | HeatChart | PatternChart


@dataclass(frozen=True)
class Verdict:
    """A claim of the paper in words, and whether it holds here.

    Attributes
    ----------
    claim
        What the paper says.
    holds
        None if it cannot be seen here; `detail` then says why.
    detail
        The numbers after it.
    kind
        Where the numbers come from, with respect to the claim.
    implied
        Whether printed numbers or other claims imply it: it is shown, but not counted.
    """

    claim: str
    holds: bool | None
    detail: str
    kind: Kind = "predicted"
    implied: bool = False

    @property
    def outcome(self) -> Outcome:
        """What becomes of the claim."""
        return outcome_of_claim(self.holds)

    @property
    def outcome_in_words(self) -> str:
        """The outcome, and whether it counts."""
        return f"{self.outcome}, not counted" if self.implied else self.outcome


@dataclass(frozen=True)
class Table:
    """A table of texts; columns in `numbers` are set flush right."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Item:
    """A table or figure of a paper, reproduced.

    Attributes
    ----------
    name
        Its name on the command line, and that of its files.
    title
        As the paper calls it.
    summary
        What it shows and how it was made, in a few sentences.
    rows
        Its numbers, with the paper's where it prints them.
    chart
        Its picture; None for none.
    verdicts
        What the paper says about it in words.
    notes
        How it is to be read.
    gaps
        What is missing or not reproduced, and why.
    faults
        Results that are wrong: with any, nothing of it is to be trusted.
    """

    name: str
    title: str
    summary: str
    rows: tuple[Comparison, ...]
    chart: Chart | None = None
    verdicts: tuple[Verdict, ...] = ()
    notes: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Leave out a picture of nothing."""
        if isinstance(self.chart, BarChart | ScatterChart) and not self.chart.panels:
            object.__setattr__(self, "chart", None)


@dataclass(frozen=True)
class Appendix:
    """What stands after the items: matrices, the machine, versions.

    Attributes
    ----------
    name
        Name of its CSV file, if it has a table that is worth one; empty for none.
    title
        Its heading.
    paragraphs
        Text before the table.
    table
        A table, or None.
    listing
        Text that keeps its lines, such as a TOML file; empty for none.
    """

    name: str
    title: str
    paragraphs: tuple[str, ...] = ()
    table: Table | None = None
    listing: str = ""


@dataclass(frozen=True)
class Part:
    """What was asked for of one paper.

    Attributes
    ----------
    name
        The paper's name on the command line.
    source
        The paper, as one cites it.
    items
        In the paper's order.
    remarks
        What a reader must know of the verdict as a whole, sentences.
    stand_ins
        What stands in for matrices and programs of the paper, in words; empty for none.
    """

    name: str
    source: str
    items: tuple[Item, ...]
    remarks: tuple[str, ...] = ()
    stand_ins: str = ""


@dataclass(frozen=True)
class Report:
    """Everything that was asked for, and what stands after it.

    Attributes
    ----------
    title
        Its heading.
    parts
        A paper each.
    appendices
        In the order in which they are to stand.
    compares
        Whether its numbers stand next to printed ones, which its CSV files then have columns for.
    """

    title: str
    parts: tuple[Part, ...]
    appendices: tuple[Appendix, ...] = ()
    compares: bool = True

    @property
    def items(self) -> tuple[Item, ...]:
        """The items of all papers."""
        return tuple(item for part in self.parts for item in part.items)
