"""What a preset gives for the published cycles of a core, and costs that fit them best."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from experiments.validation.riscv.programs import Case, cases, cycles_of
from experiments.validation.riscv.tables import Entry, entries
from vecsim.machine import Machine, load_machine
from vecsim.machine.riscv import Riscv

SHARE, CYCLES = 0.15, 1.0
"""An entry is met within this share of it, or within this many cycles."""
_STEPS = (-8, -3, -1, 1, 3, 8)
CAUSES = {
    "DIVIDE": "the time of a divide depends on its values",
    "VECTOR_DIVIDE": "the time of a divide depends on its values",
    "FLOAT_DIVIDE": "the time of a divide depends on its values",
    "HALF": "half-precision floats are not simulated",
    "MULTIPLY": "the scalar multiplier is always ready for the next",
    "FLOAT": "minimum and sign take the latency of the other operations on floats",
    "FIXED": "vsmul takes the latency of the other operations in fixed point",
    "ESTIMATE": "the first element costs once an instruction, not once a register",
    "GATHER": "the first element costs once an instruction, not once a register",
    "FLOAT_SUM": "the unit is free only when the result is there",
    "ORDERED_SUM": "the unit is free only when the result is there",
    "REDUCTION": "groups of wide sums take as long as those of others",
    "SLIDE": "the time of a slide depends on its distance",
}
"""Why entries of a timing class are not met."""


class Compared(NamedTuple):
    """An entry and what the preset gives; ``cycles`` is None for what is not simulated."""

    timing: str
    entry: Entry
    cycles: float | None

    @property
    def is_met(self) -> bool:
        """Whether the two are near enough."""
        return self.cycles is not None and is_near(self.cycles, self.entry.cycles)


class Summary(NamedTuple):
    """How many entries of a timing class are met, and the cause for the others."""

    timing: str
    entries: int
    met: int
    cause: str


def is_near(ours: float, published: float) -> bool:
    """Return whether a number of cycles is met."""
    return abs(ours - published) <= max(CYCLES, SHARE * published)


def compared(core: str, published: Iterable[Entry] | None = None) -> Iterator[Compared]:
    """Compare a core with the preset of its name; all its entries, unless they are given."""
    chosen = list(entries(core) if published is None else published)
    machine = load_machine(core)
    for entry in chosen:
        if entry.is_half:
            yield Compared("HALF", entry, None)
    for case in cases(machine, (entry for entry in chosen if not entry.is_half)):
        ours = cycles_of(case, machine)
        for entry in case.entries:
            yield Compared(case.timing, entry, ours)


def summaries(rows: Iterable[Compared]) -> list[Summary]:
    """Return the counts by timing class, those with most entries first."""
    all_, met = Counter[str](), Counter[str]()
    for row in rows:
        all_[row.timing] += 1
        met[row.timing] += row.is_met
    return [
        Summary(timing, count, met[timing], CAUSES.get(timing, "") if met[timing] < count else "")
        for timing, count in all_.most_common()
    ]


class Fit(NamedTuple):
    """The costs of a timing class that fit best, and how far they are from the published ones.

    Attributes
    ----------
    name
        Of the table of numbers, such as ``gather``.
    costs
        The numbers.
    residual
        The mean of the differences, each as a share of the published number.
    """

    name: str
    costs: dict[str, int]
    residual: float


def fit(machine: Machine, published: Iterable[Entry]) -> Iterator[Fit]:
    """Fit the costs of each timing class to published entries, from those of a machine on.

    Costs change, one or two at a time, as long as the differences become less.
    """
    by_class: dict[str, list[Case]] = defaultdict(list)
    for case in cases(machine, (entry for entry in published if not entry.is_half)):
        name = case.timing.lower().removeprefix("vector_")
        if case.timing not in ("MULTIPLY", "DIVIDE") and name in Riscv.model_fields:
            by_class[name].append(case)
    for name, chosen in by_class.items():
        yield _fitted(machine, name, chosen)


def _fitted(machine: Machine, name: str, chosen: Sequence[Case]) -> Fit:
    costs: dict[str, int] = getattr(machine.riscv, name).model_dump()
    least = _residual(machine, name, costs, chosen)
    while True:
        for changed in _neighbours(costs):
            if (residual := _residual(machine, name, changed, chosen)) < least - 1e-9:
                costs, least = changed, residual
                break
        else:
            return Fit(name, costs, least)


def _neighbours(costs: dict[str, int]) -> Iterator[dict[str, int]]:
    """Yield costs with another number, then those with two others, one of them of the first element."""
    for number in costs:
        yield from _with_steps(costs, number)
    for number in costs.keys() - {"first", "latency"}:
        for changed in _with_steps(costs, number):
            yield from _with_steps(changed, "first")


def _with_steps(costs: dict[str, int], number: str) -> Iterator[dict[str, int]]:
    least = 1 if number in ("first", "group") else 0
    for step in _STEPS:
        if costs[number] + step >= least:
            yield costs | {number: costs[number] + step}


def _residual(machine: Machine, name: str, costs: dict[str, int], chosen: Sequence[Case]) -> float:
    changed = machine.changed({f"riscv.{name}.{number}": value for number, value in costs.items()})
    differences = [
        abs(ours / entry.cycles - 1)
        for case in chosen
        for ours in [cycles_of(case, changed)]
        for entry in case.entries
    ]
    return sum(differences) / len(differences)
