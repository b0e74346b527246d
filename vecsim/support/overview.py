"""What records say of themselves: a line in an interpreter, a small table in a notebook."""

from __future__ import annotations

from abc import ABC, abstractmethod
from html import escape


class Overview(ABC):
    """A base of records whose ``repr`` is an overview, and not all of their arrays.

    A dataclass takes it with ``repr=False``.
    """

    @abstractmethod
    def overview(self) -> dict[str, object]:
        """Return what is worth knowing at a glance, by name: plain values, none of them long."""

    def __repr__(self) -> str:
        facts = ", ".join(f"{name}={_written(value)}" for name, value in self.overview().items())
        return f"{type(self).__name__}({facts})"

    def _repr_html_(self) -> str:
        """Return the overview as an HTML table, for a notebook."""
        rows = "".join(
            f"<tr><th style='text-align: left'>{escape(name.replace('_', ' '))}</th>"
            f"<td style='text-align: left'>{escape(_shown(value))}</td></tr>"
            for name, value in self.overview().items()
        )
        return f"<table><caption>{escape(type(self).__name__)}</caption>{rows}</table>"


def _written(value: object) -> str:
    """Write a value as Python would, a float in four digits."""
    return f"{value:.4g}" if isinstance(value, float) else repr(value)


def _shown(value: object) -> str:
    """Write a value for a reader: separators of thousands, shapes with a cross, no quotes."""
    if isinstance(value, tuple):
        return (", " if any(isinstance(part, str) for part in value) else " x ").join(map(_shown, value))
    if isinstance(value, dict):
        return ", ".join(f"{name} {_shown(inner)}" for name, inner in value.items())
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
