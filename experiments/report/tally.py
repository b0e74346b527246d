"""How much of a paper is reproduced: its claims counted, and its numbers by their distance to ours."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass
from typing import Literal

from experiments.report.comparison import KINDS, Kind
from experiments.report.item import Item
from vecsim.support.suggestions import counted

CLOSE, FAR = 5.0, 15.0
"""Differences in per cent up to which a number counts as close, and beyond which as far."""

Distance = Literal["", "close", "near", "far"]


@dataclass(frozen=True)
class Tally:
    """Counts over some items.

    Attributes
    ----------
    held, failed, unknown
        Claims that hold here, that do not, and that cannot be judged.
    close, near, far
        Printed numbers that ours are compared with: within 5 %, within 15 %, further off.
    """

    held: int
    failed: int
    unknown: int
    close: int
    near: int
    far: int

    @property
    def claims(self) -> int:
        """All claims."""
        return self.held + self.failed + self.unknown

    @property
    def numbers(self) -> int:
        """All numbers that are compared."""
        return self.close + self.near + self.far

    def claims_in_words(self) -> str:
        """Return how many claims hold; empty if there are none."""
        if not self.claims:
            return ""
        unknown = f", {self.unknown} cannot be judged" if self.unknown else ""
        return f"{self.held} of {counted(self.claims, 'claim')} hold{unknown}"

    def numbers_in_words(self) -> str:
        """Return how near the numbers are; empty if none is compared."""
        if not self.numbers:
            return ""
        return (
            f"{self.close} of {counted(self.numbers, 'printed number')} are met within {CLOSE:g} %, "
            f"{self.close + self.near} within {FAR:g} %"
        )

    def in_words(self) -> str:
        """Return both, joined."""
        return "; ".join(filter(None, (self.claims_in_words(), self.numbers_in_words())))


def tally(items: Iterable[Item], kinds: Container[Kind] = KINDS) -> Tally:
    """Count the claims and numbers of items of these kinds, without numbers that others imply."""
    result = tuple(items)
    holds = [verdict.holds for item in result for verdict in item.verdicts if verdict.kind in kinds]
    distances = [
        distance(row.difference_percent)
        for item in result
        for row in item.rows
        if row.kind in kinds and not row.implied
    ]
    return Tally(
        holds.count(True),
        holds.count(False),
        holds.count(None),
        distances.count("close"),
        distances.count("near"),
        distances.count("far"),
    )


def tallies(items: Iterable[Item]) -> dict[Kind, Tally]:
    """Count the claims and numbers of each kind apart; without kinds that there is nothing of."""
    result = tuple(items)
    of_kinds = {kind: tally(result, (kind,)) for kind in KINDS}
    return {kind: counts for kind, counts in of_kinds.items() if counts.claims or counts.numbers}


def words_by_kind(items: Iterable[Item]) -> tuple[str, ...]:
    """Return the counts of each kind in words; a single kind is not named."""
    counts = tallies(items)
    if len(counts) < 2:
        return tuple(filter(None, (each.in_words() for each in counts.values())))
    return tuple(f"{kind}: {each.in_words()}" for kind, each in counts.items())


def distance(percent: float | None) -> Distance:
    """Class a difference in per cent, as it is shown with one decimal; empty for None."""
    if percent is None:
        return ""
    shown = abs(round(percent, 1))
    return "close" if shown <= CLOSE else "far" if shown > FAR else "near"
