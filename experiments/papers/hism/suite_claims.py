"""What the paper says of many matrices (section 3.1.2), checked on the whole suite."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean

from experiments.papers.hism.rank_correlation import Correlation, indication, rank_correlation
from experiments.papers.hism.suite import Criterion, Member
from experiments.papers.hism.timing import METHODS, Measured, Timing
from experiments.report.item import Verdict

FEWEST = 5
"""Matrices from which on the lengths of rows are examined: two more ranks are removed."""
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
        yield small_cache_traffic({name: members[name].size for name in timings}, timings)
        yield cache_traffic(timings)
        yield bbcs_traffic(timings)
    elif criterion == "average_per_row":
        yield independence(members, timings)
        yield row_length(members, timings)
    else:
        yield exceptions(timings)


def small_cache_traffic(sizes: Mapping[str, int], timings: Timings) -> Verdict:
    """Check that CHiSM moves more bytes than HiSM on very small matrices.

    Parameters
    ----------
    sizes
        Non-zeros, by matrix.
    timings
        Of the same matrices.
    """
    claim = f"With {VERY_SMALL:,} non-zeros or fewer CHiSM makes many unnecessary accesses"
    ratios = _bytes_ratios([name for name in timings if sizes[name] <= VERY_SMALL], timings, "chism", "hism")
    detail = _described("CHiSM", "HiSM", ratios)
    # The sentence was known when the ways to load the cache were chosen that the calibration searches.
    return Verdict(claim, fmean(ratios) > 1 if ratios else None, detail, "calibrated")


def cache_traffic(timings: Timings) -> Verdict:
    """Check that CHiSM moves fewer bytes than HiSM, by the mean of ratios and by the sum of bytes.

    The paper averages ratios. If the two disagree, the claim cannot be tested.
    """
    claim = "The cache of CHiSM reduces the accesses to memory"
    if not timings:
        return Verdict(claim, None, _described("CHiSM", "HiSM", ()))
    ratios = _bytes_ratios(list(timings), timings, "chism", "hism")
    chism, hism = (sum(of[program].bytes_moved for of in timings.values()) for program in ("chism", "hism"))
    both = {fmean(ratios) < 1, chism < hism}
    detail = f"{_described('CHiSM', 'HiSM', ratios)}; {chism / hism:.2f} of the bytes of all together"
    return Verdict(claim, both.pop() if len(both) == 1 else None, detail)


def bbcs_traffic(timings: Timings) -> Verdict:
    """Check that BBCS moves fewer bytes than CRS and JD on average."""
    ratios = {other: _bytes_ratios(list(timings), timings, "bbcs", other) for other in ("crs", "jd")}
    return Verdict(
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

    They do not if cycles a non-zero and non-zeros a row have no significant rank correlation once the ranks
    of locality and size, which grow with the length of rows in the suite, are removed from both.

    Parameters
    ----------
    members
        The suite, by name.
    timings
        Of those that are available.
    """
    claim = "BBCS, HiSM and CHiSM are not affected by the average number of non-zeros a row"
    if len(timings) < FEWEST:
        return Verdict(claim, None, f"fewer than {FEWEST} matrices are available")
    known = [members[name] for name in timings]
    lengths = [each.average_per_row for each in known]
    removed = [[each.locality for each in known], [float(each.size) for each in known]]
    costs = {
        program: [of[program].cycles / members[name].size for name, of in timings.items()]
        for program in METHODS
    }
    raw = {program: rank_correlation(lengths, cost) for program, cost in costs.items()}
    partial = {program: rank_correlation(lengths, cost, removed) for program, cost in costs.items()}
    return Verdict(
        claim,
        all(partial[program].is_chance for program in ("bbcs", "hism", "chism")),
        f"rank correlation with cycles a non-zero on {len(timings)} matrices without the ranks of locality "
        f"and size: {_listed(partial)}; with them: {_listed(raw)}",
    )


def _listed(correlations: Mapping[str, Correlation]) -> str:
    return ", ".join(f"{METHODS[program]} {each}" for program, each in correlations.items())


def row_length(members: Mapping[str, Member], timings: Timings) -> Verdict:
    """Check that CRS gains on JD as rows get longer.

    Parameters
    ----------
    members
        The suite, by name.
    timings
        Of those that are available.
    """
    return indication(
        "The average non-zeros a row are a good indication of the efficiency of CRS versus JD",
        [members[name].average_per_row for name in timings],
        [of["jd"].cycles / of["crs"].cycles for of in timings.values()],
        "non-zeros a row and cycles of JD over those of CRS",
    )


def exceptions(timings: Timings) -> Verdict:
    """Check that matrices on which HiSM is slower than CRS or JD, as on bcspwr10, are rare (Figure 4)."""
    claim = "Matrices of such a low locality, on which HiSM is slower than CRS or JD, are rare exceptions"
    slower = [n for n, of in timings.items() if of["hism"].cycles > min(of["crs"].cycles, of["jd"].cycles)]
    named = f": {', '.join(slower)}" if 0 < len(slower) <= 5 else ""
    holds = len(slower) <= RARE * len(timings) if timings else None
    # The suite was chosen for its mean locality.
    return Verdict(claim, holds, f"{len(slower)} of {len(timings)} matrices{named}", "calibrated")
