"""What can happen to a file: bytes that change, come, go; lines that are cut, doubled, exchanged."""

from __future__ import annotations

import random
from collections.abc import Callable

STRANGE = (
    b"\0", b"\r", b"\n", b"\t", b" ", b"\x0b", b"\x0c", b"\x1a", b"\x1c", b"\x85", b"\xa0", b"\xff",
    b"_", b"%", b",",
    b".", b"-", b"+", b"e", b"E", b"D", b"0", b"9", b"\xe2\x80\x89", b"\xef\xbb\xbf",
)  # fmt: skip


def damaged(source: random.Random, data: bytes, times: int) -> bytes:
    """Damage bytes in this many ways, one after the other."""
    for _ in range(times):
        data = source.choice(WAYS)(source, data)
    return data


def _flip(source: random.Random, data: bytes) -> bytes:
    place = source.randrange(len(data) + 1)
    return (
        data[:place]
        + bytes([byte ^ 1 << source.randrange(8) for byte in data[place : place + 1]])
        + data[place + 1 :]
    )


def _insert(source: random.Random, data: bytes) -> bytes:
    place = source.randrange(len(data) + 1)
    return data[:place] + source.choice(STRANGE) + data[place:]


def _replace(source: random.Random, data: bytes) -> bytes:
    place = source.randrange(len(data) + 1)
    return data[:place] + source.choice(STRANGE) + data[place + 1 :]


def _remove(source: random.Random, data: bytes) -> bytes:
    place = source.randrange(len(data) + 1)
    return data[:place] + data[place + source.choice((1, 1, 1, 2, 8)) :]


def _cut(source: random.Random, data: bytes) -> bytes:
    return data[: source.randrange(len(data) + 1)]


def _lines(change: Callable[[random.Random, list[bytes]], None]) -> Callable[[random.Random, bytes], bytes]:
    def changed(source: random.Random, data: bytes) -> bytes:
        lines = data.split(b"\n")
        change(source, lines)
        return b"\n".join(lines)

    return changed


def _drop_line(source: random.Random, lines: list[bytes]) -> None:
    del lines[source.randrange(len(lines))]


def _double_line(source: random.Random, lines: list[bytes]) -> None:
    place = source.randrange(len(lines))
    lines.insert(place, lines[place])


def _exchange_lines(source: random.Random, lines: list[bytes]) -> None:
    first, second = source.randrange(len(lines)), source.randrange(len(lines))
    lines[first], lines[second] = lines[second], lines[first]


def _join_lines(source: random.Random, lines: list[bytes]) -> None:
    place = source.randrange(len(lines))
    lines[place : place + 2] = [b" ".join(lines[place : place + 2])]


WAYS = (
    _flip,
    _insert,
    _insert,
    _replace,
    _replace,
    _remove,
    _cut,
    _lines(_drop_line),
    _lines(_double_line),
    _lines(_exchange_lines),
    _lines(_join_lines),
)
