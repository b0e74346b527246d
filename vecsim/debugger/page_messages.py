"""What a page may send to its debugger, as textual's programs take it; nothing that is sent is trusted."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

LARGEST = 1000
"""Columns and rows of a terminal, at most."""


def size_of(query: Mapping[str, str]) -> tuple[int, int]:
    """Return columns and rows of the terminal that a page asks for."""
    return _length(query.get("width", ""), 80), _length(query.get("height", ""), 24)


def _length(given: Any, otherwise: int) -> int:
    try:
        length = int(given)
    except (ValueError, TypeError, OverflowError):
        return otherwise
    return max(1, min(length, LARGEST))


def packet_of(message: str) -> bytes | str:
    """Return what a message of a page means: a packet for the debugger, or an answer for the page.

    Raises
    ------
    ValueError
        No page sends this.
    """
    try:
        parts = json.loads(message)
    except RecursionError:
        raise ValueError(message) from None
    if not isinstance(parts, list):
        raise ValueError(message)
    kind, data = [*parts, None, None][:2]
    if kind == "stdin" and isinstance(data, str):
        return _packet(b"D", data.encode("utf-8", "replace"))
    if kind == "ping":
        return json.dumps(["pong", data])
    if kind == "resize" and isinstance(data, dict):
        size = {"width": _length(data.get("width"), 80), "height": _length(data.get("height"), 24)}
        return _packet(b"M", json.dumps({"type": "resize", **size}).encode())
    if kind in ("focus", "blur"):
        return _packet(b"M", json.dumps({"type": kind}).encode())
    raise ValueError(message)


def _packet(kind: bytes, content: bytes) -> bytes:
    return kind + len(content).to_bytes(4, "big") + content
