"""Write the tables of docs/papers/hbp.md and of the HBP part of benchmarks/README.md from recorded results.

python -m docs.tables.hbp

What stands between a pair of marker comments is replaced by the table of their name.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from textwrap import fill

from docs.tables import hbp_orders, hbp_products
from docs.tables.markdown import table
from experiments.papers.hbp import memory, preparation
from experiments.papers.hbp.paper import PAPER
from experiments.papers.hbp.printed import REDUCTIONS
from experiments.papers.hbp.results import Results
from experiments.papers.kit.source import recorded_results
from experiments.report.item import Item
from experiments.report.number_tables import shown
from experiments.report.tally import tally
from vecsim.results.atomic_files import write_file

ROOT = Path(__file__).parents[2]
PAGES = (ROOT / "docs/papers/hbp.md", ROOT / "benchmarks/README.md")
_MARKED = re.compile(r"(<!-- hbp ([a-z-]+): begin -->\n).*?(<!-- hbp \2: end -->)", re.S)
WIDTH = 120
"""Of lines of text."""


def rendered(text: str, results: Results) -> str:
    """Return the text of a page with its tables made of some results."""
    return _MARKED.sub(lambda match: f"{match[1]}\n{TABLES[match[2]](results)}\n\n{match[3]}", text)


def marked(text: str) -> Iterable[str]:
    """Yield the names of the tables of a page."""
    return (match[2] for match in _MARKED.finditer(text))


def main() -> int:
    """Write the tables into the pages."""
    results = recorded_results(Results)
    for page in PAGES:
        write_file(page, rendered(page.read_text(encoding="utf-8"), results).encode())
    return 0


def _items(results: Results) -> tuple[Item, ...]:
    return tuple(each.make(results) for each in PAPER.experiments)


def _counts(results: Results) -> str:
    counts = tally(_items(results)).statements
    return fill(
        f"Of {counts.all} statements of the paper {counts.confirmed} are confirmed on an {results.gpu}, "
        f"{counts.contradicted} are contradicted and {counts.not_testable} are not testable.",
        WIDTH,
    )


def _on_the_hash(results: Results) -> str:
    detail = preparation.verdict_on_the_hash(results).detail
    return fill(f"{detail[:1].upper()}{detail[1:]}.", WIDTH)


def _numbers(results: Results) -> str:
    """Return the printed numbers that ours are compared with, by item."""
    rows = [
        (_place(item), f"{row.row}, {row.quantity}", row.paper, shown(row), row.outcome)
        for item in _items(results)
        for row in item.rows
        if row.paper and row.ours is not None and not row.implied
    ]
    return table(("where", "what", "paper", "here", "outcome"), rows)


def _claims(results: Results) -> str:
    rows = [
        (_place(item), verdict.claim, verdict.outcome)
        for item in _items(results)
        for verdict in item.verdicts
    ]
    return table(("where", "claim", "outcome"), rows)


def _coincidences(results: Results) -> str:
    """Return numbers that are near printed ones for another reason."""
    rows = [
        (
            f"deviation on {matrix}, rows in their original order, per cent less",
            REDUCTIONS[name],
            f"{hbp_orders.less_in_turn(results, matrix, a):.0f}",
            reason,
        )
        for matrix, name, a, reason in (
            ("m4-kronecker-18", "kron_g500-logn18", 0, "a = 0, which sampling does not choose"),
            ("m14-circuit", "rajat30", 1, "a generated matrix; a CPU, one row after the other"),
        )
    ]
    for what, (ours, paper) in memory.coincidences(results).items():
        reason = "another GPU, a generated matrix, and bytes counted instead of measured"
        rows.append((f"{what}, GB/s", paper, f"{ours:.2f}", reason))
    return table(("what", "paper", "here", "what differs"), rows)


def _place(item: Item) -> str:
    return item.title.partition(":")[0]


TABLES: dict[str, Callable[[Results], str]] = {
    "counts": _counts,
    "verdict": _on_the_hash,
    "numbers": _numbers,
    "claims": _claims,
    "coincidences": _coincidences,
    **hbp_orders.TABLES,
    **hbp_products.TABLES,
}
"""By the name in the marker comments."""


if __name__ == "__main__":
    sys.exit(main())
