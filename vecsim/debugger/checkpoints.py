"""The snapshots from which a session goes back: the nearest before a cycle, and few of them.

A program does the same every time, so a snapshot stays right when the session has gone back before it.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from vecsim.engines.record import Snapshot

MOST = 48
"""Checkpoints that are kept, at most."""
SPACING = 128
"""Cycles between two of them, at least, in the beginning."""


@dataclass(frozen=True)
class Checkpoint:
    """A snapshot, and the rows of the timeline of the instructions before it, by age."""

    snapshot: Snapshot
    rows: dict[int, tuple[int, ...]]

    @property
    def cycle(self) -> int:
        """The cycle that comes next."""
        return self.snapshot.cycle


class Checkpoints:
    """Checkpoints in the order of their cycles.

    When there are too many every second one is dropped, and from then on they are twice as far apart: a
    session of any length keeps few, and goes back over few cycles, as a share of those that it has run.
    """

    def __init__(self) -> None:
        self._kept: list[Checkpoint] = []
        self._spacing = SPACING

    def wanted(self, cycle: int) -> bool:
        """Say whether there is none near before this cycle."""
        before = bisect_right(self._kept, cycle, key=lambda each: each.cycle)
        return before == 0 or cycle - self._kept[before - 1].cycle >= self._spacing

    def add(self, checkpoint: Checkpoint) -> None:
        """Keep a checkpoint."""
        self._kept.insert(bisect_right(self._kept, checkpoint.cycle, key=lambda each: each.cycle), checkpoint)
        if len(self._kept) > MOST:
            del self._kept[1::2]
            self._spacing *= 2

    def before(self, cycle: int) -> Checkpoint:
        """Give the latest at or before a cycle; the first, of cycle 0, is always there."""
        return self._kept[bisect_right(self._kept, cycle, key=lambda each: each.cycle) - 1]
