"""The rules of time, compiled: each plain function of :mod:`vecsim.engines.rules` with all that it calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vecsim.engines.jit import integers
from vecsim.engines.jit.functions import function, inline
from vecsim.engines.jit.semantics import compiled
from vecsim.engines.rules import (
    accounts,
    arithmetic,
    flight,
    hazards,
    issue,
    memory_order,
    numbers,
    ports,
    queues,
    renaming,
    rows,
    sparse,
    vector_cache,
)

_REPLACED: dict[int, Any] = {id(numbers.larger): integers.larger, id(numbers.smaller): integers.smaller}
_APART: tuple[Callable[..., Any], ...] = (
    accounts._drop,
    accounts._hide,
    accounts.book_wait,
    arithmetic.start_first,
    arithmetic.step_arithmetic,
    flight.leave,
    hazards.first_blocked,
    issue.take_element,
    memory_order.scalar_order_at,
    ports._begin,
    ports.step_port,
    queues.free_at,
    queues._dispatch,
    queues.step_queue,
    renaming.name_registers,
    renaming.note_retirement,
    renaming.pass_on,
    renaming.registers_free_at,
    renaming.take_scalars,
    rows.write_scalar_row,
    rows.write_vector_row,
    sparse.step_sparse,
    vector_cache.slice_blocked,
)
"""Rules that stay functions of their own: called in several places, or large."""
_APART_CODE = {rule.__code__ for rule in _APART}

_memo = dict(_REPLACED)


def _compiling(copy: Callable[..., Any]) -> Any:
    return (function if copy.__code__ in _APART_CODE else inline)(copy)


def compiled_rule(rule: Callable[..., Any]) -> Any:
    """Give a rule as compiled functions call it, with :func:`vecsim.engines.jit.views.run_of` for ``r``."""
    return compiled(rule, _memo, _compiling)
