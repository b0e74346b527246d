"""Write what docs/papers/pellr.md and docs/reproducing.md say of measurements, from the recorded results.

python -m docs.tables.pellr
"""

from __future__ import annotations

import sys
from textwrap import fill

from docs.tables import marked
from docs.tables.markdown import table
from docs.tables.marked import ROOT, WIDTH
from experiments.papers.kit.recorded import newest
from experiments.papers.kit.source import recorded_results
from experiments.papers.pellr import claims
from experiments.papers.pellr.paper import PAPER
from experiments.papers.pellr.results import DTYPES, PARTS, Results
from experiments.report.item import Item
from experiments.report.number_tables import three_digits

PAGES = (ROOT / "docs/papers/pellr.md", ROOT / "docs/reproducing.md")
NAME = "pellr"
PICTURES = {"pellr-fig6": "paper-pellr-fig6", "pellr-fig8": "paper-pellr-fig8"}
"""By the name of the item."""


def main() -> int:
    """Write the parts of the pages, and draw their pictures."""
    results = recorded_results(Results)
    marked.write(PAGES, NAME, PARTS_OF_PAGES, results)
    marked.draw_pictures(_items(results), PICTURES)
    return 0


def _items(results: Results) -> list[Item]:
    return [each.make(results) for each in PAPER.experiments]


def _counts(results: Results) -> str:
    return marked.counts(_items(results), results.gpu, PAPER.stand_ins(results))


def _sets(results: Results) -> str:
    """Return ours of each number on all sets of matrices and in both types."""
    rows: dict[str, dict[str, str]] = {}
    for row in claims.make(results).rows:
        words, _, part = row.row.partition("; ")
        if part:
            key = f"{part.removeprefix('stand-ins ')}, {row.quantity}"
            rows.setdefault(words, {})[key] = "" if row.ours is None else three_digits(row.ours)
    printed = {claim.words: claim.printed for claim in claims.CLAIMS}
    columns = [f"{part}, {short}" for part in PARTS.values() for short in DTYPES.values()]
    cells = [
        (words, printed[words], *(of.get(column, "") for column in columns)) for words, of in rows.items()
    ]
    return table(("times that PELLR is faster", "paper", *columns), cells)


def _run(results: Results) -> str:
    """Return what the run was."""
    file = newest(Results.recorded_folder())
    name = "" if file is None else file.relative_to(ROOT)
    return fill(
        f"`vecsim reproduce pellr` takes {results.seconds['all']:.0f} seconds on an {results.gpu}. The "
        f"recorded results, `{name}`, were measured on {results.made[:10]} at commit {results.commit[:7]}.",
        WIDTH,
        break_on_hyphens=False,
    )


PARTS_OF_PAGES = {
    "counts": _counts,
    "numbers": lambda results: marked.numbers(_items(results)),
    "claims": lambda results: marked.claims(_items(results)),
    "sets": _sets,
    "run": _run,
}
"""Makes each part of the pages."""

if __name__ == "__main__":
    sys.exit(main())
