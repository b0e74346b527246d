"""The instructions of a program with the cycles that they answer for, as a table."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from vecsim.cli.printing.console import fill, table

if TYPE_CHECKING:
    from rich.table import Table

    from vecsim.engines.lines import Line

BAR = 24
"""Letters of a whole bar."""
_COMMENT = re.compile(r"\s*(#|;|//).*")
NAMED = 2
"""Causes that are named of an instruction's cycles, at most."""


def hot_table(lines: Sequence[Line], hot: int | None, listing: bool) -> Table:
    """Return the table of ``--hot`` and ``--listing``.

    Parameters
    ----------
    lines
        All that was executed, in the order of the program.
    hot
        How many to show, the costliest first; all without it.
    listing
        All in the order of the program instead.
    """
    cycles = sum(line.cycles for line in lines)
    shown = lines if listing else sorted(lines, key=lambda line: -line.cycles)[:hot]
    result = table(["pc", "instruction"], ["executions", "cycles", "share"])
    result.add_column("")
    result.add_column("attributed to")
    result.add_column("waited longest for")
    return fill(result, (_row(line, line.cycles / cycles if cycles else 0.0) for line in shown))


def _row(line: Line, share: float) -> Sequence[object]:
    about = (
        str(line.pc),
        _COMMENT.sub("", line.text),
        line.executions,
        line.cycles,
        f"{share:.1%}",
        bar(share),
    )
    return *about, line.mostly(NAMED) or None, line.longest_wait or None


def bar(share: float) -> str:
    """Draw a share, 0 to 1."""
    return "#" * round(share * BAR)
