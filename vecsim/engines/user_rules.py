"""The timing rules of a machine: those of :mod:`vecsim.engines.rules`, or what its extensions put in their
place.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from functools import lru_cache
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

from vecsim.engines.interpreted_run import Placed
from vecsim.engines.rebinding import functions_within, global_names, rebound
from vecsim.engines.rules import arithmetic, flight, hazards, issue, ports, queues, sparse, units
from vecsim.engines.state.counters import Counter
from vecsim.engines.state.run import Run, parts_of
from vecsim.engines.user_code import is_ours, refuse_questions
from vecsim.machine import Extension, Machine
from vecsim.machine.extension import MOST_NUMBERS, RULES
from vecsim.support.errors import UserError
from vecsim.support.suggestions import nearest

Function = Callable[..., Any]
Extensions = tuple[Extension, ...]


class CalledRules(NamedTuple):
    """The rules that an engine calls itself; all others are called by these."""

    make_issue: Function
    step_queue: Function
    step_arithmetic: Function
    step_sparse: Function
    step_port: Function
    current_age: Function
    current_slot: Function
    follows_elements: Function
    list_flight: Function
    kind_of: Function


CALLED = CalledRules(
    issue.make_issue,
    queues.step_queue,
    arithmetic.step_arithmetic,
    sparse.step_sparse,
    ports.step_port,
    ports.current_age,
    ports.current_slot,
    hazards.follows_elements,
    flight.list_flight,
    units.kind_of,
)


def replaces_rules(machine: Machine) -> bool:
    """Return whether an extension of a machine puts another rule in the place of one."""
    return any(extension.replacements for extension in machine.extensions)


@lru_cache(maxsize=16)
def users_rules(extensions: Extensions) -> tuple[FunctionType, ...]:
    """Return the functions of a user's own among rules that replace others, and among what these call."""
    replacing = [each.function for extension in extensions for each in extension.replacements]
    seen: set[int] = set()
    functions = (function for each in replacing for function in functions_within(each, seen))
    return tuple(each for each in functions if not is_ours(each.__code__.co_filename))


@lru_cache(maxsize=16)
def interpreted_rules(extensions: Extensions) -> CalledRules:
    """Return the rules of a machine with these extensions, as Python calls them."""
    if not extensions:
        return CALLED
    known, replaced = places_of(extensions), replacements_of(extensions)
    return CalledRules(*(rebound(rule, known, lambda copy: copy, replaced) for rule in CALLED))


def places_of(extensions: Extensions) -> dict[int, Any]:
    """Return by the identity of each number and each counter of extensions its place among all."""
    numbers = [number for each in extensions for number in each.numbers]
    counters = [counter for each in extensions for counter in each.counters]
    places: dict[int, Any] = {id(number): k for k, number in enumerate(numbers)}
    return places | {id(counter): len(Counter) + k for k, counter in enumerate(counters)}


def replacements_of(extensions: Extensions) -> dict[int, list[Function]]:
    """Return by the identity of each rule what takes its place, of the first extension first."""
    result: dict[int, list[Function]] = {}
    for extension in extensions:
        for replacement in extension.replacements:
            result.setdefault(id(replacement.rule), []).append(replacement.function)
    return result


def own_arrays(machine: Machine) -> list[Placed]:
    """Return where in ``TimingRecord.own`` each array of a machine's extensions is."""
    result, begin = [], 0
    for array in (array for extension in machine.extensions for array in extension.arrays):
        end = begin + array.size_on(machine)
        result.append(Placed(array.name, begin, end))
        begin = end
    return result


def check_user_rules(extensions: Extensions) -> None:
    """Check what a user wrote before an engine takes it.

    Raises
    ------
    UserError
        An array with the name of one that every run has; more numbers or counters than there is room for; a
        function that uses a name that is defined nowhere, or a rule as part of its module.
    """
    for extension in extensions:
        for array in extension.arrays:
            if array.name in parts_of(Run):
                raise UserError(
                    f"extension {extension.name}: {array.name!r} is an array of every run; use another name"
                )
        for replacement in extension.replacements:
            for function in functions_within(replacement.function, set()):
                if not function.__module__.startswith("vecsim."):
                    refuse_questions(function, f"extension {extension.name}")
                    _check_names(extension, function)
    for what in ("numbers", "counters"):
        if sum(len(getattr(each, what)) for each in extensions) > MOST_NUMBERS:
            raise UserError(f"extensions of a machine have {MOST_NUMBERS} {what} together, at most")


def _check_names(extension: Extension, function: FunctionType) -> None:
    code = function.__code__
    for name, line in global_names(code):
        where = f"extension {extension.name}: {code.co_filename}:{line}: {function.__name__}"
        value = function.__globals__.get(name)
        if name not in function.__globals__ and not hasattr(builtins, name):
            known = [*function.__globals__, *code.co_varnames]
            raise UserError(f"{where} uses {name!r}, which is not defined{nearest(name, known)}")
        if isinstance(value, ModuleType) and value.__name__.startswith(RULES):
            raise UserError(
                f"{where} uses the module {name}: import its rules by name, from {value.__name__} import ..."
            )
