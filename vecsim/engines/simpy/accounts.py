"""Who waited how long for what, and to which cause each cycle of the run is charged.

A cycle is charged to the oldest instruction that has not retired in it. Bookings come when things happen, so
an instruction that is not the oldest in flight has nothing to answer for yet: an older one retires later.
"""

from __future__ import annotations

from vecsim.engines.columns import AFTER, AGE, CHARGED, EXECUTING, LAST_RETIRED, RETIRED
from vecsim.engines.record import TimingRecord


class Accounts:
    """The charges and waits of a record; ``order`` lists the slots in flight, oldest first."""

    def __init__(
        self, record: TimingRecord, slots: list[memoryview], waits: list[memoryview], order: list[int]
    ) -> None:
        self.slots = slots
        self.waits = waits
        self.order = order
        self.control = memoryview(record.control)
        self.charged = memoryview(record.charged)
        self.waited = memoryview(record.waited)

    def wait(self, slot: int, cause: int, begin: int, end: int) -> None:
        """Book that ``slot`` waited in the cycles from ``begin`` to ``end`` (exclusive).

        Parameters
        ----------
        slot
            A row of the table of instructions in flight.
        cause
            The number of a :class:`vecsim.engines.record.Cause`.
        begin, end
            The first cycle, and the one after the last.
        """
        if end <= begin:
            return
        self.waits[slot][cause] += end - begin
        self.waited[cause] += end - begin
        if self.order[0] == slot:
            begin = max(begin, self.control[RETIRED])
            if end > begin:
                self.charged[cause] += end - begin
                self.slots[slot][CHARGED] += end - begin

    def retire_scalar(self, retire: int, cause: int, begin: int, end: int) -> None:
        """Book an instruction that is known at issue: it waited before it, and retires at ``retire``.

        Parameters
        ----------
        retire
            The cycle of its retirement.
        cause
            Why it waited, the number of a :class:`vecsim.engines.record.Cause`.
        begin, end
            The first cycle of the wait, and the one after the last.
        """
        if retire > self.control[LAST_RETIRED]:
            self.control[LAST_RETIRED] = retire
        if end > begin:
            self.waited[cause] += end - begin
        if self.order:
            row = self.slots[self.order[-1]]
            if retire > row[AFTER]:
                row[AFTER] = retire
            return
        begin = max(begin, self.control[RETIRED])
        if end > begin:
            self.charged[cause] += end - begin
            self.control[RETIRED] = end
        self._execute_until(retire)

    def retire(self, row: memoryview, retire: int) -> None:
        """Book an instruction that has just left flight and retires at ``retire``.

        The rest of its cycles is charged; if an older one is in flight, that one hides it.
        """
        control = self.control
        if retire > control[LAST_RETIRED]:
            control[LAST_RETIRED] = retire
        if self.order and self.slots[self.order[0]][AGE] < row[AGE]:
            before = [i for i in self.order if self.slots[i][AGE] < row[AGE]][-1]
            row_before = self.slots[before]
            row_before[AFTER] = max(row_before[AFTER], retire, row[AFTER])
            return
        self.charged[EXECUTING] -= row[CHARGED]
        self._execute_until(retire)
        self._execute_until(row[AFTER])

    def _execute_until(self, cycle: int) -> None:
        """Charge the cycles up to ``cycle`` that are not charged yet to work."""
        retired = self.control[RETIRED]
        if cycle > retired:
            self.charged[EXECUTING] += cycle - retired
            self.control[RETIRED] = cycle
