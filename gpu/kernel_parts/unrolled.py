"""Device functions made of several, as an unrolled loop that calls another function in each turn."""

from collections.abc import Sequence
from typing import Any

from gpu.runtime.cuda import device_function


def joined(functions: Sequence[Any]) -> Any:
    """Make the function that calls several with its own arguments and joins the tuples that they return."""
    first, *others = functions
    if not others:
        return first
    after = joined(others)

    @device_function
    def all_(*arguments: Any) -> Any:
        return (*first(*arguments), *after(*arguments))

    return all_


def together(functions: Sequence[Any]) -> Any:
    """Make the function that calls several with its own arguments and returns a tuple of their results."""
    return joined([_in_a_tuple(each) for each in functions])


def _in_a_tuple(function: Any) -> Any:
    @device_function
    def alone(*arguments: Any) -> Any:
        return (function(*arguments),)

    return alone


def one_by_one(functions: Sequence[Any]) -> Any:
    """Make the function that calls several with its own arguments; none of them returns anything."""
    first, *others = functions
    if not others:
        return first
    after = one_by_one(others)

    @device_function
    def all_(*arguments: Any) -> None:
        first(*arguments)
        after(*arguments)

    return all_


def in_turn(adds: Sequence[Any]) -> Any:
    """Make the function that adds by each of ``add(total, ...)``, in their order, all with its arguments."""
    first, *others = adds
    if not others:
        return first
    after = in_turn(others)

    @device_function
    def all_(total: Any, *arguments: Any) -> Any:
        return after(first(total, *arguments), *arguments)

    return all_


def carried(functions: Sequence[Any]) -> Any:
    """Make the function that calls several, each with the state that the one before returns.

    They are ``function(state, ...)`` and return a result and the next state; it returns the tuple of the
    results, and the last state.
    """
    first, *others = functions

    @device_function
    def alone(state: Any, *arguments: Any) -> Any:
        result, state = first(state, *arguments)
        return (result,), state

    if not others:
        return alone
    after = carried(others)

    @device_function
    def all_(state: Any, *arguments: Any) -> Any:
        result, state = first(state, *arguments)
        results, state = after(state, *arguments)
        return (result, *results), state

    return all_
