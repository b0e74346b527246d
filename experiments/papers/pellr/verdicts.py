"""What the paper says of Figures 6 to 12 in words, and whether it holds here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from experiments.papers.pellr.methods import METHODS
from experiments.papers.pellr.results import MatrixRecord
from experiments.papers.pellr.speeds import DTYPES, NEAR, Speeds, geometric_mean
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

Test = Callable[[dict[str, float]], bool]


def _judged(
    speeds: Speeds,
    claim: str,
    method: str,
    holds: Test,
    *,
    choose: Callable[[MatrixRecord], bool] = lambda matrix: True,
    parts: Iterable[str] = PARTS,
    shown: Callable[[dict[str, float]], str] | None = None,
    own: str = "pellr",
) -> list[Verdict]:
    """Judge a claim about ratios on each set of matrices, in both types."""
    made = []
    for part in parts:
        matrices = [matrix for matrix in speeds.sets[part] if choose(matrix)]
        by_type = {short: speeds.ratios(matrices, method, dtype, own) for dtype, short in DTYPES.items()}
        there = {short: ratios for short, ratios in by_type.items() if ratios}
        if not there:
            continue
        detail = "; ".join(f"{short}: {(shown or _spread)(ratios)}" for short, ratios in there.items())
        made.append(
            Verdict(f"{claim} ({PARTS[part]})", all(holds(ratios) for ratios in there.values()), detail)
        )
    return made or [Verdict(claim, None, "no such matrix was measured")]


def _spread(ratios: dict[str, float]) -> str:
    mean = geometric_mean(ratios.values()) or 0.0
    low, high = min(ratios, key=lambda name: ratios[name]), max(ratios, key=lambda name: ratios[name])
    if len(ratios) == 1:
        return f"{mean:.2f}"
    return f"{mean:.2f} on average, {ratios[low]:.2f} ({low}) to {ratios[high]:.2f} ({high})"


def _mean(ratios: dict[str, float]) -> float:
    return geometric_mean(ratios.values()) or 0.0


def _wins(ratios: dict[str, float]) -> int:
    return sum(ratio > 1 for ratio in ratios.values())


def _counted(ratios: dict[str, float]) -> str:
    return f"{_wins(ratios)} of {len(ratios)}; {_spread(ratios)}"


def is_about(number: float, printed: float) -> bool:
    """Say whether a number is what the paper calls about so: within a fifth."""
    return abs(number - printed) <= ABOUT * printed


def large(matrix: MatrixRecord) -> bool:
    """Say whether the paper would call the sigma of a matrix large."""
    return matrix.sigma > LARGE_SIGMA


def stands_for(*names: str) -> Callable[[MatrixRecord], bool]:
    """Choose the matrices that are, or stand for, some of the paper's."""
    return lambda matrix: matrix.stands_for in names


def against_ellr(speeds: Speeds) -> list[Verdict]:
    """Judge what the paper says of Figure 6."""
    return [
        *_judged(
            speeds,
            "PELLR is faster than ELLR for all matrices",
            "ellr",
            lambda ratios: min(ratios.values()) > 1 - NOISE,
        ),
        *_judged(
            speeds,
            "With sigma > 10 PELLR is about 1.5 times faster",
            "ellr",
            lambda ratios: is_about(_mean(ratios), 1.5),
            choose=large,
        ),
        *_judged(
            speeds,
            "With sigma < 3 PELLR has no obvious advantage",
            "ellr",
            lambda ratios: _mean(ratios) < 1 + NOT_OBVIOUS,
            choose=lambda matrix: matrix.sigma < SMALL_SIGMA,
        ),
        *_judged(
            speeds,
            "On memplus only 1.1, despite its sigma",
            "ellr",
            lambda ratios: is_about(_mean(ratios), 1.1),
            choose=stands_for("memplus"),
        ),
        *_judged(
            speeds,
            "On lnsp3937 4.5 (here its stand-in), rows of equal length being scattered",
            "ellr",
            lambda ratios: is_about(_mean(ratios), 4.5),
            choose=stands_for("lnsp3937"),
        ),
        *_judged(
            speeds,
            "Our goal: at least 1.3 times faster, slices taken as sorted",
            "ellr",
            lambda ratios: _mean(ratios) >= GOAL,
            parts=("generated",),
        ),
        *_judged(
            speeds,
            "Our goal: at least 1.3 times faster, slices taken in the order of their first rows",
            "ellr",
            lambda ratios: _mean(ratios) >= GOAL,
            parts=("generated",),
            own=NEAR,
        ),
    ]


def against_hyb(speeds: Speeds) -> list[Verdict]:
    """Judge what the paper says of Figure 8."""
    falling = []
    for part in PARTS:
        means = {
            short: [
                geometric_mean(speeds.ratios(chosen, "hyb-third", dtype).values())
                for chosen in (
                    [matrix for matrix in speeds.sets[part] if not large(matrix)],
                    [matrix for matrix in speeds.sets[part] if large(matrix)],
                )
            ]
            for dtype, short in DTYPES.items()
        }
        pairs = {short: pair for short, pair in means.items() if None not in pair}
        if pairs:
            falling.append(
                Verdict(
                    f"The advantage falls as sigma grows ({PARTS[part]})",
                    all((low or 0) > (high or 0) for low, high in pairs.values()),
                    "; ".join(
                        f"{short}: {low:.2f} for sigma <= 10, {high:.2f} beyond"
                        for short, (low, high) in pairs.items()
                    ),
                )
            )
    return [
        *_judged(
            speeds,
            "With sigma < 10 PELLR is about 4 times faster",
            "hyb-third",
            lambda ratios: is_about(_mean(ratios), 4),
            choose=lambda matrix: not large(matrix),
        ),
        *_judged(
            speeds,
            "With sigma > 10 PELLR is about 1.6 times faster",
            "hyb-third",
            lambda ratios: is_about(_mean(ratios), 1.6),
            choose=large,
        ),
        *falling,
        *_judged(
            speeds,
            "On msc23052 and bcsstk36 only 1.2 (here their stand-ins)",
            "hyb-third",
            lambda ratios: is_about(_mean(ratios), 1.2),
            choose=stands_for("msc23052", "bcsstk36"),
        ),
        *_judged(
            speeds,
            "On memplus HYB is faster: 0.7",
            "hyb-third",
            lambda ratios: _mean(ratios) < 1,
            choose=stands_for("memplus"),
        ),
    ]


def against_biell(speeds: Speeds) -> list[Verdict]:
    """Judge what the paper says of Figure 9."""
    return [
        *_judged(
            speeds,
            "PELLR is faster than BiELL in most cases (17 of 20)",
            "biell",
            lambda ratios: 2 * _wins(ratios) > len(ratios),
            shown=_counted,
        ),
        *_judged(
            speeds,
            "On memplus BiELL is faster: 0.8172",
            "biell",
            lambda ratios: _mean(ratios) < 1,
            choose=stands_for("memplus"),
        ),
        *_judged(
            speeds,
            "On lnsp3937 and mhd4800b PELLR has an obvious advantage (here their stand-ins)",
            "biell",
            lambda ratios: min(ratios.values()) > 1 + NOT_OBVIOUS,
            choose=stands_for("lnsp3937", "mhd4800b"),
        ),
    ]


def against_bijad(speeds: Speeds) -> list[Verdict]:
    """Judge what the paper says of Figure 10."""
    nearest = []
    for part in PARTS:
        distances = {
            METHODS[method].label: max(mean, 1 / mean)
            for method in ("ellr", "hyb-third", "biell", "bijad")
            if (mean := geometric_mean(speeds.ratios(speeds.sets[part], method, "float64").values()))
        }
        if "BiJAD" in distances:
            nearest.append(
                Verdict(
                    f"PELLR and BiJAD are the nearest of the compared ({PARTS[part]})",
                    min(distances, key=lambda label: distances[label]) == "BiJAD",
                    "f64, how far apart: "
                    + ", ".join(f"{label} {ratio:.2f}" for label, ratio in distances.items()),
                )
            )
    return [
        *_judged(
            speeds,
            "PELLR is faster than BiJAD in most cases (15 of 20)",
            "bijad",
            lambda ratios: 2 * _wins(ratios) > len(ratios),
            shown=_counted,
        ),
        *_judged(
            speeds,
            "The highest ratio is only 1.3",
            "bijad",
            lambda ratios: is_about(max(ratios.values()), 1.3),
        ),
        *nearest,
    ]


def of_four(speeds: Speeds) -> list[Verdict]:
    """Judge what the paper says of Figure 11."""
    made = []
    four = ("pellr", "hyb-third", "biell", "bijad")
    for part in PARTS:
        for dtype, short in DTYPES.items():
            best = {matrix.name: speeds.best(matrix, dtype, four) for matrix in speeds.sets[part]}
            where = [name for name, method in best.items() if method == "hyb-third"]
            if not best:
                continue
            made.append(
                Verdict(
                    f"PELLR, BiELL and BiJAD are faster than HYB in most cases ({PARTS[part]}, {short})",
                    _all_beat_hyb(speeds, speeds.sets[part], dtype),
                    _beating_hyb(speeds, speeds.sets[part], dtype),
                )
            )
            made.append(
                Verdict(
                    f"HYB is the fastest of the four only on memplus ({PARTS[part]}, {short})",
                    all(name.startswith("memplus") for name in where) and bool(where),
                    f"on {', '.join(where) or 'none'} of {len(best)}",
                )
            )
    return made


def _shares_over_hyb(
    speeds: Speeds, matrices: Sequence[MatrixRecord], dtype: str
) -> dict[str, tuple[int, int]]:
    found = {}
    for method in ("pellr", "biell", "bijad"):
        pairs = [(speeds.time(m, method, dtype), speeds.time(m, "hyb-third", dtype)) for m in matrices]
        there = [(own, hyb) for own, hyb in pairs if own is not None and hyb is not None]
        found[METHODS[method].label] = (sum(own < hyb for own, hyb in there), len(there))
    return found


def _all_beat_hyb(speeds: Speeds, matrices: Sequence[MatrixRecord], dtype: str) -> bool:
    return all(2 * wins > count for wins, count in _shares_over_hyb(speeds, matrices, dtype).values())


def _beating_hyb(speeds: Speeds, matrices: Sequence[MatrixRecord], dtype: str) -> str:
    shares = _shares_over_hyb(speeds, matrices, dtype)
    return ", ".join(f"{label} on {wins} of {count}" for label, (wins, count) in shares.items())


PAPER_METHODS = ("csrv", "jad", "ell", "ellr", "pellr", "hyb-third", "cucsr", "biell", "bijad")
"""What PELLR is best of, according to the paper; ELLPACK-R cut into slices where it does not fit whole."""


def share_best(speeds: Speeds, part: str, dtype: str) -> tuple[int, int, dict[str, int]]:
    """Count on how many matrices of a set PELLR is the fastest, of how many, and who is how often."""
    fastest: dict[str, int] = {}
    for matrix in speeds.sets[part]:
        methods = tuple(speeds.ellr(matrix) if method == "ellr" else method for method in PAPER_METHODS)
        best = speeds.best(matrix, dtype, methods)
        if best is not None:
            label = METHODS["ellr" if best == "ellr-sliced" else best].label
            fastest[label] = fastest.get(label, 0) + 1
    return fastest.get("PELLR", 0), sum(fastest.values()), fastest


def of_all(speeds: Speeds) -> list[Verdict]:
    """Judge what the paper says of Figure 12, and of all."""
    made = []
    for part in ("alone", "generated"):
        for dtype, short in DTYPES.items():
            wins, count, fastest = share_best(speeds, part, dtype)
            if not count:
                continue
            ranking = sorted(fastest.items(), key=lambda pair: -pair[1])
            made.append(
                Verdict(
                    f"PELLR is the fastest on over 70 % of the matrices ({PARTS[part]}, {short})",
                    wins > 0.7 * count,
                    f"on {wins} of {count}, BiELL and BiJAD counted; fastest: "
                    + ", ".join(f"{label} {times}" for label, times in ranking),
                )
            )
        made += _of_csr(speeds, part)
    return made


def _of_csr(speeds: Speeds, part: str) -> list[Verdict]:
    made = []
    for dtype, short in DTYPES.items():
        pairs = {
            matrix.name: (matrix.mean, vector / library)
            for matrix in speeds.sets[part]
            if (vector := speeds.gflops(matrix, "csrv", dtype)) is not None
            and (library := speeds.gflops(matrix, "cucsr", dtype)) is not None
        }
        if not pairs:
            continue
        slower = sum(ratio < 1 for _, ratio in pairs.values())
        made.append(
            Verdict(
                f"CSRV is slower than cuCSR in most cases ({PARTS[part]}, {short})",
                2 * slower > len(pairs),
                f"on {slower} of {len(pairs)}",
            )
        )
        long = geometric_mean(ratio for mean, ratio in pairs.values() if mean > 16)
        short_rows = geometric_mean(ratio for mean, ratio in pairs.values() if mean <= 16)
        if long is not None and short_rows is not None:
            made.append(
                Verdict(
                    f"CSRV is good where rows have over 16 entries on average ({PARTS[part]}, {short})",
                    long > short_rows,
                    f"{long:.2f} times cuCSR there, {short_rows:.2f} elsewhere",
                )
            )
    return made
