"""What all rules use."""

from __future__ import annotations

from typing import Any

NEVER = 1 << 60
"""The cycle of what is not yet known."""


def larger(a: Any, b: Any) -> Any:
    """Give the larger of two integers; the compiled engine does so without a branch."""
    return a if a > b else b


def smaller(a: Any, b: Any) -> Any:
    """Give the smaller of two integers."""
    return a if a < b else b
