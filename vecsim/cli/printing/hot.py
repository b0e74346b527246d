"""The instructions of a program with the cycles that they answer for, as a table."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from vecsim.cli.printing.console import fill, table
from vecsim.engines.cause import label

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
    recorded = any(line.address is not None for line in lines)
    names = ["address", "line", "instruction"] if recorded else ["pc", "instruction"]
    result = table(names, ["executions", "cycles", "share"])
    result.add_column("")
    result.add_column("attributed to")
    result.add_column("waited longest for")
    caches = sorted({name for line in lines for name in line.hits})
    for name in caches:
        result.add_column(f"{name} misses,\nof requests", justify="right", no_wrap=True)
    rows = ((*_row(line, line.cycles / cycles if cycles else 0.0), *_misses(line, caches)) for line in shown)
    return fill(result, rows)


def source_table(lines: Sequence[Line], most: int) -> Table | None:
    """Return the cycles of each line of the source, the costliest first; None where lines are not known.

    Parameters
    ----------
    lines
        All that was executed.
    most
        How many lines of the source to show.
    """
    cycles: dict[tuple[str, str], int] = {}
    causes: dict[tuple[str, str], Counter[str]] = {}
    for line in lines:
        if line.address is None or not line.place:
            continue
        key = line.place, line.source
        cycles[key] = cycles.get(key, 0) + line.cycles
        causes.setdefault(key, Counter()).update(line.cycles_by_cause)
    if not cycles:
        return None
    total = sum(line.cycles for line in lines)
    result = table(["source line", ""], ["cycles", "share"])
    result.add_column("")
    result.add_column("attributed to")
    rows = []
    for key in sorted(cycles, key=lambda key: -cycles[key])[:most]:
        share = cycles[key] / total if total else 0.0
        parts = ((label(name), each / cycles[key]) for name, each in causes[key].most_common(NAMED) if each)
        mostly = ", ".join(f"{name} {part:.0%}" for name, part in parts)
        rows.append((*key, cycles[key], f"{share:.1%}", bar(share), mostly or None))
    return fill(result, rows)


def _row(line: Line, share: float) -> Sequence[object]:
    where = (str(line.pc),) if line.address is None else (f"{line.address:x}", line.place or None)
    text = _COMMENT.sub("", line.text)
    about = (*where, text, line.executions, line.cycles, f"{share:.1%}", bar(share))
    return *about, line.mostly(NAMED) or None, line.longest_wait or None


def _misses(line: Line, caches: Sequence[str]) -> list[str | None]:
    """Write how many of the requests of an instruction each cache missed."""
    return [
        f"{line.misses[name]:,} of {line.hits[name] + line.misses[name]:,}" if name in line.hits else None
        for name in caches
    ]


def bar(share: float) -> str:
    """Draw a share, 0 to 1."""
    return "#" * round(share * BAR)
