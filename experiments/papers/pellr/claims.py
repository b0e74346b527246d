"""The paper's claims as one table of numbers, with ours next to each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from experiments.papers.kit.numbers import geometric_mean
from experiments.papers.kit.results import NOT_MEASURED
from experiments.papers.pellr import verdicts
from experiments.papers.pellr.results import DTYPES, NEAR, SETS, MatrixRecord, Results
from experiments.papers.pellr.texts import notes_of
from experiments.papers.pellr.verdicts import PARTS, Choice, every, large, not_large, stands_for
from experiments.report.comparison import Comparison
from experiments.report.item import Item

SUMMARY = (
    "Every number that the paper's text gives for PELLR against another format, and what this GPU gives: on "
    "the matrices as they are; on the paper's ones repeated until they fill the GPU as often as they filled "
    "the paper's Quadro P600; on generated ones. Averages are geometric means."
)


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
        The number.
    choose
        Which matrices it is about.
    number
        Makes ours of the ratios.
    parts
        Sets of matrices.
    own
        What is compared; PELLR as published if empty.
    """

    words: str
    method: str
    printed: str
    choose: Choice = every
    number: Callable[[list[float]], float | None] = geometric_mean
    parts: tuple[str, ...] = tuple(SETS)
    own: str = ""


def _share(ratios: list[float]) -> float | None:
    return 100 * sum(ratio > 1 for ratio in ratios) / len(ratios) if ratios else None


def _highest(ratios: list[float]) -> float | None:
    return max(ratios, default=None)


PAPERS = ("alone", "filled")

CLAIMS = (
    Claim("over ELLR, sigma > 10", "ellr", "1.5", large),
    Claim("over ELLR, sigma > 10, slices by first row", "ellr", "1.5", large, own=NEAR),
    Claim("over ELLR on memplus", "ellr", "1.1", stands_for("memplus"), parts=PAPERS),
    Claim("over ELLR on lnsp3937 (stand-in)", "ellr", "4.5", stands_for("lnsp3937"), parts=PAPERS),
    Claim("over HYB, sigma < 10", "hyb-third", "4", not_large, parts=PAPERS),
    Claim("over HYB, sigma > 10", "hyb-third", "1.6", large),
    Claim("over HYB on memplus", "hyb-third", "0.7", stands_for("memplus"), parts=PAPERS),
    Claim(
        "over HYB on msc23052 and bcsstk36 (stand-ins)",
        "hyb-third",
        "1.2",
        stands_for("msc23052", "bcsstk36"),
        parts=PAPERS,
    ),
    Claim("faster than BiELL, % of matrices (17 of 20)", "biell", "85", number=_share),
    Claim("over BiELL on memplus", "biell", "0.8172", stands_for("memplus"), parts=PAPERS),
    Claim("faster than BiJAD, % of matrices (15 of 20)", "bijad", "75", number=_share),
    Claim("over BiJAD, highest ratio", "bijad", "1.3", number=_highest),
    Claim("fastest of all formats, % of matrices", "", "70", parts=("alone", "generated")),
)
"""In the paper's order."""


def make(results: Results) -> Item:
    """Make the table."""
    return results.item(
        "pellr-claims",
        "The claims: how many times PELLR is faster",
        SUMMARY,
        tuple(row for claim in CLAIMS for part in claim.parts for row in _rows(claim, part, results)),
        notes=notes_of(results),
    )


def _rows(claim: Claim, part: str, results: Results) -> Iterator[Comparison]:
    matrices = [matrix for matrix in results.sets[part] if claim.choose(matrix)]
    for dtype, short in DTYPES.items():
        if claim.method:
            ours = claim.number(list(results.ratios(matrices, claim.method, dtype, claim.own).values()))
        else:
            wins, count, _ = verdicts.share_best(results, part, dtype)
            ours = 100 * wins / count if count else None
        label = f"{claim.words}; {PARTS[part]}"
        yield Comparison(label, short, claim.printed, ours, _which(matrices), NOT_MEASURED)


def _which(matrices: list[MatrixRecord]) -> str:
    if not matrices:
        return "no such matrix was measured"
    if len(matrices) > 3:
        return f"{len(matrices)} matrices"
    return ", ".join(matrix.name for matrix in matrices)
