"""Wording of messages: which name a mistyped one may have meant, how many of what, what a file has."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

CUTOFF = 0.6
"""Least similarity, 0 to 1 by difflib, at which a name is proposed."""


_PLURALS = {"entry": "entries", "matrix": "matrices", "vertex": "vertices"}
"""Irregular plurals."""


def nearest(word: str, known: Iterable[str], count: int = 1) -> str:
    """Return the end of a message about an unknown name: ``; did you mean 'a' or 'b'?``.

    Parameters
    ----------
    word
        What the user wrote.
    known
        The names that would have been right; case does not count in the comparison.
    count
        How many to propose at most, the nearest first.

    Returns
    -------
    str
        Empty if none is near.
    """
    by_folded: dict[str, str] = {}
    for name in known:
        by_folded.setdefault(name.lower(), name)
    result = get_close_matches(word.lower(), by_folded, n=count, cutoff=CUTOFF)
    return did_you_mean(by_folded[folded] for folded in result)


def did_you_mean(names: Iterable[str]) -> str:
    """Return the end of a message that proposes names, empty without any."""
    proposed = " or ".join(map(repr, names))
    return f"; did you mean {proposed}?" if proposed else ""


def amount(count: int, thing: str) -> str:
    """Return ``no things``, ``1 thing``, ``2 things``."""
    return counted(count, thing) if count else f"no {_plural(thing)}"


def counted(count: int, thing: str) -> str:
    """Return a number with its noun: ``0 things``, ``1 thing``, ``1,234 things``."""
    return f"{count:,} {thing if count == 1 else _plural(thing)}"


def _plural(thing: str) -> str:
    *before, noun = thing.split(" ")
    plural = _PLURALS.get(noun) or f"{noun}{'es' if noun.endswith(('s', 'x', 'ch', 'sh')) else 's'}"
    return " ".join((*before, plural))


def shown(text: bytes | str, most: int = 40) -> str:
    """Return what stands in a file for a message: this many letters, those that cannot be printed escaped."""
    letters = text[: most + 1].decode("latin-1") if isinstance(text, bytes) else text
    end = "..." if len(letters) > most else ""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in letters[:most]) + end
