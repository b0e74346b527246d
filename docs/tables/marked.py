"""Parts of pages that are made from data: what stands between a pair of marker comments is replaced."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from textwrap import fill
from typing import TypeVar

from docs.tables.markdown import table
from experiments.report.charts import draw
from experiments.report.item import Item
from experiments.report.number_tables import shown, three_digits
from experiments.report.tally import tally
from vecsim.results.atomic_files import write_file

T = TypeVar("T")
ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "docs/pictures"
WIDTH = 120
"""Of lines of text."""


def rendered(text: str, name: str, parts: Mapping[str, Callable[[T], str]], data: T) -> str:
    """Return the text of a page with its parts made from data.

    Parameters
    ----------
    text
        The page.
    name
        What the marker comments begin with: ``<!-- NAME PART: begin -->``.
    parts
        Makes each part, by its name.
    data
        What they are made of.
    """
    return _marked(name).sub(lambda match: f"{match[1]}\n{parts[match[2]](data)}\n\n{match[3]}", text)


def marked(text: str, name: str) -> Iterable[str]:
    """Yield the names of the parts of a page."""
    return (match[2] for match in _marked(name).finditer(text))


def write(pages: Iterable[Path], name: str, parts: Mapping[str, Callable[[T], str]], data: T) -> None:
    """Write the parts into pages; parameters as of `rendered`."""
    for page in pages:
        write_file(page, rendered(page.read_text(encoding="utf-8"), name, parts, data).encode())


def draw_pictures(items: Iterable[Item], names: Mapping[str, str]) -> None:
    """Draw charts into the folder of pictures.

    Parameters
    ----------
    items
        Those of a paper.
    names
        Of the pictures, without their ending, by the name of the item.
    """
    for item in items:
        if item.name in names and item.chart is not None:
            write_file(PICTURES / f"{names[item.name]}.png", draw(item.chart).png)


def _marked(name: str) -> re.Pattern[str]:
    return re.compile(rf"(<!-- {name} ([a-z0-9-]+): begin -->\n).*?(<!-- {name} \2: end -->)", re.S)


def counts(items: Iterable[Item], gpu: str, stand_ins: str) -> str:
    """Return what becomes of the statements of a paper, and what stands in for what, in sentences."""
    matches = tally(items)
    of_all = matches.statements
    return fill(
        f"Of {of_all.all} statements of the paper, {of_all.confirmed} are confirmed on an {gpu}, "
        f"{of_all.contradicted} are contradicted and {of_all.not_testable} are not testable: "
        f"{matches.in_words()}. Stand-ins: {stand_ins}.",
        WIDTH,
        break_on_hyphens=False,
    )


def numbers(items: Iterable[Item]) -> str:
    """Return the printed numbers that count, with ours and what becomes of them."""
    rows = [
        (
            f"{row.row}, {row.quantity}",
            row.paper,
            "" if row.ours is None else shown(row).partition(" (")[0],
            "" if row.without_one is None else " to ".join(map(three_digits, row.without_one)),
            row.outcome,
        )
        for item in items
        for row in item.rows
        if row.outcome and not row.implied and (row.ours is not None or row.absent != "the paper's GPU")
    ]
    return table(("number", "paper", "here", "without one matrix", "outcome"), rows)


def claims(items: Iterable[Item]) -> str:
    """Return the claims in words, and what becomes of them."""
    rows = [
        (item.title.partition(":")[0], verdict.claim, verdict.outcome_in_words)
        for item in items
        for verdict in item.verdicts
    ]
    return table(("where", "claim", "outcome"), rows)
