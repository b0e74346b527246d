"""Figures 2, 3 and 5 and the formulas: iterations and work of the paper's example, and of real matrices."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from operator import eq, lt

import numpy as np

from experiments.papers.kit.numbers import geometric_mean, rank_correlation, spread
from experiments.papers.pellr.iterations import (
    ELLR_ROWS,
    EXAMPLE_WIDTH,
    PELLR_ROWS,
    PRINTED_ITERATIONS,
    WARP,
    iterations,
    iterations_by_warp,
    sorted_iterations,
    work,
)
from experiments.papers.pellr.results import BY_WARP, ELLR, PARTS, PELLR, Results
from experiments.papers.pellr.texts import subject_label
from experiments.papers.pellr.verdicts import NOT_OBVIOUS
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
EMPTY_ARRAYS = 64
"""Bytes that arrays without elements may take on the device: no memory there is empty."""
TELLING = 0.5
"""Rank correlation from which on one number tells another."""
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
        Comparison(
            what,
            name,
            printed.get((what, name), ""),
            count(rows),
            "the printed lists, warps of 8",
            kind="decoded",
            measure="counted",
        )
        for what, count in COUNTS.items()
        for name, rows in LISTS.items()
    ]
    example += [
        Comparison(what, name, printed_, ours, note, kind="decoded", measure="counted")
        for what, name, printed_, ours, note in (
            ("iterations of the first warp (Figure 3)", "ELLPACK-R", "4", max(ELLR_ROWS[0]), "warps of 8"),
            ("groups of a warp (Figure 10)", "BiJAD", "6", WARP.bit_length(), "halves of 32, down to 1"),
        )
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
    _, entries, done, _ = ([count(rows) for rows in LISTS.values()] for count in COUNTS.values())
    return (
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
    return (
        Verdict(
            "Formula (1) gives the iterations that warps take on the GPU",
            not wrong if counted else None,
            "; ".join(wrong) or f"equal in all {len(counted)} counts on the device",
        ),
        _never_more(results, "Sorting never takes more iterations", "pellr", "ellr"),
        _never_more(results, "BiELL takes fewer iterations than ELLR (2.3.3)", "biell", "ellr"),
        _pads_less(results),
        _fewer_than_ell(results),
        _coordinates_take_more(results),
        _performance(results),
        _two_arrays(results),
        _fewer_lengths(results),
    )


def _never_more(results: Results, claim: str, fewer: str, more: str) -> Verdict:
    """Judge whether a format takes at most the iterations of another on every matrix."""
    pairs = [
        (matrix.iterations[fewer], matrix.iterations[more])
        for matrix in results.matrices
        if {fewer, more} <= set(matrix.iterations)
    ]
    less, equal = (sum(map(compare, *zip(*pairs, strict=True))) if pairs else 0 for compare in (lt, eq))
    return Verdict(
        claim,
        less + equal == len(pairs) if pairs else None,
        f"fewer on {less}, as many on {equal} of {len(pairs)}",
    )


def _pads_less(results: Results) -> Verdict:
    """Judge padding by bytes: the other arrays of BiELL and BiJAD are alike, but for an order of all rows."""
    sizes = _bytes(results, "bijad", "biell")
    fewer = sum(first < second for first, second, _ in sizes.values())
    return Verdict(
        "BiJAD may pad less than BiELL (2.3.5)",
        2 * fewer > len(sizes) if sizes else None,
        f"fewer bytes in all on {fewer} of {len(sizes)}",
    )


def _fewer_than_ell(results: Results) -> Verdict:
    ratios = {
        matrix.name: matrix.longest * -(-matrix.rows // WARP) / count
        for matrix in results.sets["alone"]
        if (count := matrix.iterations.get("ellr"))
    }
    return Verdict(
        "ELLR takes many iterations less than ELL (2.3.2)",
        (geometric_mean(ratios.values()) or 0) > 1 + NOT_OBVIOUS if ratios else None,
        f"times as many with ELL: {spread(ratios)}",
    )


def _coordinates_take_more(results: Results) -> Verdict:
    """Judge row numbers of coordinates, one an entry, against the pointers of CSR, one a row and one more."""
    matrices = results.sets["alone"]
    more = sum(matrix.nnz > matrix.rows + 1 for matrix in matrices)
    return Verdict(
        "COO takes more memory than CSR (2.1)",
        more == len(matrices) if matrices else None,
        f"more entries than rows on {more} of {len(matrices)}",
    )


def _performance(results: Results) -> Verdict:
    """Judge whether formula (1) tells how much faster PELLR is, by rank correlation."""
    matches = {}
    for part, words in PARTS.items():
        pairs = [
            (matrix.iterations["ellr"] / matrix.iterations["pellr"], ratio)
            for matrix in results.sets[part]
            if (ratio := results.ratio(matrix, ELLR, "float64")) is not None
            and matrix.iterations.get("pellr")
        ]
        correlation = rank_correlation([pair[0] for pair in pairs], [pair[1] for pair in pairs])
        if correlation is not None:
            matches[words] = correlation
    alone = matches.get(PARTS["alone"])
    return Verdict(
        "Formula (1) can be used to evaluate the performance",
        None if alone is None else alone > TELLING,
        "f64, rank correlation of iterations and times, ELLR over PELLR: "
        + (", ".join(f"{words} {value:.2f}" for words, value in matches.items()) or "too few matrices"),
    )


def _bytes(results: Results, first: str, second: str) -> dict[str, tuple[int, int, int]]:
    """Return the bytes of two formats in float64, and the rows in whole warps, by the name of the matrix."""
    matches = {}
    for matrix in results.sets["alone"]:
        records = [results.record(matrix, method, "float64") for method in (first, second)]
        sizes = [record.nbytes for record in records if record is not None and record.nbytes]
        if len(sizes) == len(records):
            matches[matrix.name] = (sizes[0], sizes[1], -(-matrix.rows // WARP) * WARP)
    return matches


def _two_arrays(results: Results) -> Verdict:
    matches = _bytes(results, PELLR, "ell")
    as_said = sum(
        abs(sorted_ - plain - 2 * 4 * rows) <= EMPTY_ARRAYS for sorted_, plain, rows in matches.values()
    )
    return Verdict(
        "PELLR stores two arrays more than ELL, of a number for each row (section 5)",
        as_said == len(matches) if matches else None,
        f"8 bytes a row, rows in whole warps, on {as_said} of {len(matches)} matrices",
    )


def _fewer_lengths(results: Results) -> Verdict:
    matches = _bytes(results, PELLR, BY_WARP)
    as_said = sum(whole - fewer == 4 * (rows - rows // WARP) for whole, fewer, rows in matches.values())
    return Verdict(
        "N_w row lengths are enough, which reduces the memory (section 3)",
        as_said == len(matches) if matches else None,
        f"4 bytes less for each row but one of a warp on {as_said} of {len(matches)}; products are right",
    )
