"""The oracle next to an engine: everything that both say of a program, and where they differ."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import numpy.typing as npt

from isa.disassembler import instruction_text
from isa.program import Program
from tests.differential.cases import Case
from tests.oracle.clock import Row, times
from vecsim.engines.cause import Cause
from vecsim.engines.result import EVERY_RUN, Run
from vecsim.engines.running import run
from vecsim.engines.state.counters import Counter
from vecsim.engines.timeline import TimelineRequest

COLUMNS = tuple(field.name for field in fields(Row))
COUNTERS = {counter.name.lower() for counter in Counter} - set(EVERY_RUN)
ENGINE = "jit"


def difference(case: Case, engine: str = ENGINE) -> str:
    """Run a case on an engine; return its first difference from the oracle, empty if there is none."""
    theirs = run(
        case.program,
        case.memory.copy(),
        case.machine,
        engine=engine,
        timeline=TimelineRequest(),
        max_cycles=case.max_cycles,
    )
    return difference_from(theirs, case.program, case.memory)


def difference_from(theirs: Run, program: Program, memory: npt.NDArray[np.uint8]) -> str:
    """Return the first difference between the oracle and a run with a whole timeline."""
    ours = times(program, memory, theirs.machine)
    assert theirs.timeline is not None
    by_age = np.argsort(theirs.timeline["age"])
    columns = [theirs.timeline[name][by_age].tolist() for name in COLUMNS]
    rows = [Row(*values) for values in zip(*columns, strict=True)]
    for age, (our, their) in enumerate(zip(ours.rows, rows, strict=False)):
        if our != their:
            return f"row {age}, {_described(program, our, their)}"
    cycles_by_cause = _attributed(theirs)
    for pc, cause in sorted(ours.cycles_by_cause.keys() | cycles_by_cause.keys()):
        one, other = ours.cycles_by_cause.get((pc, cause), 0), cycles_by_cause.get((pc, cause), 0)
        if one != other:
            return f"instruction {pc}, attributed to {cause}: oracle / engine: {one} / {other}"
    if (len(ours.rows), ours.cycles) != (len(rows), theirs.cycles):
        return f"oracle / engine: rows {len(ours.rows)} / {len(rows)}, cycles {ours.cycles} / {theirs.cycles}"
    for name in COUNTERS & theirs.counters.keys():
        if ours.counters[name] != theirs.counters[name]:
            return f"{name}: oracle / engine: {ours.counters[name]} / {theirs.counters[name]}"
    return ""


def _attributed(run: Run) -> dict[tuple[int, str], int]:
    """Return the cycles that an engine attributed, by pc and cause, without those that are 0."""
    table = run.attribution.attributed
    return {(int(pc), Cause(i).name.lower()): int(table[pc, i]) for pc, i in np.argwhere(table)}


def _described(program: Program, our: Row, their: Row) -> str:
    pc = our.pc
    text = instruction_text(program.instruction(pc), program.fields[pc].tolist(), pc)
    values = [
        f"{name} {getattr(our, name)} / {getattr(their, name)}"
        for name in COLUMNS
        if getattr(our, name) != getattr(their, name)
    ]
    return f"instruction {pc}: {text}: oracle / engine: {', '.join(values)}"
