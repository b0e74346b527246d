"""The timing rules, compiled: each plain function of :mod:`vecsim.engines.rules` with all that it calls."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import vecsim.engines
from vecsim.engines.jit.compiler.functions import APART, function, inline, larger, smaller, unabridged
from vecsim.engines.jit.user.functions import user_function
from vecsim.engines.jit.user.operations import COMPILED
from vecsim.engines.rebinding import rebound
from vecsim.engines.rules import (
    accounts,
    addresses,
    arithmetic,
    caches,
    flight,
    hazards,
    issue,
    main_memory,
    memory_order,
    merging,
    numbers,
    ports,
    queues,
    renaming,
    sparse,
    timeline,
    vector_cache,
)
from vecsim.engines.user_code import is_ours
from vecsim.engines.user_rules import Extensions, places_of, replacements_of, users_rules

_REPLACED: dict[int, Any] = {id(numbers.larger): larger, id(numbers.smaller): smaller}
_APART: tuple[Callable[..., Any], ...] = (
    accounts._drop,
    accounts._note_pending,
    accounts._book,
    addresses._place_active,
    arithmetic.start_first,
    arithmetic.end_arithmetic,
    arithmetic.step_arithmetic,
    caches.bring,
    caches.cached_passes,
    caches.cached_start,
    caches.look_up_first,
    caches.look_up_last,
    caches.scalar_passes,
    flight._all_off,
    flight._note_mask,
    flight.leave,
    hazards.first_blocked,
    issue.take_element,
    main_memory.line_passes,
    memory_order._must_follow,
    memory_order.scalar_order_at,
    merging.goes_along,
    ports.begin_transfer,
    ports.finish_transfer,
    ports.run_port,
    ports.step_port,
    queues.free_at,
    queues._dispatch,
    queues.dispatch_next,
    queues.step_queue,
    renaming._name_registers,
    renaming._raise_commits,
    renaming._pass_all_on,
    renaming._all_free_at,
    renaming._take_scalars,
    timeline.write_scalar_row,
    timeline.write_vector_row,
    sparse.end_sparse,
    sparse.step_sparse,
    vector_cache.slice_blocked,
)
"""Rules that stay separate functions: called in several places, or large."""
_APART_CODE = {rule.__code__ for rule in _APART}

_OURS = str(Path(vecsim.engines.__file__).parent)


def _compiling(copy: Callable[..., Any]) -> Any:
    if not is_ours(copy.__code__.co_filename):
        return user_function(copy)
    if not copy.__code__.co_filename.startswith(_OURS):
        return unabridged(copy)
    return (function if copy.__code__ in _APART_CODE | APART else inline)(copy)


@lru_cache(maxsize=16)
def compiler_of_rules(extensions: Extensions = ()) -> Callable[[Callable[..., Any]], Any]:
    """Return a function that makes of a plain rule what compiled functions call.

    A rule takes what ``run_of`` returns for ``r``, :mod:`vecsim.engines.jit.arrays.views`. What a
    user wrote goes through all passes of Numba, for it may need them.
    """
    known, replaced = _REPLACED | places_of(extensions), replacements_of(extensions)
    if users_rules(extensions):
        known = COMPILED | known
    return lambda rule: rebound(rule, known, _compiling, replaced)


compiled_rule = compiler_of_rules()
"""That of a machine without extensions."""
