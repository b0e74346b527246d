"""Table 2: how much faster HiSM and CHiSM are, averaged over groups of matrices (section 3.1.2)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean

from experiments.papers.hism.assignment import described
from experiments.papers.hism.open_claims import judged
from experiments.papers.hism.suite import FigureMember, Member
from experiments.papers.hism.suite_runs import SuiteRuns, suite_runs
from experiments.papers.hism.timing import METHODS, Cycles, Times, relative
from experiments.papers.kit.request import Request
from experiments.report.agreement import outcome_of_number
from experiments.report.comparison import Comparison, Kind
from experiments.report.item import Item, Verdict
from experiments.report.number_tables import largest, number_text
from experiments.report.paper_chart import paper_beside_ours

GROUPS = ("all", "small", "medium", "large")
"""The paper's groups: the whole suite, and the first 3, next 4 and last 3 matrices of Figure 2."""

PRINTED = {
    "HiSM vs CRS": ("4.36", "7.16", "6.00", "4.14"),
    "HiSM vs JD": ("3.34", "3.23", "2.92", "5.52"),
    "HiSM vs BBCS": ("1.23", "1.39", "1.43", "2.30"),
    "CHiSM vs CRS": ("5.30", "4.05", "10.2", "5.33"),
    "CHiSM vs JD": ("4.07", "1.92", "5.01", "7.00"),
    "CHiSM vs BBCS": ("1.50", "0.83", "2.43", "2.94"),
}
"""The paper's Table 2, by row, in the order of :data:`GROUPS`."""

IMPLIED = ("HiSM vs CRS", "HiSM vs BBCS")
"""Rows that the others imply: those of HiSM are those of CHiSM over one number a group (1.22 over all)."""

_NAMES = {title: program for program, title in METHODS.items()}
PROGRAMS = {row: (_NAMES[slow], _NAMES[fast]) for row in PRINTED for fast, _, slow in [row.partition(" vs ")]}
"""The slower and the faster program of each row."""

PRINTED_NOTES = {
    (
        "HiSM vs CRS",
        "small",
    ): "the paper's number contradicts its own others, which give 6.8 (4.05 / 0.595)"
}
"""What is known of single numbers that the paper prints."""


def make(request: Request) -> Item:
    """Simulate the suite and fill Table 2.

    Raises
    ------
    UserError
        As :func:`experiments.papers.hism.measurements.measure_members`.
    """
    return judged(item(suite_runs(request)), request.machine)


def bbcs_over_jd(cycles: Cycles) -> Comparison:
    """Return how many times faster BBCS is than JD, which the introduction says of an earlier paper.

    The rows of CHiSM in the table imply it, too.
    """
    chism_jd, chism_bbcs = (float(PRINTED[f"CHiSM vs {method}"][0]) for method in ("JD", "BBCS"))
    return Comparison(
        "BBCS vs JD",
        GROUPS[0],
        "2.5",
        ratio_of_means([relative(each) for each in cycles.values()], "jd", "bbcs"),
        f"printed for an earlier machine and suite; the table implies {chism_jd / chism_bbcs:.2f}",
        kind="calibrated",
        implied=True,
    )


def averages_over_all(runs: SuiteRuns) -> dict[str, float]:
    """Return the averages over all matrices, by row of the table; without those that cannot be had."""
    return {
        each.row: each.ours
        for each in _filled(runs)
        if each.quantity == GROUPS[0] and each.row in PRINTED and each.ours is not None
    }


def item(runs: SuiteRuns) -> Item:
    """Make Table 2 of what the programs took on the suite."""
    filled = _filled(runs)
    title = "Table 2: speed-ups of HiSM and CHiSM, averaged"
    return Item(
        name="hism-table2",
        title=title,
        summary=(
            "How many times faster y = A x is with HiSM and CHiSM than with CRS, JD and BBCS, averaged over "
            f"a suite of {len(runs.members)} matrices and over the small, medium and large ones of Figure 2."
        ),
        rows=(*filled, bbcs_over_jd(runs.measured.cycles())),
        chart=paper_beside_ours(title, "times faster", filled, logarithmic=True),
        verdicts=(*orderings(_of_suite(runs), runs.measured.cycles()), of_abstract(filled)),
        notes=NOTES,
        gaps=tuple(gaps(runs, filled)),
        faults=runs.measured.wrong(),
    )


def _of_suite(runs: SuiteRuns) -> Grouped:
    return grouped(runs.members.values(), runs.figures["size"])


def _filled(runs: SuiteRuns) -> list[Comparison]:
    originals = grouped(runs.originals, runs.figures_of_originals["size"])
    return rows(_of_suite(runs), originals, runs.measured.cycles())


def ratio_of_means(times: Sequence[Times], slow: str, fast: str) -> float | None:
    """Divide the mean time of one program by that of another; None of no matrix.

    So the paper averaged: its rows of HiSM and CHiSM differ by one factor for CRS, JD and BBCS, which
    only a quotient of means of CHiSM-normalised times does.
    """
    return fmean(t[slow] for t in times) / fmean(t[fast] for t in times) if times else None


def mean_of_ratios(times: Sequence[Times], slow: str, fast: str) -> float | None:
    """Divide the times of each matrix and take the mean; None of no matrix."""
    return fmean(t[slow] / t[fast] for t in times) if times else None


@dataclass(frozen=True)
class Variant:
    """A way to fill the table.

    Attributes
    ----------
    suffix
        What the row labels say after the paper's.
    average
        How the times of a group become one number.
    stand_ins
        Whether matrices that stand in for others count.
    by_size
        Whether the groups take every matrix of the suite by its size, not those of Figure 2 alone.
    """

    suffix: str
    average: Callable[[Sequence[Times], str, str], float | None]
    stand_ins: bool = True
    by_size: bool = False


VARIANTS = (
    Variant("", ratio_of_means),
    Variant(", mean of ratios", mean_of_ratios),
    Variant(", without stand-ins", ratio_of_means, stand_ins=False),
    Variant(", mean of ratios, without stand-ins", mean_of_ratios, stand_ins=False),
    Variant(", whole suite by size", ratio_of_means, by_size=True),
    Variant(", whole suite by size, without stand-ins", ratio_of_means, stand_ins=False, by_size=True),
)
"""The first is the paper's."""

NOTES = (
    "The paper's averages are unweighted means of times that are divided by those of CHiSM on the same "
    "matrix. It does not say how a row follows from them. Its numbers fit one way alone: a row is the "
    "quotient of the means of two programs. Rows without a suffix are made so, next to the paper's numbers.",
    "mean of ratios: the cycles of two programs are divided for each matrix, then the mean is taken. For the "
    "rows of CHiSM it is the same number.",
    "without stand-ins: only matrices whose entries are where those of the collection's matrix do, with the "
    "matrices of Figure 2 chosen again among them. Stand-ins are generated in place of files of the "
    "collection that are not found.",
    "whole suite by size: every matrix of the suite in the group to which its number of non-zeros belongs, "
    "instead of the three or four of Figure 2; the groups meet half way, on the logarithmic scale, between "
    "the matrices of Figure 2.",
    "The order of mean times, slowest first, is checked below for each group, CHiSM's time being 1. The "
    "paper does not name most of its picks for Figure 2. So an order is tested only if our picks and all "
    "matrices of the suite of such a size agree on it.",
    f"Options of the programs that are not the defaults: {described()}.",
)


@dataclass(frozen=True)
class Grouped:
    """Matrices as Table 2 sees them.

    Attributes
    ----------
    picked
        Names of those of each of :data:`GROUPS`: all, and the parts of Figure 2.
    by_size
        The same with every matrix in one of small, medium and large.
    stand_ins
        Names of those that stand in for others.
    """

    picked: Mapping[str, Sequence[str]]
    by_size: Mapping[str, Sequence[str]]
    stand_ins: frozenset[str]


def grouped(members: Iterable[Member], figure2: Sequence[FigureMember]) -> Grouped:
    """Sort matrices into the groups of Table 2.

    Parameters
    ----------
    members
        All of them.
    figure2
        The ten of Figure 2 among them, the smallest first.
    """
    by_name = {member.name: member for member in members}
    picked = {"all": tuple(by_name)} | {
        group: tuple(place.name for place in figure2 if place.group == group) for group in GROUPS[1:]
    }
    cuts = _limits(picked, {name: member.size for name, member in by_name.items()})
    by_size: dict[str, list[str]] = {group: [] for group in GROUPS}
    for name, member in by_name.items():
        by_size["all"].append(name)
        by_size[GROUPS[1 + sum(member.size > cut for cut in cuts)]].append(name)
    stand_ins = frozenset(name for name, member in by_name.items() if not member.has_original_pattern)
    return Grouped(picked, by_size, stand_ins)


def size_limits(suite: Grouped, sizes: Mapping[str, int]) -> list[float]:
    """Return the numbers of non-zeros at which the medium and the large group begin.

    Parameters
    ----------
    suite
        The groups.
    sizes
        Stored entries of the matrices, by name.
    """
    return _limits(suite.picked, sizes)


def _limits(picked: Mapping[str, Sequence[str]], sizes: Mapping[str, int]) -> list[float]:
    # Between two groups: half way from the last matrix of one to the first of the next, on the log scale.
    ends = [(sizes[picked[group][0]], sizes[picked[group][-1]]) for group in GROUPS[1:]]
    return [(last * first) ** 0.5 for (_, last), (first, _) in pairwise(ends)]


def rows(suite: Grouped, originals: Grouped, cycles: Cycles) -> list[Comparison]:
    """Fill the table in every variant, the paper's first.

    Parameters
    ----------
    suite
        All matrices.
    originals
        Those that stand in for no other.
    cycles
        Of the matrices that are found; the others are left out, and the notes say how many.
    """
    times = {name: relative(result) for name, result in cycles.items()}
    return [
        _row(suite if variant.stand_ins else originals, times, variant, label, group)
        for variant in VARIANTS
        for label in PRINTED
        for group in GROUPS
        if not (variant.by_size and group == "all")  # the same as without
    ]


def _row(suite: Grouped, times: Mapping[str, Times], variant: Variant, label: str, group: str) -> Comparison:
    members = (suite.by_size if variant.by_size else suite.picked)[group]
    available = [name for name in members if name in times]
    paper = "" if variant.suffix else PRINTED[label][GROUPS.index(group)]
    note = _made_of(suite, members, available)
    if paper and (label, group) in PRINTED_NOTES:
        note += f"; {PRINTED_NOTES[label, group]}"
    ours = variant.average([times[name] for name in available], *PROGRAMS[label])
    return Comparison(
        label + variant.suffix, group, paper, ours, note, kind=_kind(group), implied=label in IMPLIED
    )


def _kind(group: str) -> Kind:
    """Return the kind of the numbers and of the order of a group: the search met those over all matrices."""
    return "calibrated" if group == GROUPS[0] else "predicted"


def _made_of(suite: Grouped, members: Sequence[str], available: Sequence[str]) -> str:
    """Return the number and names of the matrices of a mean."""
    which = f": {', '.join(available)}" if 0 < len(available) <= 4 else ""
    whole = f"{len(available)} of {len(members)}" if len(available) < len(members) else f"{len(members)}"
    stand_ins = sum(name in suite.stand_ins for name in available)
    what = "matrix" if whole == "1" else "matrices"
    return f"{whole} {what}{which}" + (f" ({stand_ins} stand-in{'s' * (stand_ins > 1)})" if stand_ins else "")


def orderings(suite: Grouped, cycles: Cycles) -> Iterator[Verdict]:
    """Yield for each group whether the mean times have the paper's order.

    The paper does not name most matrices of its groups. So an order is tested only if all matrices of the
    suite of such a size and our picks agree on it. That over all matrices follows from printed numbers.
    """
    for group in GROUPS:
        of_size, of_picks = (_mean_times(names[group], cycles) for names in (suite.by_size, suite.picked))
        claim, implied = f"{group}: {_ordered(printed_times(group))}", group == GROUPS[0]
        if of_size is None or of_picks is None:
            yield Verdict(claim, None, "no matrix of the group is available", _kind(group), implied)
            continue
        here = {_has_printed_order(times, group) for times in (of_size, of_picks)}
        detail = _ordered(of_size)
        if not implied:
            count = sum(name in cycles for name in suite.by_size[group])
            detail = (
                f"all {count} matrices of this size: {detail}; our picks for Figure 2: {_ordered(of_picks)}"
            )
        if len(here) > 1:
            detail = f"the paper does not name its matrices, and on ours it depends on the choice: {detail}"
        yield Verdict(claim, here.pop() if len(here) == 1 else None, detail, _kind(group), implied)


def _has_printed_order(times: Times, group: str) -> bool:
    return slowest_first(times) == slowest_first(printed_times(group))


def _mean_times(names: Iterable[str], cycles: Cycles) -> dict[str, float] | None:
    available = [relative(cycles[name]) for name in names if name in cycles]
    return {program: fmean(t[program] for t in available) for program in METHODS} if available else None


def _ordered(times: Mapping[str, float]) -> str:
    return " > ".join(f"{METHODS[program]} {times[program]:.2f}" for program in slowest_first(times))


HEADLINE = {"HiSM vs CRS": "5.3", "HiSM vs JD": "4.07"}
"""What the abstract and the conclusions say of HiSM."""


def of_abstract(filled: Sequence[Comparison]) -> Verdict:
    """Check what the abstract says of HiSM, which Table 2 says of CHiSM."""
    ours = {row.row: row.ours for row in filled if row.row in HEADLINE and row.quantity == GROUPS[0]}
    outcomes = {outcome_of_number("timed", float(HEADLINE[row]), number) for row, number in ours.items()}
    numbers = " and ".join(number_text(number, "{:.2f}") or "-" for number in ours.values())
    return Verdict(
        "HiSM is 5.3 times faster than CRS and 4.07 times faster than JD (abstract, conclusions)",
        None if "not testable" in outcomes else outcomes == {"confirmed"},
        f"HiSM {numbers}; the paper's Table 2 gives 5.30 and 4.07 to CHiSM, 4.36 and 3.34 to HiSM",
        "calibrated",
    )


def slowest_first(times: Mapping[str, float]) -> list[str]:
    """Return the programs by falling time."""
    return sorted(METHODS, key=lambda program: -times[program])


def printed_times(group: str) -> dict[str, float]:
    """Return the mean times, CHiSM's being 1, that the paper's numbers of a group imply.

    Those of CRS, JD and BBCS are printed; HiSM's is a quotient of two printed numbers, the mean of those
    that agree.
    """
    column = GROUPS.index(group)
    times = {p: float(PRINTED[f"CHiSM vs {METHODS[p]}"][column]) for p in ("crs", "jd", "bbcs")}
    hism = fmean(
        times[p] / float(PRINTED[label][column])
        for p in times
        if ((label := f"HiSM vs {METHODS[p]}"), group) not in PRINTED_NOTES
    )
    return times | {"hism": hism, "chism": 1.0}


STEPS = (5, 10, 15)
"""Differences in per cent that are counted."""
BOUNDED = GROUPS[:3]
"""The groups that real files make up: of the large one most matrices are stand-ins."""


def far_off(filled: Sequence[Comparison]) -> list[str]:
    """Return the numbers of all, small and medium that are further off than the largest of :data:`STEPS`."""
    known = [r for r in filled if r.quantity in BOUNDED and r.difference_percent is not None]
    away = [r for r in known if abs(r.difference_percent or 0.0) > STEPS[-1]]
    if not away:
        return []
    named = ", ".join(f"{r.row} {r.quantity} ({r.difference_percent:+.0f} %)" for r in away)
    return [
        f"Of the {len(known)} for all, small and medium, {len(known) - len(away)} are within {STEPS[-1]} %; "
        f"not: {named}. Which three or four matrices the paper drew is not known; the table of the groups, "
        "below, says how many choices near its points would meet them."
    ]


def small_matrices(runs: SuiteRuns) -> list[str]:
    """Compare CHiSM with HiSM on the small matrices: those of one level have no cache to move."""
    cycles = runs.measured.cycles()
    names = [p.name for p in runs.figures["size"] if p.group == "small" and p.name in cycles]
    if not names:
        return []
    alike = [name for name in names if cycles[name]["chism"] == cycles[name]["hism"]]
    others = [
        f"{name} {cycles[name]['chism']:,} ({cycles[name]['hism']:,})" for name in names if name not in alike
    ]
    message = (
        f"Of the small matrices {' and '.join(alike)} have one level, where CHiSM is HiSM" if alike else ""
    )
    rest = f"with a cache to move CHiSM takes, next to HiSM, {', '.join(others)} cycles" if others else ""
    paper = "The paper has HiSM at 0.6 of CHiSM's time on the small ones."
    return [f"{'; '.join(filter(None, (message, rest)))}. {paper}"]


def gaps(runs: SuiteRuns, filled: Sequence[Comparison]) -> Iterator[str]:
    """Yield how far the table is from the paper's, and the matrices that are missing."""
    differences = [abs(r.difference_percent) for r in filled if r.difference_percent is not None]
    printed = sum(bool(row.paper) for row in filled)
    within = ", ".join(f"{sum(d <= step for d in differences)} within {step} %" for step in STEPS)
    yield f"Of the {printed} numbers of the paper, {within}."
    worst = largest(filled)
    if worst is not None:
        yield f"The furthest off: {worst.row}, {worst.quantity}, {worst.difference_percent:+.1f} %."
    yield from far_off(filled)
    yield from small_matrices(runs)
    if runs.missing:
        yield (
            f"Not found and left out ({len(runs.missing)} of {len(runs.members)} matrices; `vecsim formats "
            "NAME` downloads one of a collection, VECSIM_MATRICES may name a folder that has them): "
            f"{', '.join(runs.missing)}."
        )
    if runs.stand_ins:
        named = ", ".join(f"{member.name} for {member.original}" for member in runs.stand_ins)
        yield f"Stand-ins in the suite ({len(runs.stand_ins)}): {named}."
    yield "The paper names seven of its 132 matrices; the others are chosen by its three criteria."
