"""How an access of a machine with one port begins and ends: dispatch, startup, what it leaves behind."""

from __future__ import annotations

from typing import Any

from isa.declaration import Unit
from vecsim.engines.columns import causes, counters, instruction, outcomes, parameter
from vecsim.engines.jit.accounts import book
from vecsim.engines.jit.functions import inline
from vecsim.engines.jit.integers import larger
from vecsim.engines.jit.operands import complete
from vecsim.engines.jit.rings import dispatch, latest_end, port_free, push_access

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
