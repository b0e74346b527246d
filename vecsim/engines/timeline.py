"""The timeline: a row for each instruction executed, as columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from vecsim.engines.cause import WAITS, Cause
from vecsim.engines.state.accounts import TimelineRow
from vecsim.engines.state.row import fields_of
from vecsim.support.arguments import function, whole

COLUMNS = tuple(
    name
    for field in fields_of(TimelineRow)
    for name in ((field.name,) if not field.most else (f"wait_{Cause(i).name.lower()}" for i in range(WAITS)))
)
"""Instruction number; place in program order; unit; memory port (-1: none); elements; cycles of issue,
dispatch to the unit, start of the first element, first and last element ready, retirement; byte
address (-1: none) and words of an access; cycles waited by cause. Scalar instructions have dispatch = start
= issue, and vector instructions of length 0 are shown like them."""

CHUNK = 65_536


@dataclass(frozen=True)
class TimelineRequest:
    """Which rows to keep: those of the instructions with first_age <= age < last_age.

    With ``sink``, full chunks of rows ((n, len(COLUMNS)) int64) are handed to it as they are finished and
    not kept; rows come in the order in which instructions leave flight, not in program order.

    With ``starts`` the engine goes cycle by cycle, and hands on when each element and word started, (m,) rows
    of :class:`vecsim.engines.state.accounts.Start` of all instructions: those of one whose row the sink has
    got have all been handed on before, in any order.
    """

    first_age: int = 0
    last_age: int | None = None
    sink: Callable[[npt.NDArray[np.int64]], None] | None = None
    starts: Callable[[npt.NDArray[Any]], None] | None = None

    def __post_init__(self) -> None:
        """Find out whether these are ages and functions.

        Raises
        ------
        UserError
            Naming what is neither.
        """
        whole("TimelineRequest: first_age", self.first_age)
        if self.last_age is not None:
            whole("TimelineRequest: last_age", self.last_age)
        for name in ("sink", "starts"):
            if getattr(self, name) is not None:
                function(f"TimelineRequest: {name}", getattr(self, name))


class TimelineWriter:
    """Collects rows as an engine finishes instructions."""

    def __init__(self, request: TimelineRequest) -> None:
        self.request = request
        self.first_age = request.first_age
        self.last_age = request.last_age if request.last_age is not None else 1 << 62
        self.tables: list[npt.NDArray[np.int64]] = []

    def extend(self, rows: npt.NDArray[np.int64]) -> None:
        """Keep those of the (n, len(COLUMNS)) rows whose ages are in the window."""
        ages = rows[:, COLUMNS.index("age")]
        inside = rows[(self.first_age <= ages) & (ages < self.last_age)]
        if len(inside):
            self.tables.append(inside.copy())
            if self.request.sink is not None:
                self.flush()

    def take(self, rows: npt.NDArray[Any], starts: npt.NDArray[Any]) -> None:
        """Keep what an engine has written.

        Parameters
        ----------
        rows
            (n,) of :class:`vecsim.engines.state.accounts.TimelineRow`.
        starts
            (m,) of :class:`vecsim.engines.state.accounts.Start`.
        """
        if self.request.starts is not None and len(starts):
            self.request.starts(starts.copy())
        self.extend(rows.view(np.int64).reshape(-1, len(COLUMNS)))

    def clear(self) -> None:
        """Forget all rows."""
        self.tables = []

    def flush(self) -> None:
        """Hand the rows kept to the sink."""
        if self.request.sink is not None and self.tables:
            self.request.sink(self._table())
            self.clear()

    def _table(self) -> npt.NDArray[np.int64]:
        return np.concatenate([np.zeros((0, len(COLUMNS)), np.int64), *self.tables])

    def columns(self) -> dict[str, npt.NDArray[np.int64]]:
        """Return the rows kept as columns, in program order."""
        table = self._table()
        table = table[np.argsort(table[:, COLUMNS.index("age")], kind="stable")]
        return {name: table[:, i].copy() for i, name in enumerate(COLUMNS)}
