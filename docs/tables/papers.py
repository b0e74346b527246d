"""Write what README says of the five papers, from the recorded results.

python -m docs.tables.papers
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from docs.tables import marked
from docs.tables.markdown import table
from docs.tables.marked import ROOT
from experiments.papers import hism
from experiments.papers.kit.experiment import Paper
from experiments.papers.kit.recorded import newest
from experiments.papers.kit.registry import PAPERS
from experiments.papers.kit.source import recorded_results
from experiments.report.document import items_of
from experiments.report.item import Part
from experiments.report.tally import summary
from vecsim.support.input_files import RESULTS
from vecsim.support.structured_text import read_json

NAME = "papers"
PAGES = (ROOT / "README.md",)
TITLES = {"hism": "HiSM", "pellr": "PELLR", "hisparse": "HiSparse", "hbp": "HBP", "layouts": "layouts"}
"""The papers, as README calls them."""


def main() -> int:
    """Write the parts of the pages."""
    marked.write(PAGES, NAME, PARTS_OF_PAGES, recorded_parts())
    return 0


def recorded_hism() -> dict[str, Any]:
    """Return what `vecsim reproduce hism --json` wrote where all matrix files were there."""
    file = newest(Path(hism.__file__).with_name("recorded"))
    assert file is not None
    document: dict[str, Any] = read_json(file, RESULTS)
    return document


def recorded_parts() -> tuple[Part, ...]:
    """Return the papers with the items that their recorded results make."""
    return tuple(_part(paper) for paper in PAPERS if paper.name in TITLES)


def _part(paper: Paper) -> Part:
    if not paper.measured:
        document = recorded_hism()
        (counts,) = document["papers"]
        return Part(paper.name, paper.source, items_of(document["items"]), stand_ins=counts["stand_ins"])
    results = recorded_results(resolve_name(f"{paper.measured}.results:Results"))
    items = tuple(each.make(results) for each in paper.experiments)
    return Part(paper.name, paper.source, items, stand_ins=paper.stand_ins(results))


def _summary(parts: Sequence[Part]) -> str:
    """Return the statements of each paper by kind and outcome."""
    made = summary(parts)
    columns = made.columns[:-1]
    rows = [(f"[{TITLES[name]}](docs/papers/{name}.md)", *rest[:-1]) for name, *rest in made.rows]
    return table(columns, rows)


PARTS_OF_PAGES = {"summary": _summary}
"""Makes each part of README."""

if __name__ == "__main__":
    sys.exit(main())
