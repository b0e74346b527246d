"""Write what pages say of the measurements of the HBP paper, from the recorded results.

python -m docs.tables.hbp
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from textwrap import fill

from docs.tables import hbp_orders, hbp_products, marked
from docs.tables.markdown import table
from docs.tables.marked import ROOT, WIDTH
from experiments.papers.hbp import balance, memory, preparation
from experiments.papers.hbp.paper import PAPER
from experiments.papers.hbp.printed import REDUCTIONS
from experiments.papers.hbp.results import Results
from experiments.papers.kit.recorded import newest
from experiments.papers.kit.source import recorded_results
from experiments.report.item import Item

PAGES = (ROOT / "docs/papers/hbp.md", ROOT / "docs/reproducing.md", ROOT / "benchmarks/README.md")
NAME = "hbp"


def main() -> int:
    """Write the parts of the pages."""
    marked.write(PAGES, NAME, PARTS_OF_PAGES, recorded_results(Results))
    return 0


def _items(results: Results) -> list[Item]:
    return [each.make(results) for each in PAPER.experiments]


def _counts(results: Results) -> str:
    return marked.counts(_items(results), results.gpu, PAPER.stand_ins(results))


def _on_the_hash(results: Results) -> str:
    detail = preparation.verdict_on_the_hash(results).detail
    return fill(f"{detail[:1].upper()}{detail[1:]}.", WIDTH)


def _numbers(results: Results) -> str:
    """Return the printed numbers of times, and what stands next to them."""
    rows = [
        (
            f"{row.row}, {row.quantity}",
            row.paper,
            f"{row.ours:.3g}" if row.ours is not None else row.note.removeprefix("here "),
            row.outcome,
        )
        for item in _items(results)
        for row in item.rows
        if row.paper and row.absent not in (memory.THE_PAPERS, balance.UNNAMED)
    ]
    return table(("number", "paper", "here", "outcome"), rows)


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


def _run(results: Results) -> str:
    """Return what the run was."""
    file = newest(Results.recorded_folder())
    name = "" if file is None else file.relative_to(ROOT)
    return fill(
        f"`vecsim reproduce hbp` takes {results.seconds['all']:.0f} seconds on an {results.gpu} with 16 "
        f"cores. The recorded results, `{name}`, were measured on {results.made[:10]} at commit "
        f"{results.commit[:7]}.",
        WIDTH,
        break_on_hyphens=False,
    )


PARTS_OF_PAGES: dict[str, Callable[[Results], str]] = {
    "counts": _counts,
    "verdict": _on_the_hash,
    "numbers": _numbers,
    "claims": lambda results: marked.claims(_items(results)),
    "coincidences": _coincidences,
    "run": _run,
    **hbp_orders.TABLES,
    **hbp_products.TABLES,
}
"""Makes each part of the pages."""

if __name__ == "__main__":
    sys.exit(main())
