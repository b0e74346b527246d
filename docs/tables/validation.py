"""Tables of docs/validation.md: published measurements next to those that presets give."""

from __future__ import annotations

from collections import Counter
from itertools import groupby

from docs.tables.markdown import table
from experiments.validation.comparison import Row, read
from experiments.validation.riscv import sequences
from experiments.validation.riscv.comparison import Summary
from experiments.validation.riscv.recorded import read as riscv_summaries


def page() -> str:
    """Return a table for each source."""
    parts = []
    for (machine, source), group in groupby(read(), lambda row: (row.machine, row.source)):
        rows = list(group)
        once = " No number of the preset was chosen or changed by them." if rows[0].compared_once else ""
        parts += [f"`{machine}`, {rows[0].unit}. {source}.{once}", _table(rows)]
    return "\n\n".join(parts)


def counts() -> str:
    """Return how many measurements of each machine have which verdict."""
    heads = ("within 15 %", "explained", "differs")
    of: dict[str, Counter[str]] = {}
    for row in read():
        of.setdefault(row.machine.split()[0], Counter())[row.verdict] += 1
    total = sum(of.values(), Counter())
    rows = [(f"`{name}`", *(str(of[name][head]) for head in heads)) for name in of]
    return table(("preset", *heads), [*rows, ("all", *(str(total[head]) for head in heads))])


def half_lengths() -> str:
    """Return rates and half-performance lengths that follow from the loops of the CRAY-1."""
    of: dict[str, dict[int, Row]] = {}
    for row in read():
        if row.machine == "cray1":
            of.setdefault(row.measurement, {})[int(row.size.split()[-1])] = row
    heads = ("loop", "r∞ published, results in a clock period", "ours", "n½ published", "ours")
    return table(heads, [_half_length(name, rows) for name, rows in of.items()])


def _half_length(name: str, rows: dict[int, Row]) -> tuple[str, ...]:
    cells = []
    for times in (lambda row: row.published, lambda row: row.ours):
        short, long = (size * times(rows[size]) for size in (100, 1000))
        each = (long - short) / 900
        cells.append((f"{1 / each:.2f}", f"{short / each - 100:.0f}"))
    (rate, half), (our_rate, our_half) = cells
    return name, rate, our_rate, half, our_half


def _table(rows: list[Row]) -> str:
    cells = (
        (
            row.measurement,
            row.size,
            f"{row.published:g}",
            f"{row.ours:g}",
            f"{row.difference:+.1f} %",
            f"explained: {row.lacks}" if row.verdict == "explained" else row.verdict,
        )
        for row in rows
    )
    return table(("measurement", "size", "published", "ours", "difference", "verdict"), cells)


def vicuna() -> str:
    """Return by sequence the cycles that were measured on Vicuna, and those of its preset."""
    rows = [
        (sequence, str(lmul), ", ".join(str(row.vl) for row in same), _listed(published), _listed(ours))
        for (sequence, lmul), group in groupby(sequences.read(), lambda row: (row.sequence, row.lmul))
        for same in [list(group)]
        for published, ours in [([row.cycles for row in same], [row.ours for row in same])]
    ]
    return table(("sequence", "LMUL", "vl", "cycles", "ours"), rows)


def _listed(cycles: list[float]) -> str:
    """Return cycles one after the other, or once if all are equal."""
    shown = [f"{each:g}" for each in cycles]
    return shown[0] if len(set(shown)) == 1 else ", ".join(shown)


def riscv() -> str:
    """Return by core and timing class how many published entries are met."""
    cells = [
        (
            f"`{core}`",
            row.timing.lower().replace("_", " ").removeprefix("vector "),
            f"{row.entries:,}",
            f"{100 * row.met / row.entries:.0f} %",
            row.cause,
        )
        for core, rows in riscv_summaries().items()
        for row in [*rows, Summary("all", sum(r.entries for r in rows), sum(r.met for r in rows), "")]
        if row.met < row.entries or row.timing == "all"
    ]
    return table(("preset", "class", "entries", "met", "why not all"), cells)
