"""Where text goes: consoles and tables that stay readable in a terminal, a pipe and a file."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from vecsim.cli.printing.streams import in_one_line
from vecsim.support.shown_text import printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

UNLIMITED = 10_000
"""Columns of a console that is no terminal: nothing is cut."""


def console(*, stderr: bool = False) -> Console:
    """Return a console on stdout or stderr: plain text without escape codes unless it is a terminal."""
    stream = sys.stderr if stderr else sys.stdout
    from rich.console import Console

    terminal = stream.isatty()
    return Console(
        file=stream,
        force_terminal=terminal,
        width=None if terminal else UNLIMITED,
        markup=False,
        highlight=False,
        emoji=False,
    )


def table(left: Sequence[str], right: Sequence[str] = (), *, last: str = "") -> Table:
    """Return an empty table: text columns ``left``, number columns ``right``, a text column ``last``.

    In a narrow terminal text is folded before numbers are.
    """
    from rich import box
    from rich.table import Table

    result = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, collapse_padding=True)
    for name in left:
        result.add_column(name, overflow="fold")
    for name in right:
        result.add_column(name, justify="right", overflow="fold", no_wrap=True)
    if last:
        result.add_column(last, overflow="fold")
    return result


def fill(result: Table, rows: Iterable[Sequence[object]]) -> Table:
    """Add rows to a table: integers with separators of thousands, None as a dash."""
    for row in rows:
        result.add_row(*map(cell, row))
    return result


def cell(value: object) -> str:
    """Write one value of a table."""
    if value is None:
        return "-"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return printable(str(value))


def warn(message: str) -> None:
    """Print a warning, in addition to the results, that does not stop the run."""
    tell(f"warning: {message}")


def tell(message: str) -> None:
    """Print a line on stderr."""
    print(f"vecsim: {in_one_line(message)}", file=sys.stderr)
