"""What the paper says in words about Figures 2 to 4 (section 3.1.2), as rules that can be checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from experiments.papers.hism.timing import METHODS, Times
from experiments.report.comparison import Kind
from experiments.report.item import Verdict

SIMILAR = 1.25
"""Up to this factor two times count as similar."""


@dataclass(frozen=True)
class Subject:
    """One of the ten matrices of a figure.

    Attributes
    ----------
    name
        What it is called here.
    original
        The collection's matrix that it is, or that it stands for.
    group
        The paper's group: small, medium, large.
    """

    name: str
    original: str
    group: str


Choice = Callable[[Subject], bool]
"""Returns whether a claim is about a matrix."""


@dataclass(frozen=True)
class Claim:
    """A statement about some of the ten matrices of a figure.

    Attributes
    ----------
    figure
        Number of the figure.
    text
        The statement.
    about
        Which of the ten it is about.
    holds
        Whether it holds, given the times of one matrix.
    programs
        Whose times it is about.
    on_average
        Whether it is about the mean times of these matrices, not about each.
    kind
        Where the times come from, with respect to the claim.
    implied
        Whether the orders in Table 2 include it.
    """

    figure: int
    text: str
    about: Choice
    holds: Callable[[Times], bool]
    programs: tuple[str, ...]
    on_average: bool = False
    kind: Kind = "predicted"
    implied: bool = False


def _group(*groups: str, without: str = "") -> Choice:
    return lambda subject: subject.group in groups and subject.original != without


def _all_but(original: str) -> Choice:
    return lambda subject: subject.original != original


def _only(original: str) -> Choice:
    return lambda subject: subject.original == original


CLAIMS = (
    Claim(
        2,
        "On small matrices CHiSM is slower than HiSM on average",
        _group("small"),
        lambda t: t["hism"] < t["chism"],
        ("hism", "chism"),
        on_average=True,
        implied=True,
    ),
    Claim(
        2,
        "On medium and large matrices CHiSM is faster than HiSM on average",
        _group("medium", "large"),
        lambda t: t["chism"] < t["hism"],
        ("hism", "chism"),
        on_average=True,
        implied=True,
    ),
    Claim(
        3,
        "With many non-zeros a row CRS is faster than JD",
        _group("large"),
        lambda t: t["crs"] < t["jd"],
        ("crs", "jd"),
    ),
    Claim(
        3,
        "With few non-zeros a row JD is faster than CRS, but for shl_0",
        _group("small", without="shl_0"),
        lambda t: t["jd"] < t["crs"],
        ("crs", "jd"),
    ),
    Claim(
        3,
        f"On shl_0, with one row of 422 non-zeros, JD is about as slow as CRS (within a factor {SIMILAR})",
        _only("shl_0"),
        lambda t: 1 / SIMILAR <= t["jd"] / t["crs"] <= SIMILAR,
        ("crs", "jd"),
    ),
    Claim(
        3,
        "BBCS, HiSM and CHiSM are faster than CRS and JD, but for bcsstm20",
        _all_but("bcsstm20"),
        lambda t: max(t["bbcs"], t["hism"], t["chism"]) < min(t["crs"], t["jd"]),
        tuple(METHODS),
    ),
    Claim(
        3,
        "On bcsstm20 JD is faster than CHiSM",
        _only("bcsstm20"),
        lambda t: t["jd"] < t["chism"],
        ("jd", "chism"),
    ),
    Claim(
        4,
        "HiSM and CHiSM are faster than CRS and JD, but for bcspwr10",
        _all_but("bcspwr10"),
        lambda t: max(t["hism"], t["chism"]) < min(t["crs"], t["jd"]),
        ("crs", "jd", "hism", "chism"),
    ),
    Claim(
        4,
        "On bcspwr10, of the lowest locality, HiSM is the slowest of all",
        _only("bcspwr10"),
        lambda t: t["hism"] == max(t.values()),
        tuple(METHODS),
    ),
    Claim(
        4,
        "On bcspwr10 CHiSM is faster than HiSM, but slower than JD and BBCS",
        _only("bcspwr10"),
        lambda t: max(t["jd"], t["bbcs"]) < t["chism"] < t["hism"],
        ("jd", "bbcs", "hism", "chism"),
    ),
    Claim(
        4,
        "On qc324 JD is the slowest of all",
        _only("qc324"),
        lambda t: t["jd"] == max(t.values()),
        tuple(METHODS),
        kind="calibrated",  # the banks were searched among values chosen with this sentence in mind
    ),
)
"""The paper's statements, by figure."""

CAUSES = {
    3: (
        "CRS is faster than JD on long rows because its vectors are longer",
        "JD is slow on shl_0 because one row of 422 non-zeros makes short vectors",
        "CHiSM is slower than JD on bcsstm20 because it moves the whole cache",
    ),
    4: ("HiSM is slow on bcspwr10 because its block arrays are poorly filled",),
}
"""Causes that the paper states, by figure, and that no run isolates."""


def causes(figure: int) -> list[Verdict]:
    """Return the causes that the paper states next to a figure; no run can test them."""
    return [Verdict(cause, None, "no run isolates this cause") for cause in CAUSES.get(figure, ())]


def verdicts(figure: int, ten: Sequence[Subject], times: Mapping[str, Times]) -> list[Verdict]:
    """Check the statements about a figure.

    Parameters
    ----------
    ten
        Its matrices, from left to right.
    times
        By name, of those that are available.
    """
    return [_verdict(claim, ten, times) for claim in CLAIMS if claim.figure == figure]


def _verdict(claim: Claim, ten: Sequence[Subject], times: Mapping[str, Times]) -> Verdict:
    meant = [subject.name for subject in ten if claim.about(subject)]
    result = {name: times[name] for name in meant if name in times}
    if not result:
        why = "not found" if meant else "not among these matrices"
        detail = f"{', '.join(meant) or 'it'}: {why}"
        return Verdict(claim.text, None, detail, claim.kind, claim.implied)
    if claim.on_average:
        result = {"mean": {program: fmean(t[program] for t in result.values()) for program in METHODS}}
    against = {name: t for name, t in result.items() if not claim.holds(t)}
    message = "; ".join(_described(claim, name, t) for name, t in (against or result).items())
    missing = [name for name in meant if name not in times]
    if missing:
        message += f"; not found: {', '.join(missing)}"
    detail = f"against it: {message}" if against else message
    return Verdict(claim.text, not against, detail, claim.kind, claim.implied)


def _described(claim: Claim, name: str, times: Times) -> str:
    return f"{name}: " + ", ".join(f"{METHODS[program]} {times[program]:.2f}" for program in claim.programs)
