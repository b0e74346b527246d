"""Waits, charges and retirement (docs/timing.md, "The end" and "Waiting and charging").

A cycle is charged to the oldest instruction that has not retired in it. Bookings come when things happen, so
an instruction that is not the oldest in flight has nothing to answer for yet: an older one retires later. If
its cycles are known before those of an older one, it is hidden behind that, and charged when it has left
flight.
"""

from __future__ import annotations

from typing import Any

from vecsim.engines.cause import WAITS
from vecsim.engines.columns import causes, control, flight, ledger, parameter, work
from vecsim.engines.rules.numbers import NEVER, larger, smaller


def issue_cause(
    cycle: Any, earliest: Any, ready: Any, operand: Any, room: Any, order: Any, free: Any, memory: Any
) -> Any:
    """Give the condition that let an instruction wait for issue; ties go to the first of the list.

    Parameters
    ----------
    cycle
        The cycle of issue.
    earliest
        The cycle in which issue itself would have allowed it.
    ready, operand
        From when its scalar registers, and the vector element that it reads, are ready.
    room
        From when its unit is free or has room in its queue.
    order
        When the accesses that it must follow have ended.
    free
        From when physical registers are free for what it writes.
    memory
        Whether its unit is the ports of memory.
    """
    if earliest >= cycle:
        return causes.ISSUE
    if ready == cycle:
        return causes.SCALAR_RAW_WAW
    if operand == cycle:
        return causes.VECTOR_RAW
    if room == cycle:
        return causes.PORT if memory else causes.UNIT
    if order == cycle:
        return causes.MEMORY_ORDER
    if free == cycle:
        return causes.FREE_REGISTER
    return causes.ISSUE


def element_cause(cycle: Any, operand: Any) -> Any:
    """Tell why an element of an arithmetic or sparse instruction started late.

    Parameters
    ----------
    cycle
        The cycle in which it started.
    operand
        From when all that it reads was ready.
    """
    return causes.VECTOR_RAW if operand == cycle else causes.VECTOR_WAR_WAW


def word_cause(cycle: Any, operand: Any, hazard: Any) -> Any:
    """Tell why a word of an access was transferred late.

    Parameters
    ----------
    cycle
        The cycle in which it went.
    operand, hazard
        From when all that it reads was ready, and from when what it writes could be overwritten.
    """
    if operand == cycle:
        return causes.VECTOR_RAW
    return causes.VECTOR_WAR_WAW if hazard == cycle else causes.BANK_CONFLICT


def row_of(i: Any) -> Any:
    """Give where in the ledger the row of an instruction begins."""
    return i >> 1


def count_execution(r: Any, i: Any, n: Any) -> None:
    """Count an execution of an instruction, on n elements."""
    row = row_of(i)
    r.ledger[row + ledger.EXECUTIONS] += 1
    r.ledger[row + ledger.ELEMENTS] += n


def book_wait(r: Any, slot: Any, cause: Any, begin: Any, end: Any) -> None:
    """Book that ``slot`` waited in the cycles from ``begin`` to ``end`` (exclusive)."""
    if end <= begin:
        return
    at = slot * flight.COLUMNS
    row = r.slots[at + flight.PC] * ledger.COLUMNS
    r.waits[slot * WAITS + cause] += end - begin
    r.ledger[row + ledger.WAITED + ledger.BY_CAUSE * cause] += end - begin
    if r.order[0] == slot:
        begin = larger(begin, r.control[control.RETIRED])
        if end > begin:
            r.ledger[row + ledger.CHARGED + ledger.BY_CAUSE * cause] += end - begin
            r.slots[at + flight.CHARGED] += end - begin


def _answer(r: Any, place: Any, passed: Any, retire: Any) -> None:
    """Charge what is not charged yet of the cycles up to ``retire``.

    Parameters
    ----------
    place
        Where in the ledger the cycles up to ``passed`` go; the rest goes to the column behind.
    """
    begin = r.control[control.RETIRED]
    if retire > begin:
        passed = larger(begin, smaller(passed, retire))
        r.ledger[place] += passed - begin
        r.ledger[place + 1] += retire - passed
        r.control[control.RETIRED] = retire


def _tidy(r: Any) -> None:
    """Make room among the hidden: what is in flight retires after the cycle behind the latest issue.

    If nothing has retired by then the oldest goes, and the one behind it answers for its cycles.
    """
    count, first = r.control[control.HIDDEN], 0
    until = r.control[control.ISSUE_CYCLE] + 1
    while first < count and r.hidden[first * ledger.HIDDEN + ledger.RETIRE] <= until:
        first += 1
    _drop(r, 0, larger(first, 1))


def _drop(r: Any, begin: Any, end: Any) -> None:
    """Take the hidden instructions from ``begin`` to ``end`` (exclusive) out of the list."""
    gone, count = end - begin, r.control[control.HIDDEN]
    if gone > 0:
        for k in range(begin * ledger.HIDDEN, (count - gone) * ledger.HIDDEN):
            r.hidden[k] = r.hidden[k + gone * ledger.HIDDEN]
        r.control[control.HIDDEN] = count - gone


def _hide(r: Any, age: Any, place: Any, passed: Any, retire: Any) -> None:
    """Note an instruction behind an older one in flight, unless a known one older than it retires no earlier.

    Parameters
    ----------
    age
        Its number in program order.
    place, passed
        As :func:`_answer` takes them.
    """
    if retire <= r.control[control.ISSUE_CYCLE] + 1:
        return
    if r.control[control.HIDDEN] == r.machine[parameter.HIDDEN]:
        _tidy(r)
    count = r.control[control.HIDDEN]
    at = count
    while at > 0 and r.hidden[(at - 1) * ledger.HIDDEN + ledger.AGE] > age:
        at -= 1
    if at > 0 and r.hidden[(at - 1) * ledger.HIDDEN + ledger.RETIRE] >= retire:
        return
    end = at
    while end < count and r.hidden[end * ledger.HIDDEN + ledger.RETIRE] <= retire:
        end += 1
    _drop(r, at, end)
    count = r.control[control.HIDDEN]
    for k in range(count * ledger.HIDDEN - 1, at * ledger.HIDDEN - 1, -1):
        r.hidden[k + ledger.HIDDEN] = r.hidden[k]
    own = at * ledger.HIDDEN
    r.hidden[own + ledger.AGE], r.hidden[own + ledger.PLACE] = age, place
    r.hidden[own + ledger.PASSED], r.hidden[own + ledger.RETIRE] = passed, retire
    r.control[control.HIDDEN] = count + 1


def _charge_hidden(r: Any) -> None:
    """Charge the hidden instructions that are older than any in flight."""
    next_age, k, count = NEVER, 0, r.control[control.HIDDEN]
    if r.work[work.FLYING] > 0:
        next_age = r.slots[r.order[0] * flight.COLUMNS + flight.AGE]
    while k < count and r.hidden[k * ledger.HIDDEN + ledger.AGE] < next_age:
        own = k * ledger.HIDDEN
        _answer(r, r.hidden[own + ledger.PLACE], r.hidden[own + ledger.PASSED], r.hidden[own + ledger.RETIRE])
        k += 1
    _drop(r, 0, k)


def retire_at_issue(r: Any, i: Any, retire: Any, cause: Any, begin: Any, end: Any) -> None:
    """Book an instruction that is known at issue: it waited before it, and retires at ``retire``."""
    row = row_of(i)
    r.control[control.LAST_RETIRED] = larger(r.control[control.LAST_RETIRED], retire)
    if end > begin:
        r.ledger[row + ledger.WAITED + ledger.BY_CAUSE * cause] += end - begin
    if r.work[work.FLYING] > 0:
        _hide(r, r.control[control.COUNT] - 1, row + ledger.SCALAR, retire, retire)
        return
    begin = larger(begin, r.control[control.RETIRED])
    if end > begin:
        r.ledger[row + ledger.CHARGED + ledger.BY_CAUSE * cause] += end - begin
        r.control[control.RETIRED] = end
    _answer(r, row + ledger.SCALAR, retire, retire)


def retire_from_flight(r: Any, slot: Any, position: Any, last: Any, retire: Any) -> None:
    """Book an instruction that has just left flight, from ``position`` in ``order``.

    The rest of its cycles is charged; if an older one is in flight, that one hides it.
    """
    r.control[control.LAST_RETIRED] = larger(r.control[control.LAST_RETIRED], retire)
    at = slot * flight.COLUMNS
    place = r.slots[at + flight.PC] * ledger.COLUMNS + ledger.BUSY
    if position > 0:
        _hide(r, r.slots[at + flight.AGE], place, last + 1, retire)
        return
    r.ledger[place] -= r.slots[at + flight.CHARGED]
    _answer(r, place, last + 1, retire)
    _charge_hidden(r)
