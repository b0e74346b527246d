"""Suites small enough to be simulated in a moment, or to be worked by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

from experiments.papers.hism.suite import CRITERIA, FigureMember, Member
from experiments.papers.hism.suite_runs import SuiteRuns
from experiments.papers.hism.timing import METHODS, Measured, Timing
from vecsim.data import load_builtin
from vecsim.data.metrics import metrics
from vecsim.results.digests import pattern_sha256

GROUPS = ("small",) * 3 + ("medium",) * 4 + ("large",) * 3
NAMES = (
    "laplace2d-2",
    "laplace2d-3",
    "randomwalk-4",
    "laplace2d-5",
    "randomwalk-7",
    "laplace2d-7",
    "randomwalk-12",
    "Trefethen_20",
    "olm100",
    "laplace2d-11",
    "randomwalk-15",
)
"""Built-in matrices; the last is in no figure."""
STAND_IN, ABSENT = "laplace2d-11", "olm100"


def member(name: str, **facts: Any) -> Member:
    """A member with what is given, and nothing said of the rest."""
    known: dict[str, Any] = {"provenance": "generated", "origin": f"builtin {name}", "rows": 1, "columns": 1}
    known |= {"size": 1, "locality": 1.0, "average_per_row": 1.0, "name": name} | facts
    actual: Member = _made(Member, known)
    return actual


def ten(names: tuple[str, ...] | list[str], named: tuple[str, ...] = ()) -> tuple[FigureMember, ...]:
    """Ten matrices as those of a figure."""
    return tuple(
        _made(
            FigureMember,
            {
                "criterion": "size",
                "position": at,
                "group": group,
                "name": name,
                "named_by_paper": name in named,
            },
        )
        for at, (name, group) in enumerate(zip(names, GROUPS, strict=True), 1)
    )


def _made(kind: type[Any], known: dict[str, Any]) -> Any:
    return kind(**{field.name: known.get(field.name, "") for field in fields(kind)})


def worked(
    cycles: dict[str, dict[str, int]],
    members: list[Member],
    figure: tuple[FigureMember, ...],
    of_originals: tuple[FigureMember, ...] = (),
    error: float = 0.0,
) -> SuiteRuns:
    """A measured suite with these cycles; members without any are missing."""
    timings = {
        name: {program: Timing(program, actual[program], 1, 1, error) for program in METHODS}
        for name, actual in cycles.items()
    }
    return SuiteRuns(
        {m.name: m for m in members},
        dict.fromkeys(CRITERIA, figure),
        dict.fromkeys(CRITERIA, of_originals or figure),
        {m.name: "not found" for m in members if m.name not in cycles},
        Measured(timings, {}),
    )


def install(monkeypatch: Any) -> None:
    """Put built-in matrices in the place of the suite; one of them is a stand-in, one is not found."""
    members = []
    for name in NAMES:
        csr = load_builtin(name).csr
        actual = metrics(csr)
        provenance = "stand-in" if name == STAND_IN else "generated"
        facts: dict[str, Any] = {
            "size": actual.size,
            "locality": actual.locality,
            "average_per_row": actual.average_per_row,
        }
        facts |= {"pattern_sha256": pattern_sha256(csr)}
        members.append(
            member(name, provenance=provenance, stands_in_for="big1" * (name == STAND_IN), **facts)
        )
    members.sort(key=lambda m: m.size)

    def figure(criterion: str, chosen: Sequence[Member]) -> tuple[FigureMember, ...]:
        actual = sorted(chosen, key=lambda m: m.size)[:10]
        ordered = sorted(actual, key=lambda m: getattr(m, criterion))
        points = [float(getattr(m, criterion)) for m in ordered]
        places = zip(ten([m.name for m in ordered]), points, strict=True)
        return tuple(replace(place, point=point) for place, point in places)

    monkeypatch.setattr("experiments.papers.hism.suite.members", lambda: tuple(members))
    monkeypatch.setattr(
        "experiments.papers.hism.suite.missing", lambda: tuple(m for m in members if m.name == ABSENT)
    )
    monkeypatch.setattr("experiments.papers.hism.suite.load", load)
    monkeypatch.setattr("experiments.papers.hism.suite.figure", figure)


def load(member: Member) -> Any:
    """The matrix of a member; processes find this function by its name."""
    return load_builtin(member.name).csr
