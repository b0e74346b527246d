"""When each instruction did what: rows of the timeline, with the cycles in which it was at work."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from vecsim.engines.cause import WAITS, Cause
from vecsim.engines.columns import starts as start
from vecsim.engines.timeline import COLUMNS, TimelineRequest
from vecsim.trace.window import Window

Ints = npt.NDArray[np.int64]

AT = {name: i for i, name in enumerate(COLUMNS)}
_FIRST_WAIT = AT[f"wait_{Cause(0).name.lower()}"]
SHOWN = ("pc", "unit", "port", "vl", "issue", "dispatch", "start", "retire", "address", "words")
"""Columns of the timeline that a page has as they are."""


class Times:
    """Collects the instructions that are in flight in a window.

    Parameters
    ----------
    window
        The cycles that are wanted.
    most
        Instructions that are kept at most, the first in program order.
    """

    def __init__(self, window: Window, most: int) -> None:
        self._window = window
        self._most = most
        self._tables: list[Ints] = []
        self._work: dict[str, Ints] = {"age": _none(), "worked": _none(), "busy": _none()}
        self._new: list[Ints] = []

    @property
    def request(self) -> TimelineRequest:
        """What to ask of an engine."""
        return TimelineRequest(sink=self._take, starts=self._new.append)

    def _take(self, table: Ints) -> None:
        inside = (table[:, AT["retire"]] > self._window.begin) & (table[:, AT["issue"]] < self._window.last)
        self._tables.append(table[inside])
        self._sum_up()

    def _sum_up(self) -> None:
        """Make of single starts how long an instruction was at work: a number of cycles, and the last."""
        if not self._new:
            return
        noted = np.unique(np.concatenate(self._new)[:, [start.AGE, start.CYCLE]], axis=0)
        self._new.clear()
        age = np.r_[self._work["age"], noted[:, 0]]
        worked = np.r_[self._work["worked"], noted[:, 1] + 1]
        busy = np.r_[self._work["busy"], np.ones(len(noted), np.int64)]
        known, where = np.unique(age, return_inverse=True)
        latest = np.zeros(len(known), np.int64)
        np.maximum.at(latest, where, worked)
        total = np.zeros(len(known), np.int64)
        np.add.at(total, where, busy)
        self._work = {"age": known, "worked": latest, "busy": total}

    def columns(self) -> tuple[dict[str, Ints], int]:
        """Give what is known of each instruction, in program order, and how many were left out.

        Columns are `SHOWN`, ``age``, ``worked`` (the cycle after that of the last start), ``busy`` (cycles in
        which elements or words started) and ``waits`` ((n, WAITS) by cause).
        """
        self._sum_up()
        empty: Ints = np.zeros((0, len(COLUMNS)), np.int64)
        table = np.concatenate([empty, *self._tables])
        table = table[np.argsort(table[:, AT["age"]], kind="stable")]
        left_out = max(0, len(table) - self._most)
        table = table[: self._most]
        age = table[:, AT["age"]]
        place = np.searchsorted(self._work["age"], age)
        place = np.minimum(place, max(0, len(self._work["age"]) - 1))
        started = np.zeros(len(age), bool)
        if len(self._work["age"]):
            started = self._work["age"][place] == age
        worked, busy = table[:, AT["issue"]].copy(), np.zeros(len(age), np.int64)
        worked[started] = self._work["worked"][place[started]]
        busy[started] = self._work["busy"][place[started]]
        shown = {name: table[:, AT[name]] for name in SHOWN}
        waits = table[:, _FIRST_WAIT : _FIRST_WAIT + WAITS]
        return {**shown, "age": age, "worked": worked, "busy": busy, "waits": waits}, left_out


def _none() -> Ints:
    return np.zeros(0, np.int64)
