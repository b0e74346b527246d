"""What can happen to a JSON document: values of other types, keys that go, come or stand twice; bytes."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from math import isfinite
from typing import Any

from tests.data.plain_readers import Refused
from tests.data.plain_tar import NotJudged
from tests.fuzz.damage import damaged

Json = Any
STRANGE: tuple[Json, ...] = (
    None, True, False, 0, 1, -1, 2, 32, 64, 1.5, 3.0, 1e308, 2**31, 2**63, 2**64, 10**30, "", "x", "12", "32",
    "jit", "jit, simpy", "vecsim run", "vecsim exec", "vecsim why", "vecsim sweep", "\n", "\x1b[1m", "\u202e",
    "\ud800", "x" * 5000, "0" * 64, "g" * 64, [], [None], [1], ["x"], {}, {"x": 1}, {"x": None}, {"": "x"},
    [[]], [{}], {"x": {"x": [{}]}}, "../../etc/passwd", "/dev/zero", "laplace2d-3", "crs", "http://[",
)  # fmt: skip
TOKENS = (
    b"NaN", b"Infinity", b"-Infinity", b"1e999", b"-0", b"1.0", b"1E2", b"0x10", b"01", b"1_0", b"'x'",
    b"nan", b"9" * 450, b"9" * 5000, b"[" * 150 + b"]" * 150, b"[" * 20_000, b'{"a":' * 20_000, b"\\u0000",
    b"tru", b'{"x":1,"x":1}', b'{"x":1,"x":2}', b'"\\ud800"', b"\xff", b"\xef\xbb\xbf", b"/* */ 1", b",",
    b"",
)  # fmt: skip
"""What is put in the place of a value in the text."""
MARK = "@@"


def damaged_document(source: random.Random, document: Json, rightly: float = 0.25) -> bytes:
    """Return a document as JSON, most of the time with something wrong in its values or in its text."""
    way = source.random()
    if way < rightly:
        return _text(source, document)
    if way < 0.75:
        for _ in range(source.choice((1, 1, 1, 2, 3))):
            document = _edited(source, document)
        return _text(source, document)
    if way < 0.9:
        token = source.choice(TOKENS)
        text = json.dumps(_with_mark(source, document), ensure_ascii=source.random() < 0.5)
        return text.replace(f'"{MARK}"', "\0", 1).encode("utf-8", "surrogatepass").replace(b"\0", token)
    return damaged(source, _text(source, document), source.choice((1, 1, 2, 4)))


def _text(source: random.Random, document: Json) -> bytes:
    indent = source.choice((None, 2))
    return json.dumps(document, indent=indent, ensure_ascii=True).encode()


def places(document: Json) -> list[tuple[Json, Any]]:
    """Return every place of a document: what it is in, and its key there."""
    actual, left = [], [document]
    while left:
        table = left.pop()
        keys = table if isinstance(table, dict) else range(len(table))
        for key in keys:
            actual.append((table, key))
            if isinstance(table[key], dict | list):
                left.append(table[key])
    return actual


def _edited(source: random.Random, document: Json) -> Json:
    actual = places(document)
    if not actual:
        return copy.deepcopy(source.choice(STRANGE))
    table, key = source.choice(actual)
    if source.random() < 0.4:  # near the top, where most is
        table, key = document, source.choice(sorted(document)) if isinstance(document, dict) else 0
    way = source.random()
    if way < 0.55:
        table[key] = copy.deepcopy(source.choice(STRANGE))
    elif way < 0.7:
        del table[key]
    elif way < 0.8:
        other, other_key = source.choice(actual)
        try:
            table[key] = json.loads(json.dumps(other[other_key]))
        except (KeyError, IndexError):
            table[key] = None
    elif way < 0.9 and isinstance(table[key], int | float):
        table[key] += source.choice((1, -1, 0.5, 10**20))
    elif isinstance(table, dict):
        table[source.choice(("x", "", "name", "cycles", "kind", "sha256", "matrix"))] = copy.deepcopy(
            source.choice(STRANGE)
        )
    else:
        table.insert(key, copy.deepcopy(source.choice((*STRANGE, table[key]))))
    return document


def _with_mark(source: random.Random, document: Json) -> Json:
    table, key = source.choice(places(document))
    table[key] = MARK
    return document


def strict(data: bytes) -> Json:
    """Read strict JSON in UTF-8; the judge of `vecsim.support.structured_text`.

    Raises
    ------
    Refused
        It is none.
    NotJudged
        It is at a limit.
    """
    try:
        text = data.decode("utf-8-sig")
        value = json.loads(
            text, object_pairs_hook=_pairs, parse_constant=_refuse, parse_float=_real, parse_int=_whole
        )
    except RecursionError:
        raise Refused("too deep") from None
    except ValueError as error:
        raise Refused(str(error)) from None
    if any(map(_half, _texts(value))):
        raise Refused("half of a surrogate pair")
    if _depth(value) > 100:
        raise Refused("too deep")
    return value


def _half(text: str) -> bool:
    return any("\ud800" <= letter <= "\udfff" for letter in text)


def _texts(value: Json) -> Iterator[str]:
    left = [value]
    while left:
        each = left.pop()
        if isinstance(each, str):
            yield each
        elif isinstance(each, dict):
            yield from each
            left += each.values()
        elif isinstance(each, list):
            left += each


def _pairs(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    keys = [key for key, _ in pairs]
    if len(set(keys)) < len(keys):
        raise ValueError("a key twice")
    return dict(pairs)


def _refuse(text: str) -> None:
    raise ValueError(text)


def _real(text: str) -> float:
    if not isfinite(float(text)):
        raise ValueError(text)
    return float(text)


def _whole(text: str) -> int:
    if 300 < len(text) < 500:
        raise NotJudged
    if len(text) >= 500:
        raise ValueError("too many digits")
    return int(text)


def _depth(value: Json) -> int:
    level, depth = [value], 0
    while level := [each for each in level if isinstance(each, dict | list)]:
        depth += 1
        level = [inner for each in level for inner in (each.values() if isinstance(each, dict) else each)]
    return depth
