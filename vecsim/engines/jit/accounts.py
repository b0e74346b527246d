"""Waits and charges of the instruction being timed, the oldest of those whose cycles are not yet known.

Only waits are charged as they come; what is left of the run's cycles is work (EXECUTE).
"""

from __future__ import annotations

from typing import Any

from vecsim.engines.columns import (
    BY_BANK,
    BY_ISSUE,
    BY_ORDER,
    BY_PORT,
    BY_RAW,
    BY_SCALAR_RAW_WAW,
    BY_UNIT,
    BY_WAR_WAW,
)
from vecsim.engines.jit.functions import inline
from vecsim.engines.jit.integers import larger


@inline
def book(r: Any, cause: Any, begin: Any, end: Any, retired: Any) -> None:
    """Book a wait in the cycles from ``begin`` to ``end`` (exclusive).

    All before ``retired`` has been charged to older instructions.
    """
    if end > begin:
        r.waited[cause] += end - begin
        begin = larger(begin, retired)
        if end > begin:
            r.charged[cause] += end - begin


@inline
def issue_cause(
    cycle: Any, earliest: Any, ready: Any, operand: Any, room: Any, order: Any, memory: Any
) -> Any:
    """The condition that let an instruction wait for issue; ties go to the first of the list.

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
    memory
        Whether its unit is the ports of memory.
    """
    if earliest >= cycle:
        return BY_ISSUE
    if ready == cycle:
        return BY_SCALAR_RAW_WAW
    if operand == cycle:
        return BY_RAW
    if room == cycle:
        return BY_PORT if memory else BY_UNIT
    if order == cycle:
        return BY_ORDER
    return BY_ISSUE


@inline
def element_cause(cycle: Any, operand: Any) -> Any:
    """Why an element of an arithmetic or sparse instruction started late."""
    return BY_RAW if operand == cycle else BY_WAR_WAW


@inline
def word_cause(cycle: Any, operand: Any, hazard: Any) -> Any:
    """Why a word of an access was transferred late."""
    if operand == cycle:
        return BY_RAW
    return BY_WAR_WAW if hazard == cycle else BY_BANK
