"""The report of a calibration: Table 2 of the proposal next to the paper, and the tables after it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from experiments.papers.hism.calibration.against_the_paper import CLOSE, Distance
from experiments.papers.hism.calibration.appendices import appendices
from experiments.papers.hism.calibration.calibration import Calibration
from experiments.papers.hism.calibration.choices import FACTS
from experiments.papers.hism.calibration.matrices import LARGEST
from experiments.papers.hism.paper import PAPER
from experiments.papers.hism.recorded_calibration import NAME
from experiments.papers.hism.table2 import GROUPS, PRINTED
from experiments.report.comparison import Comparison
from experiments.report.environment import made_by
from experiments.report.item import Item, Part, Report, Verdict
from experiments.report.paper_chart import paper_beside_ours

BOUND = 16
"""Of the 18 numbers of all, small and medium, this many are to be within 15 %."""


def report(result: Calibration, engine: str) -> Report:
    """Make the whole report."""
    return Report(
        "Calibration of the machine of the HiSM paper",
        (Part(PAPER.name, PAPER.source, (item(result),)),),
        (*appendices(result, engine), made_by()),
    )


def item(result: Calibration) -> Item:
    """Return Table 2 of the proposal, and what it keeps."""
    rows = [
        *_rows(result.proposal.distance, "", printed=True),
        *_rows(result.before.distance, ", uncalibrated"),
    ]
    title = "Table 2 by the calibrated machine"
    return Item(
        name=NAME,
        title=title,
        summary=(
            f"Of {len(result.examined)} candidates of the grid that were examined, {len(result.finalists)} "
            f"were simulated on {len(result.ground.members)} matrices. {_alike(result)} cannot be "
            "distinguished from the nearest. Today's machine stays if it is one of these. Otherwise the one "
            "that keeps most of the paper's conclusions is proposed. Among equals it is the one that changes "
            "fewest values of the uncalibrated machine."
        ),
        rows=tuple(rows),
        chart=paper_beside_ours(title, "times faster", rows, logarithmic=True),
        verdicts=(*_facts(result), *_bounds(result.proposal.distance), *_concluded(result)),
        notes=(
            "Nearest: the smallest sum of mean and largest |ln(ours / paper's)| over all matrices. The "
            "averages over three or four matrices do not count: the paper does not name the matrices.",
            "Not distinguished: at least as near in 5 % of the resamples of the suite with replacement.",
            "One machine and one set of programs for all matrices; nothing is corrected for a matrix or a "
            "program. Only what the paper leaves open is changed.",
            "The search goes by coordinate descent from several starts, on a sample of "
            f"{len(result.sample)} matrices up to {LARGEST:,} entries that stand for the suite.",
        ),
        gaps=tuple(_gaps(result)),
    )


def _alike(result: Calibration) -> int:
    return sum(finalist.alike for finalist in result.finalists)


def _rows(distance: Distance, suffix: str, *, printed: bool = False) -> Iterable[Comparison]:
    for row, numbers in PRINTED.items():
        for group, number in zip(GROUPS, numbers, strict=True):
            ours = distance.numbers.get((row, group))
            yield Comparison(row + suffix, group, number if printed else "", ours, kind="calibrated")


def _facts(result: Calibration) -> list[Verdict]:
    return [
        Verdict(
            f"{fact.name}: {fact.cycles} cycles",
            result.measured_facts[fact.name] == fact.cycles,
            f"{result.measured_facts[fact.name]} cycles",
            "calibrated",
        )
        for fact in FACTS
    ]


def _bounds(distance: Distance) -> list[Verdict]:
    all_, three = distance.within(10, "all"), distance.within(15, *CLOSE)
    return [
        Verdict(
            "the six averages over all matrices are within 10 %", all_ == 6, f"{all_} of 6", "calibrated"
        ),
        Verdict(
            f"{BOUND} of the 18 numbers of all, small and medium are within 15 %",
            three >= BOUND,
            f"{three} of 18",
            "calibrated",
        ),
    ]


def _concluded(result: Calibration) -> list[Verdict]:
    return [
        Verdict(words, holds, "on the whole suite" if holds is not None else "its matrices are not found")
        for words, holds in result.finalists[0].concluded.items()
    ]


def _gaps(result: Calibration) -> Iterator[str]:
    far = sorted(
        result.proposal.distance.numbers, key=lambda key: -abs(result.proposal.distance.ratio(*key) - 1)
    )
    away = [
        f"{row}, {group} ({100 * (result.proposal.distance.ratio(row, group) - 1):+.0f} %)"
        for row, group in far
        if abs(result.proposal.distance.ratio(row, group) - 1) > CLOSE.get(group, 15) / 100
    ]
    if away:
        yield f"Not met, the furthest off first: {', '.join(away)}."
    none = [s.conclusion for s in result.sensitivities if s.extent == "none"]
    if none:
        yield f"Conclusions that hold on no machine that was examined: {'; '.join(none)}."
    if result.ground.missing:
        yield f"Not found and left out: {', '.join(result.ground.missing)}."
    if result.finished < result.effort.begun:
        yield (
            f"The search was ended when it had examined {result.effort.candidates} candidates; "
            f"{result.finished} of {result.effort.begun} starts had come to their end."
        )
    if result.effort.quick:
        yield "A quick calibration: small matrices alone, from one start. Its proposal is a rehearsal."
