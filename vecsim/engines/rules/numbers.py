"""What all rules use."""

from __future__ import annotations

NEVER = 1 << 60
"""The cycle of what is not yet known."""


def larger(a: int, b: int) -> int:
    """Return the larger of two integers; the compiled engine does so without a branch."""
    return a if a > b else b


def smaller(a: int, b: int) -> int:
    """Return the smaller of two integers."""
    return a if a < b else b
