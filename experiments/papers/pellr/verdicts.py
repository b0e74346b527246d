"""What the paper says of Figures 6 to 12 in words, and whether it holds here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from experiments.papers.kit.numbers import geometric_mean, spread
from experiments.papers.pellr.methods import METHODS
from experiments.papers.pellr.results import DTYPES, NEAR, MatrixRecord, Results
from experiments.report.item import Verdict

LARGE_SIGMA, SMALL_SIGMA = 10.0, 3.0
"""The paper's bounds of the standard deviation of row lengths."""
NOISE = 0.02
"""Differences that mean nothing: the same product against itself differs by as much."""
ABOUT = 0.2
"""How far, as a share, a number may lie from one that the paper calls about so."""
NOT_OBVIOUS = 0.1
"""An advantage up to which the paper would see none."""
GOAL = 1.3
"""What PELLR is to gain over ELLPACK-R on the generated matrices."""
PARTS = {"alone": "as they are", "filled": "repeated", "generated": "generated"}
"""How the sets of matrices are called in claims."""

Ratios = dict[str, float]
Test = Callable[[Ratios], bool]
Choice = Callable[[MatrixRecord], bool]


def _spread(ratios: Ratios) -> str:
    return f"{_mean(ratios):.2f}" if len(ratios) == 1 else spread(ratios)


def _counted(ratios: Ratios) -> str:
    return f"{_wins(ratios)} of {len(ratios)}; {_spread(ratios)}"


def _mean(ratios: Ratios) -> float:
    return geometric_mean(ratios.values()) or 0.0


def _wins(ratios: Ratios) -> int:
    return sum(ratio > 1 for ratio in ratios.values())


def _all_above(least: float) -> Test:
    return lambda ratios: min(ratios.values()) > least


def _about(printed: float) -> Test:
    return lambda ratios: is_about(_mean(ratios), printed)


def _reaches_the_goal(ratios: Ratios) -> bool:
    return _mean(ratios) >= GOAL


def _slower(ratios: Ratios) -> bool:
    return _mean(ratios) < 1


def _mostly_faster(ratios: Ratios) -> bool:
    return 2 * _wins(ratios) > len(ratios)


def is_about(number: float, printed: float) -> bool:
    """Return whether a number is what the paper calls about so: within a fifth."""
    return abs(number - printed) <= ABOUT * printed


def every(matrix: MatrixRecord) -> bool:
    """Choose all matrices."""
    return True


def large(matrix: MatrixRecord) -> bool:
    """Return whether the paper would call the sigma of a matrix large."""
    return matrix.sigma > LARGE_SIGMA


def not_large(matrix: MatrixRecord) -> bool:
    """Choose the others."""
    return not large(matrix)


def stands_for(*names: str) -> Choice:
    """Choose the matrices that are, or stand for, some of the paper's."""
    return lambda matrix: matrix.stands_for in names


@dataclass(frozen=True)
class Saying:
    """What the paper says about ratios, judged on each set of matrices, in both types.

    Attributes
    ----------
    claim
        In words.
    holds
        Whether it holds, given the ratios of the matrices that it is about.
    choose
        Which these are.
    parts
        Sets of matrices.
    shown
        Says the numbers.
    own
        What is compared; PELLR as published if empty.
    """

    claim: str
    holds: Test
    choose: Choice = every
    parts: tuple[str, ...] = tuple(PARTS)
    shown: Callable[[Ratios], str] = _spread
    own: str = ""

    def judged(self, results: Results, method: str) -> list[Verdict]:
        """Judge it against a method."""
        created = []
        for part in self.parts:
            chosen = [matrix for matrix in results.sets[part] if self.choose(matrix)]
            by_type = {
                short: results.ratios(chosen, method, dtype, self.own) for dtype, short in DTYPES.items()
            }
            there = {short: ratios for short, ratios in by_type.items() if ratios}
            if there:
                detail = "; ".join(f"{short}: {self.shown(ratios)}" for short, ratios in there.items())
                holds = all(self.holds(ratios) for ratios in there.values())
                created.append(Verdict(f"{self.claim} ({PARTS[part]})", holds, detail))
        return created or [Verdict(self.claim, None, "no such matrix was measured")]


def _falling(results: Results) -> Iterator[Verdict]:
    """Judge whether the advantage over HYB falls as sigma grows."""
    for part, words in PARTS.items():
        parts = [[m for m in results.sets[part] if choose(m)] for choose in (not_large, large)]
        means = {
            short: [geometric_mean(results.ratios(each, "hyb-third", dtype).values()) for each in parts]
            for dtype, short in DTYPES.items()
        }
        pairs = {short: pair for short, pair in means.items() if None not in pair}
        if pairs:
            yield Verdict(
                f"The advantage falls as sigma grows ({words})",
                all((low or 0) > (high or 0) for low, high in pairs.values()),
                "; ".join(
                    f"{short}: {low:.2f} for sigma <= 10, {high:.2f} beyond"
                    for short, (low, high) in pairs.items()
                ),
            )


def _nearest(results: Results) -> Iterator[Verdict]:
    """Judge whether BiJAD is the nearest to PELLR."""
    for part, words in PARTS.items():
        apart = {
            METHODS[method].label: max(mean, 1 / mean)
            for method in ("ellr", "hyb-third", "biell", "bijad")
            if (mean := geometric_mean(results.ratios(results.sets[part], method, "float64").values()))
        }
        if "BiJAD" in apart:
            yield Verdict(
                f"PELLR and BiJAD are the nearest of the compared ({words})",
                min(apart, key=lambda label: apart[label]) == "BiJAD",
                "f64, how far apart: " + ", ".join(f"{label} {far:.2f}" for label, far in apart.items()),
            )


GENERATED = ("generated",)
SAYINGS: dict[str, tuple[Saying | Callable[[Results], Iterator[Verdict]], ...]] = {
    "ellr": (
        Saying("PELLR is faster than ELLR for all matrices", _all_above(1 - NOISE)),
        Saying("With sigma > 10 PELLR is about 1.5 times faster", _about(1.5), large),
        Saying(
            "With sigma < 3 PELLR has no obvious advantage",
            lambda ratios: _mean(ratios) < 1 + NOT_OBVIOUS,
            lambda matrix: matrix.sigma < SMALL_SIGMA,
        ),
        Saying("On memplus only 1.1, despite its sigma", _about(1.1), stands_for("memplus")),
        Saying(
            "On lnsp3937 4.5 (here its stand-in), rows of equal length being scattered",
            _about(4.5),
            stands_for("lnsp3937"),
        ),
        Saying(
            "Our goal: at least 1.3 times faster, slices taken as sorted", _reaches_the_goal, parts=GENERATED
        ),
        Saying(
            "Our goal: at least 1.3 times faster, slices taken in the order of their first rows",
            _reaches_the_goal,
            parts=GENERATED,
            own=NEAR,
        ),
    ),
    "hyb-third": (
        Saying("With sigma < 10 PELLR is about 4 times faster", _about(4), not_large),
        Saying("With sigma > 10 PELLR is about 1.6 times faster", _about(1.6), large),
        _falling,
        Saying(
            "On msc23052 and bcsstk36 only 1.2 (here their stand-ins)",
            _about(1.2),
            stands_for("msc23052", "bcsstk36"),
        ),
        Saying("On memplus HYB is faster: 0.7", _slower, stands_for("memplus")),
    ),
    "biell": (
        Saying("PELLR is faster than BiELL in most cases (17 of 20)", _mostly_faster, shown=_counted),
        Saying("On memplus BiELL is faster: 0.8172", _slower, stands_for("memplus")),
        Saying(
            "On lnsp3937 and mhd4800b PELLR has an obvious advantage (here their stand-ins)",
            _all_above(1 + NOT_OBVIOUS),
            stands_for("lnsp3937", "mhd4800b"),
        ),
    ),
    "bijad": (
        Saying("PELLR is faster than BiJAD in most cases (15 of 20)", _mostly_faster, shown=_counted),
        Saying("The highest ratio is only 1.3", lambda ratios: is_about(max(ratios.values()), 1.3)),
        _nearest,
    ),
}
"""What the paper says of Figures 6 and 8 to 10, by what PELLR is compared with."""


def against(results: Results, method: str) -> list[Verdict]:
    """Judge what the paper says of the figure of a method."""
    return [
        verdict
        for saying in SAYINGS[method]
        for verdict in (saying.judged(results, method) if isinstance(saying, Saying) else saying(results))
    ]


def of_four(results: Results) -> Iterator[Verdict]:
    """Judge what the paper says of Figure 11."""
    four = ("pellr", "hyb-third", "biell", "bijad")
    for part, words in PARTS.items():
        for dtype, short in DTYPES.items():
            matrices = results.sets[part]
            best = {matrix.name: results.best(matrix, dtype, four) for matrix in matrices}
            if not best:
                continue
            where = [name for name, method in best.items() if method == "hyb-third"]
            shares = _shares_over_hyb(results, matrices, dtype)
            yield Verdict(
                f"PELLR, BiELL and BiJAD are faster than HYB in most cases ({words}, {short})",
                all(2 * wins > count for wins, count in shares.values()),
                ", ".join(f"{label} on {wins} of {count}" for label, (wins, count) in shares.items()),
            )
            yield Verdict(
                f"HYB is the fastest of the four only on memplus ({words}, {short})",
                all(name.startswith("memplus") for name in where) and bool(where),
                f"on {', '.join(where) or 'none'} of {len(best)}",
            )


def _shares_over_hyb(
    results: Results, matrices: Sequence[MatrixRecord], dtype: str
) -> dict[str, tuple[int, int]]:
    result = {}
    for method in ("pellr", "biell", "bijad"):
        ratios = results.ratios(matrices, "hyb-third", dtype, method)
        result[METHODS[method].label] = (_wins(ratios), len(ratios))
    return result


PAPER_METHODS = ("csrv", "jad", "ell", "ellr", "pellr", "hyb-third", "cucsr", "biell", "bijad")
"""What PELLR is best of, according to the paper; ELLPACK-R cut into slices where it does not fit whole."""


def share_best(results: Results, part: str, dtype: str) -> tuple[int, int, dict[str, int]]:
    """Count on how many matrices of a set PELLR is the fastest, of how many, and who is how often."""
    fastest: dict[str, int] = {}
    for matrix in results.sets[part]:
        methods = tuple(results.ellr(matrix) if method == "ellr" else method for method in PAPER_METHODS)
        best = results.best(matrix, dtype, methods)
        if best is not None:
            label = METHODS["ellr" if best == "ellr-sliced" else best].label
            fastest[label] = fastest.get(label, 0) + 1
    return fastest.get("PELLR", 0), sum(fastest.values()), fastest


def of_all(results: Results) -> Iterator[Verdict]:
    """Judge what the paper says of Figure 12, and of all."""
    for part in ("alone", "generated"):
        for dtype, short in DTYPES.items():
            wins, count, fastest = share_best(results, part, dtype)
            if not count:
                continue
            ranking = sorted(fastest.items(), key=lambda pair: -pair[1])
            yield Verdict(
                f"PELLR is the fastest on over 70 % of the matrices ({PARTS[part]}, {short})",
                wins > 0.7 * count,
                f"on {wins} of {count}, BiELL and BiJAD counted; fastest: "
                + ", ".join(f"{label} {times}" for label, times in ranking),
            )
        yield from _of_csr(results, part)


def _of_csr(results: Results, part: str) -> Iterator[Verdict]:
    for dtype, short in DTYPES.items():
        ratios = results.ratios(results.sets[part], "cucsr", dtype, "csrv")
        if not ratios:
            continue
        means = {matrix.name: matrix.mean for matrix in results.sets[part]}
        slower = sum(ratio < 1 for ratio in ratios.values())
        yield Verdict(
            f"CSRV is slower than cuCSR in most cases ({PARTS[part]}, {short})",
            2 * slower > len(ratios),
            f"on {slower} of {len(ratios)}",
        )
        long = geometric_mean(ratio for name, ratio in ratios.items() if means[name] > 16)
        short_rows = geometric_mean(ratio for name, ratio in ratios.items() if means[name] <= 16)
        if long is not None and short_rows is not None:
            yield Verdict(
                f"CSRV is good where rows have over 16 entries on average ({PARTS[part]}, {short})",
                long > short_rows,
                f"{long:.2f} times cuCSR there, {short_rows:.2f} elsewhere",
            )
