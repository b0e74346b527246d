"""Figures 2 to 4: times of the five products on ten matrices each, CHiSM's being 1 (section 3.1.2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from experiments.papers.hism import suite_claims
from experiments.papers.hism.bank_conflicts import CAUSE_OF, bank_conflicts
from experiments.papers.hism.claims import Subject, causes, verdicts
from experiments.papers.hism.open_claims import judged
from experiments.papers.hism.suite import Criterion, FigureMember, Member
from experiments.papers.hism.suite_runs import SuiteRuns, suite_runs
from experiments.papers.hism.timing import METHODS, Times, relative
from experiments.papers.kit.charts import bars
from experiments.papers.kit.request import Request
from experiments.report.comparison import Comparison
from experiments.report.item import BarChart, Item
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
    "Rows ending in “, without stand-ins” are of ten matrices chosen again among the others.",
)


def make(request: Request, number: int) -> Item:
    """Simulate and draw a figure.

    Raises
    ------
    UserError
        As :func:`experiments.papers.hism.measurements.measure_members`.
    """
    figure, runs = FIGURES[number], suite_runs(request)
    result = judged(item(figure, runs), request.machine)
    if figure.criterion != CAUSE_OF:
        return result
    return replace(result, verdicts=(*result.verdicts, bank_conflicts(request, runs)))


def item(figure: Figure, runs: SuiteRuns) -> Item:
    """Make a figure of what the programs took on the suite."""
    ten, originals = runs.figures[figure.criterion], runs.figures_of_originals[figure.criterion]
    if not any(place.name in {member.name for member in runs.stand_ins} for place in ten):
        originals = ()  # the ten themselves
    times = {name: relative(cycles) for name, cycles in runs.measured.cycles().items()}
    subjects = [Subject(place.name, runs.members[place.name].original, place.group) for place in ten]
    shown = _Bars(figure, runs.members, times)
    return Item(
        name=f"hism-fig{figure.number}",
        title=figure.title,
        summary=(
            f"Cycles of y = A x with five programs on ten matrices of growing {figure.words}, each divided "
            "by the cycles of CHiSM on the same matrix: below 1 is faster than CHiSM. The paper prints bars "
            "without numbers, so there are none to compare with; what it says of them in words is checked."
        ),
        rows=(*shown.rows(ten), *shown.rows(originals, ORIGINALS_SUFFIX)),
        chart=shown.chart((ten, originals) if originals else (ten,)),
        verdicts=(
            *verdicts(figure.number, subjects, times),
            *causes(figure.number),
            *suite_claims.verdicts(figure.criterion, runs.members, runs.measured),
        ),
        notes=NOTES,
        gaps=tuple(shown.gaps(ten)),
        faults=runs.measured.wrong(),
    )


Ten = Sequence[FigureMember]


@dataclass(frozen=True)
class _Bars:
    """The bars of a figure.

    Attributes
    ----------
    figure
        Which figure of the paper.
    members
        What is known of each matrix of the suite, by name.
    times
        Cycles over those of CHiSM, of the matrices that were found, by name.
    """

    figure: Figure
    members: Mapping[str, Member]
    times: Mapping[str, Times]

    def rows(self, ten: Ten, suffix: str = "") -> list[Comparison]:
        """Return every bar: `row` is the matrix and a suffix, `quantity` the method; None if not found."""
        return [
            Comparison(place.name + suffix, method, "", self._height(place, program), self._facts(place))
            for place in ten
            for program, method in METHODS.items()
        ]

    def _height(self, place: FigureMember, program: str) -> float | None:
        return self.times[place.name][program] if place.name in self.times else None

    def _facts(self, place: FigureMember) -> str:
        member = self.members[place.name]
        facts = [place.group, self.figure.shown.format(self._value(member))]
        if member.original != member.name:
            what = "pattern of" if member.has_original_pattern else "stand-in for"
            facts.append(f"{what} {member.original}")
        if place.named_by_paper:
            facts.append("named by the paper")
        return "; ".join(facts)

    def _value(self, member: Member) -> str:
        value = getattr(member, self.figure.criterion)
        return f"{value:,}" if isinstance(value, int) else three_digits(value)

    def _label(self, place: FigureMember) -> str:
        member = self.members[place.name]
        stand_in = "" if member.has_original_pattern else "\n(stand-in)"
        return f"{member.name}\n{self._value(member)}{stand_in}"

    def chart(self, tens: Sequence[Ten]) -> BarChart:
        """Draw a group of bars for each matrix, up where CHiSM is faster and down where not; a panel a ten.

        CHiSM itself, a bar of height 1 in the paper, is the line that they begin at.
        """
        groups = [place.group for place in tens[0]]
        titles = ("",) if len(tens) == 1 else ("with stand-ins", "without stand-ins")
        series = {method: program for program, method in METHODS.items() if program != REFERENCE}
        return BarChart(
            title=f"{self.figure.title} (lower is faster)",
            value_label="cycles / cycles of CHiSM",
            category_label=f"matrix and its {self.figure.words}",
            panels=tuple(
                bars(title, ten, self._label, series, self._height)
                for title, ten in zip(titles, tens, strict=True)
            ),
            description=(
                f"Bar chart of the cycles of {', '.join(METHODS.values())}, divided by those of CHiSM, on "
                f"ten matrices of growing {self.figure.words}, on a logarithmic axis; every number is in the "
                "table below"
            ),
            reference=1.0,
            reference_label=METHODS[REFERENCE],
            logarithmic=True,
            separators=tuple(at for at in range(1, len(groups)) if groups[at] != groups[at - 1]),
        )

    def gaps(self, ten: Ten) -> Iterator[str]:
        """Yield what of a figure is missing or not the paper's."""
        missing = [place.name for place in ten if place.name not in self.times]
        stand_ins = [place.name for place in ten if not self.members[place.name].has_original_pattern]
        ours = sum(not place.named_by_paper for place in ten)
        if missing:
            yield f"Not found, and therefore without bars: {', '.join(missing)}."
        if stand_ins:
            yield f"Stand-ins: {', '.join(stand_ins)}."
        yield f"The paper's text does not name {ours} of its ten matrices; those here are our picks."
