"""What a caller of the Python interface passes: each kind of argument is accepted or refused in one line."""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from vecsim.errors import UserError


def shown(value: object, most: int = 60) -> str:
    """Return a value as Python writes it, in ASCII and cut to some letters; a large object by its type."""
    if value is None or isinstance(value, str | bytes | int | float | os.PathLike):
        text = ascii(value) if not isinstance(value, int) or abs(value) < 10**most else "a huge number"
        return text if len(text) <= most else f"{text[: most - 3]}..."
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
    return isinstance(value, bool) or type(value).__name__ in ("bool_", "bool")


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
    found = os.fspath(value) if isinstance(value, str | os.PathLike) else None
    if not isinstance(found, str) or not found or "\0" in found:
        raise UserError(f"{where} = {shown(value)}: a name or a path is expected")
    return found


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
    return tuple(path_text(where, each) for each in series(where, given, "names or paths"))


def series(where: str, given: object, of: str) -> tuple[Any, ...]:
    """Return the values of a series; a text or a path is one value.

    Raises
    ------
    UserError
        It is no series: a table, None, a number.
    """
    if isinstance(given, str | os.PathLike):
        return (given,)
    if isinstance(given, Iterable) and not isinstance(given, Mapping | bytes):
        return tuple(given)
    raise UserError(f"{where} = {shown(given)}: a list of {of} is expected")


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
        raise UserError(f"{where} = {shown(given)}: a dictionary is expected")
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
