"""Section 3.1.1: what the paper states of its machine and its suite, next to ours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from statistics import fmean

import numpy as np

from experiments.papers.hism import suite
from experiments.papers.hism.calibration.choices import FACTS, measured
from experiments.papers.hism.rank_correlation import indication
from experiments.papers.hism.six_matrices import SECTION_SIZE
from experiments.papers.hism.suite import Criterion, Member
from experiments.papers.hism.suite.stated_by_paper import MEANS
from experiments.papers.hism.suite.statistics import ALL, PAPER, Distribution, distributions
from experiments.papers.hism.timing import METHODS
from experiments.papers.kit.request import Request
from experiments.report.comparison import Comparison
from experiments.report.item import Item, Verdict
from isa.declaration import Pattern
from programs.measurement import prepare_product
from programs.registry import PROGRAMS
from vecsim.data.metrics import nonempty_blocks
from vecsim.machine import Machine

WORDS: dict[Criterion, str] = {
    "size": "non-zeros",
    "locality": "locality",
    "average_per_row": "non-zeros a row",
}
EXAMPLE = "laplace2d-9"
"""A matrix of two levels for s = 64, on which the programs have all their instructions."""


def make(request: Request) -> Item:
    """Compare the machine and the suite with what the paper states."""
    absent = {each.name for each in suite.missing()}
    fillings = {each: _filled(each) for each in suite.members() if each.name not in absent}
    return Item(
        "hism-setup",
        "Section 3.1.1: the machine and the suite",
        "Cycles of single accesses that the paper states, on the machine; and the distributions of the suite "
        "of 132 matrices. The machine and the suite were chosen to agree with these numbers, so they prove "
        "nothing else.",
        (*_accesses(request), *_suite(), _step(), _filling(fillings)),
        verdicts=(*_accesses_by_index(request.machine), _COLLECTION, _indicates_filling(fillings)),
    )


def _accesses(request: Request) -> Iterator[Comparison]:
    for fact in FACTS:
        cycles = measured(fact, request.machine, request.engine)
        yield Comparison(fact.name, "cycles", str(fact.cycles), cycles, kind="decoded", measure="counted")


def _suite() -> Iterator[Comparison]:
    of = {(each.subset, each.criterion): each for each in distributions()}
    for criterion, words in WORDS.items():
        paper, ours = of[PAPER, criterion], of[ALL, criterion]
        for quantity in ("least", "mean", "greatest"):
            yield Comparison(
                words,
                quantity,
                f"{_number(paper, quantity):g}" if criterion != "size" else f"{_number(paper, quantity):.0f}",
                _number(ours, quantity),
                kind="calibrated",
                measure="counted",
            )


def _step() -> Comparison:
    """Return the factor from one matrix of Figure 2 to the next, a geometric mean."""
    sizes = [place.size for place in _ten()]
    return Comparison(
        "non-zeros",
        "step from one of the ten to the next",
        "3.5",
        (sizes[-1] / sizes[0]) ** (1 / (len(sizes) - 1)),
        kind="calibrated",
        measure="counted",
        implied=True,  # the least and the greatest
    )


def _ten() -> list[Member]:
    """Return the matrices of Figure 2."""
    by_name = {each.name: each for each in suite.members()}
    return [by_name[place.name] for place in suite.figure("size", tuple(by_name.values()))]


def _filling(fillings: Mapping[Member, float]) -> Comparison:
    """Return the entries of a level-0 array: the paper takes the locality of 32 x 32 blocks for them."""
    return Comparison(
        f"entries of a level-0 array over s = {SECTION_SIZE}",
        "mean",
        f"{MEANS['locality']:g}",
        fmean(fillings.values()) if fillings else None,
        f"{len(fillings)} of {len(suite.members())} matrices; the paper takes it from blocks of 32 x 32",
        measure="counted",
    )


def _filled(of: Member) -> float:
    return of.size / nonempty_blocks(suite.load(of), SECTION_SIZE) / SECTION_SIZE


def _indicates_filling(fillings: Mapping[Member, float]) -> Verdict:
    """Check that block arrays have more entries where the locality is higher."""
    return indication(
        "The locality is an indication of how well block arrays fill vectors",
        [each.locality for each in fillings],
        list(fillings.values()),
        f"locality and entries of a level-0 array (s = {SECTION_SIZE})",
    )


_COLLECTION = Verdict(
    "The collection offers 551 matrices",
    None,
    "the Matrix Market of 2003 is not available, and today's collection does not tell",
)


def _number(of: Distribution, quantity: str) -> float:
    return float(getattr(of, quantity))


def _accesses_by_index(machine: Machine) -> Iterator[Verdict]:
    """Look for indexed and strided accesses in every instruction of the programs."""
    without = {name: _irregular(name, machine) for name in ("hism", "chism")}
    yield Verdict(
        "HiSM and CHiSM need no indexed loads: all their accesses have stride 1",
        not any(without.values()),
        f"{sum(without.values())} kinds of indexed or strided accesses in both programs, in all schedules",
        "decoded",
    )
    others = {name: _irregular(name, machine) for name in ("crs", "jd", "bbcs")}
    words = ", ".join(f"{METHODS[name]} {count}" for name, count in others.items())
    yield Verdict(
        "CRS, JD and BBCS need indexed accesses",
        all(others.values()),
        f"kinds of indexed or strided accesses, in all schedules: {words}",
        "decoded",
    )


def _irregular(name: str, machine: Machine) -> int:
    """Count the instructions of a program, in all its schedules, that access memory by index or stride."""
    count = 0
    for schedule in PROGRAMS[name].schedules:
        program = prepare_product(name, EXAMPLE, machine, options={"schedule": schedule}).program
        rows = [program.instruction_set.by_opcode[int(code)] for code in np.unique(program.opcode)]
        accesses = [row.access.pattern for row in rows if row.access is not None]
        count += sum(pattern in (Pattern.INDEXED, Pattern.STRIDED) for pattern in accesses)
    return count
