"""Figures 2, 3 and 5 and the formulas: iterations and work of the paper's example, and of real matrices."""

from __future__ import annotations

from itertools import chain

import numpy as np

from experiments.papers.pellr.iterations import (
    ELLR_ROWS,
    EXAMPLE_WIDTH,
    PELLR_ROWS,
    PRINTED_ITERATIONS,
    iterations,
    iterations_by_warp,
    sorted_iterations,
    work,
)
from experiments.papers.pellr.results import Results
from experiments.papers.pellr.texts import subject_label
from experiments.report.comparison import Comparison
from experiments.report.item import BarChart, Item, Panel, Verdict

SUMMARY = (
    "Formula (1) counts the iterations of warps, each as slow as its longest row; formula (2) counts "
    "multiplications and additions. Here both for the lists of row lengths that the paper prints for its "
    "example of 26 rows, in warps of 8, and formula (1) for every matrix, in warps of 32."
)
NOTES = (
    "The two printed lists are no permutation of each other: they hold 78 and 77 non-zeros, so they cannot "
    "be of one matrix, and their work is not equal, as the paper says it is, but 124 and 122 by formula "
    "(2). On true permutations it is equal.",
    "Formula (2) as printed also sums over the threads of the last warp that have no row, each -1; over the "
    "26 rows the work is 130 and 128.",
    "Sorting the list that is printed for ELLR gives 15 iterations, not 14: its eleven rows of 3 reach into "
    "the third warp, so the warps take 7, 3, 3 and 2.",
)


def make(results: Results) -> Item:
    """Make the item; all but what the device counted needs no GPU."""
    lists = {name: list(chain(*rows)) for name, rows in (("ELLPACK-R", ELLR_ROWS), ("PELLR", PELLR_ROWS))}
    rows = [
        *_example_rows(
            "iterations, formula (1)", {n: iterations(r, EXAMPLE_WIDTH) for n, r in lists.items()}
        ),
        *_example_rows("non-zeros", {n: sum(r) for n, r in lists.items()}),
        *_example_rows("work, formula (2)", {n: work(r, EXAMPLE_WIDTH) for n, r in lists.items()}),
        *_example_rows(
            "work of the rows that exist",
            {n: work(r, EXAMPLE_WIDTH, missing_rows=False) for n, r in lists.items()},
        ),
        Comparison(
            "iterations, the ELLR list sorted",
            "PELLR",
            "",
            sorted_iterations(lists["ELLPACK-R"], EXAMPLE_WIDTH),
        ),
        *_matrix_rows(results),
    ]
    return results.item(
        "pellr-iterations",
        "Figures 2, 3 and 5, formulas (1) and (2): iterations and work",
        SUMMARY,
        tuple(rows),
        chart=_chart(lists),
        verdicts=_verdicts(results),
        notes=NOTES,
    )


def _example_rows(label: str, found: dict[str, int]) -> list[Comparison]:
    printed = PRINTED_ITERATIONS if label.startswith("iterations") else {}
    return [
        Comparison(label, name, str(printed.get(name, "")), value, "the printed lists, warps of 8")
        for name, value in found.items()
    ]


def _matrix_rows(results: Results) -> list[Comparison]:
    names = {"ellr": "ELLPACK-R", "pellr": "PELLR", "biell": "BiELL", "bijad": "BiJAD"}
    return [
        Comparison(
            f"iterations of {subject_label(matrix)}",
            names[method],
            "",
            count,
            f"{matrix.rows:,} rows, {matrix.nnz:,} non-zeros; work {matrix.work:,}",
        )
        for part in results.sets.values()
        for matrix in part
        for method, count in matrix.iterations.items()
    ]


def _chart(lists: dict[str, list[int]]) -> BarChart:
    ordered = sorted(lists["ELLPACK-R"], reverse=True)
    series = {f"{name}, as printed": _heights(rows) for name, rows in lists.items()} | {
        "the ELLR list sorted": _heights(ordered)
    }
    return BarChart(
        title="Iterations of each warp of 8 in the paper's example",
        value_label="iterations",
        panels=(Panel("", tuple(f"warp {number}" for number in range(1, 5)), series),),
        description="Bar chart of the iterations of the four warps; the numbers are in the text",
    )


def _heights(rows: list[int]) -> tuple[float, ...]:
    return tuple(float(each) for each in iterations_by_warp(np.array(rows), EXAMPLE_WIDTH))


def _verdicts(results: Results) -> list[Verdict]:
    ellr, pellr = (list(chain(*rows)) for rows in (ELLR_ROWS, PELLR_ROWS))
    made = [
        Verdict(
            "The example takes 18 iterations with ELLR and 14 with PELLR",
            (iterations(ellr, 8), iterations(pellr, 8)) == (18, 14),
            f"{iterations(ellr, 8)} and {iterations(pellr, 8)}",
        ),
        Verdict(
            "The work of the example is the same with both",
            work(ellr, 8) == work(pellr, 8),
            f"{work(ellr, 8)} and {work(pellr, 8)}, as the lists hold {sum(ellr)} and {sum(pellr)} non-zeros",
        ),
    ]
    counted = [
        (matrix.name, method, matrix.iterations.get(method), count)
        for matrix in results.matrices
        for method, count in matrix.counted.items()
    ]
    wrong = [
        f"{name} {method}: {formula} and {count}"
        for name, method, formula, count in counted
        if formula != count
    ]
    made.append(
        Verdict(
            "Formula (1) gives the iterations that warps take on the GPU",
            not wrong if counted else None,
            "; ".join(wrong) or f"equal in all {len(counted)} counts on the device",
        )
    )
    fewer = [
        matrix.iterations["pellr"] <= matrix.iterations["ellr"]
        for matrix in results.matrices
        if {"ellr", "pellr"} <= set(matrix.iterations)
    ]
    made.append(
        Verdict(
            "Sorting never takes more iterations",
            all(fewer) if fewer else None,
            f"on {sum(fewer)} of {len(fewer)} matrices",
        )
    )
    return made
