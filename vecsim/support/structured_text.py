"""TOML and JSON that a user gives: refused before or after parsing where depth or size serve no purpose.

JSON is read as its standard has it: no NaN, no key twice, no number beyond every type.

Python's parser of TOML takes time that grows with the square of a key's parts, and both parsers, like most
code that walks over their results, go one call deeper for each level.
"""

from __future__ import annotations

import json
import re
import tomllib
from math import isfinite
from typing import Any

from vecsim.support.decimal_text import OutOfRangeError, nearest_float
from vecsim.support.errors import UserError
from vecsim.support.input_files import InputKind, Name, read_text
from vecsim.support.suggestions import shown

MOST_TOML_BYTES = 1 << 18
"""Of a TOML text."""
MOST_TOKENS = 10_000
"""Keys, each of their parts, and values of a TOML text; its parser takes less than 0.1 s for as many."""
MOST_KEY_PARTS = 8
"""Parts of a dotted key, or of the name of a table."""
MOST_TOML_DEPTH = 8
"""Arrays and inline tables in each other."""
MOST_TOKEN = 1000
"""Letters of a key or a number."""
MOST_JSON_DEPTH = 100
MOST_DIGITS = 400
"""Digits of an integer in JSON: no number that vecsim writes has as many."""

_HIDING = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*(?:"{3,5}|\\?\Z)'
    r"|'''(?:[^']|'(?!''))*(?:'{3,5}|\Z)"
    r'|"(?:[^"\\\n]|\\[^\n])*"?'
    r"|'[^'\n]*+'?"
    r"|#[^\n]*+",
    re.DOTALL,
)
"""Strings and comments, which may hold anything. What is not closed goes as far as the parser reads it."""
_BRACKETS = re.compile(r"[\[\]{}]")
_BETWEEN_TOKENS = re.compile(r"[=,\[\]{}\n]")


class NotTomlError(UserError):
    """A text is not TOML at all; its limits are kept."""


def read_json(path: Name, kind: InputKind) -> Any:
    """Return what a JSON file holds.

    Raises
    ------
    UserError
        It cannot be read (`vecsim.support.input_files.read_text`), is not JSON or nested too deeply.
    """
    return json_value(read_text(path, kind), str(path))


def json_value(text: str, where: str) -> Any:
    """Return the value of a JSON text; messages call it `where`.

    Raises
    ------
    UserError
        It is not JSON (NaN, a key that stands twice in an object, a number beyond float64 and half of a
        surrogate pair are not), or has more than `MOST_JSON_DEPTH` lists and objects in each other.
    """
    too_deep = f"{where}: is nested too deeply: at most {MOST_JSON_DEPTH} lists and objects in each other"
    try:
        value = json.loads(
            text,
            object_pairs_hook=_object,
            parse_constant=_constant,
            parse_float=_finite,
            parse_int=_integer,
        )
        if "\\u" in text:
            _check_texts(value)
    except RecursionError:
        raise UserError(too_deep) from None
    except json.JSONDecodeError as error:
        raise UserError(
            f"{where}: is not JSON: line {error.lineno}, column {error.colno}: {error.msg}"
        ) from None
    except ValueError as error:
        raise UserError(f"{where}: is not strict JSON: {error}") from None
    level = [value]
    for _ in range(MOST_JSON_DEPTH + 1):
        nested = [each for each in level if isinstance(each, dict | list)]
        if not nested:
            return value
        level = [inner for each in nested for inner in (each.values() if isinstance(each, dict) else each)]
    raise UserError(too_deep)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {shown(repr(twice))} occurs twice in one object; use it once")
    return result


def _check_texts(value: Any) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError(
            "a text has half of a surrogate pair, such as \\ud800; use whole characters"
        ) from None


def _constant(text: str) -> Any:
    raise ValueError(f"{text} is not a number of JSON")


def _finite(text: str) -> float:
    value = float(text)
    if not isfinite(value):
        raise ValueError(f"{shown(text)} is too large for a number; at most 1.8e308 is possible")
    return value


def _integer(text: str) -> int:
    if len(text) > MOST_DIGITS:
        raise ValueError(f"a number has {len(text)} digits, at most {MOST_DIGITS} are read")
    return int(text)


def read_toml(path: Name, kind: InputKind, name: str = "") -> dict[str, Any]:
    """Return the table of a TOML file; messages call it `name`, or by its path.

    Raises
    ------
    UserError
        It cannot be read (`vecsim.support.input_files.read_text`); otherwise as `toml_table`.
    """
    return toml_table(read_text(path, kind, name), name or str(path))


def toml_table(text: str, where: str) -> dict[str, Any]:
    """Return the table of a TOML text; messages call it `where`.

    Raises
    ------
    NotTomlError
        It is not TOML.
    UserError
        It exceeds one of the limits of this module.
    """
    _check_toml(text, where)
    try:
        return tomllib.loads(text, parse_float=_real)
    except OutOfRangeError as error:
        raise UserError(f"{where}: {error}") from None
    except ValueError as error:  # of the parser, or of a date such as 2001-02-30
        raise NotTomlError(f"{where}: not valid TOML: {error}") from None


def _real(text: str) -> float:
    return nearest_float(text.replace("_", ""))  # TOML separates digits so


def _check_toml(text: str, where: str) -> None:
    if len(text) > MOST_TOML_BYTES:
        raise UserError(f"{where}: has more than {MOST_TOML_BYTES:,} letters; use a smaller file")
    bare = _HIDING.sub(lambda result: "" if result[0][0] == "#" else "s", text)
    depth = 0
    for bracket in _BRACKETS.findall(bare):
        depth += 1 if bracket in "[{" else -1
        if depth > MOST_TOML_DEPTH:
            raise UserError(
                f"{where}: a value is nested too deeply: at most {MOST_TOML_DEPTH} arrays and tables "
                "in each other"
            )
    tokens = [token for token in map(str.strip, _BETWEEN_TOKENS.split(bare)) if token]
    parts = [token.count(".") for token in tokens]
    if max(parts, default=0) >= MOST_KEY_PARTS:
        token = tokens[parts.index(max(parts))]
        raise UserError(
            f"{where}: the key {token[:20]}... has more than {MOST_KEY_PARTS} parts; use a shorter one"
        )
    if max(map(len, tokens), default=0) > MOST_TOKEN:
        token = max(tokens, key=len)
        raise UserError(
            f"{where}: {token[:20]}... is too long: a key or number has at most {MOST_TOKEN} letters"
        )
    if len(tokens) + sum(parts) > MOST_TOKENS:
        raise UserError(f"{where}: has more than {MOST_TOKENS:,} keys and values; use a smaller file")
