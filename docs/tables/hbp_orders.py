"""Tables of the orders of rows: how alike they make the rows of a warp, and their times."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

from docs.tables.hbp_cells import NONE, mean, microseconds
from docs.tables.markdown import table
from experiments.papers.hbp import balance, hash_numbers, preparation
from experiments.papers.hbp.printed import REDUCTIONS
from experiments.papers.hbp.results import OrderRecord, Results
from experiments.papers.hbp.texts import METHODS, paper_partition
from experiments.papers.kit.numbers import mean_ratio
from gpu.hbp.container import BLOCK_ROWS, WARP
from gpu.hbp.hashing import RowHash

COUNTERS = Path(__file__).parents[2] / "benchmarks/results/hbp-orders-nvidia-h200-2026-11-25.csv"
KRONECKER = "m4-kronecker-18"
KRONECKER_BLOCKS = 32_768
TIMED = ("m1-circuit", "m3-device", KRONECKER, "m8-optimisation", "m10-device", "m14-circuit")
"""One or two of each kind."""
ALONE = ("probing", "probing-words", "hash", "classes", "sort", "dynamic")
WHOLE = ("probing-words", "hash", "sort")
REDUCED = ("probing", "probing-words", "hash", "in_turn", "classes", "sort", "dynamic")


def _deviations(results: Results) -> str:
    rows = []
    for matrix in results.matrices:
        orders = balance.by_method(results, matrix.name)
        if "own" in orders:
            cells = (_per_cent(orders, method) for method in REDUCED)
            rows.append((matrix.name, matrix.stands_for, REDUCTIONS.get(matrix.stands_for, ""), *cells))
    return table(("matrix", "for", "paper", *map(METHODS.__getitem__, REDUCED)), rows)


def _per_cent(orders: dict[str, OrderRecord], method: str) -> str:
    less = balance.reduction(orders, method) if method in orders else None
    return NONE if less is None else f"{less:.0f}"


def less_in_turn(results: Results, matrix: str, a: int, method: str = "in_turn") -> float:
    """Return by how many per cent the deviation is less with rows in their original order.

    Parameters
    ----------
    results
        What was measured.
    matrix
        A name.
    a
        Parameter of the hash; the others follow from it.
    method
        ``in_turn``, or ``hash`` for rows in the order of their hash.
    """
    own = balance.by_method(results, matrix)["own"].deviation
    numbers = RowHash.of(a, BLOCK_ROWS).numbers()
    deviation = next(
        each.deviation
        for each in results.orders
        if (each.matrix, each.method, each.numbers) == (matrix, method, numbers)
        and paper_partition(each.block_rows, each.block_columns)
    )
    return 100 * (1 - deviation / own)


def _in_turn(results: Results) -> str:
    rows = [
        (METHODS[method], *(f"{less_in_turn(results, KRONECKER, a, method):.0f}" for a in (2, 1, 0)))
        for method in ("in_turn", "hash")
    ]
    return table(("rows are placed", "a = 2, as sampled", "a = 1", "a = 0"), rows)


def _times(results: Results) -> str:
    rows = [
        (
            matrix.name,
            *(microseconds(results.time(matrix, method, operation="order")) for method in ALONE),
            *(microseconds(results.time(matrix, method, operation="all")) for method in WHOLE),
        )
        for matrix in results.matrices
        if matrix.name in TIMED
    ]
    whole = (f"whole conversion: {METHODS[method]}" for method in WHOLE)
    return table(("us", *map(METHODS.__getitem__, ALONE), *whole), rows)


def _order_means(results: Results) -> str:
    """Return how many times as long other orders take as the hash, in three ways."""
    rows = []
    for method in ("sort", "dynamic", "classes", "sell"):
        cells = [
            mean(mean_ratio(preparation.times_longer(results, method, reference, stage)))
            for stage, references in (("order", preparation.HASHES), ("all", WHOLE[:2]))
            for reference in references
        ]
        rows.append((METHODS[method], *cells))
    alone = (f"over {METHODS[reference]}" for reference in preparation.HASHES)
    whole = (f"whole conversion, over {METHODS[reference]}" for reference in WHOLE[:2])
    return table(("times as long", *alone, *whole), rows)


def _beside_sorting(results: Results) -> str:
    rows = []
    for method in ("probing", "probing-words", "in_turn", "hash", "classes"):
        cells = []
        for ratios in hash_numbers.beside_sorting(results, method):
            cells += [mean(mean_ratio(ratios)), f"{max(ratios.values()):.2f}" if ratios else NONE]
        rows.append((METHODS[method], *cells))
    heads = ("deviation over that of sorting", "at most", "time over that of sorting", "at most")
    return table(("", *heads), rows)


def _counters(results: Results) -> str:
    """Return what ncu counts of the orders of the Kronecker graph, of a run on another day."""
    rows = []
    with COUNTERS.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            is_cut = row["kernel"] == "dynamic_order::kernel"
            wanted = row["order"] in ("hash", "classes", "sort") or is_cut
            if row["matrix"] == KRONECKER and wanted:
                rows.append((METHODS[row["order"]] + (", the cut alone" if is_cut else ""), *_counted(row)))
    heads = (
        "us",
        "instructions of a warp for 32 rows",
        "issue slots used",
        "DRAM throughput",
        "active lanes",
    )
    return table(("order", *heads), rows)


def _counted(row: dict[str, str]) -> tuple[str, ...]:
    groups = KRONECKER_BLOCKS * BLOCK_ROWS / WARP
    return (
        f"{float(row['gpu__time_duration.sum [ns]']) / 1000:,.0f}",
        f"{float(row['smsp__inst_executed.sum [inst]']) / groups:,.0f}",
        f"{float(row['smsp__issue_active.avg.pct_of_peak_sustained_active [%]']):.0f} %",
        f"{float(row['dram__throughput.avg.pct_of_peak_sustained_elapsed [%]']):.0f} %",
        f"{float(row['smsp__thread_inst_executed_per_inst_executed.ratio']):.0f}",
    )


TABLES: dict[str, Callable[[Results], str]] = {
    "deviations": _deviations,
    "in-turn": _in_turn,
    "order-times": _times,
    "order-means": _order_means,
    "beside-sorting": _beside_sorting,
    "counters": _counters,
}
"""By their names in `docs.tables.hbp`."""
