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
class Part:
    """Cycles charged to one cause, or those of one instruction, in both."""

    name: str
    before: int
    after: int

    @property
    def change(self) -> int:
        """How many more the second has."""
        return self.after - self.before


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
    causes
        Charged cycles by the name of the cause, of those that are not 0 in both; the largest change first.
    lines
        Cycles by the text of the instruction, in the same order; empty unless both files have them.
    program
        Whether the program's image is another one; None if a file does not say it.
    """

    key: tuple[str, ...]
    before: int
    after: int
    percent: float
    causes: tuple[Part, ...]
    lines: tuple[Part, ...]
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
    """Compare runs of the same matrix and program or, where each result has one run, these two."""
    rows, made = dict(after.rows), _made(before.content, after.content)
    if len(before.rows) == len(rows) == 1 and before.rows.keys() != rows.keys():
        ((one,), (other,)) = before.rows, rows
        made.append(("run", " ".join(one), " ".join(other)))
        rows = dict(zip(before.rows, rows.values(), strict=True))
    changes = [
        _change(key, row, row.cycles, rows[key], cycles)
        for key, row in before.rows.items()
        if row.cycles is not None and key in rows and (cycles := rows[key].cycles) is not None
    ]
    both = {change.key for change in changes}
    return Comparison(
        made=tuple(made),
        changes=tuple(sorted(changes, key=lambda change: -abs(change.percent))),
        only_before=tuple(key for key in before.rows if key not in both),
        only_after=tuple(key for key in rows if key not in both),
    )


def _change(key: tuple[str, ...], before: Row, one: int, after: Row, other: int) -> Change:
    program = None
    if before.program_sha256 and after.program_sha256:
        program = before.program_sha256 != after.program_sha256
    return Change(
        key=key,
        before=one,
        after=other,
        percent=100 * (other / one - 1) if one else 0.0,
        causes=_parts(before.charged, after.charged),
        lines=_parts(before.lines, after.lines) if before.lines and after.lines else (),
        program=program,
    )


def _parts(before: Mapping[str, int], after: Mapping[str, int]) -> tuple[Part, ...]:
    found = (Part(name, before.get(name, 0), after.get(name, 0)) for name in {**before, **after})
    return tuple(sorted((p for p in found if p.before or p.after), key=lambda p: -abs(p.change)))


def _made(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """List what differs of commit, versions, machine and everything else that decides cycles."""
    told = [_facts(content) for content in (before, after)]
    names = [*told[0], *(name for name in told[1] if name not in told[0])]
    pairs = ((name, told[0].get(name, "-"), told[1].get(name, "-")) for name in names)
    return [(name, one, other) for name, one, other in pairs if one != other]


def _facts(content: Mapping[str, Any]) -> dict[str, str]:
    named = ("kind", "commit", "engine", "seed", "value_bits")
    content = {**dict(*content.get("explanations", ())[:1]), **content}
    facts = {name: content[name] for name in named if name in content}
    facts |= {f"versions.{name}": version for name, version in content.get("versions", {}).items()}
    machine = {k: v for k, v in content.get("machine", {}).items() if k not in SAID_APART}
    facts |= {f"machine.{name}": value for name, value in flat(machine).items()}
    for matrix in content.get("matrices", ()):
        facts[f"matrix {matrix['name']}"] = matrix["sha256"]
    for result in content.get("results", content.get("explanations", ())):
        for name, value in result["options"].items():
            facts[f"option {result['program']}.{name}"] = value
    return {name: json.dumps(value).strip('"') for name, value in facts.items()}
