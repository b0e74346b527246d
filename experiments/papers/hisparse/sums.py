"""Figure 6 and Table 2: sums C = A + B and C = Aᵀ + Bᵀ, and next to the paper's C = A + Bᵀ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from experiments.papers.hisparse.methods import (
    CONVERTED_GEAM,
    CONVERTING_GEAM,
    CSR_SUM,
    DTYPES,
    DUAL_SUM,
    GEAM,
    METHODS,
    SUM_METHODS,
    SUMS,
    TREE_SUM,
)
from experiments.papers.hisparse.printed import BARELY, TABLE_2
from experiments.papers.hisparse.results import MatrixRecord, Results
from experiments.papers.hisparse.speed_items import (
    NAMES,
    SETS,
    deviations,
    faster_by_means,
    gflops_chart,
    gflops_rows,
    pairs_of,
    ratio_of_means,
    sets_of,
    steadier,
    table_rows,
    times_chart,
)
from experiments.papers.hisparse.texts import notes_of
from experiments.papers.kit.numbers import geometric_mean, judged, mean_ratio, spread
from experiments.papers.kit.results import NOT_MEASURED
from experiments.report.comparison import Comparison
from experiments.report.item import Item, Verdict

LIBRARIES = {
    "sum": {"cuSparse": GEAM},
    "sum_t": {"cuSparse": CONVERTING_GEAM},
    "sum_t, converted": {"cuSparse": GEAM},
}
"""Our method for each library of the paper; cusp is not measured."""
RIVALS = {
    "sum": {"csrgeam2": GEAM},
    "sum_t": {"csrgeam2, conversion counted": CONVERTING_GEAM, "csrgeam2, not counted": GEAM},
    "sum_bt": {"csrgeam2, conversion counted": CONVERTING_GEAM, "csrgeam2, not counted": GEAM},
}
"""What ours is compared with matrix by matrix."""
FIGURE_6 = (
    "Performance of sums in GFLOPS; the paper defines these by 3 nnz / T, nnz of A, for its whole "
    "evaluation. B is A with each entry moved by a normal deviate of sigma 10 in row and column (seeded; "
    "entries that meet are added). cuSPARSE's Aᵀ + Bᵀ converts the operands to their transposes first, which "
    "the paper counts and does not count. The paper prints bars without numbers, and has no A + Bᵀ."
)
TABLE_2_SUMMARY = (
    "Mean and standard deviation of the milliseconds of a sum, and how many times HiSparse is faster, as "
    "published (both trees walked down together) and by `gpu.add`, over the matrices that stand in for "
    "nine of the paper's, each with the range that it takes if one matrix is left out. Printed numbers "
    "count for the published sum; of deviations the paper prints milliseconds, which do not. After them how "
    "many times our sums are faster than csrgeam2 on each set of matrices, geometric means."
)
NOTES = (
    "Of two transposed operands `gpu.add` of HiSparse computes the sum of A and B with the state of a "
    "transposed matrix, so that Aᵀ + Bᵀ takes as long as A + B. As published, both trees are walked down "
    "transposed. For A + Bᵀ `gpu.add` exchanges rows and columns of one operand; the order of its leaves by "
    "columns is there beforehand, as stored transposes are for csrgeam2 where conversions are not counted.",
    "gpu.add of CSR adds first and transposes the sum for Aᵀ + Bᵀ; cuSPARSE can do that, too, with one "
    "conversion instead of two: “csrgeam2, then converted”.",
    "Room for the work and the sum is made beforehand on both sides. cuSPARSE's calls cannot be captured "
    "into a graph: they are enqueued in the same turns as the graphs of ours. Its two calls, ours, and "
    "conversions are apart in the table of sums.",
)


def figure6(results: Results) -> Item:
    """Make Figure 6."""
    return results.item(
        "hisparse-fig6",
        "Figure 6: GFLOPS of sums, direct and transposed",
        FIGURE_6,
        tuple(gflops_rows(_summed(results), SUMS, SUM_METHODS)),
        chart=gflops_chart(_summed(results), "Sums", SUMS, SUM_METHODS),
        notes=(*notes_of(results), *NOTES),
        gaps=_without(results),
    )


def table2(results: Results) -> Item:
    """Make Table 2."""
    rows = (*table_rows(results, TABLE_2, LIBRARIES, DUAL_SUM, (TREE_SUM,)), *_times_rows(results))
    return results.item(
        "hisparse-table2",
        "Table 2: mean times of sums",
        TABLE_2_SUMMARY,
        rows,
        chart=times_chart(rows),
        verdicts=_verdicts(results),
        notes=(*notes_of(results), *NOTES),
        gaps=_without(results),
    )


def _without(results: Results) -> tuple[str, ...]:
    """Name the matrices whose sums are not in the results."""
    absent = [
        each.name for each in results.measured if results.time(each, TREE_SUM, "float64", "sum") is None
    ]
    return (f"Products alone were measured on: {', '.join(absent)}",) if absent else ()


def _times_rows(results: Results) -> list[Comparison]:
    """Return the speed-up of our sums over csrgeam2, as geometric means over each set of matrices."""
    return [
        Comparison(
            f"{METHODS[own].label}, {NAMES[operation]}: {SETS[part]}",
            f"times {name} {short}",
            "",
            mean.value,
            f"{_of(matrices, ratios)}: {spread(ratios)}",
            without_one=mean.without_one,
        )
        for operation, rivals in RIVALS.items()
        for own in (DUAL_SUM, TREE_SUM, CSR_SUM)
        for part, matrices in sets_of(results).items()
        for dtype, short in DTYPES.items()
        for name, rival in rivals.items()
        if (ratios := results.ratios(matrices, rival, dtype, own, operation))
        and (mean := mean_ratio(ratios)) is not None
    ]


def _of(matrices: Sequence[MatrixRecord], ratios: Mapping[str, float]) -> str:
    """Return how many of some matrices have a ratio, and which have none."""
    absent = [each.name for each in matrices if each.name not in ratios]
    return f"{len(ratios)} of {len(matrices)} matrices" + (f", without {', '.join(absent)}" if absent else "")


def _verdicts(results: Results) -> list[Verdict]:
    return [
        _always_first(results),
        _slower_transposed(results),
        _by_full_chip(results),
        _more_with_conversions(results),
        _steadiest(results),
        _overhead_of_conversions(results),
        _most_efficient(results),
        _extrapolated(results),
    ]


def _always_first(results: Results) -> Verdict:
    claim = "Not transposed, HiSparse completes the addition in the shortest time in all test cases (f64)"
    ratios = {
        own: results.ratios(results.of_the_paper, GEAM, "float64", own, "sum") for own in (DUAL_SUM, TREE_SUM)
    }
    if not ratios[DUAL_SUM]:
        return Verdict(claim, None, NOT_MEASURED)
    detail = "; ".join(f"{METHODS[own].label} over csrgeam2: {spread(each)}" for own, each in ratios.items())
    slower = [name for name, ratio in ratios[DUAL_SUM].items() if ratio <= 1]
    named = f"; as published slower on {', '.join(slower)}" if slower else ""
    return Verdict(claim, not slower, detail + named)


def _transposed_over_direct(results: Results) -> dict[str, float]:
    """Return the time of the published sum of transposed operands over that of others, by the matrix."""
    times = results.times(results.of_the_paper, "sum", (DUAL_SUM,), "float64")
    return {
        matrix.name: is_transposed / direct
        for matrix, (direct,) in times
        if (is_transposed := results.time(matrix, DUAL_SUM, "float64", "sum_t"))
    }


def _slower_transposed(results: Results) -> Verdict:
    claim = "The performance of HiSparse is lower for transposed matrices than for others (f64)"
    ratios = _transposed_over_direct(results)
    if not ratios:
        return Verdict(claim, None, NOT_MEASURED)
    outcome, why = judged(ratios, lambda each: (geometric_mean(each) or 0) > 1)
    bitmaps = "with bitmaps in the place of merging and of sorting"
    detail = f"time of Aᵀ + Bᵀ over A + B, as published, {bitmaps}: {spread(ratios)}"
    return Verdict(claim, outcome, detail + why)


def _extrapolated(results: Results) -> Verdict:
    claim = "The performance of transposed sums can be extrapolated from that of others"
    ratios = spread(_transposed_over_direct(results))
    return Verdict(claim, None, f"the paper does not say how or how closely; Aᵀ + Bᵀ over A + B: {ratios}")


def _by_full_chip(results: Results) -> Verdict:
    """Judge how much of the gain one matrix makes: more than half of what is above 1 is a large part."""
    claim = "A large part of the gain over cuSPARSE is due to FullChip and circuit5M (f64)"
    pairs = pairs_of(results, "sum", DUAL_SUM, GEAM, "float64")
    others = {each.name for each in results.of_the_paper if each.stands_for != "FullChip"}
    without = {name: pair for name, pair in pairs.items() if name in others}
    if len(without) in (0, len(pairs)):
        return Verdict(claim, None, NOT_MEASURED)
    whole, rest = ratio_of_means(list(pairs.values())), ratio_of_means(list(without.values()))
    detail = f"{whole:.2f} times by means, {rest:.2f} without the matrix that stands in for FullChip"
    return Verdict(claim, (rest - 1) < (whole - 1) / 2, detail)


def _more_with_conversions(results: Results) -> Verdict:
    claim = "Transposed, with the conversion counted, the difference to cuSPARSE is more pronounced (f64)"
    direct = pairs_of(results, "sum", DUAL_SUM, GEAM, "float64")
    converting = pairs_of(results, "sum_t", DUAL_SUM, CONVERTING_GEAM, "float64")
    both = {name: (direct[name], pair) for name, pair in converting.items() if name in direct}
    if not both:
        return Verdict(claim, None, NOT_MEASURED)

    def holds(pairs: list[tuple[tuple[float, ...], tuple[float, ...]]]) -> bool:
        return ratio_of_means([each[1] for each in pairs]) > ratio_of_means([each[0] for each in pairs])

    outcome, why = judged(both, holds)
    means = (faster_by_means(results, "sum_t", DUAL_SUM, CONVERTING_GEAM),
             faster_by_means(results, "sum", DUAL_SUM, GEAM))  # fmt: skip
    return Verdict(claim, outcome, f"{means[0]} times, not transposed {means[1]}{why}")


def _steadiest(results: Results) -> Verdict:
    """Judge whether the times of HiSparse vary least, in milliseconds, as the text says of all sums."""
    claim = "In all cases HiSparse has a lower standard deviation than cuSPARSE (f64)"
    parts, outcomes = [], list[bool | None]()
    for operation, libraries in LIBRARIES.items():
        pairs = pairs_of(results, operation, DUAL_SUM, libraries["cuSparse"], "float64")
        if not pairs:
            return Verdict(claim, None, NOT_MEASURED)
        ours, library = deviations(list(pairs.values()))
        outcome, why = judged(pairs, steadier)
        outcomes.append(outcome)
        parts.append(f"{NAMES[operation]}: {ours:.3f} ms, csrgeam2 {library:.3f} ms{why}")
    holds = False if False in outcomes else None if None in outcomes else True
    return Verdict(claim, holds, f"{'; '.join(parts)}; cusp is not measured")


def _overhead_of_conversions(results: Results) -> Verdict:
    claim = (
        f"Converting operands adds a significant overhead to sums of cuSPARSE (here: over {BARELY:.0%}, f64)"
    )
    ratios = results.ratios(results.of_the_paper, CONVERTING_GEAM, "float64", GEAM, "sum_t")
    if not ratios:
        return Verdict(claim, None, NOT_MEASURED)
    outcome, why = judged(ratios, lambda each: 2 * sum(ratio > 1 + BARELY for ratio in each) > len(each))
    return Verdict(claim, outcome, f"time with it over that without: {spread(ratios)}{why}")


def _most_efficient(results: Results) -> Verdict:
    claim = "Converting both operands is the most efficient way to a transposed sum of cuSPARSE (f64)"
    ratios = results.ratios(results.of_the_paper, CONVERTING_GEAM, "float64", CONVERTED_GEAM, "sum_t")
    if not ratios:
        return Verdict(claim, None, NOT_MEASURED)
    outcome, why = judged(ratios, lambda each: 2 * sum(ratio > 1 for ratio in each) <= len(each))
    detail = f"its time over that of converting the sum instead: {spread(ratios)}"
    return Verdict(claim, outcome, detail + why)


def _summed(results: Results) -> Results:
    """Return the results of the matrices whose sums were measured."""
    names = {record.matrix for record in results.records if record.operation in SUMS}
    matrices = tuple(each for each in results.matrices if each.name in names)
    return replace(results, matrices=matrices)
