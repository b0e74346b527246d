"""What the paper says of Figures 11 and 12 in words, and whether it holds here."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from experiments.papers.kit.numbers import geometric_mean, mean_ratio, rank_correlation
from experiments.papers.pellr.choices import LONG_ROWS, large, long_and_large, not_large
from experiments.papers.pellr.methods import METHODS
from experiments.papers.pellr.results import DTYPES, HYB, PELLR, MatrixRecord, Results
from experiments.papers.pellr.verdicts import (
    ALMOST_ALL,
    NOISE,
    Judged,
    by_sigma,
    of_our_coordinates,
    over_hyb,
    over_sets,
    with_any_coordinates,
)
from experiments.papers.pellr.wins import FIGURE_12, share_best
from experiments.report.item import Verdict

OTHERS_OF_FOUR = ("", "biell", "bijad")
"""What Figure 11 compares with HYB; PELLR is the first."""
FOUR = (PELLR, HYB, "biell", "bijad")
UNTESTED = {
    "Texture memory for x makes products faster (section 4)": "not built: kernels of Numba cannot bind "
    "textures. Since compute capability 7.0 the cache of textures is the L1 cache, through which our kernels "
    "read x",
    "Coordinates in any order do not suit GPUs (2.1)": "ours are in the order of the rows",
    "Half a warp a row coalesces, and permuted results may not (2.2 and 2.3.5)": "coalescing was not counted",
    "Rows of under 5 and of over 20 entries often share a warp (3)": "rows of single warps are not recorded",
}
"""What nothing here can decide, and why."""


def of_four(results: Results) -> Iterator[Verdict]:
    """Judge what the paper says of Figure 11."""
    yield with_any_coordinates(
        "PELLR, BiELL and BiJAD are faster than HYB in most cases",
        lambda free, part: _faster_than_hyb(results, part, free),
    )
    yield with_any_coordinates(
        "BiELL and BiJAD, too, are so above all with sigma < 10",
        lambda free, part: _above_all_small(results, part, free),
    )
    yield of_our_coordinates(
        over_sets("HYB is the fastest of the four only on memplus", lambda part: _only_memplus(results, part))
    )


def _faster_than_hyb(results: Results, part: str, free: bool) -> Judged | None:
    shares = {}
    for dtype, short in DTYPES.items():
        for method in OTHERS_OF_FOUR:
            ratios = over_hyb(results, results.sets[part], dtype, free, method)
            if ratios:
                wins = sum(ratio > 1 for ratio in ratios.values())
                shares[f"{short} {METHODS[method or PELLR].label}"] = (wins, len(ratios))
    if not shares:
        return None
    numbers = ", ".join(f"{label} on {wins} of {count}" for label, (wins, count) in shares.items())
    return all(2 * wins > count for wins, count in shares.values()), numbers


def _above_all_small(results: Results, part: str, free: bool) -> Judged | None:
    means = {
        METHODS[method].label: pair
        for method in OTHERS_OF_FOUR[1:]
        if (pair := by_sigma(results, part, "float64", free, method)) is not None
    }
    if not means:
        return None
    numbers = ", ".join(f"{label} {low:.2f} and {high:.2f} beyond" for label, (low, high) in means.items())
    return all(low > high for low, high in means.values()), f"f64, times faster than HYB: {numbers}"


def _only_memplus(results: Results, part: str) -> Judged | None:
    where = {
        short: [name for name, best in share_best(results, part, dtype, FOUR).fastest.items() if best == HYB]
        for dtype, short in DTYPES.items()
    }
    if not results.sets[part]:
        return None
    numbers = ", ".join(f"{short} on {', '.join(names) or 'none'}" for short, names in where.items())
    return all(len(names) == 1 and names[0].startswith("memplus") for names in where.values()), numbers


def of_all(results: Results) -> Iterator[Verdict]:
    """Judge what the paper says of Figure 12, and of how it was measured."""
    yield over_sets(
        "PELLR and JAD are in turn the fastest on almost all matrices",
        lambda part: _fastest(results, part, (PELLR, "jad"), ALMOST_ALL),
    )
    yield _next_are_jad_and_ellr(results)
    yield over_sets(
        "CSRV is slower than cuCSR in most cases", lambda part: _slower(results, part, "csrv", "cucsr")
    )
    yield over_sets(
        "CSRS is poor: slower than CSRV in most cases", lambda part: _slower(results, part, "csrs", "csrv")
    )
    yield over_sets(
        "JAD pads less than ELL and is faster (2.3.5)", lambda part: _slower(results, part, "ell", "jad")
    )
    yield over_sets("BiJAD is faster than JAD (2.3.5)", lambda part: _slower(results, part, "jad", "bijad"))
    yield over_sets(
        "ELL is slow where rows differ much in length (2.3.1)", lambda part: _ell_by_sigma(results, part)
    )
    yield from _of_row_lengths(results)
    yield _hyb_with_long_rows(results)
    yield of_our_coordinates(_best_on_memplus(results))
    for claim, reason in UNTESTED.items():
        yield Verdict(claim, None, reason)


def _fastest(results: Results, part: str, methods: tuple[str, ...], share: float) -> Judged | None:
    wins = {short: share_best(results, part, dtype, FIGURE_12) for dtype, short in DTYPES.items()}
    if part == "filled" or not results.sets[part]:
        return None
    numbers = ", ".join(
        f"{short} on {each.of(*methods)} of {len(each.fastest)} (fastest: {each})"
        for short, each in wins.items()
    )
    return all(each.of(*methods) > share * len(each.fastest) for each in wins.values()), numbers


def _next_are_jad_and_ellr(results: Results) -> Verdict:
    """Judge whether JAD and ELLR come next to PELLR by their means, and CSRV is poor, as the paper has it."""
    means = {
        METHODS[method].label: mean.value
        for method in FIGURE_12
        if method != PELLR and (mean := mean_ratio(results.ratios(results.sets["alone"], method, "float64")))
    }
    ranking = sorted(means, key=lambda label: means[label])
    return Verdict(
        "JAD and ELLR are pretty good, and CSRV is relatively poor",
        set(ranking[:2]) == {"JAD", "ELLR"} and ranking.index("CSRV") >= len(ranking) / 2 if means else None,
        "f64, times as long as PELLR on matrices as they are: "
        + ", ".join(f"{label} {means[label]:.2f}" for label in ranking),
    )


def _slower(results: Results, part: str, method: str, other: str) -> Judged | None:
    counts = {}
    for dtype, short in DTYPES.items():
        ratios = results.ratios(results.sets[part], other, dtype, method)
        if ratios:
            counts[short] = (sum(ratio < 1 for ratio in ratios.values()), len(ratios))
    if not counts:
        return None
    numbers = ", ".join(f"{short} on {slower} of {count}" for short, (slower, count) in counts.items())
    return all(2 * slower > count for slower, count in counts.values()), numbers


def _ell_by_sigma(results: Results, part: str) -> Judged | None:
    means = {}
    for dtype, short in DTYPES.items():
        low, high = (
            geometric_mean(results.ratios(chosen, "ell", dtype, "ellr").values())
            for choose in (not_large, large)
            for chosen in [[matrix for matrix in results.sets[part] if choose(matrix)]]
        )
        if low is None or high is None:
            return None
        means[short] = low, high
    numbers = ", ".join(
        f"{short} {low:.2f} times as long as ELLR for sigma <= 10, {high:.2f} beyond"
        for short, (low, high) in means.items()
    )
    return all(high > (1 + NOISE) * low for low, high in means.values()), numbers


def _of_row_lengths(results: Results) -> Iterator[Verdict]:
    alone = results.sets["alone"]

    def correlation(method: str, number: Callable[[MatrixRecord], float]) -> float | None:
        pairs = [
            (number(matrix), speed)
            for matrix in alone
            if (speed := results.gflops(matrix, method, "float64")) is not None
        ]
        return rank_correlation([pair[0] for pair in pairs], [pair[1] for pair in pairs])

    matches = {
        METHODS[method].label: (by_mean, by_size)
        for method in FIGURE_12
        if (by_mean := correlation(method, lambda matrix: matrix.mean)) is not None
        and (by_size := correlation(method, lambda matrix: matrix.nnz)) is not None
    }
    yield Verdict(
        "The performance of CSRV and cuCSR depends on the mean row length",
        None,
        "f64, rank correlation of GFlops with the mean and, as no matrix fills the GPU, with the non-zeros: "
        + ", ".join(f"{label} {mean:.2f} and {size:.2f}" for label, (mean, size) in matches.items()),
    )

    yield over_sets(
        "CSRV is good where rows have over 16 entries on average",
        lambda part: _good_with_long_rows(results, part),
    )


def _good_with_long_rows(results: Results, part: str) -> Judged | None:
    """Judge whether CSRV is nearer to the fastest format of the figure where rows are long."""
    means = {}
    for dtype, short in DTYPES.items():
        of_long: list[float] = []
        of_short: list[float] = []
        for matrix in results.sets[part]:
            times = [each for method in FIGURE_12 if (each := results.time(matrix, method, dtype))]
            own = results.time(matrix, "csrv", dtype)
            if own:
                (of_long if matrix.mean > LONG_ROWS else of_short).append(own / min(times))
        there, elsewhere = geometric_mean(of_long), geometric_mean(of_short)
        if there is None or elsewhere is None:
            return None
        means[short] = there, elsewhere
    numbers = ", ".join(
        f"{short} {there:.2f} times as long as the fastest there, {elsewhere:.2f} elsewhere"
        for short, (there, elsewhere) in means.items()
    )
    return all(there < (1 - NOISE) * elsewhere for there, elsewhere in means.values()), numbers


def _hyb_with_long_rows(results: Results) -> Verdict:
    def judge(free: bool, part: str) -> Judged | None:
        ratios = over_hyb(results, results.sets[part], "float64", free)
        chosen = {matrix.name for matrix in results.sets[part] if long_and_large(matrix)}
        there = geometric_mean(ratio for name, ratio in ratios.items() if name in chosen)
        elsewhere = geometric_mean(ratio for name, ratio in ratios.items() if name not in chosen)
        if there is None or elsewhere is None:
            return None
        return there < (
            1 - NOISE
        ) * elsewhere, f"f64 {there:.2f} times as long as PELLR there, {elsewhere:.2f} elsewhere"

    return with_any_coordinates("HYB is better where mean and sigma are large", judge)


def _best_on_memplus(results: Results) -> Verdict:
    best = {
        short: share_best(results, "alone", dtype, FIGURE_12).fastest.get("memplus")
        for dtype, short in DTYPES.items()
    }
    known = {short: each for short, each in best.items() if each is not None}
    return Verdict(
        "HYB is the fastest of all on memplus",
        all(each == HYB for each in known.values()) if known else None,
        ", ".join(f"{short} {METHODS[each].label}" for short, each in known.items()) or "not measured",
    )
