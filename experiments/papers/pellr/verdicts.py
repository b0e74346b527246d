"""What the paper says of Figures 6 and 8 to 10 in words, and whether it holds here.

A claim is judged once, on the matrices as they are and in both types. What repeated and generated matrices
give is in the numbers after it. Printed numbers are judged in the table of claims.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from experiments.papers.kit.numbers import geometric_mean, mean_ratio, spread
from experiments.papers.pellr.choices import Choice, every, large, not_large, small, stands_for
from experiments.papers.pellr.methods import METHODS
from experiments.papers.pellr.results import DTYPES, HYB, PARTS, MatrixRecord, Results
from experiments.report.item import Verdict

NOISE = 0.02
"""Differences that mean nothing: the same product against itself differs by as much."""
NOT_OBVIOUS = 0.1
"""An advantage up to which the paper would see none."""
ALMOST_ALL = 0.9
"""Share of the matrices from which on the paper would say almost all."""
NO_SUCH_MATRIX = "no such matrix was measured"
ON_LNSP3937 = (
    "by formula (1) sorting saves at most the longest row over the mean one. lnsp3937 has 3,937 rows and "
    "25,407 non-zeros, 6.45 a row, and the paper prints 10 for longest less shortest; the shortest has at "
    "most 6, so the longest at most 16 and the ratio is at most 2.5"
)
"""What the paper's own numbers say of its largest ratio."""

Ratios = dict[str, float]
Test = Callable[[Ratios], bool]
Judged = tuple[bool, str]
"""Whether a claim holds on a set of matrices, and the numbers."""


def over_sets(claim: str, judge: Callable[[str], Judged | None]) -> Verdict:
    """Judge a claim on the matrices as they are, and say what the other sets give.

    Parameters
    ----------
    claim
        In words.
    judge
        Judges it on a set, by its name; None where no matrix of it counts.
    """
    matches = {part: match for part in PARTS if (match := judge(part)) is not None}
    shown = [
        f"{PARTS[part]}{'' if part == 'alone' else ' (holds)' if holds else ' (does not hold)'}: {numbers}"
        for part, (holds, numbers) in matches.items()
    ]
    return Verdict(
        claim, matches["alone"][0] if "alone" in matches else None, "; ".join(shown) or NO_SUCH_MATRIX
    )


def with_any_coordinates(claim: str, judge: Callable[[bool, str], Judged | None]) -> Verdict:
    """Judge a claim on HYB, which our stand-in tests only where the cost of its coordinates does not decide.

    Parameters
    ----------
    claim
        In words.
    judge
        As of `over_sets`, given first whether the coordinates of HYB cost nothing.
    """
    ours, free = (over_sets(claim, partial(judge, without)) for without in (False, True))
    detail = f"{ours.detail}; the same if coordinates cost nothing: {free.detail}"
    return Verdict(claim, ours.holds if ours.holds is free.holds else None, detail)


def over_hyb(
    results: Results, matrices: Sequence[MatrixRecord], dtype: str, free: bool, own: str = ""
) -> Ratios:
    """Return how many times PELLR, or another method, is faster than HYB, or than its ELL part alone.

    Parameters
    ----------
    results
        The results.
    matrices, dtype
        Which ratios are wanted.
    free
        Whether the coordinates of HYB cost nothing.
    own
        The method; PELLR as published if empty.
    """
    return results.ell_parts(matrices, dtype, own) if free else results.ratios(matrices, HYB, dtype, own)


@dataclass(frozen=True)
class Saying:
    """What the paper says about ratios.

    Attributes
    ----------
    claim
        In words.
    holds
        Whether it holds, given the ratios of the matrices that it is about.
    choose
        Which these are.
    stand_ins
        Whether other matrices stand in for all of them: then it cannot be tested.
    """

    claim: str
    holds: Test
    choose: Choice = every
    stand_ins: bool = False

    def judged(self, results: Results, method: str) -> Verdict:
        """Judge it against a method."""

        def judge(free: bool, part: str) -> Judged | None:
            chosen = [matrix for matrix in results.sets[part] if self.choose(matrix)]
            by_type = {
                short: over_hyb(results, chosen, dtype, free)
                if method == HYB
                else results.ratios(chosen, method, dtype)
                for dtype, short in DTYPES.items()
            }
            there = {short: ratios for short, ratios in by_type.items() if ratios}
            if not there:
                return None
            numbers = ", ".join(f"{short} {_shown(ratios)}" for short, ratios in there.items())
            return all(self.holds(ratios) for ratios in there.values()), numbers

        if method == HYB:
            return with_any_coordinates(self.claim, judge)
        verdict = over_sets(self.claim, partial(judge, False))
        if self.stand_ins:
            return Verdict(self.claim, None, f"not available; stand-ins {verdict.detail}")
        return verdict


def _shown(ratios: Ratios) -> str:
    if len(ratios) == 1:
        return f"{_mean(ratios):.2f}"
    return f"faster on {_wins(ratios)} of {len(ratios)}, {spread(ratios)}"


def _mean(ratios: Ratios) -> float:
    return geometric_mean(ratios.values()) or 0.0


def _wins(ratios: Ratios) -> int:
    return sum(ratio > 1 for ratio in ratios.values())


def _all_above(least: float) -> Test:
    return lambda ratios: min(ratios.values()) > least


def _almost_all(ratios: Ratios) -> bool:
    return sum(ratio > 1 - NOISE for ratio in ratios.values()) >= ALMOST_ALL * len(ratios)


def _no_obvious_advantage(ratios: Ratios) -> bool:
    return _mean(ratios) < 1 + NOT_OBVIOUS


def _significant(ratios: Ratios) -> bool:
    return _mean(ratios) > 1 + NOT_OBVIOUS and 2 * _wins(ratios) > len(ratios)


def _slower(ratios: Ratios) -> bool:
    return _mean(ratios) < 1


def _of_lnsp3937(results: Results) -> Verdict:
    """Judge the paper's reason for its largest ratio by the paper's own numbers."""
    return Verdict("The 4.5 of lnsp3937 comes of far fewer iterations", False, ON_LNSP3937)


def _of_memplus(results: Results) -> Verdict:
    """Judge whether sorting spares memplus few iterations, as its few long rows would have it."""
    saved = {
        matrix.name: matrix.iterations["ellr"] / matrix.iterations["pellr"]
        for matrix in results.sets["alone"]
        if large(matrix) and matrix.iterations.get("pellr")
    }
    own, elsewhere = saved.pop("memplus", None), mean_ratio(saved)
    claim = "Sorting helps memplus little, as only few of its rows are long"
    if own is None or elsewhere is None:
        return Verdict(claim, None, NO_SUCH_MATRIX)
    return Verdict(
        claim,
        own < elsewhere.value,
        f"times fewer iterations, by formula (1): {own:.2f}, and with sigma > 10 elsewhere {spread(saved)}",
    )


def by_sigma(
    results: Results, part: str, dtype: str, free: bool = False, own: str = ""
) -> list[float] | None:
    """Return means of `over_hyb` with small and with large sigma; None if either is missing.

    Parameters
    ----------
    results, dtype, free, own
        As of `over_hyb`.
    part
        The set of matrices.
    """
    means = []
    for choose in (not_large, large):
        chosen = [matrix for matrix in results.sets[part] if choose(matrix)]
        mean = geometric_mean(over_hyb(results, chosen, dtype, free, own).values())
        if mean is None:
            return None
        means.append(mean)
    return means


def of_our_coordinates(verdict: Verdict) -> Verdict:
    """Return a verdict that the cost of the coordinates of our stand-in for HYB decides: it tests nothing."""
    return replace(verdict, holds=None, detail=f"of our kernels: {verdict.detail}")


def _falling(results: Results) -> Verdict:
    """Judge whether the advantage over HYB falls as sigma grows."""

    def judge(free: bool, part: str) -> Judged | None:
        means = {short: by_sigma(results, part, dtype, free) for dtype, short in DTYPES.items()}
        pairs = {short: pair for short, pair in means.items() if pair is not None}
        if not pairs:
            return None
        numbers = ", ".join(
            f"{short} {low:.2f} for sigma <= 10 and {high:.2f} beyond" for short, (low, high) in pairs.items()
        )
        return all(low > high for low, high in pairs.values()), numbers

    return with_any_coordinates("The advantage over HYB falls as sigma grows", judge)


def _made_by_coordinates(results: Results) -> Verdict:
    """Judge whether HYB loses by its coordinates where sigma is small: its ELL part alone is no slower."""

    def judge(part: str) -> Judged | None:
        chosen = [matrix for matrix in results.sets[part] if not_large(matrix)]
        whole = mean_ratio(results.ratios(chosen, HYB, "float64"))
        ell = mean_ratio(results.ell_parts(chosen, "float64"))
        if whole is None or ell is None:
            return None
        return whole.value > 1 >= ell.value, f"f64 over HYB {whole}, over its ELL part alone {ell}"

    return of_our_coordinates(over_sets("With sigma < 10 HYB loses by its coordinates", judge))


def _coordinates_matter_less(results: Results) -> Verdict:
    """Judge whether coordinates matter less where sigma is large: HYB over its ELL part."""

    def judge(part: str) -> Judged | None:
        whole, ell = (by_sigma(results, part, "float64", free) for free in (False, True))
        if whole is None or ell is None:
            return None
        low, high = (both / alone for both, alone in zip(whole, ell, strict=True))
        return high < low, f"f64, HYB over its ELL part: {low:.2f} for sigma <= 10 and {high:.2f} beyond"

    return of_our_coordinates(over_sets("With sigma > 10 the coordinates of HYB matter less", judge))


def _first_warp(results: Results) -> Verdict:
    """Judge whether BiELL shortens the longest warp of memplus."""
    claim = "On memplus BiELL saves many iterations of the first warp"
    for matrix in results.sets["alone"]:
        if matrix.stands_for == "memplus" and {"pellr", "biell"} <= set(matrix.longest_warp):
            longest, bisected = matrix.longest_warp["pellr"], matrix.longest_warp["biell"]
            return Verdict(
                claim,
                bisected < longest / 2,
                f"the longest warp takes {longest} with PELLR, {bisected} with BiELL",
            )
    return Verdict(claim, None, NO_SUCH_MATRIX)


def _nearest(results: Results) -> Verdict:
    """Judge whether BiJAD is the nearest to PELLR of what Figures 6 and 8 to 10 compare."""

    def judge(part: str) -> Judged | None:
        apart = {
            METHODS[method].label: max(mean, 1 / mean)
            for method in ("ellr", HYB, "biell", "bijad")
            if (mean := geometric_mean(results.ratios(results.sets[part], method, "float64").values()))
        }
        if "BiJAD" not in apart:
            return None
        numbers = ", ".join(f"{label} {far:.2f}" for label, far in apart.items())
        return min(apart, key=lambda label: apart[label]) == "BiJAD", f"f64, times apart: {numbers}"

    return over_sets("PELLR and BiJAD are the nearest of the compared", judge)


SAYINGS: dict[str, tuple[Saying | Callable[[Results], Verdict], ...]] = {
    "ellr": (
        Saying("PELLR is faster than ELLR for all, or almost all, matrices", _almost_all),
        Saying("With sigma < 3 PELLR has no obvious advantage", _no_obvious_advantage, small),
        _of_lnsp3937,
        _of_memplus,
    ),
    HYB: (
        Saying("PELLR has a significant advantage over HYB", _significant),
        _falling,
        _made_by_coordinates,
        _coordinates_matter_less,
        Saying("On memplus PELLR is slower than HYB", _slower, stands_for("memplus")),
    ),
    "biell": (
        Saying(
            "On lnsp3937 and mhd4800b PELLR has an obvious advantage, as BiELL spares few iterations",
            _all_above(1 + NOT_OBVIOUS),
            stands_for("lnsp3937", "mhd4800b"),
            stand_ins=True,
        ),
        _first_warp,
    ),
    "bijad": (_nearest,),
}
"""What the paper says of Figures 6 and 8 to 10, by what PELLR is compared with."""


def against(results: Results, method: str) -> Iterator[Verdict]:
    """Judge what the paper says of the figure of a method."""
    for saying in SAYINGS[method]:
        yield saying.judged(results, method) if isinstance(saying, Saying) else saying(results)
