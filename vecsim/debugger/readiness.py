"""When what is shown is ready.

Values are computed when an instruction issues, cycles before the machine has them. A value is not ready as
long as an instruction that reads it would have to wait for it; it is then shown with `NOT_READY`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from vecsim.debugger.position import Position
from vecsim.debugger.waiting import arrays_of
from vecsim.engines.decoded import SPECIAL
from vecsim.engines.rules.memory_order import must_follow, scalar_follows
from vecsim.engines.rules.numbers import NEVER
from vecsim.engines.rules.renaming import ancestors, instruction_of, writes_any

NOT_READY = "~"
"""Stands after a value that is not ready."""


@dataclass(frozen=True)
class Place:
    """Where a value is read from.

    Attributes
    ----------
    kind
        ``scalar``: registers in the numbering of all scalars; ``element``: elements of the vector registers
        one after the other, those of the mask last; ``memory``: bytes.
    first, end
        The first, and the one after the last.
    """

    kind: Literal["scalar", "element", "memory"]
    first: int
    end: int


class Readiness:
    """From which cycle on each value at a position is ready; NEVER for one that is not known yet.

    Attributes
    ----------
    scalars
        By the number of the register among all scalars.
    elements
        (V + 1, s) of the vector registers as programs name them, and the mask.
    """

    def __init__(self, position: Position) -> None:
        self._cycle = position.cycle
        timing = position.snapshot.timing
        self.scalars: npt.NDArray[np.int64] = _scalars(position)
        self._r = arrays_of(position)
        self._slots = tuple(self._r.slots[slot] for slot in position.slots.values())
        self._transfers = [transfer for of_port in self._r.transfers for transfer in of_port]
        self.elements: npt.NDArray[np.int64] = np.stack(
            [self._register(v, timing["ready"][v]) for v in self._r.names]
        )
        if position.hart is not None:
            self.elements = _of_hart(self.elements, position.state.section)

    def _register(self, v: int, ready: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the cycles of the elements of a physical register."""
        r, result = self._r, ready.copy()
        written = r.vectors[v].written
        if written < len(result):  # the others were left as they were in the registers that it displaced
            result[written:] = r.vectors[v].kept_ready_at
            if any(writes_any(r, slot, ancestors(r, v)) for slot in self._slots):
                result[written:] = NEVER
        for slot in self._slots:
            instruction = instruction_of(r, slot)
            if (instruction.whole_write_set | instruction.added_set) >> v & 1:
                result[:] = NEVER
            elif instruction.write_set >> v & 1:
                result[slot.first + slot.element : slot.first + slot.elements] = NEVER
        return result

    def _memory(self, first: int, end: int) -> int:
        """Return the cycle from which an access need not wait for the stores to bytes that were issued."""
        if any(scalar_follows(self._r, slot, 0, first, end) for slot in self._slots):
            return NEVER
        return max(
            (
                ended.end
                for ended in self._transfers
                if ended.end > self._cycle
                and must_follow(0, first, end, ended.store, ended.first_byte, ended.end_byte)
            ),
            default=0,
        )

    def cycles(self, place: Place) -> npt.NDArray[np.int64]:
        """Return the cycles of a place: of each register or element, or one of all its bytes."""
        if place.kind == "memory":
            return np.array([self._memory(place.first, place.end)])
        return (self.scalars if place.kind == "scalar" else self.elements.reshape(-1))[
            place.first : place.end
        ]

    def waits(self, place: Place) -> npt.NDArray[np.bool_]:
        """Return of what :meth:`cycles` has whether it is not ready."""
        waits: npt.NDArray[np.bool_] = self.cycles(place) > self._cycle
        return waits


def _scalars(position: Position) -> npt.NDArray[np.int64]:
    """Return when each scalar register is ready; vtype of a hart is with vl, and what else it has always."""
    ready: npt.NDArray[np.int64] = position.snapshot.timing["scalars"]["ready_at"]
    if position.hart is None:
        return ready
    rest = np.zeros(len(position.state.special) - 2, np.int64)
    return np.concatenate([ready[: SPECIAL + 1], ready[SPECIAL : SPECIAL + 1], rest])


def _of_hart(groups: npt.NDArray[np.int64], section: int) -> npt.NDArray[np.int64]:
    """Return the cycles of elements from those of groups; the mask is register 0."""
    count = groups.shape[1]
    of_groups = groups[:, np.arange(section) * count // section]
    of_groups[-1] = groups[0].max()
    return of_groups


def marked(text: str, waits: object) -> str:
    """Return the text of a value, with the mark of one that is not ready if it waits."""
    return text + NOT_READY if waits else text
