"""The general rules of a machine with one port, for what no closed form times: a part compiled on its own.

The loop calls them by their address, as it does the semantics of vector instructions, so that loop and
general rules are compiled at the same time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vecsim.engines.jit.access import time_access
from vecsim.engines.jit.arithmetic import time_arithmetic, time_one
from vecsim.engines.jit.calls import call_row
from vecsim.engines.jit.functions import inline
from vecsim.engines.jit.machine_code import GENERAL_RULES
from vecsim.engines.jit.record_accesses import time_records
from vecsim.engines.jit.views import scratch_of

ARITHMETIC, ONE, ACCESS, RECORDS = range(len(GENERAL_RULES))


def _arithmetic(w: Any, i: Any, n: Any, slice_: Any, cycle: Any, retired: Any, unused: Any) -> None:
    time_arithmetic(w, i, n, slice_, cycle, retired)


def _one(w: Any, i: Any, element: Any, slice_: Any, cycle: Any, retired: Any, unused: Any) -> None:
    time_one(w, i, element, slice_, cycle, retired)


def _access(w: Any, i: Any, n: Any, cache_first: Any, cycle: Any, retired: Any, unused: Any) -> None:
    time_access(w, scratch_of(w).program, i, n, cache_first, cycle, retired)


def _records(w: Any, i: Any, n: Any, unused: Any, cycle: Any, retired: Any, unused_too: Any) -> None:
    time_records(w, i, n, cycle, retired)


GENERAL_FUNCTIONS: dict[str, Callable[..., None]] = dict(
    zip(GENERAL_RULES, (_arithmetic, _one, _access, _records), strict=True)
)
"""The plain functions by the names under which their object file offers them, all of one signature."""


@inline
def time_generally(w: Any, rule: Any, i: Any, what: Any, where: Any, cycle: Any, retired: Any) -> None:
    """Time the vector instruction at ``i`` by a rule, ``ARITHMETIC`` to ``RECORDS``.

    Parameters
    ----------
    rule
        ``ARITHMETIC``, ``ONE``, ``ACCESS`` or ``RECORDS``.
    what
        Its number of elements, or for ``ONE`` the element.
    where
        The slice of the vector cache that it uses, or for ``ACCESS`` the first element there.
    cycle
        The cycle of issue.
    """
    call_row(scratch_of(w).general[rule], w, i, what, where, cycle, retired, 0)
