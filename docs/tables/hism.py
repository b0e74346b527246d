"""Write what docs/papers/hism.md says of results, from the recorded report.

python -m docs.tables.hism
"""

from __future__ import annotations

import sys
from textwrap import fill

from docs.tables import marked
from docs.tables.markdown import table
from docs.tables.marked import ROOT, WIDTH
from docs.tables.papers import recorded_hism
from experiments.papers.hism.calibration.choices import CHOICES
from experiments.papers.hism.calibration.uncertainty import WITHIN
from experiments.papers.hism.open_claims import agreements, key
from experiments.papers.hism.recorded_calibration import rows as recorded_rows
from experiments.papers.hism.table2 import GROUPS, IMPLIED, PRINTED
from experiments.papers.hism.unseen import NAME as UNSEEN_ITEM
from experiments.papers.hism.unseen import SUITE, UNSEEN
from experiments.report.comparison import KINDS, Comparison
from experiments.report.document import items_of
from experiments.report.item import Item
from experiments.report.tally import tally

PAGES = (ROOT / "docs/papers/hism.md",)
NAME = "hism"
Items = tuple[Item, ...]

PROPOSED = "as proposed"
"""What the recorded calibration calls the programs of this report."""
MEANING = {
    "decoded": "the formula was worked out from these very numbers",
    "calibrated": "the suite, or what was searched for the machine, was chosen with them in mind",
    "predicted": "all others",
}


def main() -> int:
    """Write the parts of the page."""
    marked.write(PAGES, NAME, PARTS_OF_PAGES, recorded_items())
    return 0


def recorded_items() -> Items:
    """Return the items of the recorded report."""
    return items_of(recorded_hism()["items"])


def rows_of(items: Items, name: str) -> dict[tuple[str, str], Comparison]:
    """Return the rows of an item by their labels."""
    (item,) = (each for each in items if each.name == name)
    return {(row.row, row.quantity): row for row in item.rows}


def _averages(items: Items) -> str:
    """Return the six averages of Table 2."""
    of = rows_of(items, "hism-table2")
    rows = [
        (label, row.paper, f"{row.ours:.3f}", row.difference_in_words)
        for label in PRINTED
        if (row := of[label, GROUPS[0]]).ours is not None
    ]
    return table(("times faster, over all", "the paper", "ours", "difference"), rows)


def _kinds(items: Items) -> str:
    """Return how many statements of each kind are confirmed."""
    rows = []
    for kind in KINDS:
        counts = tally(items, (kind,))
        rows.append((f"{kind}: {MEANING[kind]}", counts.numbers.of_all(), counts.claims.of_all()))
    return table(("kind", "numbers confirmed", "claims confirmed"), rows)


def _groups(items: Items) -> str:
    """Return how many choices of matrices near the points of Figure 2 meet the averages of each size."""
    of = {row["group"]: row for row in recorded_rows("groups") if row["programs"] == PROPOSED}
    met = [f"{int(of[group]['met']):,} of {int(of[group]['choices']):,} {group}" for group in GROUPS[1:]]
    return fill(
        "Averages by size differ more. The paper does not name eight of these ten matrices, but that does "
        "not explain it. Of all choices of matrices near the points of Figure 2, these meet the paper's "
        f"averages within {100 * WITHIN:g} %: "
        f"{', '.join(met[:-1])} and {met[-1]}.",
        WIDTH,
    )


def _unseen(items: Items) -> str:
    """Return the six averages on the suite and on other matrices, over all and by size."""
    of = rows_of(items, UNSEEN_ITEM)
    columns = [(where, group) for where in (SUITE, UNSEEN) for group in GROUPS]
    rows = [
        (label, PRINTED[label][0], *(_number(of[f"{label}, {where}", group]) for where, group in columns))
        for label in PRINTED
    ]
    return table(("times faster", "paper", *(f"{where}, {group}" for where, group in columns)), rows)


def _number(row: Comparison) -> str:
    return "-" if row.ours is None else f"{row.ours:.2f}"


def _sizes(items: Items) -> str:
    """Return how many matrices each column stands for."""
    of = rows_of(items, UNSEEN_ITEM)
    label = next(iter(PRINTED))
    counts = {
        where: ", ".join(of[f"{label}, {where}", group].note.split()[0] for group in GROUPS)
        for where in (SUITE, UNSEEN)
    }
    return fill(f"Numbers of matrices: {counts[SUITE]} in the suite, {counts[UNSEEN]} others.", WIDTH)


def _choices(items: Items) -> str:
    independent = len([label for label in PRINTED if label not in IMPLIED])
    return fill(
        f"So {independent} independent averages stand against {len(CHOICES)} open choices of the machine and "
        "the programs.",
        WIDTH,
    )


def _claims(items: Items) -> str:
    """Return the claims, what becomes of them, and on how many machines of the calibration they hold."""
    counted = agreements()
    rows = []
    for item in items:
        where = item.title.partition(":")[0]
        for verdict in item.verdicts:
            machines = counted.get(key(item, verdict.claim), "")
            rows.append((where, verdict.claim, verdict.outcome_in_words, str(machines)))
    return table(("where", "claim", "outcome", "machines"), rows)


PARTS_OF_PAGES = {
    "averages": _averages,
    "kinds": _kinds,
    "groups": _groups,
    "unseen": _unseen,
    "sizes": _sizes,
    "choices": _choices,
    "claims": _claims,
}
"""Makes each part of the page."""

if __name__ == "__main__":
    sys.exit(main())
