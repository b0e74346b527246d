"""The items of a report as plain data, for JSON, and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pydantic import TypeAdapter

from experiments.report.comparison import Comparison
from experiments.report.item import Item, Verdict


def of_items(items: Iterable[Item]) -> list[dict[str, Any]]:
    """Return items without their pictures, summaries and notes."""
    return [
        {
            "name": item.name,
            "title": item.title,
            "rows": [_of_row(row) for row in item.rows],
            "claims": [
                {
                    "claim": verdict.claim,
                    "outcome": verdict.outcome,
                    "kind": verdict.kind,
                    "implied": verdict.implied,
                    "detail": verdict.detail,
                }
                for verdict in item.verdicts
            ],
            "gaps": list(item.gaps),
            "faults": list(item.faults),
        }
        for item in items
    ]


def _of_row(row: Comparison) -> dict[str, Any]:
    return {
        "row": row.row,
        "quantity": row.quantity,
        "paper": row.paper,
        "ours": row.ours,
        "difference_percent": row.difference_percent,
        "outcome": row.outcome,
        "kind": row.kind,
        "implied": row.implied,
        "measure": row.measure,
        "without_one": row.without_one,
        "elsewhere": row.elsewhere,
        "note": row.note,
    }


def items_of(document: Sequence[Mapping[str, Any]]) -> tuple[Item, ...]:
    """Return the items that `of_items` returned the data of."""
    return tuple(
        Item(
            item["name"],
            item["title"],
            "",
            tuple(_row(row) for row in item["rows"]),
            verdicts=tuple(_claim(claim) for claim in item["claims"]),
            gaps=tuple(item["gaps"]),
            faults=tuple(item["faults"]),
        )
        for item in document
    )


_COMPUTED = ("difference_percent", "outcome")
_HOLDS = {"confirmed": True, "contradicted": False, "not testable": None}


def _row(row: Mapping[str, Any]) -> Comparison:
    given = {name: value for name, value in row.items() if name not in _COMPUTED}
    return TypeAdapter(Comparison).validate_python(given)


def _claim(claim: Mapping[str, Any]) -> Verdict:
    holds = _HOLDS[claim["outcome"]]
    return Verdict(claim["claim"], holds, claim["detail"], claim["kind"], claim["implied"])
