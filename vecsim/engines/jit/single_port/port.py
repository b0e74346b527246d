"""The memory port and the queues: the latest dispatches and accesses, how an access begins and ends.

The record has the latest dispatches of each unit, and the latest accesses of the port, newest first. While
compiled code runs they are in rings, so that a new one takes the place of the oldest.
"""

from __future__ import annotations

from typing import Any

from isa.declaration import Unit
from vecsim.engines.columns import causes, counters, instruction, outcomes, parameter
from vecsim.engines.jit.compiler.functions import inline
from vecsim.engines.jit.compiler.integers import larger
from vecsim.engines.jit.single_port.accounts import book
from vecsim.engines.jit.single_port.registers import complete

UNITS = 5


@inline
def open_rings(r: Any, scratch: Any) -> None:
    """Take the latest dispatches and accesses from the record."""
    machine, outcome = scratch.machine, scratch.outcome
    for j in range(UNITS * (machine[parameter.UNIT_QUEUE] + 1)):
        scratch.ring_dispatched[j] = r.dispatched[j]
    for j in range(4 * machine[parameter.HISTORY]):
        scratch.ring_history[j] = r.port_history[j]
    outcome[outcomes.PORT_HEAD] = 0
    for unit in range(UNITS):
        outcome[outcomes.UNIT_HEAD + unit] = 0


@inline
def close_rings(r: Any, scratch: Any) -> None:
    """Put them back, newest first."""
    machine, outcome = scratch.machine, scratch.outcome
    depth = machine[parameter.UNIT_QUEUE] + 1
    for unit in range(UNITS):
        for j in range(depth):
            r.dispatched[unit * depth + j] = scratch.ring_dispatched[
                unit * depth + (outcome[outcomes.UNIT_HEAD + unit] + j) % depth
            ]
    rows = machine[parameter.HISTORY]
    for j in range(rows):
        at = (outcome[outcomes.PORT_HEAD] + j) % rows
        for column in range(4):
            r.port_history[4 * j + column] = scratch.ring_history[4 * at + column]


@inline
def dispatch(scratch: Any, depth: Any, unit: Any, issue: Any, free: Any) -> Any:
    """The cycle in which what issued in ``issue`` is dispatched to a unit that is free from ``free`` on.

    Parameters
    ----------
    free
        The cycle from which the unit is free.
    """
    cycle = larger(issue, larger(free, last_dispatch(scratch, depth, unit)))
    push_dispatch(scratch, depth, unit, cycle)
    return cycle


@inline
def last_dispatch(scratch: Any, depth: Any, unit: Any) -> Any:
    """The cycle of the latest dispatch to the unit; ``depth`` is ``unit_queue`` + 1."""
    return scratch.ring_dispatched[unit * depth + scratch.outcome[outcomes.UNIT_HEAD + unit]]


@inline
def push_dispatch(scratch: Any, depth: Any, unit: Any, cycle: Any) -> None:
    """Note a dispatch.

    Parameters
    ----------
    cycle
        The cycle of the dispatch.
    """
    head = scratch.outcome[outcomes.UNIT_HEAD + unit]
    head = depth - 1 if head == 0 else head - 1
    scratch.outcome[outcomes.UNIT_HEAD + unit] = head
    scratch.ring_dispatched[unit * depth + head] = cycle


@inline
def dispatch_before(scratch: Any, depth: Any, unit: Any) -> Any:
    """The cycle of the dispatch ``unit_queue`` = depth - 1 >= 1 before the unit's next."""
    at = scratch.outcome[outcomes.UNIT_HEAD + unit] + depth - 2
    if at >= depth:
        at -= depth
    return scratch.ring_dispatched[unit * depth + at]


@inline
def latest_end(scratch: Any) -> Any:
    """The end of the latest access."""
    return scratch.ring_history[4 * scratch.outcome[outcomes.PORT_HEAD]]


@inline
def port_free(scratch: Any) -> Any:
    """From when the port is free: the end of the access ``accesses_in_flight`` before the next."""
    machine = scratch.machine
    at = scratch.outcome[outcomes.PORT_HEAD] + machine[parameter.ACCESSES_IN_FLIGHT] - 1
    if at >= machine[parameter.HISTORY]:
        at -= machine[parameter.HISTORY]
    return scratch.ring_history[4 * at]


@inline
def push_access(scratch: Any, end: Any, first_byte: Any, last_byte: Any, store: Any) -> None:
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
    head = scratch.outcome[outcomes.PORT_HEAD]
    head = scratch.machine[parameter.HISTORY] - 1 if head == 0 else head - 1
    scratch.outcome[outcomes.PORT_HEAD] = head
    at = 4 * head
    scratch.ring_history[at] = end
    scratch.ring_history[at + 1] = first_byte
    scratch.ring_history[at + 2] = last_byte
    scratch.ring_history[at + 3] = store


@inline
def order_end(scratch: Any, store: Any, first: Any, last: Any, cycle: Any) -> Any:
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
    history, rows = scratch.ring_history, scratch.machine[parameter.HISTORY]
    j = scratch.outcome[outcomes.PORT_HEAD]
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


MEMORY = int(Unit.MEMORY)
NEVER = 1 << 60


@inline
def begin_access(r: Any, scratch: Any, i: Any, issue: Any, unaligned: Any, retired: Any) -> Any:
    """Dispatch an access to the port; give the first cycle in which a word may go.

    Parameters
    ----------
    unaligned
        1 if it takes the cycle of an unaligned access, else 0.
    """
    machine, outcome = scratch.machine, scratch.outcome
    dispatched = dispatch(scratch, machine[parameter.UNIT_QUEUE] + 1, MEMORY, issue, port_free(scratch))
    started_up = dispatched + machine[parameter.STARTUP]
    end = latest_end(scratch)
    ready = larger(started_up, end)
    book(r, i, causes.PORT, issue, dispatched, retired)
    book(r, i, causes.STARTUP, dispatched, started_up, retired)
    book(r, i, causes.PORT, started_up, ready, retired)
    book(r, i, causes.ALIGNMENT, ready, ready + unaligned, retired)
    outcome[outcomes.DISPATCH] = dispatched
    return ready + unaligned


@inline
def end_access(
    r: Any, scratch: Any, i: Any, last: Any, first_byte: Any, last_byte: Any, words: Any, in_use: Any
) -> None:
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
    code, outcome = scratch.program, scratch.outcome
    store = code[i + instruction.STORE]
    push_access(scratch, last + 1, first_byte, last_byte, store)
    r.counters[counters.WORDS_STORED if store == 1 else counters.WORDS_LOADED] += words
    r.unit_busy[MEMORY] += in_use
    outcome[outcomes.BANKS_FREE] = larger(
        outcome[outcomes.BANKS_FREE], last + scratch.machine[parameter.BANK_BUSY]
    )
    outcome[outcomes.SETTLED_FREE] = outcome[outcomes.BANKS_FREE]
    complete(r, scratch, code, i, last, last + 1)
    outcome[outcomes.LAST] = outcome[outcomes.RETIRE] = last + 1
    outcome[outcomes.WORDS] = words
