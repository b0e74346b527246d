"""The arrays of a run as the rules of time read them in plain Python."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from isa.state import State
from vecsim.engines.columns import flight, work
from vecsim.engines.own_values import outside
from vecsim.engines.record import TimingRecord
from vecsim.support.suggestions import nearest

RECORD = tuple(field.name for field in fields(TimingRecord))
STATE = ("x", "special", "vw", "address", "row")
BESIDE = ("program", "machine", "work", "order", "facts", "timeline", "starts")


@dataclass(frozen=True)
class Placed:
    """An array of an extension in ``TimingRecord.own``: where it begins, and behind its end."""

    name: str
    begin: int
    end: int


class Bounded:
    """An array of integers that a user's rules read and write, without negative indices."""

    __slots__ = ("length", "values")

    def __init__(self, values: Any) -> None:
        self.values, self.length = values, len(values)

    def __getitem__(self, index: int) -> Any:
        """Read an element."""
        if 0 <= index < self.length:
            return self.values[index]
        raise IndexError(outside(index, self.length))

    def __setitem__(self, index: int, value: int) -> None:
        """Write an element."""
        if not 0 <= index < self.length:
            raise IndexError(outside(index, self.length))
        self.values[index] = value


class Arrays:
    """See the ``r`` of :mod:`vecsim.engines.rules`.

    Memoryviews and lists give and take Python integers, several times faster than NumPy scalars. The arrays
    of the record and of the state are seen, not copied.
    """

    __slots__ = (*RECORD, *STATE, *BESIDE, "extension")

    def __init__(
        self,
        program: Sequence[int],
        machine: Sequence[int],
        state: State,
        record: TimingRecord,
        timeline: npt.NDArray[np.int64],
        starts: npt.NDArray[np.int64],
        own: Sequence[Placed] = (),
        *,
        bounded: bool = False,
    ) -> None:
        for name in RECORD:
            setattr(self, name, memoryview(getattr(record, name).reshape(-1)))
        for name in STATE:
            setattr(self, name, getattr(state, name))
        slots = len(record.slots)
        beside: tuple[Any, ...] = (
            program,
            machine,
            [0] * work.PLACES,
            [0] * slots,
            [0] * (slots * flight.FACTS),
            memoryview(timeline),
            memoryview(starts),
        )
        for name, values in zip(BESIDE, beside, strict=True):
            setattr(self, name, values)
        self.extension = {each.name: self.own[each.begin : each.end] for each in own}
        if bounded:
            for name in (*RECORD, *STATE, *BESIDE):
                setattr(self, name, Bounded(getattr(self, name)))
            self.extension = {name: Bounded(values) for name, values in self.extension.items()}

    def __getattr__(self, name: str) -> Any:
        """Give an array of an extension."""
        try:
            return self.extension[name]
        except KeyError:
            raise AttributeError(f"a run has no array {name!r}{nearest(name, self.extension)}") from None
