"""The hash as its own question: its numbers, the partition, and what is better."""

from __future__ import annotations

from collections.abc import Iterable

from experiments.papers.hbp.balance import PUBLISHED, by_method
from experiments.papers.hbp.results import OrderRecord, Results
from experiments.papers.hbp.texts import METHODS, paper_partition
from experiments.papers.kit.numbers import mean_ratio
from experiments.papers.kit.results import NOT_MEASURED
from experiments.report.agreement import outcome_of_number
from experiments.report.comparison import Comparison
from experiments.report.item import Item, ScatterChart, ScatterPanel, Verdict
from gpu.hbp.container import BLOCK_COLUMNS, BLOCK_ROWS

SUMMARY = (
    "The hash has four numbers: a and c are sampled from the matrix, b and d follow from the rows of a "
    "block. Here each is varied with the others as they are, and the partition too; quality is the "
    "deviation within warps over that of the rows as they stand, cost is the time of ordering a row of a "
    "block on a CPU, compiled. “Classes” is another hash: a row goes to the class of the leading bits of "
    "its number of entries, and after those of the classes before."
)
PROBING = ("probing", "probing-words")
NEAR = 1.25
"""A deviation this many times that of sorting is similar."""


def make(results: Results) -> Item:
    """Make the item."""
    studied = [m.name for m in results.matrices if any(True for _ in _other_numbers(results, m.name))]
    beside = "; ".join(_found(results, method) for method in ("classes", "hash", "in_turn", *PROBING))
    return results.item(
        "hbp-hash",
        "Section III-B: the hash, its numbers, and a better one",
        SUMMARY,
        tuple(row for name in studied for row in _rows(results, name)),
        chart=_chart(results, studied),
        verdicts=_verdicts(results),
        notes=(
            f"Next to sorting: {beside}.",
            "Times are of one CPU, all its cores, the shortest of five: they compare methods and foretell "
            "no GPU.",
            "In turn, rows are placed as they stand, and long runs of rows without entries push others "
            "behind them. In the order of their hash (a ring), which the paper leaves open, no row is pushed "
            "behind one of a later hash. Classes rise with the entries, where the hash of more entries may "
            "be the lower one.",
        ),
    )


def relative(results: Results, order: OrderRecord) -> float | None:
    """Return the deviation of an order over that of the rows as they stand in the same blocks."""
    for each in results.orders:
        same = (each.matrix, each.block_rows, each.block_columns) == (
            order.matrix,
            order.block_rows,
            order.block_columns,
        )
        if same and each.method == "own":
            return order.deviation / each.deviation if each.deviation else None
    return None


def _other_numbers(results: Results, matrix: str) -> Iterable[OrderRecord]:
    """Yield the hashes of a matrix in the paper's blocks whose numbers are not those that are sampled."""
    sampled = by_method(results, matrix).get("hash")
    for each in results.orders:
        hashed = each.matrix == matrix and each.method == "hash" and each is not sampled
        if hashed and paper_partition(each.block_rows, each.block_columns):
            yield each


def _rows(results: Results, matrix: str) -> list[Comparison]:
    return [
        Comparison(
            f"{matrix}: {_called(each)}",
            f"{each.block_rows} x {each.block_columns}",
            "",
            relative(results, each),
            (f"{each.nanoseconds:.3g} ns a row; " if each.nanoseconds else "")
            + f"lanes with an entry {each.lanes:.1%}",
        )
        for each in results.orders
        if each.matrix == matrix and each.method != "own"
    ]


def _called(order: OrderRecord) -> str:
    numbers = " ".join(f"{name}={value}" for name, value in order.numbers.items())
    return f"{METHODS[order.method]} {numbers}".strip()


def _chart(results: Results, studied: list[str]) -> ScatterChart:
    panels = []
    for matrix in studied:
        series: dict[str, list[tuple[float, float]]] = {}
        for each in results.orders:
            less = relative(results, each)
            if each.matrix != matrix or not each.nanoseconds or not less:
                continue
            if paper_partition(each.block_rows, each.block_columns):
                series.setdefault(METHODS[each.method], []).append((each.nanoseconds, less))
        panels.append(ScatterPanel(matrix, {name: tuple(result) for name, result in series.items()}))
    return ScatterChart(
        title="Quality over cost, blocks of 512 x 4096",
        x_label="ns a row of a block, on a CPU",
        y_label="deviation, over rows as they stand",
        panels=tuple(panels),
        description="Points of quality over cost, one for each order and each choice of its numbers",
    )


def beside_sorting(results: Results, method: str) -> tuple[dict[str, float], dict[str, float]]:
    """Return deviation and time on a CPU of a method over those of sorting, by matrix."""
    deviations, times = {}, {}
    for matrix in results.matrices:
        orders = by_method(results, matrix.name)
        if {method, "sort"} <= set(orders):
            ours, sort = orders[method], orders["sort"]
            if sort.deviation and sort.nanoseconds:
                deviations[matrix.name] = ours.deviation / sort.deviation
            if ours.nanoseconds and sort.nanoseconds:
                times[matrix.name] = ours.nanoseconds / sort.nanoseconds
    return deviations, times


def _found(results: Results, method: str) -> str:
    deviations, times = beside_sorting(results, method)
    if not deviations:
        return f"{METHODS[method]}: {NOT_MEASURED}"
    text = (
        f"{METHODS[method]}: deviation {mean_ratio(deviations)} times that of sorting, at most "
        f"{max(deviations.values()):.2f}"
    )
    if not times:
        return text
    return f"{text}; time on a CPU {mean_ratio(times)} times, at most {max(times.values()):.2f}"


def _verdicts(results: Results) -> tuple[Verdict, ...]:
    deviations, _ = beside_sorting(results, PUBLISHED)
    holds = max(deviations.values()) <= NEAR if deviations else None
    claim = "The hash has an effect similar to that of sorting (within a quarter)"
    detail = "; ".join(_found(results, method) for method in (PUBLISHED, "hash"))
    return (
        Verdict(claim, holds, detail),
        _independent(results),
        _linear_mapping(results),
        Verdict(
            "The linear mapping makes collisions fewer, and so the time of the hash less",
            None,
            "not testable: the hash that probes was not measured without it, and the hash counted does not "
            "probe",
        ),
        _shift(results),
        _room(results),
        _partition(results),
    )


def _independent(results: Results) -> Verdict:
    """Compare the same hash with its rows placed in other orders."""
    claim = "A row does not rely on the results of other rows of its block, so that rows run in parallel"
    methods = ("probing", "in_turn", "hash")
    by_methods = [beside_sorting(results, method)[0] for method in methods]
    same = set.intersection(*map(set, by_methods))
    if not same:
        return Verdict(claim, None, NOT_MEASURED)
    means = [mean_ratio({name: each[name] for name in same}) for each in by_methods]
    detail = "; ".join(f"{METHODS[method]} {mean}" for method, mean in zip(methods, means, strict=True))
    holds = all(
        outcome_of_number("counted", each[name], by_methods[0][name]) == "confirmed"
        for each in by_methods
        for name in same
    )
    return Verdict(
        claim,
        holds,
        "its hash does not, its place does: the deviation of the same hash, over that of sorting, with rows "
        f"placed in other orders: {detail}",
    )


def _shift(results: Results) -> Verdict:
    """Put matrices in the order of the entries of their blocks and look at the shifts that are sampled."""
    claim = "The shift a rises as blocks become denser"
    shifts = sorted(
        (matrix.nnz / blocks.filled, orders["hash"].numbers["a"], matrix.name)
        for matrix in results.matrices
        if (blocks := results.blocks_of(matrix.name))
        and blocks.filled
        and "hash" in (orders := by_method(results, matrix.name))
    )
    if len(shifts) < 2:
        return Verdict(claim, None, NOT_MEASURED)
    chosen = [shift for _, shift, _ in shifts]
    detail = "; ".join(f"{name} {density:.0f}, a = {shift}" for density, shift, name in shifts)
    return Verdict(
        claim,
        chosen == sorted(chosen) and chosen[0] < chosen[-1],
        f"entries of a block that has any: {detail}; sampled here so that a twentieth of the rows exceeds 8",
    )


def _room(results: Results) -> Verdict:
    """Compare the published hash with classes, on each matrix."""
    published, better = (beside_sorting(results, method)[0] for method in (PUBLISHED, "classes"))
    same = published.keys() & better.keys()
    return Verdict(
        "There is room for improvement in the hash: a better distribution and search after collisions",
        all(better[name] < published[name] for name in same) if same else None,
        "; ".join(_found(results, method) for method in (PUBLISHED, "hash", "classes")),
    )


def _linear_mapping(results: Results) -> Verdict:
    """Compare the sampled hash with the same of d = 1, which has no linear mapping, both counted."""
    claim = "The linear mapping makes finer orders than aggregation alone (counted)"
    without = {
        each.matrix: each.deviation / by_method(results, each.matrix)["hash"].deviation
        for matrix in results.matrices
        for each in _other_numbers(results, matrix.name)
        if each.numbers == by_method(results, each.matrix)["hash"].numbers | {"d": 1}
    }
    if not without:
        return Verdict(claim, None, NOT_MEASURED)
    detail = "; ".join(f"{name} {ratio:.2f} times" for name, ratio in without.items())
    holds = all(ratio > 1 for ratio in without.values())
    return Verdict(claim, holds, f"the deviation without it over that with it, counted: {detail}")


def _partition(results: Results) -> Verdict:
    """Return what the rows of a block change; the paper has no measure for its choice."""
    sizes = sorted({each.block_rows for each in results.orders if each.block_columns == BLOCK_COLUMNS})
    means = {
        rows: mean_ratio(
            {
                each.matrix: less
                for each in results.orders
                if (each.method, each.block_rows, each.block_columns) == ("hash", rows, BLOCK_COLUMNS)
                and _has_every_partition(results, each.matrix)
                and (less := relative(results, each))
            }
        )
        for rows in sizes
    }
    numbers = "; ".join(f"{rows} rows {mean.value:.2f}" for rows, mean in means.items() if mean)
    return Verdict(
        "Blocks of 512 rows balance the speed of preprocessing and the effect of the hash",
        None,
        "not testable: the paper does not say what the balance is; deviation over that of rows as they "
        f"stand, counted: {numbers or NOT_MEASURED}",
    )


def _has_every_partition(results: Results, matrix: str) -> bool:
    return any(each.matrix == matrix and each.block_rows != BLOCK_ROWS for each in results.orders)
