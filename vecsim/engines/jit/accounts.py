"""Waits and charges of the instruction being timed, the oldest of those whose cycles are not yet known.

Only waits are charged as they come; what is left of the run's cycles is work (EXECUTE).
"""

from __future__ import annotations

from typing import Any

from vecsim.engines.jit.functions import inline
from vecsim.engines.jit.integers import larger
from vecsim.engines.jit.rules import compiled_rule
from vecsim.engines.rules import accounts


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


issue_cause = compiled_rule(accounts.issue_cause)
element_cause = compiled_rule(accounts.element_cause)
word_cause = compiled_rule(accounts.word_cause)
