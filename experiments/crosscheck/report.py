"""Does the simulated vector machine rank the formats as a GPU does? Pictures and tables of the answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean, median

from experiments.crosscheck.matrices import listed
from experiments.crosscheck.products import REFERENCE
from experiments.crosscheck.ranks import (
    ALIKE,
    Order,
    Ratio,
    by_program,
    explained_by,
    of_ratios,
    orders,
    ratios,
    sides,
    spearman,
)
from experiments.crosscheck.results import Checked, Results
from experiments.crosscheck.source import recorded
from experiments.papers.hism.timing import METHODS
from experiments.papers.kit.request import Request
from experiments.papers.kit.tables import table
from experiments.report.comparison import Comparison
from experiments.report.item import Appendix, Item, ScatterChart, ScatterPanel, Table

PAIRS = (("jd", "crs"), ("bbcs", "crs"), ("hism", "crs"), ("bbcs", "jd"), ("hism", "jd"), ("hism", "bbcs"))
"""Every two of the four formats: the first over the second."""
CACHED = (("chism", "crs"), ("chism", "jd"), ("chism", "bbcs"))
"""The same with HiSM's other program."""
RANKED = ("crs", "jd", "bbcs", "hism")
"""The programs that are put in order on each matrix: one a format."""
LARGE = 50_000
"""Entries from which on a matrix counts as large: its product takes a GPU longer than to begin one."""
READ_FROM_THE_KEPT_RESULTS = (
    "Read from the H200's results in the repository. In cycles, non-zeros a row decide: the vector machine "
    "pays for each row of CRS its own access with its startup, so CRS suffers from short rows. A GPU "
    "has many rows running and hides what each waits for, so on it this matters little.",
    "In cycles, HiSM against CRS follows the bytes of its image: how many entries share the pointers of a "
    "block. On the GPU short positions gain nothing, since the sums of parts of rows go through memory and a "
    "second kernel; where rows have few entries in a block, these sums are more than what was saved.",
    "On the GPU, BBCS and HiSM come closest to CRS, and rarely pass it, where a few rows are longer than the "
    "others: their warps take entries, whatever the rows, those of JD take rows and those of CRS blocks of "
    "rows. The simulated machine has one stream of instructions, no threads to be left idle by a long row, "
    "and sees none of this.",
)
"""Where and why the machines disagree."""
OUTLIERS = 3
"""Matrices of each picture that are named: those furthest from the common order."""


def make_pairs(request: Request) -> Item:
    """Compare ratios of simulated cycles with ratios of GPU times, for every two formats.

    Raises
    ------
    UserError
        As `recorded`.
    """
    result = recorded(request)
    results = result.results
    by_pair = {pair: ratios(results.matrices, *pair) for pair in (*PAIRS, *CACHED)}
    rows = [
        row
        for pair, pairs in by_pair.items()
        for row in (*_correlated(_called(pair), pairs), *_sided(_called(pair), pairs))
    ]
    return Item(
        "crosscheck-pairs",
        "Simulated cycles against GPU times, by pairs of formats",
        f"Each point is a matrix. Across, simulated cycles of the first program over the second's on the "
        f"machine {results.machine.label}; up, GPU times of their formats on {_device(results)}. Where the "
        "machine ranks matrices as the GPU does, points rise and Spearman's rho is 1; where both find "
        "the same format faster, they are to the lower left or upper right of the lines. The dashed line is "
        "where both ratios are equal. CHiSM multiplies the image of HiSM, so its cycles stand next to the "
        f"GPU's times of HiSM. {_answer(by_pair)}",
        tuple(rows),
        _picture(results, by_pair),
        notes=(
            "interval: 95 % of 2000 samples of the matrices, with replacement, have a rho within it",
            "same side: matrices on which the same format is faster on both machines, of those whose GPU "
            f"times differ by a factor of {ALIKE} or more",
            f"large: {LARGE:,} non-zeros or more",
        ),
        gaps=result.gaps,
        faults=tuple(results.disagreements),
    )


def make_rankings(request: Request) -> Item:
    """Compare the order of the four formats on each matrix.

    Raises
    ------
    UserError
        As `recorded`.
    """
    result = recorded(request)
    every = orders(result.results.matrices, RANKED)
    rows = [
        *_summed("all matrices", every),
        *_summed(f"{LARGE:,} non-zeros or more", [o for o in every if o.matrix.entries >= LARGE]),
        *_summed("fewer", [order for order in every if order.matrix.entries < LARGE]),
    ]
    for order in every:
        rows += _ordered(order)
    return Item(
        "crosscheck-rankings",
        "The order of the formats on each matrix",
        "The four formats in the order of simulated cycles and in the order of GPU times, on every matrix; "
        "Kendall's tau is 1 where both are the same and -1 where one is the other reversed. Speeds are those "
        f"relative to CRS on each machine. {_winners(every)}",
        tuple(rows),
        notes=(
            "lost: how many times longer the GPU takes with the format that has the fewest cycles than with "
            "its own best of the four",
        ),
        gaps=result.gaps,
    )


def make_reasons(request: Request) -> Item:
    """Show which properties of a matrix correlate with the ratios of each machine.

    Raises
    ------
    UserError
        As `recorded`.
    """
    result = recorded(request)
    rows = []
    for pair in PAIRS:
        pairs = ratios(result.results.matrices, *pair)
        for label, feature in _features(pair).items():
            both = zip(("cycles", "GPU time"), explained_by(pairs, feature), strict=True)
            rows += _rows(f"{_called(pair)}: {label}", dict(both))
    return Item(
        "crosscheck-reasons",
        "What decides on each machine",
        "Spearman's rho between a property of the matrices and the ratio of two formats, on each machine. A "
        "property with rhos of different sign, or strong on one machine alone, is why the machines disagree.",
        tuple(rows),
        notes=("longest over mean row: the longest row over the mean one", *READ_FROM_THE_KEPT_RESULTS),
        gaps=result.gaps,
    )


def appendices(request: Request) -> tuple[Appendix, ...]:
    """List the matrices with their errors, and say what measured them.

    Raises
    ------
    UserError
        As `recorded`.
    """
    results = recorded(request).results
    how = Table(
        ("what", "which"),
        (
            ("GPU", _device(results)),
            ("measured", results.date),
            ("commit", results.commit or "unknown"),
            ("simulated machine", results.machine.label_with_digest),
            ("values", f"{results.value_bits} bits, x of seed {results.seed}"),
            ("file", recorded(request).source),
        ),
    )
    return (
        Appendix(
            "crosscheck-matrices",
            "The matrices of the cross-check",
            (
                "Every product by SciPy, by the simulated programs and on the GPU: the largest error of any, "
                "max |y - r| / (|A| |x|); how far two of them are apart at most; and what rounding allows.",
            ),
            table(results.matrices, MATRICES, slice(2, None)),
        ),
        Appendix("", "What measured the cross-check", table=how),
    )


def _called(pair: tuple[str, str]) -> str:
    first, second = pair
    return f"{METHODS[first]} over {METHODS[second]}"


def _device(results: Results) -> str:
    return "no GPU" if results.device is None else str(results.device["name"])


def _class(name: str) -> str:
    return next((each.class_ for each in listed() if each.name == name), "other")


def _correlated(label: str, pairs: Sequence[Ratio]) -> list[Comparison]:
    """Return the correlations of a pair, over all matrices and over large and small ones."""
    whole = of_ratios(pairs)
    large = [ratio for ratio in pairs if ratio.matrix.entries >= LARGE]
    small = [ratio for ratio in pairs if ratio.matrix.entries < LARGE]
    numbers = {
        "matrices": float(whole.count),
        "Spearman's rho": whole.spearman,
        "interval from": whole.low,
        "to": whole.high,
        "Kendall's tau": whole.kendall,
        "rho, large": _rho(large),
        "rho, others": _rho(small),
    }
    return _rows(label, numbers)


def _rho(pairs: Sequence[Ratio]) -> float:
    return spearman([ratio.cycles for ratio in pairs], [ratio.time for ratio in pairs])


def _sided(label: str, pairs: Sequence[Ratio]) -> list[Comparison]:
    counted = sides(pairs)
    numbers = {"same side": counted.same, "other side": counted.other, "equal on the GPU": counted.alike}
    return _rows(label, numbers)


def _rows(label: str, numbers: Mapping[str, float]) -> list[Comparison]:
    """Return a row for each number; NaN is none."""
    return [
        Comparison(label, quantity, "", None if number != number else float(number))
        for quantity, number in numbers.items()
    ]


def _picture(results: Results, by_pair: Mapping[tuple[str, str], Sequence[Ratio]]) -> ScatterChart:
    return ScatterChart(
        f"{results.machine.label} against {_device(results)}",
        "simulated cycles, ratio",
        "GPU time, ratio",
        tuple(_panel(pair, pairs) for pair, pairs in by_pair.items()),
        "Points: matrices. Across: ratio of simulated cycles of two formats; up: ratio of their GPU times.",
        reference=1.0,
    )


def _panel(pair: tuple[str, str], pairs: Sequence[Ratio]) -> ScatterPanel:
    classes = dict.fromkeys(_class(ratio.matrix.name) for ratio in pairs)
    series = {
        name: tuple((ratio.cycles, ratio.time) for ratio in pairs if _class(ratio.matrix.name) == name)
        for name in classes
    }
    return ScatterPanel(f"{_called(pair)}, rho {_rho(pairs):.2f}", series, _outliers(pairs))


def _outliers(pairs: Sequence[Ratio]) -> dict[tuple[float, float], str]:
    """Name the points whose ranks in the two machines are furthest apart."""
    by_cycles = sorted(pairs, key=lambda ratio: ratio.cycles)
    by_time = {ratio.matrix.name: rank for rank, ratio in enumerate(sorted(pairs, key=lambda r: r.time))}
    apart = {
        ratio.matrix.name: abs(rank - by_time[ratio.matrix.name]) for rank, ratio in enumerate(by_cycles)
    }
    furthest = sorted(pairs, key=lambda ratio: -apart[ratio.matrix.name])[:OUTLIERS]
    return {(ratio.cycles, ratio.time): ratio.matrix.name for ratio in furthest}


def _summed(label: str, result: Sequence[Order]) -> list[Comparison]:
    """Sum up the orders of several matrices."""
    if not result:
        return []
    taus = [order.kendall for order in result]
    same = sum(order.fastest_by_cycles == order.fastest_on_gpu for order in result)
    numbers = {
        "matrices": float(len(result)),
        "same fastest": float(same),
        "mean tau": fmean(taus),
        "median tau": median(taus),
        "median lost": median(order.lost for order in result),
    }
    return _rows(label, numbers)


def _ordered(order: Order) -> list[Comparison]:
    numbers = {
        f"{METHODS[name]}, {machine}": result[REFERENCE] / result[name]
        for name in RANKED[1:]
        for machine, result in (("cycles", order.cycles), ("GPU", order.times))
    }
    numbers |= {"tau": order.kendall, "lost": order.lost}
    return _rows(order.matrix.name, numbers)


def _answer(by_pair: Mapping[tuple[str, str], Sequence[Ratio]]) -> str:
    """Return a sentence on how well the ratios agree."""
    result = {pair: of_ratios(pairs) for pair, pairs in by_pair.items()}
    above = [_called(pair) for pair, each in result.items() if each.low > 0]
    rhos = [each.spearman for each in result.values()]
    return (
        f"Rho is between {min(rhos):.2f} and {max(rhos):.2f}; its interval is above 0 for "
        f"{', '.join(above) or 'no pair'}."
    )


def _winners(every: Sequence[Order]) -> str:
    """Return sentences that count the matrices with the same winner, and the winners of each machine."""
    same = sum(order.fastest_by_cycles == order.fastest_on_gpu for order in every)
    parts = [
        f"The format with the fewest cycles is the fastest on the GPU on {same} of {len(every)} matrices"
    ]
    for machine, names in (
        ("by cycles", [order.fastest_by_cycles for order in every]),
        ("on the GPU", [order.fastest_on_gpu for order in every]),
    ):
        counted = ", ".join(f"{METHODS[name]} {names.count(name)}" for name in RANKED)
        parts.append(f"fastest {machine}: {counted}")
    return "; ".join(parts) + "."


def _features(pair: tuple[str, str]) -> dict[str, Callable[[Checked], float]]:
    first, second = pair

    def in_memory(each: Checked) -> float:
        checks = by_program(each)
        return checks[first].image_bytes / checks[second].image_bytes

    def on_gpu(each: Checked) -> float:
        checks = by_program(each)
        return (checks[first].gpu_bytes or 0) / (checks[second].gpu_bytes or 1)

    return {
        "non-zeros": lambda each: each.entries,
        "non-zeros a row": lambda each: each.entries / each.rows,
        "longest over mean row": lambda each: each.check.longest_row * each.rows / each.entries,
        "bytes in simulated memory": in_memory,
        "bytes on the GPU": on_gpu,
    }


MATRICES: dict[str, Callable[[Checked], object]] = {
    "matrix": lambda each: each.name,
    "class": lambda each: _class(each.name),
    "rows": lambda each: f"{each.rows:,}",
    "columns": lambda each: f"{each.columns:,}",
    "non-zeros": lambda each: f"{each.entries:,}",
    "longest row": lambda each: f"{each.check.longest_row:,}",
    "largest error": lambda each: f"{max(e for c in each.check.checks for e in c.errors.values()):.1e}",
    "furthest apart": lambda each: f"{max(check.furthest for check in each.check.checks):.1e}",
    "allowed": lambda each: f"{each.check.allowed:.1e}",
}
"""Columns of the table of matrices."""
