"""Two results side by side: what differs in how they were made, and by how much the cycles do."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from experiments.results.document import Document, Row
from vecsim.machine.description import flat

SAID_APART = ("label", "sha256", "file", "based_on", "differences", "taken_from_base", "name")
"""Of a machine: what is no number of it."""


@dataclass(frozen=True)
class Change:
    """A run that both have.

    Attributes
    ----------
    key
        What tells it apart; see `Document`.
    before, after
        Cycles.
    percent
        By how much the second takes more, in per cent of the first.
    cause
        The cause whose charged cycles differ most, by name; empty if none differs.
    cause_cycles
        By how many.
    program
        Whether the program's image is another one; None if a file does not say it.
    """

    key: tuple[str, ...]
    before: int
    after: int
    percent: float
    cause: str
    cause_cycles: int
    program: bool | None


@dataclass(frozen=True)
class Comparison:
    """What two results have in common, and what not.

    Attributes
    ----------
    made
        What differs in how they were made: name, before, after; numbers of the machine as ``machine.NAME``.
    changes
        The runs that both have, those of the largest change first.
    only_before, only_after
        The runs that one of them has, or has cycles of, alone.
    """

    made: tuple[tuple[str, str, str], ...]
    changes: tuple[Change, ...]
    only_before: tuple[tuple[str, ...], ...]
    only_after: tuple[tuple[str, ...], ...]

    @property
    def largest(self) -> float:
        """The largest change, in per cent, whatever its sign; 0 if nothing is in common."""
        return max((abs(change.percent) for change in self.changes), default=0.0)

    def to_dict(self) -> dict[str, Any]:
        """Give it as plain data."""
        return asdict(self) | {"largest_percent": self.largest}


def compare(before: Document, after: Document) -> Comparison:
    """Compare two results."""
    changes = [
        _change(key, row, after.rows[key])
        for key, row in before.rows.items()
        if row.cycles is not None and key in after.rows and after.rows[key].cycles is not None
    ]
    both = {change.key for change in changes}
    return Comparison(
        made=tuple(_made(before.content, after.content)),
        changes=tuple(sorted(changes, key=lambda change: -abs(change.percent))),
        only_before=tuple(key for key in before.rows if key not in both),
        only_after=tuple(key for key in after.rows if key not in both),
    )


def _change(key: tuple[str, ...], before: Row, after: Row) -> Change:
    assert before.cycles is not None
    assert after.cycles is not None
    causes = {*before.charged, *after.charged}
    moved = {cause: after.charged.get(cause, 0) - before.charged.get(cause, 0) for cause in causes}
    cause = max(sorted(moved), key=lambda name: abs(moved[name]), default="")
    program = None
    if before.program_sha256 and after.program_sha256:
        program = before.program_sha256 != after.program_sha256
    return Change(
        key=key,
        before=before.cycles,
        after=after.cycles,
        percent=100 * (after.cycles / before.cycles - 1) if before.cycles else 0.0,
        cause=cause if moved.get(cause) else "",
        cause_cycles=moved.get(cause, 0),
        program=program,
    )


def _made(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """List what differs of commit, versions, machine and everything else that decides cycles."""
    told = [_facts(content) for content in (before, after)]
    names = [*told[0], *(name for name in told[1] if name not in told[0])]
    pairs = ((name, told[0].get(name, "-"), told[1].get(name, "-")) for name in names)
    return [(name, one, other) for name, one, other in pairs if one != other]


def _facts(content: Mapping[str, Any]) -> dict[str, str]:
    named = ("kind", "commit", "engine", "seed", "value_bits")
    facts = {name: content[name] for name in named if name in content}
    facts |= {f"versions.{name}": version for name, version in content.get("versions", {}).items()}
    machine = {k: v for k, v in content.get("machine", {}).items() if k not in SAID_APART}
    facts |= {f"machine.{name}": value for name, value in flat(machine).items()}
    for matrix in content.get("matrices", ()):
        facts[f"matrix {matrix['name']}"] = matrix["sha256"]
    for result in content.get("results", ()):
        for name, value in result["options"].items():
            facts[f"option {result['program']}.{name}"] = value
    return {name: json.dumps(value).strip('"') for name, value in facts.items()}
