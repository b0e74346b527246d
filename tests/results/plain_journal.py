"""A second, slow reader of journals, written from the docstring of `vecsim.results.journal`."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

POLYNOMIAL = 0xEDB88320
HEXADECIMAL = b"0123456789abcdef"


def crc32(data: bytes) -> int:
    """The CRC-32 of ISO 3309, bit by bit."""
    register = 0xFFFFFFFF
    for byte in data:
        register ^= byte
        for _ in range(8):
            register = register >> 1 ^ (POLYNOMIAL if register & 1 else 0)
    return register ^ 0xFFFFFFFF


@lru_cache(maxsize=1 << 12)
def record_of(line: bytes) -> dict[str, Any] | None:
    """Return the record of a line without its newline; None if it has none."""
    digits, blank, text = line[:8], line[8:9], line[9:]
    if len(digits) != 8 or blank != b" " or not all(digit in HEXADECIMAL for digit in digits):
        return None
    if int(digits, 16) != crc32(text):
        return None
    try:
        record = json.loads(text.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    return record if type(record) is dict else None


def records_in(content: bytes, header: dict[str, Any]) -> list[dict[str, Any]] | None:
    """Return the whole records of a file after its header; None if it begins with another."""
    *lines, _ = content.split(b"\n")
    if not lines or record_of(lines[0]) != header:
        return None
    return [record for record in map(record_of, lines[1:]) if record is not None]
