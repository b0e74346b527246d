"""Instructions in program order, each with its starts, while the run goes on.

An engine hands on instructions as they leave flight. Here they wait until all older ones have come, which
takes no more room than what may leave flight while one instruction stays.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from vecsim.engines.state.accounts import Start
from vecsim.engines.state.row import new_rows
from vecsim.engines.timeline import COLUMNS, TimelineRequest
from vecsim.traces.window import Window

Ints = npt.NDArray[np.int64]
Starts = npt.NDArray[Any]
"""Rows of :class:`vecsim.engines.state.accounts.Start`."""

AT = {name: i for i, name in enumerate(COLUMNS)}
"""Columns of the timeline by name."""
AT_ONCE = 4096
"""Instructions that a writer gets at once: their text is in memory for a moment."""


class Writer(Protocol):
    """What makes a file of instructions."""

    def take(self, rows: Ints, worked: Ints, starts: Starts, settled: int) -> None:
        """Take instructions and starts of the window.

        Parameters
        ----------
        rows
            (n, len(COLUMNS)) rows of the timeline, in program order, the next after those taken before.
        worked
            (n,) the cycle after that in which the last element or word of each starts, in the window or not.
        starts
            (m,) those of these instructions in the window, in their order.
        settled
            Nothing that comes later happens before this cycle.
        """

    def finish(self, cycles: int) -> None:
        """End the file of a run that took this many cycles."""


class Stream:
    """Between an engine and a writer.

    Parameters
    ----------
    writer
        Gets the instructions that are in flight in the window, and what starts in it.
    """

    def __init__(self, writer: Writer, window: Window) -> None:
        self._writer = writer
        self._window = window
        self._rows: Ints = np.zeros((0, len(COLUMNS)), np.int64)
        self._starts: Starts = new_rows(Start, (0,))
        self._next = 0
        self.instructions = 0
        """How many the writer has got."""

    @property
    def request(self) -> TimelineRequest:
        """What to ask of an engine."""
        return TimelineRequest(sink=self._take_rows, starts=self._take_starts)

    def _take_starts(self, table: Starts) -> None:
        self._starts = np.concatenate([self._starts, table])

    def _take_rows(self, table: Ints) -> None:
        rows = np.concatenate([self._rows, table])
        rows = rows[np.argsort(rows[:, AT["age"]], kind="stable")]
        waiting = rows[:, AT["age"]] != self._next + np.arange(len(rows))
        count = int(np.argmax(waiting)) if waiting.any() else len(rows)
        self._rows = rows[count:]
        if count:
            self._release(rows[:count])

    def _release(self, rows: Ints) -> None:
        self._next += len(rows)
        known = self._starts["age"] < self._next
        starts, self._starts = self._starts[known], self._starts[~known]
        starts = starts[np.lexsort((starts["cycle"], starts["age"]))]
        for begin in range(0, len(rows), AT_ONCE):
            some = rows[begin : begin + AT_ONCE]
            issue, retire = some[:, AT["issue"]], some[:, AT["retire"]]
            inside = (retire > self._window.begin) & (issue < self._window.last)
            of_them = starts[slice(*np.searchsorted(starts["age"], some[[0, -1], AT["age"]] + [0, 1]))]
            worked = _worked(some[inside], of_them)
            cycle = of_them["cycle"]
            in_window = (cycle >= self._window.begin) & (cycle < self._window.last)
            self.instructions += int(inside.sum())
            self._writer.take(some[inside], worked, of_them[in_window], int(issue[-1]))

    def finish(self, cycles: int) -> None:
        """End the file of a run that took this many cycles."""
        self._writer.finish(cycles)


def _worked(rows: Ints, starts: Starts) -> Ints:
    """Return the cycle after the last start of each row; after its first element where none started."""
    end = np.searchsorted(starts["age"], rows[:, AT["age"]] + 1)
    last = starts[end - 1] if len(starts) else new_rows(Start, (len(rows),))
    started = (end > 0) & (last["age"] == rows[:, AT["age"]])
    return np.where(started, last["cycle"], rows[:, AT["start"]]) + 1
