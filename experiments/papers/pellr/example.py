"""Figures 2, 3 and 5 and the formulas: iterations and work of the paper's example, and of real matrices."""

from __future__ import annotations

from collections.abc import Callable
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


LISTS = {"ELLPACK-R": list(chain(*ELLR_ROWS)), "PELLR": list(chain(*PELLR_ROWS))}
"""Lengths of all rows of the example."""
COUNTS: dict[str, Callable[[list[int]], int]] = {
    "iterations, formula (1)": lambda rows: iterations(rows, EXAMPLE_WIDTH),
    "non-zeros": sum,
    "work, formula (2)": lambda rows: work(rows, EXAMPLE_WIDTH),
    "work of the rows that exist": lambda rows: work(rows, EXAMPLE_WIDTH, missing_rows=False),
}
"""What is counted of them."""


def make(results: Results) -> Item:
    """Make the item; all but what the device counted needs no GPU."""
    printed = {("iterations, formula (1)", name): str(count) for name, count in PRINTED_ITERATIONS.items()}
    example = [
        Comparison(what, name, printed.get((what, name), ""), count(rows), "the printed lists, warps of 8")
        for what, count in COUNTS.items()
        for name, rows in LISTS.items()
    ]
    ordered = sorted_iterations(LISTS["ELLPACK-R"], EXAMPLE_WIDTH)
    return results.item(
        "pellr-iterations",
        "Figures 2, 3 and 5, formulas (1) and (2): iterations and work",
        SUMMARY,
        (
            *example,
            Comparison("iterations, the ELLR list sorted", "PELLR", "", ordered),
            *_matrix_rows(results),
        ),
        chart=_chart(),
        verdicts=(*_of_the_example(), *_of_matrices(results)),
        notes=NOTES,
    )


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


def _chart() -> BarChart:
    ordered = sorted(LISTS["ELLPACK-R"], reverse=True)
    lists = {f"{name}, as printed": rows for name, rows in LISTS.items()} | {"the ELLR list sorted": ordered}
    heights = {
        name: tuple(map(float, iterations_by_warp(np.array(rows), EXAMPLE_WIDTH)))
        for name, rows in lists.items()
    }
    return BarChart(
        title="Iterations of each warp of 8 in the paper's example",
        value_label="iterations",
        panels=(Panel("", tuple(f"warp {number}" for number in range(1, 5)), heights),),
        description="Bar chart of the iterations of the four warps; the numbers are in the text",
    )


def _of_the_example() -> tuple[Verdict, ...]:
    taken, entries, done, _ = ([count(rows) for rows in LISTS.values()] for count in COUNTS.values())
    return (
        Verdict(
            "The example takes 18 iterations with ELLR and 14 with PELLR",
            taken == list(PRINTED_ITERATIONS.values()),
            f"{taken[0]} and {taken[1]}",
        ),
        Verdict(
            "The work of the example is the same with both",
            done[0] == done[1],
            f"{done[0]} and {done[1]}, as the lists hold {entries[0]} and {entries[1]} non-zeros",
        ),
    )


def _of_matrices(results: Results) -> tuple[Verdict, ...]:
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
    fewer = [
        matrix.iterations["pellr"] <= matrix.iterations["ellr"]
        for matrix in results.matrices
        if {"ellr", "pellr"} <= set(matrix.iterations)
    ]
    return (
        Verdict(
            "Formula (1) gives the iterations that warps take on the GPU",
            not wrong if counted else None,
            "; ".join(wrong) or f"equal in all {len(counted)} counts on the device",
        ),
        Verdict(
            "Sorting never takes more iterations",
            all(fewer) if fewer else None,
            f"on {sum(fewer)} of {len(fewer)} matrices",
        ),
    )
