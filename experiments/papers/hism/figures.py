"""Figures 2 to 4: times of the five products on ten matrices each, CHiSM's being 1 (section 3.1.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from experiments.papers.hism.claims import Subject, verdicts
from experiments.papers.hism.suite import Criterion, FigureMember, Member
from experiments.papers.hism.suite_runs import SuiteRuns, suite_runs
from experiments.papers.hism.timing import METHODS, Times, relative
from experiments.papers.kit.request import Request
from experiments.report.comparison import Comparison
from experiments.report.item import BarChart, Item, Panel
from experiments.report.number_tables import three_digits


@dataclass(frozen=True)
class Figure:
    """One of the three figures.

    Attributes
    ----------
    number
        In the paper.
    criterion
        What its matrices are sorted by.
    words
        The same in words.
    shown
        How the number of a matrix is worded; {} stands for it.
    """

    number: int
    criterion: Criterion
    words: str
    shown: str

    @property
    def title(self) -> str:
        """What it is called here."""
        return f"Figure {self.number}: times by {self.words}"


FIGURES = {
    figure.number: figure
    for figure in (
        Figure(2, "size", "number of non-zeros", "{} non-zeros"),
        Figure(3, "average_per_row", "average number of non-zeros per row", "{} a row"),
        Figure(4, "locality", "locality", "locality {}"),
    )
}
"""The paper's figures, by number."""

REFERENCE = "chism"
"""The program that the others are divided by."""
ORIGINALS_SUFFIX = ", without stand-ins"
"""Ends the labels of the rows of the ten matrices that are chosen among those that stand in for no other."""

NOTES = (
    "The ten matrices are those of the suite that come nearest to equal steps on a logarithmic scale, as the "
    "paper chose its ten; the lines separate its groups small, medium and large.",
    "Matrices marked as stand-ins are generated in place of files of the collection that are not found. "
    "Rows ending in “, without stand-ins” are of ten matrices chosen anew among the others.",
)


def make(number: int, request: Request) -> Item:
    """Simulate and draw a figure.

    Raises
    ------
    UserError
        As :func:`experiments.papers.hism.measurements.measure_members`.
    """
    return item(FIGURES[number], suite_runs(request))


make_figure2 = partial(make, 2)
make_figure3 = partial(make, 3)
make_figure4 = partial(make, 4)


def item(figure: Figure, runs: SuiteRuns) -> Item:
    """Make a figure of what the programs took on the suite."""
    ten, originals = runs.figures[figure.criterion], runs.figures_of_originals[figure.criterion]
    if not any(place.name in {member.name for member in runs.stand_ins} for place in ten):
        originals = ()  # the ten themselves
    times = {name: relative(cycles) for name, cycles in runs.measured.cycles().items()}
    subjects = [Subject(place.name, runs.members[place.name].original, place.group) for place in ten]
    return Item(
        name=f"hism-fig{figure.number}",
        title=figure.title,
        summary=(
            f"Cycles of y = A x with five programs on ten matrices of growing {figure.words}, each divided "
            "by the cycles of CHiSM on the same matrix: below 1 is faster than CHiSM. The paper prints bars "
            "without numbers, so there are none to compare with; what it says of them in words is checked."
        ),
        rows=(
            *rows(figure, ten, runs.members, times),
            *rows(figure, originals, runs.members, times, ORIGINALS_SUFFIX),
        ),
        chart=chart(figure, (ten, originals) if originals else (ten,), runs.members, times),
        verdicts=tuple(verdicts(figure.number, subjects, times)),
        notes=NOTES,
        gaps=gaps(ten, runs.members, times),
        faults=runs.measured.wrong(),
    )


def rows(
    figure: Figure,
    ten: Sequence[FigureMember],
    members: Mapping[str, Member],
    times: Mapping[str, Times],
    suffix: str = "",
) -> list[Comparison]:
    """Give every bar: `row` is the matrix and `suffix`, `quantity` the method; None if not found.

    Parameters
    ----------
    figure
        Which figure of the paper.
    ten
        Its matrices, in the order of the bars.
    members
        What is known of each matrix of the suite, by name.
    times
        Cycles over those of CHiSM, of the matrices that were found, by name.
    suffix
        Added to the name of each matrix, to tell two sets of ten apart.
    """
    return [
        Comparison(
            place.name + suffix,
            method,
            "",
            times[place.name][program] if place.name in times else None,
            _facts(figure, place, members[place.name]),
        )
        for place in ten
        for program, method in METHODS.items()
    ]


def _facts(figure: Figure, place: FigureMember, member: Member) -> str:
    facts = [place.group, figure.shown.format(_value(figure, member))]
    if member.original != member.name:
        facts.append(f"{'pattern of' if member.has_original_pattern else 'stand-in for'} {member.original}")
    if place.named_by_paper:
        facts.append("named by the paper")
    return "; ".join(facts)


def _value(figure: Figure, member: Member) -> str:
    value = getattr(member, figure.criterion)
    return f"{value:,}" if isinstance(value, int) else three_digits(value)


def chart(
    figure: Figure,
    tens: Sequence[Sequence[FigureMember]],
    members: Mapping[str, Member],
    times: Mapping[str, Times],
) -> BarChart:
    """Draw a group of bars for each matrix, up where CHiSM is faster and down where not; a panel a ten.

    CHiSM itself, a bar of height 1 in the paper, is the line that they begin at.

    Parameters
    ----------
    figure
        Which figure of the paper.
    tens
        The ten matrices of each panel: with stand-ins and, if there are any, without.
    members
        What is known of each matrix of the suite, by name.
    times
        Cycles over those of CHiSM, of the matrices that were found, by name.
    """
    groups = [place.group for place in tens[0]]
    titles = ("",) if len(tens) == 1 else ("with stand-ins", "without stand-ins")
    return BarChart(
        title=f"{figure.title} (lower is faster)",
        value_label="cycles / cycles of CHiSM",
        category_label=f"matrix and its {figure.words}",
        panels=tuple(
            _panel(figure, title, ten, members, times) for title, ten in zip(titles, tens, strict=True)
        ),
        description=(
            f"Bar chart of the cycles of {', '.join(METHODS.values())}, divided by those of CHiSM, on ten "
            f"matrices of growing {figure.words}, on a logarithmic axis; every number is in the table below"
        ),
        reference=1.0,
        reference_label=METHODS[REFERENCE],
        logarithmic=True,
        separators=tuple(at for at in range(1, len(groups)) if groups[at] != groups[at - 1]),
    )


def _panel(
    figure: Figure,
    title: str,
    ten: Sequence[FigureMember],
    members: Mapping[str, Member],
    times: Mapping[str, Times],
) -> Panel:
    bars = {
        method: tuple(times[place.name][program] if place.name in times else None for place in ten)
        for program, method in METHODS.items()
        if program != REFERENCE
    }
    return Panel(title, tuple(_label(figure, members[place.name]) for place in ten), bars)


def _label(figure: Figure, member: Member) -> str:
    stand_in = "" if member.has_original_pattern else "\n(stand-in)"
    return f"{member.name}\n{_value(figure, member)}{stand_in}"


def gaps(
    ten: Sequence[FigureMember], members: Mapping[str, Member], times: Mapping[str, Times]
) -> tuple[str, ...]:
    """Say what of a figure is missing or not the paper's."""
    missing = [place.name for place in ten if place.name not in times]
    stand_ins = [place.name for place in ten if not members[place.name].has_original_pattern]
    ours = sum(not place.named_by_paper for place in ten)
    found = []
    if missing:
        found.append(f"Not found, and therefore without bars: {', '.join(missing)}.")
    if stand_ins:
        found.append(f"Stand-ins: {', '.join(stand_ins)}.")
    found.append(f"The paper's text does not name {ours} of its ten matrices; those here are our picks.")
    return tuple(found)
