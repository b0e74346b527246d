"""Tables and consoles of plain text for `vecsim.cli.printing.console`, where rich is not installed."""

from __future__ import annotations

from typing import Any, TextIO

GAP = "  "


class PlainTable:
    """A table of text, with the methods of `rich.table.Table` that are used here."""

    def __init__(self) -> None:
        self._names: list[str] = []
        self._right: list[bool] = []
        self._rows: list[tuple[str, ...]] = []

    def add_column(self, name: str, *, justify: str = "left", **_: Any) -> None:
        """Add a column, aligned left or right."""
        self._names.append(" ".join(name.split()))
        self._right.append(justify == "right")

    def add_row(self, *cells: str) -> None:
        """Add a row of as many cells as there are columns."""
        self._rows.append(cells)

    def __str__(self) -> str:
        rows = [tuple(self._names), *self._rows]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [
            GAP.join(
                cell.rjust(width) if right else cell.ljust(width)
                for cell, width, right in zip(row, widths, self._right, strict=True)
            ).rstrip()
            for row in rows
        ]
        return "\n".join([lines[0], "-" * (sum(widths) + len(GAP) * (len(widths) - 1)), *lines[1:]])


class PlainConsole:
    """Prints to a stream, with the method of `rich.console.Console` that is used here."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def print(self, *what: object, **_: Any) -> None:
        """Print objects as their text."""
        print(*what, file=self._stream)
