"""The names that a mistyped one may have meant."""

import difflib
from collections.abc import Iterable

CUTOFF = 0.6
"""Least similarity, of `difflib`, at which a name is proposed."""


def near_names(name: str, known: Iterable[str], count: int = 3) -> list[str]:
    """Give the names most like ``name``, the nearest first; case does not count."""
    by_folded: dict[str, str] = {}
    for candidate in known:
        by_folded.setdefault(candidate.lower(), candidate)
    near = difflib.get_close_matches(name.lower(), by_folded, n=count, cutoff=CUTOFF)
    return [by_folded[folded] for folded in near]
