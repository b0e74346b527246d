"""Waits, cycle attribution and retirement (docs/timing.md, "The end" and "Waits and cycle attribution").

A cycle is attributed to the oldest instruction that has not retired in it. Waits are booked when they end, so
no cycle is attributed yet to an instruction that is not the oldest in flight: an older one retires later. If
its cycles are known before those of an older one, its retirement is pending until that has left flight.
"""

from __future__ import annotations

from vecsim.engines.rules.numbers import NEVER, larger, smaller
from vecsim.engines.state import causes
from vecsim.engines.state.accounts import Account
from vecsim.engines.state.flight import Slot
from vecsim.engines.state.instruction import Instruction
from vecsim.engines.state.run import Run


def issue_cause(
    cycle: int, earliest: int, ready: int, operand: int, room: int, order: int, free: int, memory: bool
) -> int:
    """Return what an instruction waited for before issue: what ended last ("Waits and cycle attribution").

    Ties go to the first of the list of causes.

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


def element_cause(cycle: int, operand: int) -> int:
    """Return why an element of a vector operation started late ("Waits and cycle attribution").

    Parameters
    ----------
    cycle
        The cycle in which it started.
    operand
        From when all that it reads was ready.
    """
    return causes.VECTOR_RAW if operand == cycle else causes.VECTOR_WAR_WAW


def word_cause(cycle: int, operand: int, hazard: int) -> int:
    """Return why a word of an access was transferred late ("Waits and cycle attribution").

    It is BANK_CONFLICT for all of memory's own, :func:`vecsim.engines.rules.banks.memory_cause`.

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


def count_execution(r: Run, instruction: Instruction, n: int) -> None:
    """Count an execution of an instruction, on n elements ("Waits and cycle attribution")."""
    account = r.accounts[instruction.number]
    account.executions += 1
    account.elements += n


def book_wait(r: Run, slot: Slot, cause: int, begin: int, end: int) -> None:
    """Book that ``slot`` waited from ``begin`` to ``end`` (exclusive) ("Waits and cycle attribution")."""
    if end > begin:
        _book(r, slot, cause, begin, end)


def _book(r: Run, slot: Slot, cause: int, begin: int, end: int) -> None:
    """Book a wait; the oldest instruction in flight gets its cycles ("Waits and cycle attribution")."""
    account = r.accounts[slot.pc]
    slot.waits[cause] += end - begin
    account.waited[cause] += end - begin
    if r.order[0] == slot.number:
        begin = larger(begin, r.control.retired)
        if end > begin:
            account.attributed[cause] += end - begin
            slot.attributed += end - begin


def _attribute(r: Run, account: Account, vector: int, passed: int, retire: int) -> None:
    """Attribute the remaining cycles up to ``retire`` ("Waits and cycle attribution").

    Parameters
    ----------
    vector
        1 for a vector instruction: cycles up to ``passed`` are its work, the rest its latency.
    """
    begin = r.control.retired
    if retire > begin:
        if vector == 1:
            passed = larger(begin, smaller(passed, retire))
            account.busy += passed - begin
            account.latency += retire - passed
        else:
            account.scalar += retire - begin
        r.control.retired = retire


def _tidy(r: Run) -> None:
    """Make room among the pending retirements ("Waits and cycle attribution").

    What is in flight retires after the cycle that follows the latest issue, so no cycle is attributed to what
    has retired by then. If nothing has, the oldest goes, and its cycles are attributed to the next one.
    """
    first, until = 0, r.control.issue_cycle + 1
    while first < r.control.pending and r.pending[first].retire <= until:
        first += 1
    _drop(r, 0, larger(first, 1))


def _drop(r: Run, begin: int, end: int) -> None:
    """Remove pending retirements from ``begin`` to ``end`` (exclusive) ("Waits and cycle attribution")."""
    gone = end - begin
    if gone > 0:
        for k in range(begin, r.control.pending - gone):
            r.pending[k].copy_from(r.pending[k + gone])
        r.control.pending -= gone


def _postpone(r: Run, age: int, pc: int, vector: int, passed: int, retire: int) -> None:
    """Note a retirement that an older instruction in flight may cover ("Waits and cycle attribution").

    It is noted unless a known one of an older instruction is no earlier.

    Parameters
    ----------
    age, pc
        Its number in program order, and its place in the program.
    vector, passed
        As :func:`_attribute` takes them.
    """
    if retire > r.control.issue_cycle + 1:
        _note_pending(r, age, pc, vector, passed, retire)


def _note_pending(r: Run, age: int, pc: int, vector: int, passed: int, retire: int) -> None:
    """Note it in its place by age ("Waits and cycle attribution")."""
    if r.control.pending == r.machine.pending:
        _tidy(r)
    place = r.control.pending
    while place > 0 and r.pending[place - 1].age > age:
        place -= 1
    if place > 0 and r.pending[place - 1].retire >= retire:
        return
    end = place
    while end < r.control.pending and r.pending[end].retire <= retire:
        end += 1
    _drop(r, place, end)
    for k in range(r.control.pending, place, -1):
        r.pending[k].copy_from(r.pending[k - 1])
    each = r.pending[place]
    each.age, each.pc, each.vector, each.passed, each.retire = age, pc, vector, passed, retire
    r.control.pending += 1


def _attribute_pending(r: Run) -> None:
    """Attribute pending retirements older than any instruction in flight ("Waits and cycle attribution")."""
    next_age, k = NEVER, 0
    if r.scratch.in_flight > 0:
        next_age = r.slots[r.order[0]].age
    while k < r.control.pending and r.pending[k].age < next_age:
        each = r.pending[k]
        _attribute(r, r.accounts[each.pc], each.vector, each.passed, each.retire)
        k += 1
    _drop(r, 0, k)


def retire_at_issue(r: Run, instruction: Instruction, retire: int, cause: int, begin: int, end: int) -> None:
    """Book an instruction whose cycles are known when it issues ("The end", "Waits and cycle attribution").

    It waited from ``begin`` to ``end`` (exclusive) before issue, and retires at ``retire``.
    """
    account = r.accounts[instruction.number]
    r.control.last_retired = larger(r.control.last_retired, retire)
    if end > begin:
        account.waited[cause] += end - begin
    if r.scratch.in_flight > 0:
        _postpone(r, r.control.count - 1, instruction.number, 0, retire, retire)
        return
    begin = larger(begin, r.control.retired)
    if end > begin:
        account.attributed[cause] += end - begin
        r.control.retired = end
    _attribute(r, account, 0, retire, retire)


def retire_from_flight(r: Run, slot: Slot, position: int, last: int, retire: int) -> None:
    """Book an instruction that has just left flight, from ``position`` in ``order`` ("The end").

    The rest of its cycles is attributed. If an older one is in flight, its retirement is pending.
    """
    r.control.last_retired = larger(r.control.last_retired, retire)
    if position > 0:
        _postpone(r, slot.age, slot.pc, 1, last + 1, retire)
        return
    account = r.accounts[slot.pc]
    account.busy -= slot.attributed
    _attribute(r, account, 1, last + 1, retire)
    _attribute_pending(r)
