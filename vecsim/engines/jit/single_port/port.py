"""The memory port: when it is free, how an access begins and ends."""

from __future__ import annotations

from typing import Any

from isa.declaration import Pattern, Unit
from vecsim.engines.jit.compiler.functions import inline, larger
from vecsim.engines.jit.rules import compiled_rule
from vecsim.engines.jit.single_port.accounts import book
from vecsim.engines.jit.single_port.registers import complete
from vecsim.engines.rules import memory_order, ports, queues
from vecsim.engines.state import causes
from vecsim.engines.state.counters import WORDS_LOADED, WORDS_STORED

MEMORY, CONTIGUOUS = int(Unit.MEMORY), int(Pattern.CONTIGUOUS)
latest_transfer = compiled_rule(memory_order.latest_transfer)
earlier_transfer = compiled_rule(memory_order.earlier_transfer)
must_follow = compiled_rule(memory_order.must_follow)
latest_dispatch = compiled_rule(queues.latest_dispatch)
earlier_dispatch, note_dispatch = compiled_rule(queues.earlier_dispatch), compiled_rule(queues.note_dispatch)
note_transfer = compiled_rule(ports.note_transfer)


@inline
def dispatch(r: Any, instruction: Any, issue: Any, retired: Any) -> Any:
    """Dispatch an arithmetic or sparse instruction that issued in ``issue``; return the cycle."""
    unit = instruction.unit
    cycle = larger(issue, larger(r.units[unit].free_at, latest_dispatch(r, unit)))
    note_dispatch(r, unit, cycle)
    book(r, instruction, causes.UNIT, issue, cycle, retired)
    return cycle


@inline
def latest_end(r: Any) -> Any:
    """The end of the latest transfer."""
    return latest_transfer(r, 0).end


@inline
def port_free(r: Any) -> Any:
    """From when the port is free: the end of the access ``accesses_in_flight`` before the next."""
    return earlier_transfer(r, 0, r.machine.accesses_in_flight - 1).end


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
    for k in range(r.machine.transfers):
        older = earlier_transfer(r, 0, k)
        if older.end <= cycle:
            return 0
        if must_follow(store, first, last, older.store, older.first_byte, older.end_byte):
            return older.end
    return 0


@inline
def access_cycles(r: Any, instruction: Any, issue: Any) -> tuple[Any, Any, Any, Any]:
    """The cycles of dispatch, of the end of startup, of its turn, and the first in which a word may go."""
    machine = r.machine
    latest = latest_dispatch(r, MEMORY)
    dispatched = larger(issue, larger(port_free(r), latest))
    started_up = dispatched + machine.startup
    ready = larger(started_up, latest_end(r))
    unaligned = r.outcome.address & (machine.alignment_bytes - 1) != 0
    cycle = ready + 1 if unaligned and instruction.pattern == CONTIGUOUS else ready
    return dispatched, started_up, ready, cycle


@inline
def book_dispatch(
    r: Any,
    instruction: Any,
    issue: Any,
    dispatched: Any,
    started_up: Any,
    ready: Any,
    cycle: Any,
    retired: Any,
) -> None:
    """Note the dispatch of an access, and book its waits from issue to the first cycle of a word.

    Parameters
    ----------
    dispatched, started_up, ready, cycle
        What :func:`access_cycles` gives.
    """
    note_dispatch(r, MEMORY, dispatched)
    book(r, instruction, causes.PORT, issue, dispatched, retired)
    book(r, instruction, causes.STARTUP, dispatched, started_up, retired)
    book(r, instruction, causes.PORT, started_up, ready, retired)
    book(r, instruction, causes.ALIGNMENT, ready, cycle, retired)


@inline
def begin_access(r: Any, instruction: Any, issue: Any, retired: Any) -> Any:
    """Dispatch an access to the port; return the first cycle in which a word may go."""
    dispatched, started_up, ready, cycle = access_cycles(r, instruction, issue)
    book_dispatch(r, instruction, issue, dispatched, started_up, ready, cycle, retired)
    r.outcome.dispatch = dispatched
    return cycle


@inline
def count_words(r: Any, instruction: Any, words: Any) -> None:
    """Count the words that an access transfers."""
    store = instruction.store
    r.counters[WORDS_STORED if store == 1 else WORDS_LOADED] += words
    r.outcome.words = words


@inline
def end_access(
    r: Any, instruction: Any, last: Any, first_byte: Any, end_byte: Any, words: Any, in_use: Any
) -> None:
    """Note the end of an access whose last word goes in cycle ``last``.

    Parameters
    ----------
    first_byte, end_byte
        Its first byte and the one after its last; ``end_byte`` is -1 if it is not contiguous.
    words
        How many were transferred.
    in_use
        In how many cycles.
    """
    outcome = r.outcome
    note_transfer(r, 0, last + 1, first_byte, end_byte, instruction.store)
    count_words(r, instruction, words)
    r.units[MEMORY].busy += in_use
    outcome.banks_free = larger(outcome.banks_free, last + r.machine.bank_busy)
    outcome.settled_free = outcome.banks_free
    complete(r, instruction, last, last + 1)
    outcome.last = outcome.retire = last + 1
