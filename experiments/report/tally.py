"""How much of a paper is reproduced: its claims and its printed numbers, counted by outcome and by kind."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass

from experiments.report.agreement import Outcome
from experiments.report.comparison import KINDS, Kind
from experiments.report.item import Item, Part, Table
from vecsim.support.suggestions import counted


@dataclass(frozen=True)
class Counts:
    """Statements of one sort.

    Attributes
    ----------
    confirmed, contradicted, not_testable
        How many have this outcome.
    """

    confirmed: int = 0
    contradicted: int = 0
    not_testable: int = 0

    @classmethod
    def of(cls, outcomes: Iterable[Outcome]) -> Counts:
        """Count outcomes."""
        result = list(outcomes)
        return cls(result.count("confirmed"), result.count("contradicted"), result.count("not testable"))

    def __add__(self, other: Counts) -> Counts:
        """Return the counts of both."""
        return Counts(
            self.confirmed + other.confirmed,
            self.contradicted + other.contradicted,
            self.not_testable + other.not_testable,
        )

    @property
    def all(self) -> int:
        """All statements."""
        return self.confirmed + self.contradicted + self.not_testable

    def of_all(self) -> str:
        """Return how many of all are confirmed; a dash if there are none."""
        return f"{self.confirmed} of {self.all}" if self.all else "-"

    def in_words(self, thing: str) -> str:
        """Return the counts in words; empty if there are none."""
        if not self.all:
            return ""
        untestable = f", {self.not_testable} not testable" if self.not_testable else ""
        verb = "is" if self.confirmed == 1 else "are"
        return f"{self.confirmed} of {counted(self.all, thing)} {verb} confirmed{untestable}"


@dataclass(frozen=True)
class Tally:
    """What becomes of the statements of some items.

    Attributes
    ----------
    claims
        Claims in words that nothing else implies.
    numbers
        Printed numbers that no other statement implies.
    """

    claims: Counts
    numbers: Counts

    @property
    def statements(self) -> Counts:
        """Both together."""
        return self.claims + self.numbers

    def in_words(self) -> str:
        """Return both in words, joined."""
        return "; ".join(
            filter(None, (self.claims.in_words("claim"), self.numbers.in_words("printed number")))
        )


def tally(items: Iterable[Item], kinds: Container[Kind] = KINDS) -> Tally:
    """Count the claims and numbers of items of these kinds, without those that others imply."""
    result = tuple(items)
    return Tally(
        Counts.of(
            verdict.outcome
            for item in result
            for verdict in item.verdicts
            if verdict.kind in kinds and not verdict.implied
        ),
        Counts.of(
            row.outcome
            for item in result
            for row in item.rows
            if row.outcome is not None and row.kind in kinds and not row.implied
        ),
    )


def tallies(items: Iterable[Item]) -> dict[Kind, Tally]:
    """Count the claims and numbers of each kind apart; without kinds that there is nothing of."""
    result = tuple(items)
    of_kinds = {kind: tally(result, (kind,)) for kind in KINDS}
    return {kind: counts for kind, counts in of_kinds.items() if counts.statements.all}


def words_by_kind(items: Iterable[Item]) -> tuple[str, ...]:
    """Return the counts of each kind in words; a single kind is not named."""
    counts = tallies(items)
    if len(counts) < 2:
        return tuple(filter(None, (each.in_words() for each in counts.values())))
    return tuple(f"{kind}: {each.in_words()}" for kind, each in counts.items())


SUMMARY = ("paper", "decoded", "calibrated", "confirmed", "contradicted", "not testable", "stand-ins")
"""Columns of the summary: for the first two kinds how many are confirmed, for all others each outcome."""


def summary(parts: Iterable[Part]) -> Table:
    """Return one line for each paper that makes statements: its claims and numbers together, by outcome."""
    rows = []
    for part in parts:
        if not tally(part.items).statements.all:
            continue
        fitted = (tally(part.items, (kind,)).statements.of_all() for kind in KINDS if kind != "predicted")
        free = tally(part.items, ("predicted",)).statements
        outcomes = map(str, (free.confirmed, free.contradicted, free.not_testable))
        rows.append((part.name, *fitted, *outcomes, part.stand_ins))
    return Table(SUMMARY, tuple(rows), frozenset(SUMMARY[1:-1]))
