"""Integers that user-defined code has from its text, its globals and ``range``, as integers of 64 bits.

Otherwise Python computes with them as with integers of any length, which compiled code does not have.
"""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Any

from vecsim.engines.rebinding import Function, rebound
from vecsim.engines.user_code import is_ours
from vecsim.engines.user_values import GREATEST, LEAST, REPLACED, Int64


class Range:
    """A range of integers of 64 bits; stands for ``range``."""

    __slots__ = ("plain",)

    def __init__(self, *ends: Any) -> None:
        self.plain = range(*ends)

    def __iter__(self) -> Iterator[Int64]:
        """Go through it."""
        return map(Int64, self.plain)

    def __reversed__(self) -> Iterator[Int64]:
        """Go through it backwards."""
        return map(Int64, reversed(self.plain))

    def __len__(self) -> int:
        """Return how many integers it has."""
        return len(self.plain)

    def __contains__(self, value: object) -> bool:
        """Return whether it has an integer."""
        return value in self.plain

    def __getitem__(self, place: Any) -> Any:
        """Return one of its integers, or a part of it as a plain range."""
        result = self.plain[place]
        return Int64(result) if isinstance(result, int) else result


def _length(value: Any) -> Int64:
    """Return a length; stands for ``len``."""
    return Int64(len(value))


REPLACED_IN_SEMANTICS: dict[int, Any] = REPLACED | {id(range): Range, id(len): _length}
"""What user-defined semantics call in Python, by the identity of what they name."""


def interpreted_semantics(semantics: Function, replaced: dict[int, Any] | None = None) -> Function:
    """Return semantics that a user wrote as Python calls them, with the integers and floats of compiled code.

    Parameters
    ----------
    semantics
        A plain function.
    replaced
        What else takes the place of what it names.
    """
    built: Function = rebound(semantics, REPLACED_IN_SEMANTICS | (replaced or {}), _with_own_numbers)
    return built


def _with_own_numbers(copy: Any) -> Any:
    """Replace the integers that a copy of a user's function has."""
    if is_ours(copy.__code__.co_filename):
        return copy
    copy.__code__ = _own(copy.__code__)
    copy.__defaults__ = _own(copy.__defaults__)
    for name, value in copy.__globals__.items():
        if name != "__builtins__":
            copy.__globals__[name] = _own(value)
    for cell in copy.__closure__ or ():
        cell.cell_contents = _own(cell.cell_contents)
    return copy


def _own(value: Any) -> Any:
    if type(value) is int:
        return Int64(value) if LEAST <= value <= GREATEST else value
    if type(value) in (tuple, frozenset):
        return type(value)(map(_own, value))
    if isinstance(value, types.CodeType):
        return value.replace(co_consts=tuple(map(_own, value.co_consts)))
    return value
