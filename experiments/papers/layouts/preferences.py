"""Which layouts of the paper a matrix prefers, where differences of times are larger than noise."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from experiments.papers.layouts.results import PAPERS, REALS, Results
from experiments.papers.layouts.texts import ABSENT
from experiments.report.item import Verdict

NOISE = 0.02
"""Differences of times that decide nothing."""


@dataclass(frozen=True)
class Parts:
    """Parts of a layout; an empty part may be any."""

    outer: str = ""
    inner: str = ""
    vector: str = ""

    def of(self, layout: str) -> bool:
        """Return whether a layout has these parts."""
        wanted = (self.outer, self.inner, self.vector)
        return all(part in ("", name) for part, name in zip(wanted, layout.rsplit("-", 2), strict=True))


@dataclass(frozen=True)
class Chosen:
    """What the layouts of the paper take for a matrix.

    Attributes
    ----------
    case
        The matrix and the type.
    best
        The best layout.
    times
        Microseconds by layout.
    schedule
        The best schedule of the best layout.
    """

    case: str
    best: str
    times: Mapping[str, float]
    schedule: str = ""

    @property
    def has_others(self) -> bool:
        """Whether times of other layouts than the best are known."""
        return len(self.times) > 1

    def good(self) -> set[str]:
        """Return the layouts that are as good as the best, but for `NOISE`."""
        least = min(self.times.values())
        return {self.best, *(name for name, us in self.times.items() if us <= (1 + NOISE) * least)}

    def has_good(self, parts: Parts) -> bool:
        """Return whether a layout with these parts is as good as the best."""
        return any(map(parts.of, self.good()))

    def prefers(self, parts: Parts) -> bool:
        """Return whether all layouts that are as good as the best have these parts."""
        return all(map(parts.of, self.good()))


def chosen(results: Results, entry: str, dtypes: Iterable[str] = REALS) -> list[Chosen]:
    """Return what the layouts of the paper take for all matrices with such entries."""
    return [
        Chosen(f"{each.name}, {dtype}", match.layout, match.by_layout or {match.layout: 1.0}, match.schedule)
        for dtype in dtypes
        for each in results.of(entry)
        if (match := results.search(each.name, dtype, PAPERS.joint)) is not None
    ]


def preferred(claim: str, cases: Sequence[Chosen], parts: Parts, share: float = 0.5) -> Verdict:
    """Judge whether parts of layouts are preferred in more than a share of the cases.

    The claim is confirmed if they are faster that often, contradicted if they are as fast no more often, and
    not testable if cases in which both are as fast would decide.

    Parameters
    ----------
    claim
        In words.
    cases
        What was chosen, and what else is as good.
    parts
        Those of a layout that the claim is about.
    share
        Of the cases, from 0 to 1.
    """
    faster, good = _counts(cases, parts)
    undecided = faster <= share * len(cases) < good
    shown = "; ".join(f"{each.case}: {each.best}" for each in cases)
    return Verdict(
        claim,
        faster > share * len(cases) if cases and not undecided else None,
        f"{in_words(cases, parts)}; the best: {shown or ABSENT}",
    )


def in_words(cases: Sequence[Chosen], parts: Parts) -> str:
    """Return how often layouts with these parts are faster than those without, and how often as fast."""
    faster, good = _counts(cases, parts)
    return f"faster on {faster}, within {NOISE:.0%} on {good - faster}, slower on {len(cases) - good}"


def _counts(cases: Iterable[Chosen], parts: Parts) -> tuple[int, int]:
    """Return how often such layouts are preferred, and how often they are at least as good as the others."""
    matches = [(each.prefers(parts), each.has_good(parts)) for each in cases]
    return sum(first for first, _ in matches), sum(second for _, second in matches)


def of_double_entries(claim: str, cases: Sequence[Chosen]) -> Verdict:
    """Judge whether SoA is preferred for entries in many, but not in all cases."""
    parts = Parts(inner="SoA")
    faster, good = _counts(cases, parts)
    holds = None
    if cases and (2 * good <= len(cases) or faster == len(cases)):
        holds = False
    elif 2 * faster > len(cases) and good < len(cases):
        holds = True
    return Verdict(claim, holds, f"SoA {in_words(cases, parts)} of {len(cases)}")


def schedules(cases: Sequence[Chosen]) -> Iterator[str]:
    """Yield the best schedules, each once."""
    yield from dict.fromkeys(each.schedule for each in cases if each.schedule)
