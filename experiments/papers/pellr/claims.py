"""The numbers of the paper's text as one table, with ours next to each.

A number counts once: in float64, on the matrices as they are, with PELLR as published. What float32, repeated
and generated matrices and other forms give stands next to it and is not counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from experiments.papers.kit.numbers import Average, average, mean_ratio
from experiments.papers.kit.results import NOT_MEASURED
from experiments.papers.pellr.choices import Choice, every, large, not_large, remarked, stands_for
from experiments.papers.pellr.results import DTYPES, HYB, NEAR, PARTS, PELLR, MatrixRecord, Results
from experiments.papers.pellr.texts import notes_of
from experiments.papers.pellr.wins import share_best
from experiments.report.agreement import Measure
from experiments.report.comparison import Comparison
from experiments.report.item import Item

SUMMARY = (
    "Every number that the paper's text gives for PELLR against another format, and what this GPU gives. "
    "Counted is float64 on the matrices as they are, with PELLR in one slice as published; a number is not "
    "testable if float32 gives another outcome, as the paper names no type. Not counted: "
    "float32; the paper's matrices repeated until they fill the GPU as often as they filled the paper's "
    "Quadro P600; generated ones; and other forms of PELLR and HYB. Averages are geometric means."
)
NOT_HAD = "not available"
NO_HYB = "cuSPARSE no longer has HYB"
TYPES_DISAGREE = "float64 and float32 disagree, and the paper does not say which it has"
ELL_PART = "ell part"
"""Stands for the ELL part of HYB alone in the place of a method."""


def _share(ratios: dict[str, float]) -> Average | None:
    return average(ratios, lambda each: 100 * sum(ratio > 1 for ratio in each) / len(each))


def _highest(ratios: dict[str, float]) -> Average | None:
    return average(ratios, max)


@dataclass(frozen=True)
class Claim:
    """A number of the text.

    Attributes
    ----------
    words
        What it is of.
    method
        What PELLR is compared with; empty for the share on which it is the fastest of all.
    printed
        The number; empty for none.
    choose
        Which matrices it is about.
    number
        Makes ours of the ratios.
    measure
        As of `Comparison`.
    parts
        Sets of matrices.
    own
        What is compared; PELLR as published if empty.
    counts
        Whether it is a statement that no other one makes.
    stand_ins
        Why ours are of stand-ins, which test no number: its matrices or the other format are not available.
    """

    words: str
    method: str
    printed: str
    choose: Choice = every
    number: Callable[[dict[str, float]], Average | None] = mean_ratio
    measure: Measure = "timed"
    parts: tuple[str, ...] = tuple(PARTS)
    own: str = ""
    counts: bool = True
    stand_ins: str = ""


PAPERS = ("alone", "filled")
SMALL_MATRICES = stands_for("msc23052", "bcsstk36")

CLAIMS = (
    Claim("over ELLR, sigma > 10", "ellr", "1.5", large),
    Claim("over ELLR, sigma > 10, mean > 20, range > 10", "ellr", "1.5", remarked, counts=False),
    Claim(
        "over ELLR, sigma > 10, both cut, slices by first row", "ellr", "1.5", large, own=NEAR, counts=False
    ),
    Claim(
        "over ELLR on cavity25 and e40r5000",
        "ellr",
        "1.5",
        stands_for("cavity25", "e40r5000"),
        parts=PAPERS,
        counts=False,
    ),
    Claim("over ELLR on memplus", "ellr", "1.1", stands_for("memplus"), parts=PAPERS),
    Claim("over ELLR on lnsp3937", "ellr", "4.5", stands_for("lnsp3937"), parts=PAPERS, stand_ins=NOT_HAD),
    Claim("over HYB, sigma < 10", HYB, "4", not_large, parts=PAPERS, stand_ins=NO_HYB),
    Claim("over HYB's ELL part alone, sigma < 10", ELL_PART, "", not_large, parts=PAPERS),
    Claim("over HYB by our rule, sigma < 10", "hyb", "", not_large, parts=("alone",)),
    Claim("over HYB, sigma > 10", HYB, "1.6", large, stand_ins=NO_HYB),
    Claim("over HYB's ELL part alone, sigma > 10", ELL_PART, "", large),
    Claim("over HYB by our rule, sigma > 10", "hyb", "", large, parts=("alone", "generated")),
    Claim(
        "over HYB on memplus",
        HYB,
        "0.7",
        stands_for("memplus"),
        parts=PAPERS,
        counts=False,
        stand_ins=NO_HYB,
    ),
    Claim("over HYB on msc23052 and bcsstk36", HYB, "1.2", SMALL_MATRICES, parts=PAPERS, stand_ins=NOT_HAD),
    Claim("faster than BiELL, % of matrices (17 of 20)", "biell", "85", number=_share, measure="share"),
    Claim("over BiELL on memplus", "biell", "0.8172", stands_for("memplus"), parts=PAPERS),
    Claim("faster than BiJAD, % of matrices (15 of 20)", "bijad", "75", number=_share, measure="share"),
    Claim("over BiJAD, highest ratio", "bijad", "1.3", number=_highest),
    Claim(
        "fastest of all formats, % of matrices (over 70, “most cases” in Figure 12)",
        "",
        "70",
        measure="share",
        parts=("alone", "generated"),
    ),
)
"""In the paper's order; those without a number say what becomes of the one before without its stand-in."""


def make(results: Results) -> Item:
    """Make the table."""
    return results.item(
        "pellr-claims",
        "The claims: how many times PELLR is faster",
        SUMMARY,
        tuple(row for claim in CLAIMS for row in _rows(claim, results)),
        notes=notes_of(results),
    )


def _rows(claim: Claim, results: Results) -> Iterator[Comparison]:
    rows = [
        _row(claim, results, part, dtype, short) for part in claim.parts for dtype, short in DTYPES.items()
    ]
    outcomes = {row.outcome for row in rows[: len(DTYPES)]}
    if claim.stand_ins or (claim.counts and len(outcomes) > 1):
        quantity, why = ("f64", claim.stand_ins) if claim.stand_ins else ("either type", TYPES_DISAGREE)
        yield Comparison(
            claim.words,
            quantity,
            claim.printed,
            None,
            why,
            NOT_HAD,
            implied=not claim.counts,
            measure=claim.measure,
        )
        rows = [replace(row, implied=True) for row in rows]
    yield from rows


def _row(claim: Claim, results: Results, part: str, dtype: str, short: str) -> Comparison:
    matrices = [matrix for matrix in results.sets[part] if claim.choose(matrix)]
    mean = _ours(claim, results, part, matrices, dtype)
    return Comparison(
        f"{claim.words}; {'stand-ins ' if claim.stand_ins else ''}{PARTS[part]}",
        short,
        "" if claim.stand_ins else claim.printed,
        None if mean is None else mean.value,
        _which(matrices) + _highest_on(claim, mean),
        NOT_MEASURED,
        implied=not claim.counts or (part, short) != ("alone", "f64"),
        measure=claim.measure,
        without_one=mean.without_one if mean is not None and mean.least_without else None,
        elsewhere=claim.measure == "timed",
    )


def _highest_on(claim: Claim, mean: Average | None) -> str:
    """Return on which matrix the highest ratio is: without it the highest is least."""
    highest = claim.number is _highest and mean is not None and mean.least_without
    return f", the highest on {mean.least_without}" if highest and mean is not None else ""


def _ours(
    claim: Claim, results: Results, part: str, matrices: list[MatrixRecord], dtype: str
) -> Average | None:
    if claim.method == ELL_PART:
        return claim.number(results.ell_parts(matrices, dtype))
    if claim.method:
        return claim.number(results.ratios(matrices, claim.method, dtype, claim.own))
    wins = share_best(results, part, dtype)
    return average(wins.fastest, lambda best: 100 * sum(each == PELLR for each in best) / len(best))


def _which(matrices: list[MatrixRecord]) -> str:
    if not matrices:
        return "no such matrix was measured"
    if len(matrices) > 3:
        return f"{len(matrices)} matrices"
    return ", ".join(matrix.name for matrix in matrices)
