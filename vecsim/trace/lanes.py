"""Tracks for what overlaps in time: each thing on the first track that is free."""

from __future__ import annotations


class Lanes:
    """Tracks from 0 on, as many as are needed at once; things come in the order in which they begin.

    Parameters
    ----------
    count
        Tracks that are there from the beginning.
    """

    def __init__(self, count: int = 0) -> None:
        self._free_from = [0] * count

    def place(self, begin: int, end: int) -> tuple[int, bool]:
        """Give the track of what lasts from ``begin`` to ``end`` (exclusive), and whether it is a new one."""
        for track, free in enumerate(self._free_from):
            if free <= begin:
                self._free_from[track] = end
                return track, False
        self._free_from.append(end)
        return len(self._free_from) - 1, True
