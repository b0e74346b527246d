"""What the paper says of many matrices (section 3.1.2), checked on the whole suite."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean

from experiments.papers.hism.suite import Criterion, Member
from experiments.papers.hism.timing import METHODS, Measured, Timing
from experiments.report.item import Verdict

SIGNIFICANT = 0.05
"""Probability from which on a correlation counts as chance."""
VERY_SMALL = 1000
"""The paper: a very small matrix has this many non-zeros or fewer."""
RARE = 0.05
"""Share of the suite up to which exceptions count as rare."""

Timings = Mapping[str, Mapping[str, Timing]]
"""By matrix and program."""


def verdicts(criterion: Criterion, members: Mapping[str, Member], measured: Measured) -> Iterator[Verdict]:
    """Check what the paper says next to one of Figures 2 to 4.

    Parameters
    ----------
    criterion
        What the figure sorts by.
    members
        The suite, by name.
    measured
        What the programs took on those that are available.
    """
    timings = measured.timings
    if criterion == "size":
        sizes = {name: members[name].size for name in timings}
        yield from cache_traffic(sizes, timings)
        yield from bbcs_traffic(timings)
    elif criterion == "average_per_row":
        yield independence(members, timings)
    else:
        yield exceptions(timings)


def cache_traffic(sizes: Mapping[str, int], timings: Timings) -> Iterator[Verdict]:
    """Yield whether CHiSM moves more bytes than HiSM on very small matrices, and fewer on others.

    Parameters
    ----------
    sizes
        Non-zeros, by matrix.
    timings
        Of the same matrices.
    """
    small = [name for name, size in sizes.items() if size <= VERY_SMALL]
    others = [name for name in sizes if name not in small]
    for claim, names, more in (
        (f"With {VERY_SMALL:,} non-zeros or fewer CHiSM makes many unnecessary accesses", small, True),
        (f"With more than {VERY_SMALL:,} non-zeros CHiSM accesses memory less than HiSM", others, False),
    ):
        ratios = _bytes_ratios(names, timings, "chism", "hism")
        holds = (fmean(ratios) > 1) is more if ratios else None
        yield Verdict(claim, holds, _described("CHiSM", "HiSM", ratios))


def bbcs_traffic(timings: Timings) -> Iterator[Verdict]:
    """Yield whether BBCS moves fewer bytes than CRS and JD on average."""
    ratios = {other: _bytes_ratios(list(timings), timings, "bbcs", other) for other in ("crs", "jd")}
    yield Verdict(
        "BBCS needs less memory bandwidth than CRS and JD",
        all(fmean(each) < 1 for each in ratios.values()) if timings else None,
        "; ".join(_described("BBCS", METHODS[other], each) for other, each in ratios.items()),
    )


def _bytes_ratios(names: Sequence[str], timings: Timings, first: str, second: str) -> list[float]:
    return [timings[name][first].bytes_moved / timings[name][second].bytes_moved for name in names]


def _described(first: str, second: str, ratios: Sequence[float]) -> str:
    if not ratios:
        return "no such matrix is available"
    fewer = sum(ratio < 1 for ratio in ratios)
    return (
        f"bytes moved by {first} over those of {second}: {fmean(ratios):.2f} on average of {len(ratios)} "
        f"matrices, fewer on {fewer}"
    )


def independence(members: Mapping[str, Member], timings: Timings) -> Verdict:
    """Check that BBCS, HiSM and CHiSM do not depend on the length of rows (Figure 3).

    They do not if Spearman's rank correlation of cycles a non-zero and non-zeros a row is not significant at
    5 %.

    Parameters
    ----------
    members
        The suite, by name.
    timings
        Of those that are available.
    """
    claim = "BBCS, HiSM and CHiSM are not affected by the average number of non-zeros a row"
    if len(timings) < 3:
        return Verdict(claim, None, "fewer than three matrices are available")
    lengths = [members[name].average_per_row for name in timings]
    costs = {
        program: [of[program].cycles / members[name].size for name, of in timings.items()]
        for program in METHODS
    }
    results = {program: _correlation(lengths, of_program) for program, of_program in costs.items()}
    words = (f"{METHODS[p]} {rank:+.2f} (p = {chance:.2g})" for p, (rank, chance) in results.items())
    return Verdict(
        claim,
        all(results[program][1] > SIGNIFICANT for program in ("bbcs", "hism", "chism")),
        f"rank correlation with cycles a non-zero on {len(timings)} matrices: {', '.join(words)}",
    )


def _correlation(first: Sequence[float], second: Sequence[float]) -> tuple[float, float]:
    """Return Spearman's rank correlation and its probability by chance; 0 and 1 of equal numbers."""
    from scipy.stats import spearmanr

    if len(set(first)) < 2 or len(set(second)) < 2:
        return 0.0, 1.0
    result = spearmanr(first, second)
    return float(result.statistic), float(result.pvalue)


def exceptions(timings: Timings) -> Verdict:
    """Check that matrices on which HiSM is slower than CRS or JD, as on bcspwr10, are rare (Figure 4)."""
    claim = "Matrices of such a low locality, on which HiSM is slower than CRS or JD, are rare exceptions"
    slower = [n for n, of in timings.items() if of["hism"].cycles > min(of["crs"].cycles, of["jd"].cycles)]
    named = f": {', '.join(slower)}" if 0 < len(slower) <= 5 else ""
    holds = len(slower) <= RARE * len(timings) if timings else None
    return Verdict(claim, holds, f"{len(slower)} of {len(timings)} matrices{named}")
