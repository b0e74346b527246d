"""What the paper says of Tables 1 to 6 in words, and whether it holds here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from experiments.papers.layouts.preferences import Chosen, Parts, chosen, of_double_entries, preferred
from experiments.papers.layouts.results import REALS, Results
from experiments.papers.layouts.texts import ABSENT
from experiments.papers.layouts.untested import of_gpus
from experiments.report.item import Verdict

CLEAR = 2 / 3
"""Share of the cases from which on one outer layout would be clearly preferred."""
ALIKE = 1.2
"""Times up to which gains are alike."""
ALL_BUT_TWO, ALL = 9.5 / 12, 0.99
"""Shares of the cases above which at most two of twelve, or none, are missing."""


def of_table(results: Results, number: int) -> list[Verdict]:
    """Judge what the text says of Tables 1 to 6; claims on two tables stand at the first."""
    return [*_OF_TABLES[number](results)] if number in _OF_TABLES else []


def _of_complex(results: Results) -> Iterator[Verdict]:
    cases = chosen(results, "complex")
    yield preferred(
        "AoS is preferred for entries and vectors of complex matrices in most cases (5.1)",
        cases,
        Parts(inner="AoS", vector="AoS"),
    )
    outer = Counter(each.best.rsplit("-", 2)[0] for each in cases)
    yield Verdict(
        "No outer layout of complex matrices is clearly preferred (5.1)",
        max(outer.values()) < CLEAR * len(cases) if cases else None,
        ", ".join(f"{name} {times}" for name, times in outer.most_common()) or ABSENT,
    )
    yield of_gpus(
        "Layouts gain most on the Quadro K2000 (5.1 to 5.3)",
        "they do",
        lambda old, middle, new: old > max(middle, new),
    )
    yield of_gpus(
        "Gains of complex matrices are alike on the GTX 980 and the GP100 (5.1)",
        f"within {ALIKE - 1:.0%}",
        lambda old, middle, new: max(middle, new) < ALIKE * min(middle, new),
        1,
        2,
    )


def _of_quaternions(results: Results) -> Iterator[Verdict]:
    cases = chosen(results, "quaternion")
    yield preferred(
        "ELLPACK-R is preferred for all quaternionic matrices (5.2)", cases, Parts(outer="ellpack-r"), ALL
    )
    yield preferred(
        "AoS is preferred for entries and vectors of quaternions in float32 (5.2)",
        chosen(results, "quaternion", ("float32",)),
        Parts(inner="AoS", vector="AoS"),
        ALL,
    )
    yield _similar([of for dtype in REALS if (of := chosen(results, "quaternion", (dtype,)))])
    yield of_gpus(
        "Quaternions gain slightly more on the GP100 than on the GTX 980 (5.2)",
        "more",
        lambda old, middle, new: new > middle,
        3,
        4,
    )


def _similar(of_types: Sequence[Sequence[Chosen]]) -> Verdict:
    """Judge whether one layout is as good as the best for all quaternionic matrices of a type."""
    claim = "Similar matrices need similar layouts (section 6, quaternionic matrices)"
    if not of_types or not all(each.has_others for of in of_types for each in of):
        best = "; ".join(", ".join(each.best for each in of) for of in of_types)
        return Verdict(claim, None, f"the times of other layouts are not known; the best: {best or ABSENT}")
    alike = [set.intersection(*(each.good() for each in of)) for of in of_types]
    names = "; ".join(", ".join(sorted(each)) or "none" for each in alike)
    return Verdict(claim, all(alike), f"as good as the best for all matrices of a type: {names}")


def _of_double_quaternions(results: Results) -> Iterator[Verdict]:
    cases = chosen(results, "quaternion", ("float64",))
    yield preferred(
        "AoS is preferred for vectors of quaternions in float64, but for two of twelve cases (5.2)",
        cases,
        Parts(vector="AoS"),
        ALL_BUT_TWO,
    )
    yield of_double_entries(
        "SoA is preferred for entries of quaternions in float64, which AoS cannot load at once, in many but "
        "not in all cases (5.2)",
        cases,
    )


def _of_blocks(results: Results) -> Iterator[Verdict]:
    cases = chosen(results, "3 x 3 block")
    yield preferred("SoA is preferred for entries of blocks (5.3)", cases, Parts(inner="SoA"))
    yield preferred("AoS is preferred for vectors of blocks in most cases (5.3)", cases, Parts(vector="AoS"))
    yield of_gpus(
        "Blocks gain more on the GTX 980 than on the GP100 (5.3)",
        "they do",
        lambda old, middle, new: middle > new,
        5,
        6,
    )


_OF_TABLES = {1: _of_complex, 3: _of_quaternions, 4: _of_double_quaternions, 5: _of_blocks}
