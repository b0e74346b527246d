"""Wording of messages: what a user may have meant, how many of something."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(word: str, candidates: Iterable[str]) -> str:
    """Give ``; did you mean 'x'?`` for the nearest candidate, or nothing if none is near."""
    found = get_close_matches(word, sorted(candidates), n=1)
    return f"; did you mean {found[0]!r}?" if found else ""


def amount(count: int, thing: str) -> str:
    """Give ``no things``, ``1 thing``, ``2 things``."""
    return f"1 {thing}" if count == 1 else f"{count or 'no'} {thing}s"
