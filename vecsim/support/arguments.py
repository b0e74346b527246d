"""What a caller of the Python interface passes: each kind of argument is accepted or refused in one line."""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from vecsim.support import suggestions
from vecsim.support.errors import UserError

MOST_VALUES = 1_000_000
"""Values of a series, at most."""


def shown(value: object, most: int = 60) -> str:
    """Return a value as Python writes it, cut to some letters; what is no simple value by its type."""
    if isinstance(value, int) and abs(value) >= 10**most:
        return "a huge number"
    if value is None or isinstance(value, str | bytes | int | float | os.PathLike):
        return suggestions.shown(repr(value), most)
    return f"a value of type {type(value).__name__}"


def whole(where: str, value: Any, least: int | None = 0) -> int:
    """Return a whole number, of Python or NumPy.

    Raises
    ------
    UserError
        It is none, or less than `least`.
    """
    number = None if is_truth(value) else _index(value)
    if number is None or (least is not None and number < least):
        wanted = "a whole number" if least is None else f"a whole number of {least} or more"
        raise UserError(f"{where} = {shown(value)}: {wanted} is expected")
    return number


def is_truth(value: object) -> bool:
    """Return whether a value is a truth value, of Python or NumPy."""
    return isinstance(value, bool | np.bool_)


def _index(value: Any) -> int | None:
    try:
        return operator.index(value)
    except TypeError:
        return None


def text(where: str, value: object) -> str:
    """Return a text.

    Raises
    ------
    UserError
        It is none, or empty.
    """
    if not isinstance(value, str) or not value:
        raise UserError(f"{where} = {shown(value)}: a text is expected")
    return str(value)


def path_text(where: str, value: object) -> str:
    """Return a path or a name as a text.

    Raises
    ------
    UserError
        It is neither a text nor a path of `pathlib`, is empty, or has a zero byte.
    """
    result = os.fspath(value) if isinstance(value, str | os.PathLike) else None
    if not isinstance(result, str) or not result or "\0" in result or not _names_file(result):
        raise UserError(f"{where} = {shown(value)}: a name or a path is expected")
    return result


def _names_file(text: str) -> bool:
    try:
        return bool(os.fsencode(text))
    except UnicodeEncodeError:  # a surrogate that stands for no byte
        return False


def path(where: str, value: object) -> Path:
    """Return a path; see `path_text`."""
    return Path(path_text(where, value))


def names(where: str, given: object) -> tuple[str, ...]:
    """Return several names or paths: one by itself, or a list, a tuple or any other series of them.

    Raises
    ------
    UserError
        One of them is something else.
    """
    return tuple(path_text(where, each) for each in series(where, given, "names"))


def series(where: str, given: object, of: str) -> tuple[Any, ...]:
    """Return the values of a series; a text or a path is one value, and None is no value.

    Raises
    ------
    UserError
        It is no series: a table, a number.
    """
    if given is None:
        return ()
    if isinstance(given, str | os.PathLike):
        return (given,)
    if isinstance(given, Iterable) and not isinstance(given, Mapping | bytes) and not hasattr(given, "tocsr"):
        result = tuple(islice(_each(where, given, of), MOST_VALUES + 1))
        if len(result) > MOST_VALUES:
            raise UserError(f"{where}: has too many values; at most {MOST_VALUES:,} are possible")
        return result
    raise UserError(f"{where} = {shown(given)}: a list of {of} is expected")


def _each(where: str, given: Iterable[Any], of: str) -> Iterable[Any]:
    try:
        return iter(given)
    except TypeError:  # an array without dimensions
        raise UserError(f"{where} = {shown(given)}: a list of {of} is expected") from None


def plain(value: Any) -> Any:
    """Return a number or a truth value of NumPy as Python's; everything else as it is."""
    return value.item() if isinstance(value, np.generic) else value


def table(where: str, given: object) -> dict[str, Any]:
    """Return a table, names to values; None is an empty one.

    Raises
    ------
    UserError
        It is none, or a name of it is no text.
    """
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise UserError(f"{where} = {shown(given)}: a table (a dictionary in Python) is expected")
    return {text(f"{where}: a name", name): value for name, value in given.items()}


def function(where: str, given: Any) -> Callable[..., Any]:
    """Return a function.

    Raises
    ------
    UserError
        It cannot be called.
    """
    if not callable(given):
        raise UserError(f"{where} = {shown(given)}: a function is expected")
    return given  # type: ignore[no-any-return]
