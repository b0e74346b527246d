"""``python -m experiments.papers.hism.calibration``: tables of docs/papers/calibration.md, of stored runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from experiments.papers.hism.calibration.headings import DIFFERENCES, HEADINGS
from experiments.papers.hism.recorded_calibration import rows

UNCALIBRATED = "uncalibrated"
CANDIDATES = (
    "rank",
    "score",
    "as near",
    "distinguishable",
    "conclusions that fail",
    "of all within 10 %",
    "of 18 within 15 %",
    DIFFERENCES,
)
WHOLE = ("spread", "standards", "groups", "provenance")
"""Tables that are printed as they are."""
STANDARDS = {
    "vs2003": "proposal, as proposed",
    "vs2003, plain": "proposal, plain",
    "vs2003, pipelined": "proposal, pipelined",
    "finalists": "machines, as proposed",
    "finalists, plain": "machines, plain",
    "finalists, pipelined": "machines, pipelined",
}
"""Columns on conclusions, and what they are of the table by standard of the programs."""
VARIANTS = range(3, 18)
"""Ranks of candidates that differ little from rank 2; only the report shows them."""


def section() -> str:
    """Return the tables in Markdown."""
    changed_head = ("", UNCALIBRATED, "vs2003", "why these values are plausible")
    parts = {name: _whole(name) for name in WHOLE}
    parts["choices"] = _grid(changed_head, changed())
    parts["candidates"] = _grid(CANDIDATES, candidates())
    parts["sensitivity"] = _grid(("conclusion", *STANDARDS, "of all examined"), conclusions())
    titles = {name: HEADINGS[name][0] for name in parts} | {"choices": "What was changed"}
    order = ("spread", "standards", "sensitivity", "groups", "choices", "candidates", "provenance")
    return "\n\n".join(f"### {titles[name]}\n\n{parts[name]}" for name in order) + "\n"


def changed() -> Iterable[Sequence[str]]:
    """Yield the choices in which vs2003 differs from the uncalibrated machine."""
    for row in rows("choices"):
        first = row["values"].split(" | ")[0]
        if row["proposed"] != first:
            yield [row["choice"], first, row["proposed"], row["why they are plausible"]]


def candidates() -> Iterable[Sequence[str]]:
    """Yield the nearest candidates, without those that vary one that is shown."""
    for row in rows("candidates"):
        if int(row["rank"].partition(",")[0]) not in VARIANTS:
            yield [row[column] for column in CANDIDATES]


def conclusions() -> Iterable[Sequence[str]]:
    """Yield for each conclusion on which machines it holds."""
    for row, all_ in zip(rows("conclusions-by-standard"), rows("sensitivity"), strict=True):
        shown = (row[column] for column in STANDARDS.values())
        yield [row["conclusion"], *shown, f"{all_['holds on']} of {all_['of']}"]


def _whole(name: str) -> str:
    """Return a kept table."""
    recorded = rows(name)
    head = list(recorded[0])
    return _grid(head, ([row[column] for column in head] for row in recorded))


def _grid(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


if __name__ == "__main__":
    print(section(), end="")
