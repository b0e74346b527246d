"""What the paper says in words, and whether it holds here.

A claim is judged by what the paper did: its layouts and schedules, its form of cuSPARSE. What all layouts and
schedules of ours give stands in the tables.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from experiments.papers.kit.numbers import mean_ratio, spread
from experiments.papers.layouts.forms import BASELINES
from experiments.papers.layouts.results import PAPERS, MatrixRecord, Results
from experiments.papers.layouts.texts import ABSENT
from experiments.report.item import Verdict

REALS = ("float32", "float64")
ENTRIES = tuple(BASELINES)
CLEAR = 2 / 3
"""Share of the cases from which on one outer layout would be clearly preferred."""
ALL_BUT_TWO, ALL = 9.5 / 12, 0.99
"""Shares of the cases above which at most two of twelve, or none, are missing."""
NOISE = 0.02
"""Differences of times that decide nothing."""
MUCH = 1.5
"""Times the entries from which on padding takes much memory."""
ONE_GPU = "one GPU was measured"


def over_papers_baseline(results: Results, dtype: str, entries: Iterable[str]) -> dict[str, float]:
    """Return how many times what the paper tried is faster than its form of cuSPARSE, by matrix.

    Parameters
    ----------
    results
        What was measured.
    dtype
        float32 or float64.
    entries
        What the entries of the matrices are.
    """
    matches: dict[str, float] = {}
    for entry in entries:
        form = next(iter(BASELINES[entry].values()))
        matches |= results.speedups(entry, dtype, form, PAPERS.joint)
    return matches


def greatest(numbers: Mapping[str, float]) -> tuple[float | None, str, str]:
    """Return the greatest of some numbers, its matrix, and what stands in its place without any."""
    if not numbers:
        return None, "", ABSENT
    name = max(numbers, key=lambda name: numbers[name])
    return numbers[name], f"of {len(numbers)} matrices: {name}", ABSENT


def growth_of_values(results: Results, dtype: str) -> dict[str, float]:
    """Return how many times their bytes the values of quaternions take as real blocks of 4 x 4, by matrix."""
    of_quaternion = 4 * {"float32": 4, "float64": 8}[dtype]
    matches = {}
    for each in results.of("quaternion"):
        stored = results.best_of_library(each.name, dtype, "BSR 4 x 4")
        if stored is not None and stored.nbytes:
            pattern = 4 * (each.nnz + each.rows + 1)
            matches[each.name] = (stored.nbytes - pattern) / (each.nnz * of_quaternion)
    return matches


def over_cusparse(results: Results, dtype: str) -> Iterator[Verdict]:
    """Judge what the text says of Figure 1 or 5."""
    of_complex = over_papers_baseline(results, dtype, ("complex",))
    slower = sum(ratio < 1 for ratio in of_complex.values())
    yield Verdict(
        f"Complex matrices are in most cases slower than with cuSPARSE (5.1, {dtype})",
        2 * slower > len(of_complex) if of_complex else None,
        f"slower on {slower} of {len(of_complex)}: {spread(of_complex)}; the best of cuSPARSE's complex CSR "
        "and Sliced ELL counts, which is newer than the paper",
    )
    yield _blocks_but_for_the_smallest(results, dtype)
    if dtype == "float32":
        yield _four_products(results)
        yield _layouts_too(results)


def _blocks_but_for_the_smallest(results: Results, dtype: str) -> Verdict:
    blocks = over_papers_baseline(results, dtype, ("3 x 3 block",))
    sizes = {each.name: each.nnz for each in results.of("3 x 3 block") if each.name in blocks}
    ordered = sorted(sizes, key=lambda name: sizes[name])
    larger = {name: blocks[name] for name in ordered[1:]}
    return Verdict(
        f"But for the smallest matrix, blocks are faster than with cuSPARSE's BSR (5.3, {dtype}; words are "
        "missing in our copy of the text)",
        min(larger.values()) > 1 if larger else None,
        f"{spread(larger)}; the smallest, {ordered[0]}, {blocks[ordered[0]]:.2f}" if larger else ABSENT,
    )


def _four_products(results: Results) -> Verdict:
    """Judge Hamilton's four real products against real blocks of 4 x 4, by the times of cuSPARSE."""
    ratios = {}
    for dtype in REALS:
        for each in results.of("quaternion"):
            four = results.best_of_library(each.name, dtype, "Hamilton")
            blocks = results.best_of_library(each.name, dtype, "BSR 4 x 4")
            if four and blocks and four.median_us and blocks.median_us:
                ratios[f"{each.name}, {dtype}"] = four.median_us / blocks.median_us
    return Verdict(
        "Four real products avoid the memory of real blocks, and lose by latency and launches (3.2)",
        min(ratios.values()) > 1 if ratios else None,
        f"times as long: {spread(ratios)}; on large matrices, the paper speaks of small and medium ones",
    )


def _layouts_too(results: Results) -> Verdict:
    means = {}
    for entry in ENTRIES:
        for dtype in REALS:
            if (mean := mean_ratio(results.gains(entry, dtype, PAPERS))) is not None:
                means[f"{entry}, {dtype}"] = mean
    return Verdict(
        "Tuning layouts, too, is faster than tuning schedules alone (abstract)",
        min(mean.value for mean in means.values()) > 1 if means else None,
        "; ".join(f"{name}: {mean}" for name, mean in means.items()) or ABSENT,
    )


def of_row_lengths(results: Results) -> Iterator[Verdict]:
    """Judge what the text says of Figure 3."""
    ranges = {entry: _ranges(results.of(entry)) for entry in ("complex", "quaternion")}
    known = all(ranges.values())
    yield Verdict(
        "Rows of quaternionic matrices differ much less in length than those of complex ones (5.2)",
        max(ranges["quaternion"].values()) < max(ranges["complex"].values()) if known else None,
        "longest less shortest row over the median: "
        + "; ".join(f"{name} {ratio:.1f}" for each in ranges.values() for name, ratio in each.items()),
    )
    padding = {
        each.name: each.row_lengths[-1] * each.rows / each.nnz for each in results.matrices if each.nnz
    }
    yield Verdict(
        "Without slices the padding of ELLPACK-R takes much memory (6.1)",
        max(padding.values()) >= MUCH if padding else None,
        "places over entries: " + "; ".join(f"{name} {ratio:.2f}" for name, ratio in padding.items()),
    )


def _ranges(matrices: Sequence[MatrixRecord]) -> dict[str, float]:
    return {
        each.name: (each.row_lengths[-1] - each.row_lengths[0]) / each.row_lengths[2]
        for each in matrices
        if each.row_lengths[2]
    }


@dataclass(frozen=True)
class Chosen:
    """What the layouts of the paper take for a matrix.

    Attributes
    ----------
    case
        The matrix and the type.
    best
        The best layout.
    times
        Microseconds by layout.
    """

    case: str
    best: str
    times: Mapping[str, float]

    @property
    def has_others(self) -> bool:
        """Whether times of other layouts than the best are known."""
        return len(self.times) > 1

    def good(self) -> set[str]:
        """Return the layouts that are as good as the best, but for `NOISE`."""
        least = min(self.times.values())
        return {self.best, *(name for name, us in self.times.items() if us <= (1 + NOISE) * least)}

    def has_good(self, *, outer: str = "", inner: str = "", vector: str = "") -> bool:
        """Return whether a layout with these parts is as good as the best; an empty part may be any."""
        wanted = (outer, inner, vector)
        return any(
            all(part in ("", name) for part, name in zip(wanted, layout.rsplit("-", 2), strict=True))
            for layout in self.good()
        )


def chosen(results: Results, entry: str, dtypes: Iterable[str] = REALS) -> list[Chosen]:
    """Return what the layouts of the paper take for all matrices with such entries."""
    return [
        Chosen(f"{each.name}, {dtype}", match.layout, match.by_layout or {match.layout: 1.0})
        for dtype in dtypes
        for each in results.of(entry)
        if (match := results.search(each.name, dtype, PAPERS.joint)) is not None
    ]


def of_table(results: Results, number: int) -> list[Verdict]:
    """Judge what the text says of Tables 1 to 6; claims on two tables stand at the first."""
    return [*_OF_TABLES[number](results)] if number in _OF_TABLES else []


def _of_complex(results: Results) -> Iterator[Verdict]:
    cases = chosen(results, "complex")
    both = sum(each.has_good(inner="AoS", vector="AoS") for each in cases)
    claim = "AoS is preferred for entries and vectors of complex matrices in most cases (5.1)"
    yield _most(claim, both, cases)
    outer = Counter(each.best.rsplit("-", 2)[0] for each in cases)
    yield Verdict(
        "No outer layout of complex matrices is clearly preferred (5.1)",
        max(outer.values()) < CLEAR * len(cases) if cases else None,
        _counts(outer) or ABSENT,
    )
    yield Verdict("Layouts gain most on the Quadro K2000 (5.1 to 5.3)", None, ONE_GPU)
    yield Verdict("Gains of complex matrices are alike on the GTX 980 and the GP100 (5.1)", None, ONE_GPU)


def _of_quaternions(results: Results) -> Iterator[Verdict]:
    cases = chosen(results, "quaternion")
    padded = sum(each.has_good(outer="ellpack-r") for each in cases)
    yield _most("ELLPACK-R is preferred for all quaternionic matrices (5.2)", padded, cases, ALL)
    single = chosen(results, "quaternion", ("float32",))
    both = sum(each.has_good(inner="AoS", vector="AoS") for each in single)
    yield _most("AoS is preferred for entries and vectors of quaternions in float32 (5.2)", both, single, ALL)
    yield _similar([of for of in _by_type(results) if of])
    yield Verdict("Quaternions gain slightly more on the GP100 than on the GTX 980 (5.2)", None, ONE_GPU)


def _similar(of_types: Sequence[Sequence[Chosen]]) -> Verdict:
    """Judge whether one layout is as good as the best for all quaternionic matrices of a type."""
    claim = "Similar matrices need similar layouts (section 6, quaternionic matrices)"
    if not of_types or not all(each.has_others for of in of_types for each in of):
        best = "; ".join(", ".join(each.best for each in of) for of in of_types)
        return Verdict(claim, None, f"the times of other layouts are not known; the best: {best or ABSENT}")
    alike = [set.intersection(*(each.good() for each in of)) for of in of_types]
    names = "; ".join(", ".join(sorted(each)) or "none" for each in alike)
    return Verdict(claim, all(alike), f"as good as the best for all matrices of a type: {names}")


def _by_type(results: Results) -> list[list[Chosen]]:
    return [chosen(results, "quaternion", (dtype,)) for dtype in REALS]


def _of_double_quaternions(results: Results) -> Iterator[Verdict]:
    cases = chosen(results, "quaternion", ("float64",))
    vectors = sum(each.has_good(vector="AoS") for each in cases)
    claim = "AoS is preferred for vectors of quaternions in float64, but for two of twelve cases (5.2)"
    yield _most(claim, vectors, cases, ALL_BUT_TWO)
    soa, aos = (sum(each.has_good(inner=inner) for each in cases) for inner in ("SoA", "AoS"))
    yield Verdict(
        "SoA is preferred for entries of quaternions in float64 in many but not in all cases (5.2)",
        len(cases) / 2 < soa and aos > 0 if cases else None,
        f"as good as the best: SoA on {soa}, AoS on {aos} of {len(cases)}",
    )


def _of_blocks(results: Results) -> Iterator[Verdict]:
    cases = chosen(results, "3 x 3 block")
    inner = sum(each.has_good(inner="SoA") for each in cases)
    vectors = sum(each.has_good(vector="AoS") for each in cases)
    yield _most("SoA is preferred for entries of blocks (5.3)", inner, cases)
    yield _most("AoS is preferred for vectors of blocks in most cases (5.3)", vectors, cases)
    yield Verdict("Blocks gain more on the GTX 980 than on the GP100 (5.3)", None, ONE_GPU)


def _most(claim: str, times: int, cases: Sequence[Chosen], share: float = 0.5) -> Verdict:
    """Judge what is to hold in more than a share of the cases."""
    shown = "; ".join(f"{each.case}: {each.best}" for each in cases)
    holds = times > share * len(cases) if cases else None
    return Verdict(
        claim, holds, f"as good as the best on {times} of {len(cases)}; the best: {shown or ABSENT}"
    )


def _counts(counter: Counter[str]) -> str:
    return ", ".join(f"{name} {times}" for name, times in counter.most_common())


_OF_TABLES = {1: _of_complex, 3: _of_quaternions, 4: _of_double_quaternions, 5: _of_blocks}
