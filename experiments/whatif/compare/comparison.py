"""Two results side by side: what differs in how they were made, and by how much the cycles do."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from experiments.whatif.compare.document import Document, Pathlike, Row, as_document
from experiments.whatif.compare.inputs import DifferentInput, different_inputs, of_two
from experiments.whatif.compare.layouts import (
    ArrayEntry,
    ExplanationEntry,
    Layout,
    ResultEntry,
    RunLayout,
    SweepLayout,
    WhyLayout,
)
from vecsim.machine.description import flat
from vecsim.machine.recorded import NO_NUMBERS
from vecsim.results.file_digests import short
from vecsim.support.overview import Overview

CHOSEN_OF_RUNS = ("engine", "seed", "value_bits", "max_cycles")
CHOSEN_OF_SWEEPS = (*CHOSEN_OF_RUNS, "design")
LATIN_HYPERCUBE = "latin-hypercube"
SHOWN = 10
"""Runs that an overview shows, the most changed first."""


@dataclass(frozen=True)
class Part:
    """Cycles attributed to one cause, or those of one instruction, in both."""

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
        What identifies it; see `Document`.
    before, after
        Cycles.
    percent
        By how much the second takes more, in per cent of the first.
    causes
        Attributed cycles by the name of the cause, without those that are 0 in both; largest change first.
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


@dataclass(frozen=True, repr=False)
class Comparison(Overview):
    """What two results have in common, and what not.

    Attributes
    ----------
    settings
        What differs in how they were made: name, before, after; numbers of the machine as ``machine.NAME``.
    inputs
        The matrices and files that differ.
    apart
        The runs of both that are not compared, as they are on different matrices of one name.
    changes
        The runs that both have, those of the largest change first.
    only_before, only_after
        The runs that one of them has, or has cycles of, alone.
    """

    settings: tuple[tuple[str, str, str], ...]
    inputs: tuple[DifferentInput, ...]
    apart: tuple[tuple[str, ...], ...]
    changes: tuple[Change, ...]
    only_before: tuple[tuple[str, ...], ...]
    only_after: tuple[tuple[str, ...], ...]

    @property
    def largest(self) -> float:
        """The largest change, in per cent, whatever its sign; 0 if nothing is in common."""
        return max((abs(change.percent) for change in self.changes), default=0.0)

    def overview(self) -> dict[str, object]:
        """Return how many runs are the same, the largest change, and what differs in how they were made."""
        results: dict[str, object] = {
            "runs": len(self.changes),
            "same_cycles": sum(each.before == each.after for each in self.changes),
            "largest_percent": self.largest,
            "settings": ", ".join(f"{name} {one} / {two}" for name, one, two in self.settings),
            "inputs_differ": len(self.inputs),
        }
        for change in self.changes[:SHOWN]:
            results[" ".join(change.key)] = f"{change.before:,} to {change.after:,} ({change.percent:+.2f} %)"
        return results

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self) | {"largest_percent": self.largest}


def compare(before: Document | Pathlike, after: Document | Pathlike) -> Comparison:
    """Compare runs of the same matrix and program or, where each result has one run, these two.

    Runs on different matrices of one name are not compared, unless they are the only ones.

    Parameters
    ----------
    before, after
        Results, or what `read_document` reads: a JSON file of ``vecsim run``, ``exec`` or ``why``, or the
        folder of a sweep.

    Raises
    ------
    UserError
        One cannot be read, or is something else.

    Examples
    --------
    >>> import vecsim
    >>> table = vecsim.sweep(vecsim.Sweep(("laplace2d-5",), ("crs", "hism")), jobs=1)
    >>> folder = table.save("swept")
    >>> vecsim.compare(folder, folder).largest
    0.0
    """
    before, after = map(as_document, (before, after))
    rows, settings = dict(after.rows), _made(before.layout, after.layout)
    inputs = different_inputs(before.layout, after.layout)
    single = len(before.rows) == len(rows) == 1
    if single and before.rows.keys() != rows.keys():
        ((one, row),), ((other, other_row),) = before.rows.items(), rows.items()
        settings.append(("run", " ".join(one), " ".join(other)))
        inputs += tuple(of_two(before.layout, after.layout, row.matrix, other_row.matrix))
        rows = {one: other_row}
    others = set() if single else {each.name for each in inputs if each.is_matrix}
    apart = dict.fromkeys(key for key, row in before.rows.items() if key in rows and row.matrix in others)
    changes = [
        _change(key, row, row.cycles, rows[key], cycles)
        for key, row in before.rows.items()
        if key in rows
        and key not in apart
        and row.cycles is not None
        and (cycles := rows[key].cycles) is not None
    ]
    both = {*apart, *(change.key for change in changes)}
    return Comparison(
        settings=tuple(settings),
        inputs=inputs,
        apart=tuple(apart),
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
        causes=_parts(before.cycles_by_cause, after.cycles_by_cause),
        lines=_parts(before.lines, after.lines) if before.lines and after.lines else (),
        program=program,
    )


def _parts(before: Mapping[str, int], after: Mapping[str, int]) -> tuple[Part, ...]:
    result = (Part(name, before.get(name, 0), after.get(name, 0)) for name in {**before, **after})
    return tuple(sorted((p for p in result if p.before or p.after), key=lambda p: -abs(p.change)))


def _made(before: Layout, after: Layout) -> list[tuple[str, str, str]]:
    """List what differs of commit, versions, machine and everything else that decides cycles."""
    facts = [_facts(layout) for layout in (before, after)]
    names = [*facts[0], *(name for name in facts[1] if name not in facts[0])]
    pairs = ((name, facts[0].get(name, "-"), facts[1].get(name, "-")) for name in names)
    return [(name, one, other) for name, one, other in pairs if one != other]


def _facts(layout: Layout) -> dict[str, str]:
    """Return what a result was made with, but for its input files, in the order in which it is shown."""
    facts: dict[str, Any] = {"kind": layout.kind, "commit": layout.commit}
    facts |= _choices(layout)
    facts |= {f"versions.{name}": version for name, version in layout.versions.items()}
    machines = [each.machine for each in layout.explanations[:1]] if isinstance(layout, WhyLayout) else []
    for machine in (layout.machine, *machines):
        numbers = {name: value for name, value in (machine or {}).items() if name not in NO_NUMBERS}
        facts |= {f"machine.{name}": value for name, value in flat(numbers).items()}
        for each in (machine or {}).get("extensions", ()):
            facts[f"extension {each['name']}"] = short(each["sha256"])
    return {name: json.dumps(value).strip('"') for name, value in facts.items()}


def _choices(layout: Layout) -> dict[str, Any]:
    """Return what was chosen on the command line or in a specification."""
    if isinstance(layout, SweepLayout):
        spec = layout.sweep
        result = {name: getattr(spec, name) for name in CHOSEN_OF_SWEEPS}
        if spec.design == LATIN_HYPERCUBE:
            result |= {"samples": spec.samples, "design_seed": spec.design_seed}
        if spec.is_of_texts:
            result["memory_bytes"] = spec.memory
        if spec.function:
            result["function"] = spec.function
        return result | _arrays(layout.load)
    if isinstance(layout, WhyLayout):
        first = layout.explanations[0]
        result = {"engine": first.engine, "seed": layout.seed, "value_bits": first.value_bits}
        return result | _options(layout.explanations)
    if isinstance(layout, RunLayout):
        return {name: getattr(layout, name) for name in CHOSEN_OF_RUNS} | _options(layout.results)
    result = {name: getattr(layout, name) for name in ("engine", "value_bits", "memory_bytes", "max_cycles")}
    result |= {f"define {name}": value for name, value in layout.define.items()}
    if layout.function:
        result["function"] = layout.function
    result |= {f"argument {place}": value for place, value in enumerate(layout.arguments, 1)}
    return result | _arrays(layout.load)


def _arrays(load: Iterable[ArrayEntry]) -> dict[str, str]:
    return {f"load {each.text.partition('=')[0]}": short(each.sha256) for each in load}


def _options(results: Iterable[ResultEntry | ExplanationEntry]) -> dict[str, str]:
    return {
        f"option {each.program}.{name}": value for each in results for name, value in each.options.items()
    }
