"""The tables of benchmarks.compound_products."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.compound_variants import SCHEDULES
from benchmarks.markdown import table


def tables(document: dict[str, Any]) -> str:
    """Give a table of all matrices and types, then one of layouts under the first schedule."""
    return "\n".join([_speeds(document["records"]), _layouts(document["records"])])


def _best(found: list[dict[str, Any]]) -> dict[str, Any]:
    return min((each for each in found if "us" in each), key=lambda each: each["us"])


def _rivals(record: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Give the best of cuSPARSE by the kind of its form: complex BSR 2 x 2 and BSR 4 x 4 apart."""
    kinds: dict[str, list[dict[str, Any]]] = {}
    for each in record["cusparse"]:
        if "us" in each:
            kinds.setdefault(each["form"].partition(",")[0], []).append(each)
    return {kind: _best(found) for kind, found in kinds.items()}


def _speeds(records: list[dict[str, Any]]) -> str:
    rows = []
    for record in records:
        best, natural = _best(record["ours"] + record["natural"]), _best(record["natural"])
        rivals = ", ".join(
            f"{kind} {each['us']:.1f} ({each['us'] / best['us']:.2f})"
            for kind, each in _rivals(record).items()
        )
        rows.append(
            [
                f"{record['matrix']} ({record['entries'] / 1e6:.1f} M), {record['dtype']}",
                f"{best['us']:.1f}",
                f"{best['layout']}, {best['schedule']}",
                f"{100 * record['floor_us'] / best['us']:.0f} %",
                f"{100 * best['bound_us'] / best['us']:.0f} %",
                f"{natural['us'] / best['us']:.2f}",
                rivals,
            ]
        )
    names = [
        "matrix (entries)",
        "us",
        "layout and schedule",
        "of the CSR bound",
        "of its own",
        "over schedule only",
    ]
    return table([*names, "cuSPARSE us (times slower)"], rows)


def _layouts(records: list[dict[str, Any]]) -> str:
    """Give times over the best, a row a layout, under the first schedule; empty where it is not possible."""
    found: dict[str, list[str]] = {}
    for number, record in enumerate(records):
        best = _best(record["ours"] + record["natural"])["us"]
        for each in record["ours"]:
            if each["schedule"] == SCHEDULES[0].name:
                shown = found.setdefault(each["layout"], [""] * len(records))
                shown[number] = f"{each['us'] / best:.2f}"
    names = [f"{record['matrix']}, {record['dtype']}" for record in records]
    return table(["times over the best", *names], [[name, *shown] for name, shown in found.items()])


def means(records: list[dict[str, Any]]) -> dict[str, float]:
    """Give the geometric means of how many times faster the best is, by type and kind of cuSPARSE's form."""
    ratios: dict[str, list[float]] = {}
    for record in records:
        best = _best(record["ours"] + record["natural"])["us"]
        for kind, each in _rivals(record).items():
            ratios.setdefault(f"{record['dtype']}, {kind}", []).append(each["us"] / best)
    return {name: float(np.exp(np.log(found).mean())) for name, found in ratios.items()}
