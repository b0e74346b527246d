"""The arrays of a run as the rules of time read them in plain Python."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import numpy as np
import numpy.typing as npt

from isa.state import State
from vecsim.engines.columns import facts, work
from vecsim.engines.record import TimingRecord

RECORD = tuple(field.name for field in fields(TimingRecord))
STATE = ("x", "special", "vw", "address", "row")
BESIDE = ("program", "machine", "work", "order", "facts", "timeline", "starts")


class Arrays:
    """See the ``r`` of :mod:`vecsim.engines.rules`.

    Memoryviews and lists give and take Python integers, several times faster than NumPy scalars. The arrays
    of the record and of the state are seen, not copied.
    """

    __slots__ = (*RECORD, *STATE, *BESIDE)

    def __init__(
        self,
        program: Sequence[int],
        machine: Sequence[int],
        state: State,
        record: TimingRecord,
        timeline: npt.NDArray[np.int64],
        starts: npt.NDArray[np.int64],
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
            [0] * (slots * facts.COLUMNS),
            memoryview(timeline),
            memoryview(starts),
        )
        for name, values in zip(BESIDE, beside, strict=True):
            setattr(self, name, values)
