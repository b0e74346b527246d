"""Runs of scalar instructions whose timing is worked out before the program starts.

If every register that a run awaits from before it is ready when its first instruction issues, the cycles of
the run, relative to that one, depend on nothing but how many instructions have issued in that cycle already.
A run is a straight line of scalar instructions; the first may be an access to memory, the last a branch.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from isa.declaration import Timing
from vecsim.engines.jit.code import AWAITED, FIELD, LATENCY, READY, RUN, TIMING, WIDTH, Ints
from vecsim.machine import Machine

NO_RUN = -1
SCALARS, BRANCHES, AWAITS_FIRST, AWAITS, WRITES = range(5)
"""Head of a run: how many instructions but branches, how many branches (0 or 1); how many registers the first
instruction awaits, how many all of them, which stand behind; how many the run writes."""
AWAITED_REGISTERS = 5
MOST_AWAITED = 12
WRITTEN_REGISTERS = AWAITED_REGISTERS + MOST_AWAITED
MOST_WRITTEN = 8
HEAD = WRITTEN_REGISTERS + MOST_WRITTEN

LAST, ISSUED, RETIRED, WAITED_ISSUE, WAITED_SCALAR, READY_AT = range(6)
"""Behind the head, for each number of instructions that have issued in the first cycle before: the cycle of
the last, how many issue in it, the latest retirement, cycles waited behind the first instruction, by cause;
then from when each written register is ready. Cycles are relative to that of the first instruction."""
CASE = READY_AT + MOST_WRITTEN

MOST_INSTRUCTIONS = 16
WIDEST_ISSUE = 8
"""On machines that issue more in a cycle there are no runs: a run has a case for each."""


class Line(NamedTuple):
    """An instruction of a run: registers awaited and written, and its latency."""

    awaited: list[int]
    written: list[int]
    latency: int


def quick_runs(program: Ints, machine: Machine) -> Ints:
    """Work out a run from every scalar instruction; give them all, flat.

    Column ``RUN`` of the program table becomes the place of the run that begins there.
    """
    rows = program.reshape(-1, WIDTH)
    known = rows[:, : READY + 5].copy()
    known[:, FIELD:AWAITED] = 0  # operands, of which immediates differ from matrix to matrix
    rows[:, RUN], runs = _worked_out(known.tobytes(), known.shape[1], machine.issue_width)
    return runs.copy()


@lru_cache(maxsize=64)
def _worked_out(known: bytes, columns: int, width: int) -> tuple[Ints, Ints]:
    """Give column ``RUN`` and the runs of the program whose first columns, flat, are ``known``."""
    rows = np.frombuffer(known, np.int64).reshape(-1, columns)
    places = np.full(len(rows), NO_RUN, np.int64)
    runs: list[Ints] = []
    for i in range(len(rows) - 1 if width <= WIDEST_ISSUE else 0):
        lines, branches = _lines(rows, i)
        if lines:
            places[i] = sum(len(run) for run in runs)
            runs.append(_run(lines, branches, width))
    return places, np.concatenate(runs) if runs else np.zeros(1, np.int64)


def _listed(row: Ints, column: int) -> list[int]:
    return [int(register) for register in row[column + 1 : column + 1 + row[column]]]


def _lines(rows: Ints, i: int) -> tuple[list[Line], int]:
    """Give the instructions from i on that make a run, and whether the last is a branch."""
    lines: list[Line] = []
    kinds = {Timing.SCALAR, Timing.BRANCH, Timing.SCALAR_LOAD, Timing.SCALAR_STORE}
    while len(lines) < MOST_INSTRUCTIONS and rows[i, TIMING] in kinds:
        kinds = {Timing.SCALAR, Timing.BRANCH}
        line = Line(_listed(rows[i], AWAITED), _listed(rows[i], READY), int(rows[i, LATENCY]))
        longer = [*lines, line]
        if len(_awaited(longer)) > MOST_AWAITED or len(_written(longer)) > MOST_WRITTEN:
            break
        lines = longer
        if rows[i, TIMING] == Timing.BRANCH:
            return lines, 1
        i += 1
    return lines, 0


def _awaited(lines: list[Line]) -> list[int]:
    """Registers that a run awaits from before it."""
    found: dict[int, None] = {}
    written: set[int] = set()
    for line in lines:
        found |= dict.fromkeys(register for register in line.awaited if register not in written)
        written |= set(line.written)
    return list(found)


def _written(lines: list[Line]) -> list[int]:
    return list(dict.fromkeys(register for line in lines for register in line.written))


def _run(lines: list[Line], branches: int, width: int) -> Ints:
    run = np.zeros(HEAD + width * CASE, np.int64)
    awaited, written = _awaited(lines), _written(lines)
    run[: WRITES + 1] = len(lines) - branches, branches, len(lines[0].awaited), len(awaited), len(written)
    run[AWAITED_REGISTERS : AWAITED_REGISTERS + len(awaited)] = awaited
    run[WRITTEN_REGISTERS : WRITTEN_REGISTERS + len(written)] = written
    for before in range(width):
        at = HEAD + before * CASE
        run[at : at + CASE] = _case(lines, written, before, width)
    return run


def _case(lines: list[Line], written: list[int], before: int, width: int) -> Ints:
    """Issue a run behind ``before`` others of its first cycle."""
    cycle, issued, retired = 0, before, 0
    ready_at: dict[int, int] = {}
    waited = {"issue": 0, "scalar": 0}
    for position, line in enumerate(lines):
        earliest = cycle + 1 if issued >= width else cycle
        ready = max((ready_at.get(register, 0) for register in line.awaited), default=0)
        now = max(ready, earliest)
        if now > cycle:
            waited["scalar" if ready > earliest else "issue"] += now - cycle
        issued = 1 if now > cycle or (position == 0 and before == 0) else issued + 1
        cycle = now
        retired = max(retired, cycle + line.latency)
        ready_at |= dict.fromkeys(line.written, cycle + line.latency)
    case = np.zeros(CASE, np.int64)
    case[:READY_AT] = cycle, issued, retired, waited["issue"], waited["scalar"]
    case[READY_AT : READY_AT + len(written)] = [ready_at[register] for register in written]
    return case
