"""Everything that two engines say about a case, side by side."""

from __future__ import annotations

import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
import numpy.typing as npt

from isa.disassembler import instruction_text
from isa.program import Program
from isa.state import ARCHITECTURAL, State
from vecsim.engines.fault import Fault
from vecsim.engines.protocol import Engine
from vecsim.engines.result import Run
from vecsim.engines.timeline import TimelineRequest
from vecsim.support.errors import UserError

from .cases import Case
from .random_stops import stops_of, visit
from .variants import start_engine

SHOWN = 12
"""Differences that are printed; there may be more."""

Facts = dict[str, Any]


class End(Enum):
    """How a case came to its end on an engine."""

    RUN = "ran to its end"
    FAULT = "ended in a fault"
    CRASH = "broke the engine"


@dataclass(frozen=True)
class Outcome:
    """What an engine says: how it ended, a message unless it ran to its end, numbers and arrays by name."""

    end: End
    message: str
    facts: Facts


@dataclass(frozen=True)
class Difference:
    """Two engines do not agree on a case: how each ended, and in what they differ."""

    ends: tuple[End, End]
    lines: list[str]

    def __str__(self) -> str:
        return "\n".join(self.lines)


def compare(case: Case, first: str, *others: str) -> Difference | None:
    """Run a case on engines; return what one of the others and the first differ in, None if nothing does."""
    one = outcome(case, first)
    actual = (difference(case.program, one, outcome(case, other), (first, other)) for other in others)
    return next(filter(None, actual), None)


def outcome(case: Case, name: str) -> Outcome:
    """Run a case on an engine, whatever comes of it."""
    timeline = TimelineRequest() if case.timeline else None
    try:
        running = start_engine(name, case.program, case.memory, case.machine, timeline)
    except UserError as error:
        return Outcome(End.FAULT, str(error), {})
    except Exception:  # whatever an engine does, it is reported
        return Outcome(End.CRASH, traceback.format_exc(), {})
    return _finish(case, running)


def _finish(case: Case, running: Engine) -> Outcome:
    facts: Facts = {}
    try:
        for i, stood in enumerate(visit(running, stops_of(case.program), case.max_cycles)):
            facts[f"stop {i}"] = stood
        running.advance(cycle=case.max_cycles)
        facts |= {"cycle": running.cycle, "pc": running.pc}
        if not running.finished:
            raise Fault(case.program, running.pc, running.cycle, "no end")
        return Outcome(End.RUN, "", facts | run_facts(running.result()))
    except Fault as fault:
        facts |= {"cycle": running.cycle, "pc": running.pc, **_state_facts(running.state)}
        return Outcome(End.FAULT, str(fault), facts)
    except Exception:  # see above
        return Outcome(End.CRASH, traceback.format_exc(), {})


def run_facts(run: Run) -> Facts:
    """Return all that a run says, by name."""
    facts: Facts = {"cycles": run.cycles}
    tables = {
        "counters": run.counters,
        "cycles_by_cause": run.cycles_by_cause,
        "waited": run.waited,
        "busy": run.busy,
    }
    for table, values in tables.items():
        facts |= {f"{table} {name}": value for name, value in values.items()}
    facts |= {f"attribution {name}": column.reshape(-1) for name, column in vars(run.attribution).items()}
    facts |= _state_facts(run.state)
    if run.timeline is not None:
        facts |= {f"timeline {name}": column for name, column in run.timeline.items()}
    return facts


def _state_facts(state: State) -> Facts:
    return {f"state {name}": getattr(state, name) for name in ARCHITECTURAL}


def difference(program: Program, a: Outcome, b: Outcome, names: tuple[str, str]) -> Difference | None:
    """Put two outcomes side by side.

    Engines that break both differ too, whatever they say: no case may break one.
    """
    lines = []
    if (a.end, a.message) != (b.end, b.message) or End.CRASH in (a.end, b.end):
        lines += [f"{name} {o.end.value} {o.message}".rstrip() for name, o in zip(names, (a, b), strict=True)]
    if a.end == b.end:
        lines += facts_differ(program, a.facts, b.facts)
    for name, one in zip(names, (a, b), strict=True):
        by_cause = [value for fact, value in one.facts.items() if fact.startswith("cycles_by_cause ")]
        if one.end == End.RUN and sum(by_cause) != one.facts["cycles"]:
            lines.append(f"{name}: {sum(by_cause)} cycles have a cause of {one.facts['cycles']}")
    if not lines:
        return None
    left_out = len(lines) - SHOWN
    lines = [f"{names[0]} / {names[1]}:", *lines[:SHOWN]] + [f"... and {left_out} more"] * (left_out > 0)
    return Difference((a.end, b.end), lines)


def facts_differ(program: Program, a: Mapping[str, Any], b: Mapping[str, Any]) -> list[str]:
    """Name every fact that is not the same in both, arrays bit for bit."""
    lines = [f"{name}: only one has it" for name in sorted(a.keys() ^ b.keys())]
    for name in a:
        if name not in b:
            continue
        if isinstance(a[name], np.ndarray):
            lines += _arrays_differ(program, name, a[name], b[name])
        elif a[name] != b[name]:
            lines.append(f"{name}: {a[name]} / {b[name]}")
    return lines


def _arrays_differ(program: Program, name: str, a: npt.NDArray[Any], b: npt.NDArray[Any]) -> list[str]:
    if (a.dtype, a.shape) != (b.dtype, b.shape):
        return [f"{name}: {a.dtype} {a.shape} / {b.dtype} {b.shape}"]
    places = np.flatnonzero(a != b)
    if not len(places):
        return []
    first = int(places[0])
    more = f", and {len(places) - 1} more" if len(places) > 1 else ""
    return [f"{name}: {a[first]} / {b[first]} at {first}{more}"]


def timeline_difference(case: Case, first: str, *others: str) -> str:
    """Return the first row of the timeline that differs, with its instruction; empty if none does."""
    return next(filter(None, (_row_that_differs(case, (first, other)) for other in others)), "")


def _row_that_differs(case: Case, engines: tuple[str, str]) -> str:
    timelines = [outcome(case, name).facts for name in engines]
    columns = [name for name in timelines[0] if name.startswith("timeline ") and name in timelines[1]]
    if not columns:
        return ""
    rows = min(len(facts[columns[0]]) for facts in timelines)
    wrong = [np.any([t[0][:rows] != t[1][:rows]], axis=0) for t in _pairs(timelines, columns)]
    where = np.flatnonzero(np.any(wrong, axis=0))
    if not len(where):
        return ""
    row = int(where[0])
    pc = int(timelines[0]["timeline pc"][row])
    text = instruction_text(case.program.instruction(pc), case.program.fields[pc].tolist(), pc)
    values = [
        f"{name.removeprefix('timeline ')} {a[row]} / {b[row]}"
        for name, (a, b) in zip(columns, _pairs(timelines, columns), strict=True)
        if a[row] != b[row]
    ]
    return f"first row of the timeline that differs: {row}, instruction {pc}: {text}: {', '.join(values)}"


def _pairs(timelines: list[Facts], columns: list[str]) -> list[tuple[Any, Any]]:
    return [(timelines[0][name], timelines[1][name]) for name in columns]
