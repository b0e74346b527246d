"""Device functions made of several, as an unrolled loop that calls another function in each turn."""

from collections.abc import Sequence
from typing import Any

from gpu.runtime.cuda import device_function


def together(functions: Sequence[Any]) -> Any:
    """Make the function that calls several with its own arguments and returns a tuple of their results."""
    first, *others = functions

    @device_function
    def last(*arguments: Any) -> Any:
        return (first(*arguments),)

    if not others:
        return last
    after = together(others)

    @device_function
    def all_(*arguments: Any) -> Any:
        return (first(*arguments), *after(*arguments))

    return all_


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
