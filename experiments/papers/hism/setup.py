"""Section 3.1.1: what the paper states of its machine and its suite, next to ours."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from experiments.papers.hism.calibration.choices import FACTS, measured
from experiments.papers.hism.suite.member import Criterion
from experiments.papers.hism.suite.statistics import ALL, PAPER, Distribution, distributions
from experiments.papers.kit.request import Request
from experiments.report.comparison import Comparison
from experiments.report.item import Item, Verdict
from isa.declaration import Pattern
from programs.measurement import prepare_product
from programs.registry import PROGRAMS
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
    return Item(
        "hism-setup",
        "Section 3.1.1: the machine and the suite",
        "Cycles of single accesses that the paper states, on the machine; and the distributions of the suite "
        "of 132 matrices. The machine and the suite were chosen to agree with these numbers, so they prove "
        "nothing else.",
        (*_accesses(request), *_suite()),
        verdicts=(_unit_stride(request.machine),),
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


def _number(of: Distribution, quantity: str) -> float:
    return float(getattr(of, quantity))


def _unit_stride(machine: Machine) -> Verdict:
    """Look for indexed and strided accesses in every instruction of HiSM and CHiSM."""
    other = 0
    for name in ("hism", "chism"):
        for schedule in PROGRAMS[name].schedules:
            program = prepare_product(name, EXAMPLE, machine, options={"schedule": schedule}).program
            rows = [program.instruction_set.by_opcode[int(code)] for code in np.unique(program.opcode)]
            accesses = [row.access.pattern for row in rows if row.access is not None]
            other += sum(pattern in (Pattern.INDEXED, Pattern.STRIDED) for pattern in accesses)
    return Verdict(
        "HiSM and CHiSM need no indexed loads: all their accesses have stride 1",
        not other,
        f"{other} kinds of indexed or strided accesses in both programs, plain and pipelined",
        "decoded",
    )
