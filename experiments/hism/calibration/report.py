"""The report of a calibration: the proposal beside the paper, the grid, the frontier, the sensitivities."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from experiments.comparison import Comparison
from experiments.hism.calibration.calibration import Calibration
from experiments.hism.calibration.choices import Candidate, options_of, uncalibrated
from experiments.hism.calibration.conclusions import Sensitivity
from experiments.hism.calibration.distance import CLOSE, Distance, readings
from experiments.hism.calibration.facts import FACTS
from experiments.hism.calibration.search import LARGE, SMALL, Evaluated
from experiments.hism.table2 import GROUPS, PRINTED
from experiments.registry import PAPERS
from experiments.report.beside import paper_beside_ours
from experiments.report.environment import made_by
from experiments.report.item import Appendix, Item, Report, Table, Verdict
from vecsim.machine import to_toml

NAME = "hism-calibration"
BOUND = 16
"""Of the 18 numbers of all, small and medium, so many are to be within 15 %."""
SHOWN_BREAKS = 6
"""Single changes that are named in the table of sensitivities; the others are counted."""


def report(found: Calibration) -> Report:
    """Make the whole report."""
    return Report(
        "Calibration of the machine of the HiSM paper",
        tuple(paper.source for paper in PAPERS if paper.name == "hism"),
        (item(found),),
        (
            choices(found),
            sensitivities(found),
            shares(found),
            single_changes(found),
            frontier(found),
            candidates(found),
            of_readings(found),
            machine(found),
            made_by(),
        ),
    )


def item(found: Calibration) -> Item:
    """Give Table 2 of the proposal, and what it keeps."""
    rows = [
        *_rows(found.proposal.distance, "", printed=True),
        *_rows(found.before.distance, ", uncalibrated"),
    ]
    title = "Table 2 by the calibrated machine"
    return Item(
        name=NAME,
        title=title,
        summary=(
            f"Of {len(found.examined)} candidates of the grid that were examined, the {len(found.finalists)} "
            f"nearest were simulated on {len(found.ground.members)} matrices. The one proposed keeps most of "
            "what the paper concludes, and among those is nearest."
        ),
        rows=tuple(rows),
        chart=paper_beside_ours(title, "times faster", rows),
        verdicts=(*_facts(found), *_bounds(found.proposal.distance), *_concluded(found)),
        notes=(
            "Nearest: the smallest sum of mean and largest |ln(ours / paper's)| over all matrices, and a "
            "tenth of the mean over the small and medium groups. The averages over all matrices do not "
            "depend on which three or four the paper drew. The large group does not count: not all its "
            "matrices are originals.",
            "One machine and one set of programs for all matrices; nothing is corrected for a matrix or a "
            "program. Only what the paper leaves open is changed.",
            f"The search goes by coordinate descent from several starts, on all matrices up to {SMALL:,} "
            f"entries and those up to {LARGE:,}, which count for all larger ones.",
        ),
        gaps=_gaps(found),
    )


def _rows(distance: Distance, suffix: str, *, printed: bool = False) -> Iterable[Comparison]:
    for row, numbers in PRINTED.items():
        for group, number in zip(GROUPS, numbers, strict=True):
            ours = distance.numbers.get((row, group))
            yield Comparison(row + suffix, group, number if printed else "", ours)


def _facts(found: Calibration) -> list[Verdict]:
    return [
        Verdict(
            f"{fact.name}: {fact.cycles} cycles",
            found.measured_facts[fact.name] == fact.cycles,
            f"{found.measured_facts[fact.name]} cycles",
        )
        for fact in FACTS
    ]


def _bounds(distance: Distance) -> list[Verdict]:
    all_, three = distance.within(10, "all"), distance.within(15, *CLOSE)
    return [
        Verdict("the six averages over all matrices are within 10 %", all_ == 6, f"{all_} of 6"),
        Verdict(
            f"{BOUND} of the 18 numbers of all, small and medium are within 15 %",
            three >= BOUND,
            f"{three} of 18",
        ),
    ]


def _concluded(found: Calibration) -> list[Verdict]:
    return [
        Verdict(words, holds, "on the whole suite" if holds is not None else "its matrices are not at hand")
        for words, holds in found.concluded[0].items()
    ]


def _gaps(found: Calibration) -> tuple[str, ...]:
    gaps = []
    far = sorted(
        found.proposal.distance.numbers, key=lambda key: -abs(found.proposal.distance.ratio(*key) - 1)
    )
    away = [
        f"{row}, {group} ({100 * (found.proposal.distance.ratio(row, group) - 1):+.0f} %)"
        for row, group in far
        if abs(found.proposal.distance.ratio(row, group) - 1) > CLOSE.get(group, 15) / 100
    ]
    if away:
        gaps.append(f"Not met, the furthest off first: {', '.join(away)}.")
    none = [s.conclusion for s in found.sensitivities if s.extent == "none"]
    if none:
        gaps.append(f"Conclusions that hold on no machine that was examined: {'; '.join(none)}.")
    if found.ground.missing:
        gaps.append(f"Not at hand and left out: {', '.join(found.ground.missing)}.")
    if found.quick:
        gaps.append("A quick calibration: small matrices alone, from one start. Its proposal is a rehearsal.")
    return tuple(gaps)


def changes(candidate: Candidate, of: Candidate) -> str:
    """Say in what a candidate differs from another."""
    told = [f"{choice} {value}" for choice, value in candidate.items() if of[choice] != value]
    return "; ".join(told) or "none"


def choices(found: Calibration) -> Appendix:
    """List the grid, and what is proposed."""
    columns = ("choice", "values", "proposed", "why they are plausible", "what the paper says")
    rows = tuple(
        (
            choice.name,
            " | ".join(value.name for value in choice.values),
            found.proposal.candidate[choice.name],
            choice.why,
            choice.paper,
        )
        for choice in found.choices
    )
    return Appendix(f"{NAME}-choices", "The grid", table=Table(columns, rows))


def sensitivities(found: Calibration) -> Appendix:
    """Say of each conclusion of the paper on which machines it holds."""
    columns = ("conclusion", "holds on", "of", "extent", "proposal", "fails with", "holds only with")
    rows = tuple(
        (
            s.conclusion,
            str(s.holds),
            str(s.examined),
            s.extent,
            _word(s.at_proposal),
            _listed(s.breaks),
            _listed(s.mends),
        )
        for s in found.sensitivities
    )
    text = (
        "Every candidate that was examined is a plausible machine. Extent: whether the conclusion holds on "
        "every one, some, or none of them. The last columns change one choice of the proposal at a time. "
        "Candidates of the search know the matrices up to a size only, so claims on larger ones count fewer."
    )
    return Appendix(
        f"{NAME}-sensitivity",
        "Which conclusions depend on what the paper leaves open",
        (text,),
        Table(columns, rows, frozenset(columns[1:3])),
    )


def _listed(texts: Sequence[str]) -> str:
    more = len(texts) - SHOWN_BREAKS
    return "; ".join(texts[:SHOWN_BREAKS]) + (f"; and {more} more" if more > 0 else "")


def _word(holds: bool | None) -> str:
    return "unknown" if holds is None else "holds" if holds else "fails"


def shares(found: Calibration) -> Appendix:
    """Give for each value of each choice the share of candidates on which each conclusion holds."""
    told: list[Sensitivity] = [s for s in found.sensitivities if s.extent == "some"]
    columns = ("choice", "value", *(s.conclusion for s in told))
    rows = tuple(
        (choice.name, value.name, *(_share(s, choice.name, value.name) for s in told))
        for choice in found.choices
        for value in choice.values
    )
    return Appendix(
        f"{NAME}-shares",
        "Share of the candidates with a value on which a conclusion holds",
        ("Conclusions that hold on every candidate, or on none, are left out.",),
        Table(columns, rows, frozenset(columns[2:])),
    )


def _share(s: Sensitivity, choice: str, value: str) -> str:
    share = s.by_value.get((choice, value))
    return "" if share is None else f"{share:.2f}"


DISTANCES = (
    "score",
    "all",
    "small",
    "medium",
    "large",
    "of all within 10 %",
    "of 18 within 15 %",
    "of 24 within 15 %",
)
NUMBERS = tuple(f"{row}, {group}" for row in PRINTED for group in GROUPS)


def _distances(distance: Distance) -> tuple[str, ...]:
    known = {group for _, group in distance.numbers}
    return (
        f"{distance.score:.4f}",
        *(f"{distance.of(group):.4f}" if group in known else "" for group in GROUPS),
        str(distance.within(10, "all")),
        str(distance.within(15, *CLOSE)),
        str(distance.within(15, *GROUPS)),
    )


def _numbers(distance: Distance) -> tuple[str, ...]:
    return tuple(
        f"{distance.numbers[row, group]:.3f}" if (row, group) in distance.numbers else ""
        for row in PRINTED
        for group in GROUPS
    )


def single_changes(found: Calibration) -> Appendix:
    """Give the distance of every candidate that differs from the proposal in one choice."""
    columns = ("change", *DISTANCES, *NUMBERS)
    proposal = found.single[0].candidate
    rows = tuple(
        (changes(e.candidate, proposal), *_distances(e.distance), *_numbers(e.distance)) for e in found.single
    )
    text = (
        "On the part of the suite that is searched on and the matrices of the figures. Distances are means "
        "of |ln(ours / paper's)|."
    )
    return Appendix(
        f"{NAME}-single-changes",
        "One choice changed at a time",
        (text,),
        Table(columns, rows, frozenset(columns[1:])),
    )


def frontier(found: Calibration) -> Appendix:
    """Give the candidates that no other beats both over all matrices and in the small and medium groups."""
    columns = ("all", "small", "medium", "differs from the uncalibrated in")
    rows = tuple(
        (
            f"{e.distance.of('all'):.4f}",
            f"{e.distance.of('small'):.4f}",
            f"{e.distance.of('medium'):.4f}",
            changes(e.candidate, uncalibrated(found.choices)),
        )
        for e in undominated(found.examined)
    )
    text = (
        "Candidates of the search that no other beats both in the mean distance of the numbers over all "
        "matrices and in that of the small and medium groups: what one gains, the other loses."
    )
    return Appendix(f"{NAME}-frontier", "The frontier", (text,), Table(columns, rows, frozenset(columns[:3])))


def undominated(examined: Sequence[Evaluated]) -> list[Evaluated]:
    """Give, by rising distance over all matrices, those with ever smaller distance of small and medium."""
    best = float("inf")
    found = []
    for e in sorted(examined, key=lambda e: (e.distance.of("all"), e.distance.of("small", "medium"))):
        if e.distance.of("small", "medium") < best:
            best = e.distance.of("small", "medium")
            found.append(e)
    return found


def candidates(found: Calibration) -> Appendix:
    """Give the finalists with all numbers."""
    columns = ("rank", *DISTANCES, "conclusions that fail", "differs from the uncalibrated in", *NUMBERS)
    first = uncalibrated(found.choices)
    rows = [
        (
            str(rank),
            *_distances(e.distance),
            str(sum(holds is False for holds in concluded.values())),
            changes(e.candidate, first),
            *_numbers(e.distance),
        )
        for rank, (e, concluded) in enumerate(zip(found.finalists, found.concluded, strict=True), 1)
    ]
    rows.append(
        ("uncalibrated", *_distances(found.before.distance), "", "none", *_numbers(found.before.distance))
    )
    return Appendix(
        f"{NAME}-candidates",
        "The nearest candidates on the whole suite",
        table=Table(columns, tuple(rows), frozenset((*DISTANCES, *NUMBERS))),
    )


def of_readings(found: Calibration) -> Appendix:
    """Give the distance of the proposal by every reading of average and of small, medium and large."""
    columns = ("how the table is averaged", "machine", *DISTANCES, *NUMBERS)
    rows = []
    for words, evaluated in (("proposal", found.proposal), ("uncalibrated", found.before)):
        read: Mapping[str, Distance] = readings(
            evaluated.cycles, found.ground.groups, found.ground.of_figures()
        )
        rows += [(label, words, *_distances(d), *_numbers(d)) for label, d in read.items()]
    return Appendix(
        f"{NAME}-readings",
        "Every reading of Table 2",
        ("The first is what the paper's own numbers and words imply.",),
        Table(columns, tuple(rows), frozenset(columns[2:])),
    )


def machine(found: Calibration) -> Appendix:
    """Give the proposed machine, and the options of the programs."""
    chosen = options_of(found.proposal.candidate, found.choices)
    options = "; ".join(
        f"{program}: {', '.join(f'{name}={value}' for name, value in options.items())}"
        for program, options in chosen.items()
        if options
    )
    return Appendix(
        "", "The proposed machine", (f"Options of the programs: {options}.",), listing=to_toml(found.machine)
    )
