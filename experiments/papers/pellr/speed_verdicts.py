"""What the paper says of Figures 11 and 12 in words, and whether it holds here."""

from __future__ import annotations

from collections.abc import Iterator

from experiments.papers.kit.numbers import geometric_mean, mean_ratio, rank_correlation
from experiments.papers.pellr.choices import LONG_ROWS, large, long_and_large, not_large
from experiments.papers.pellr.methods import METHODS
from experiments.papers.pellr.results import DTYPES, HYB, PELLR, Results
from experiments.papers.pellr.verdicts import ALMOST_ALL, NOISE, Judged, over_sets
from experiments.papers.pellr.wins import FIGURE_12, share_best
from experiments.report.item import Verdict

OTHERS_OF_FOUR = ("", "biell", "bijad")
"""What Figure 11 compares with HYB; PELLR is the first."""
FOUR = (PELLR, HYB, "biell", "bijad")
SENSITIVE = 0.5
"""Rank correlation from which on a performance depends on something."""
TEXTURE = (
    "not built: kernels of Numba cannot bind textures. Since compute capability 7.0 the cache of textures is "
    "the L1 cache, through which our kernels read x"
)


def of_four(results: Results) -> Iterator[Verdict]:
    """Judge what the paper says of Figure 11."""
    yield over_sets(
        "PELLR, BiELL and BiJAD are faster than HYB in most cases",
        lambda part: _faster_than_hyb(results, part),
    )
    yield over_sets("They are so above all with sigma < 10", lambda part: _above_all_small(results, part))
    yield over_sets(
        "HYB is the fastest of the four only on memplus", lambda part: _only_memplus(results, part)
    )


def _faster_than_hyb(results: Results, part: str) -> Judged | None:
    shares = {}
    for dtype, short in DTYPES.items():
        for method in OTHERS_OF_FOUR:
            ratios = results.ratios(results.sets[part], HYB, dtype, method)
            if ratios:
                wins = sum(ratio > 1 for ratio in ratios.values())
                shares[f"{short} {METHODS[method or PELLR].label}"] = (wins, len(ratios))
    if not shares:
        return None
    numbers = ", ".join(f"{label} on {wins} of {count}" for label, (wins, count) in shares.items())
    return all(2 * wins > count for wins, count in shares.values()), numbers


def _above_all_small(results: Results, part: str) -> Judged | None:
    means = {}
    for method in OTHERS_OF_FOUR:
        low, high = (
            geometric_mean(results.ratios(chosen, HYB, "float64", method).values())
            for choose in (not_large, large)
            for chosen in [[matrix for matrix in results.sets[part] if choose(matrix)]]
        )
        if low is not None and high is not None:
            means[METHODS[method or PELLR].label] = low, high
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
    yield over_sets("PELLR is the fastest in most cases", lambda part: _fastest(results, part, (PELLR,), 0.5))
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
    yield from _of_row_lengths(results)
    yield _hyb_with_long_rows(results)
    yield _best_on_memplus(results)
    yield Verdict("Texture memory for x makes products faster (section 4)", None, TEXTURE)


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


def _of_row_lengths(results: Results) -> Iterator[Verdict]:
    def correlation(method: str) -> float | None:
        pairs = [
            (matrix.mean, speed)
            for matrix in results.sets["alone"]
            if (speed := results.gflops(matrix, method, "float64")) is not None
        ]
        return rank_correlation([mean for mean, _ in pairs], [speed for _, speed in pairs])

    matches = {METHODS[method].label: correlation(method) for method in ("csrv", "cucsr")}
    known = [each for each in matches.values() if each is not None]
    yield Verdict(
        "The performance of CSRV and cuCSR depends on the mean row length",
        min(known) > SENSITIVE if known else None,
        "f64, rank correlation of GFlops and mean: "
        + ", ".join(f"{label} {each:.2f}" for label, each in matches.items() if each is not None),
    )

    yield over_sets(
        "CSRV is good where rows have over 16 entries on average",
        lambda part: _good_with_long_rows(results, part),
    )


def _good_with_long_rows(results: Results, part: str) -> Judged | None:
    """Judge whether CSRV is nearer to the fastest format of the figure where rows are long."""
    of_long: list[float] = []
    of_short: list[float] = []
    for matrix in results.sets[part]:
        times = [each for method in FIGURE_12 if (each := results.time(matrix, method, "float64"))]
        own = results.time(matrix, "csrv", "float64")
        if own:
            (of_long if matrix.mean > LONG_ROWS else of_short).append(own / min(times))
    there, elsewhere = geometric_mean(of_long), geometric_mean(of_short)
    if there is None or elsewhere is None:
        return None
    return there < elsewhere, f"f64 {there:.2f} times as long as the fastest there, {elsewhere:.2f} elsewhere"


def _hyb_with_long_rows(results: Results) -> Verdict:
    def judge(part: str) -> Judged | None:
        ratios = results.ratios(results.sets[part], HYB, "float64")
        chosen = {matrix.name for matrix in results.sets[part] if long_and_large(matrix)}
        there = geometric_mean(ratio for name, ratio in ratios.items() if name in chosen)
        elsewhere = geometric_mean(ratio for name, ratio in ratios.items() if name not in chosen)
        if there is None or elsewhere is None:
            return None
        return there < (
            1 - NOISE
        ) * elsewhere, f"f64 {there:.2f} times as long as PELLR there, {elsewhere:.2f} elsewhere"

    return over_sets("HYB is better where mean and sigma are large", judge)


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
