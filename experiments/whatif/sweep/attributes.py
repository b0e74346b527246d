"""The attributes of a sweep as callers and specification files give them: texts, series, numbers of NumPy."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from programs.declaration import SmvmProgram
from programs.registry import ProgramLike, find, program_like
from programs.user_format import UserFormat
from vecsim.data import Matrix, as_matrix
from vecsim.data.conversion import UNNAMED
from vecsim.data.memory_files import byte_count
from vecsim.machine import Extension, Machine
from vecsim.support.arguments import path_text, plain, series, shown, table, text, whole
from vecsim.support.decimal_text import integer
from vecsim.support.errors import UserError
from vecsim.support.mistakes import Mistakes

Value = int | bool | str

MOST_VALUES = 10_000
"""Values of one number, at most."""

_NUMBER = re.compile(r"[0-9]{1,100}")
_RANGE = re.compile(r"([0-9]{1,100}):([0-9]{1,100})(?::(x?)([0-9]{1,100}))?")
_WORDS: dict[str, bool] = {"true": True, "false": False, "on": True, "off": False}
_MAY_BE_EMPTY = ("question", "isa", "function")


def values_of(where: str, text: str) -> tuple[Value, ...]:
    """Read values as the command line gives them.

    ``8,16,32`` is a list, ``0:40:10`` a range with both ends (steps of 1 without the last number),
    ``16:256:x2`` the powers from 16 up to 256 in steps of a factor of 2; these may stand in a list, too.

    Parameters
    ----------
    where
        What messages call them.
    text
        The values.

    Raises
    ------
    UserError
        An empty value, a range that holds none or too many, or a step of 0 or by a factor below 2.
    """
    result: list[Value] = []
    for value in _once(value for part in text.split(",") for value in _part(where, part.strip())):
        result.append(value)
        if len(result) > MOST_VALUES:
            raise UserError(f"{where}: {text} has too many values; at most {MOST_VALUES:,} are possible")
    return tuple(result)


def _part(where: str, part: str) -> Iterator[Value]:
    if not part:
        raise UserError(f"{where}: a value is missing; write 8,16,32 or 0:40:10 or 16:256:x2")
    match = _RANGE.fullmatch(part)
    if match is None:
        yield _WORDS[part] if part in _WORDS else int(part) if _NUMBER.fullmatch(part) else part
        return
    first, last, times, step = int(match[1]), int(match[2]), match[3], int(match[4] or 1)
    if step < (2 if times else 1) or first > last or (times and first == 0):
        raise UserError(
            f"{where}: {part} is not a range; write FIRST:LAST, FIRST:LAST:STEP or FIRST:LAST:xFACTOR, with "
            "FIRST up to LAST, a step of 1 or a factor of 2 or more"
        )
    value = first
    while value <= last:
        yield value
        value = value * step if times else value + step


_COUNTS: dict[str, int] = {
    "samples": 1,
    "design_seed": 0,
    "value_bits": 0,
    "seed": 0,
    "max_cycles": 1,
    "adaptive": 0,
    "jitter": 0,
}
"""The whole numbers of a sweep, and the least that each may be."""


def read_attribute(name: str, value: Any) -> Any:
    """Read an attribute of a sweep as a caller or a specification file gives it.

    Raises
    ------
    UserError
        It is of a type that the attribute does not take.
    """
    if name == "matrices":
        return _matrices(value)
    if name == "programs":
        return _programs(value)
    if name == "extend":
        return tuple(map(_extension, series(name, _alone(value), "names")))
    if name == "load":
        return tuple(text(name, each) for each in series(name, value, "texts"))
    if name in ("set", "option", "argument"):
        return _factors(name, value)
    if name == "define":
        return {key: _integers(f"{name}.{key}", values) for key, values in _factors(name, value).items()}
    if name == "memory":
        return byte_count(name, str(value) if type(value) is int else text(name, value))
    if name == "at":
        return tuple(
            _point(f"at[{number}]", each) for number, each in enumerate(series(name, value, "tables"))
        )
    if name == "cost":
        return {key: plain(weight) for key, weight in table(name, value).items()}
    if name in _COUNTS:
        return whole(name, value, _COUNTS[name])
    if name == "machine":
        return value if isinstance(value, Machine) else path_text(name, value)
    return "" if isinstance(value, str) and not value and name in _MAY_BE_EMPTY else text(name, value)


def _point(where: str, given: Any) -> dict[str, Value]:
    """Read a value of each thing."""
    result: dict[str, Value] = {}
    for name, values in _flat(where, given).items():
        result[name] = plain(values)
        if not isinstance(result[name], int | str):
            raise UserError(
                f"{where}.{name}: {shown(values)} must be a whole number, a word or a truth value"
            )
    return result


def _alone(value: Any) -> Any:
    """Put what is no series of names, but one of what stands in a series, into one."""
    objects = Matrix | SmvmProgram | UserFormat | Extension | np.ndarray
    return (value,) if isinstance(value, objects) or hasattr(value, "tocsr") else value


def _programs(given: object) -> tuple[ProgramLike, ...]:
    """Read names of programs, and user-defined formats, whose names must differ."""
    programs = tuple(map(program_like, series("programs", _alone(given), "names")))
    names = [find(each).name if isinstance(each, UserFormat) else each for each in programs]
    for name, each in zip(names, programs, strict=True):
        if isinstance(each, UserFormat) and names.count(name) > 1:
            raise UserError(f"programs: two are named {name!r}: rename one")
    return programs


def _matrices(given: object) -> tuple[str | Matrix, ...]:
    """Read names and matrices: one, a series of them and of pairs (name, matrix), or a table by name."""
    several = table("matrices", given).items() if isinstance(given, Mapping) else _alone(given)
    result = [
        _matrix(f"matrices[{at}]", each) for at, each in enumerate(series("matrices", several, "names"))
    ]
    unnamed = [at for at, each in enumerate(result) if isinstance(each, Matrix) and each.name == UNNAMED]
    for number, at in enumerate(unnamed if len(unnamed) > 1 else (), 1):
        result[at] = replace(result[at], name=f"{UNNAMED}-{number}")
    names = [each.name for each in result if isinstance(each, Matrix)]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UserError(f"matrices: two are named {twice!r}; name them, such as {{'a': a, 'b': b}}")
    return tuple(result)


def _matrix(where: str, given: Any) -> Any:
    """Read a name, a matrix, or a pair of a name and a matrix."""
    name = None
    if isinstance(given, tuple) and len(given) == 2 and isinstance(given[0], str):
        name, given = text(f"{where}: a name", given[0]), given[1]
    if isinstance(given, str | os.PathLike):
        if name is not None:
            raise UserError(f"{where}: {shown(given)} is a name; only a matrix can be given another one")
        return path_text(where, given)
    try:
        matrix = as_matrix(given)
    except UserError as error:
        raise UserError(f"{where}: {error}") from None
    return matrix if name is None else replace(matrix, name=name)


def _extension(given: Any) -> str:
    if isinstance(given, Extension):
        if not given.file:
            raise UserError(f"extend: {given.name} is of no file, and a sweep needs one: extend=('mine.py',)")
        return given.file
    return path_text("extend", given)


def _factors(name: str, given: Any) -> dict[str, tuple[Value, ...]]:
    """Read what is varied: a table, or texts as of ``--set``, ``KEY=VALUES``."""
    if isinstance(given, str | list | tuple):
        assigned = [_assignment(name, each) for each in series(name, given, "texts")]
    else:
        assigned = list(_flat(name, given).items())
    mistakes, result = Mistakes(), dict[str, tuple[Value, ...]]()
    for key, each in assigned:
        if key in result:
            mistakes.add(f"{name}.{key}: is varied twice; remove one")
        result[key] = mistakes.attempt(_values, f"{name}.{key}", each) or ()
    mistakes.raise_all()
    return result


def _assignment(name: str, given: object) -> tuple[str, str]:
    """Split ``KEY=VALUES``."""
    key, separator, values = (part.strip() for part in text(name, given).partition("="))
    if not (separator and key and values):
        raise UserError(f"{name} = {shown(given)}: write it as KEY=VALUES, such as banks=8,16")
    return key, values


def _flat(name: str, value: object, prefix: str = "") -> dict[str, Any]:
    """Return the values of a table and of the tables in it by full names."""
    result: dict[str, Any] = {}
    for key, each in table(f"{name}.{prefix}".rstrip("."), value).items():
        if isinstance(each, Mapping):
            result |= _flat(name, each, f"{prefix}{key}.")
        else:
            result[prefix + key] = each
    return result


def _values(where: str, given: Any) -> tuple[Value, ...]:
    """Read values from one, or a series of them; each text as `values_of` has it."""
    one = given is None or isinstance(given, int | float | np.generic)
    several: list[Value] = []
    for value in map(plain, (given,) if one else series(where, given, "values")):
        if isinstance(value, str):
            several += values_of(where, value)
        elif isinstance(value, int):
            several.append(value)
        else:
            raise UserError(f"{where}: {shown(value)} must be a whole number, a word or a truth value")
        if len(several) > MOST_VALUES:
            raise UserError(f"{where}: has too many values; at most {MOST_VALUES:,} are possible")
    return tuple(_once(several))


def _integers(where: str, values: Iterable[Value]) -> tuple[Value, ...]:
    """Read the values of a symbol: whole numbers, also negative ones and with 0x or 0b."""
    result: list[Value] = []
    for value in values:
        number = integer(value) if isinstance(value, str) else value
        if number is None or isinstance(value, bool):
            raise UserError(f"{where}: {shown(str(value))} is not an integer; use a whole number")
        result.append(number)
    return tuple(_once(result))


def _once(values: Iterable[Value]) -> Iterator[Value]:
    """Return each value once; 1 and true are two."""
    seen: set[tuple[type, Value]] = set()
    for value in values:
        if (type(value), value) not in seen:
            seen.add((type(value), value))
            yield value
