"""The memory port and the queues: the latest dispatches and accesses, how an access begins and ends.

The record has the latest dispatches of each unit, and the latest accesses of the port, newest first. While
compiled code runs they are in rings, so that a new one takes the place of the oldest.
"""

from __future__ import annotations

from typing import Any

from isa.declaration import Pattern, Unit
from vecsim.engines.columns import causes, counters, instruction, outcomes, parameter
from vecsim.engines.jit.compiler.functions import inline, larger
from vecsim.engines.jit.single_port.accounts import book
from vecsim.engines.jit.single_port.registers import complete

MEMORY, CONTIGUOUS = int(Unit.MEMORY), int(Pattern.CONTIGUOUS)
UNITS = len(Unit)
NEVER = 1 << 60


@inline
def open_rings(r: Any) -> None:
    """Take the latest dispatches and accesses from the record."""
    machine, outcome = r.machine, r.outcome
    for j in range(UNITS * (machine[parameter.UNIT_QUEUE] + 1)):
        r.ring_dispatched[j] = r.dispatched[j]
    for j in range(4 * machine[parameter.HISTORY]):
        r.ring_history[j] = r.port_history[j]
    outcome[outcomes.PORT_HEAD] = 0
    for unit in range(UNITS):
        outcome[outcomes.UNIT_HEAD + unit] = 0


@inline
def close_rings(r: Any) -> None:
    """Put them back, newest first."""
    machine, outcome = r.machine, r.outcome
    depth = machine[parameter.UNIT_QUEUE] + 1
    for unit in range(UNITS):
        for j in range(depth):
            at = unit * depth + (outcome[outcomes.UNIT_HEAD + unit] + j) % depth
            r.dispatched[unit * depth + j] = r.ring_dispatched[at]
    rows = machine[parameter.HISTORY]
    for j in range(rows):
        at = (outcome[outcomes.PORT_HEAD] + j) % rows
        for column in range(4):
            r.port_history[4 * j + column] = r.ring_history[4 * at + column]


@inline
def dispatch(r: Any, i: Any, issue: Any, retired: Any) -> Any:
    """Dispatch an arithmetic or sparse instruction that issued in ``issue``; return the cycle."""
    unit, depth = r.program[i + instruction.UNIT], r.machine[parameter.UNIT_QUEUE] + 1
    cycle = larger(issue, larger(r.unit_free[unit], last_dispatch(r, depth, unit)))
    push_dispatch(r, depth, unit, cycle)
    book(r, i, causes.UNIT, issue, cycle, retired)
    return cycle


@inline
def last_dispatch(r: Any, depth: Any, unit: Any) -> Any:
    """The cycle of the latest dispatch to the unit; ``depth`` is ``unit_queue`` + 1."""
    return r.ring_dispatched[unit * depth + r.outcome[outcomes.UNIT_HEAD + unit]]


@inline
def push_dispatch(r: Any, depth: Any, unit: Any, cycle: Any) -> None:
    """Note a dispatch.

    Parameters
    ----------
    cycle
        The cycle of the dispatch.
    """
    head = r.outcome[outcomes.UNIT_HEAD + unit]
    head = depth - 1 if head == 0 else head - 1
    r.outcome[outcomes.UNIT_HEAD + unit] = head
    r.ring_dispatched[unit * depth + head] = cycle


@inline
def dispatch_before(r: Any, depth: Any, unit: Any) -> Any:
    """The cycle of the dispatch ``unit_queue`` = depth - 1 >= 1 before the unit's next."""
    at = r.outcome[outcomes.UNIT_HEAD + unit] + depth - 2
    if at >= depth:
        at -= depth
    return r.ring_dispatched[unit * depth + at]


@inline
def latest_end(r: Any) -> Any:
    """The end of the latest access."""
    return r.ring_history[4 * r.outcome[outcomes.PORT_HEAD]]


@inline
def port_free(r: Any) -> Any:
    """From when the port is free: the end of the access ``accesses_in_flight`` before the next."""
    machine = r.machine
    at = r.outcome[outcomes.PORT_HEAD] + machine[parameter.ACCESSES_IN_FLIGHT] - 1
    if at >= machine[parameter.HISTORY]:
        at -= machine[parameter.HISTORY]
    return r.ring_history[4 * at]


@inline
def push_access(r: Any, end: Any, first_byte: Any, last_byte: Any, store: Any) -> None:
    """Note an access.

    Parameters
    ----------
    end
        The cycle in which its transfer has ended.
    first_byte, last_byte
        Its first byte and the one after its last; ``last_byte`` is -1 if it is not contiguous.
    store
        1 for a store, 0 for a load.
    """
    head = r.outcome[outcomes.PORT_HEAD]
    head = r.machine[parameter.HISTORY] - 1 if head == 0 else head - 1
    r.outcome[outcomes.PORT_HEAD] = head
    at = 4 * head
    r.ring_history[at] = end
    r.ring_history[at + 1] = first_byte
    r.ring_history[at + 2] = last_byte
    r.ring_history[at + 3] = store


@inline
def order_end(r: Any, store: Any, first: Any, last: Any, cycle: Any) -> Any:
    """End of the latest access that ends after ``cycle`` and that a scalar access must follow; 0 for none.

    Parameters
    ----------
    store
        1 if the scalar access is a store, 0 if a load.
    first, last
        Its first byte and the one after its last.
    cycle
        The cycle in which it might issue.
    """
    history, rows = r.ring_history, r.machine[parameter.HISTORY]
    j = r.outcome[outcomes.PORT_HEAD]
    for _ in range(rows):
        at = 4 * j
        if history[at] <= cycle:
            return 0
        if (store == 1 or history[at + 3] == 1) and (
            history[at + 2] < 0 or (first < history[at + 2] and history[at + 1] < last)
        ):
            return history[at]
        j = 0 if j + 1 == rows else j + 1
    return 0


@inline
def access_cycles(r: Any, i: Any, issue: Any) -> tuple[Any, Any, Any, Any]:
    """The cycles of dispatch, of the end of startup, of its turn, and the first in which a word may go."""
    machine = r.machine
    latest = last_dispatch(r, machine[parameter.UNIT_QUEUE] + 1, MEMORY)
    dispatched = larger(issue, larger(port_free(r), latest))
    started_up = dispatched + machine[parameter.STARTUP]
    ready = larger(started_up, latest_end(r))
    unaligned = r.outcome[outcomes.ADDRESS] & (machine[parameter.ALIGNMENT_BYTES] - 1) != 0
    cycle = ready + 1 if unaligned and r.program[i + instruction.PATTERN] == CONTIGUOUS else ready
    return dispatched, started_up, ready, cycle


@inline
def book_dispatch(
    r: Any, i: Any, issue: Any, dispatched: Any, started_up: Any, ready: Any, cycle: Any, retired: Any
) -> None:
    """Note the dispatch of an access, and book its waits from issue to the first cycle of a word.

    Parameters
    ----------
    dispatched, started_up, ready, cycle
        What :func:`access_cycles` gives.
    """
    push_dispatch(r, r.machine[parameter.UNIT_QUEUE] + 1, MEMORY, dispatched)
    book(r, i, causes.PORT, issue, dispatched, retired)
    book(r, i, causes.STARTUP, dispatched, started_up, retired)
    book(r, i, causes.PORT, started_up, ready, retired)
    book(r, i, causes.ALIGNMENT, ready, cycle, retired)


@inline
def begin_access(r: Any, i: Any, issue: Any, retired: Any) -> Any:
    """Dispatch an access to the port; return the first cycle in which a word may go."""
    dispatched, started_up, ready, cycle = access_cycles(r, i, issue)
    book_dispatch(r, i, issue, dispatched, started_up, ready, cycle, retired)
    r.outcome[outcomes.DISPATCH] = dispatched
    return cycle


@inline
def count_words(r: Any, i: Any, words: Any) -> None:
    """Count the words that an access transfers."""
    store = r.program[i + instruction.STORE]
    r.counters[counters.WORDS_STORED if store == 1 else counters.WORDS_LOADED] += words
    r.outcome[outcomes.WORDS] = words


@inline
def end_access(r: Any, i: Any, last: Any, first_byte: Any, last_byte: Any, words: Any, in_use: Any) -> None:
    """Note the end of an access whose last word goes in cycle ``last``.

    Parameters
    ----------
    first_byte, last_byte
        Its first byte and the one after its last; ``last_byte`` is -1 if it is not contiguous.
    words
        How many were transferred.
    in_use
        In how many cycles.
    """
    outcome = r.outcome
    push_access(r, last + 1, first_byte, last_byte, r.program[i + instruction.STORE])
    count_words(r, i, words)
    r.unit_busy[MEMORY] += in_use
    outcome[outcomes.BANKS_FREE] = larger(outcome[outcomes.BANKS_FREE], last + r.machine[parameter.BANK_BUSY])
    outcome[outcomes.SETTLED_FREE] = outcome[outcomes.BANKS_FREE]
    complete(r, i, last, last + 1)
    outcome[outcomes.LAST] = outcome[outcomes.RETIRE] = last + 1
