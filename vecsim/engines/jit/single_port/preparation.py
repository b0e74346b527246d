"""What the single-port loop knows of a program and a machine before it starts.

It fills the columns of :mod:`vecsim.engines.columns.instruction` from ``SHORTCUTS`` on, and reciprocals and
binary logarithms among the numbers of :mod:`vecsim.engines.columns.parameter`. It also works out the timing
of runs of scalar instructions. If every register that a run awaits from before it is ready when its first
instruction issues, the cycles of the run, relative to that one, depend on nothing but how many instructions
have issued in that cycle already. A run is a straight line of scalar instructions; only the first may be an
access to memory. It goes on after branches that may be taken or not. Where one is taken the run ends; so it
is kept in parts, each from the beginning to a branch or to the end.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from isa.declaration import Pattern, Timing
from isa.instructions import BASE
from vecsim.engines.columns import instruction, parameter, quick_run
from vecsim.engines.columns.tracks import FIRST_FREE, PHASES, SHIFTED, TRACKS
from vecsim.engines.decoded import NONE
from vecsim.machine import Machine

Ints = npt.NDArray[np.int64]

ELEMENTWISE, REDUCTION = int(Timing.ELEMENTWISE), int(Timing.REDUCTION)
CONTIGUOUS = int(Pattern.CONTIGUOUS)


def reciprocal(divisor: int) -> int:
    """Give the number whose product with k, shifted right by 32 bits, is k // divisor.

    It holds for 0 <= k < 2^32 / divisor, far more than the elements and words of a vector register.
    """
    return ((1 << 32) + divisor - 1) // divisor


def mark_shortcuts(rows: Ints) -> None:
    """Fill the columns of the (n, ``WIDTH``) rows of a program that only the single-port loop reads."""
    column = instruction

    def of(place: int) -> Ints:
        return rows[:, place]

    records, timing, reads, writes = (
        of(each) for each in (column.RECORD_BYTES, column.TIMING, column.READS, column.WRITES)
    )
    whole = of(column.WHOLE_READS) + of(column.WHOLE_WRITES) > 0
    odd = (of(column.ACCUMULATOR) != NONE) | (of(column.SLICE_REGISTER) != NONE)
    cached, one_element = of(column.CACHE) == 1, of(column.ELEMENT_REGISTER) != NONE
    plain = ~(whole | odd | one_element | (of(column.LATE) > 0))
    of(column.RECORD_SCALE)[:] = [reciprocal(int(size)) if size > 0 else NONE for size in records]
    of(column.PLAIN)[:] = plain
    words = (of(column.PATTERN) == CONTIGUOUS) & (records == 4) & ~cached
    of(column.SIMPLE)[:] = words & plain & (reads + writes == 1)
    arithmetic = (timing == ELEMENTWISE) & plain & (reads > 0) & (writes == 1)
    sums = (timing == REDUCTION) & ~whole & (reads == 1) & (writes == 0) & (of(column.LATE) == 1)
    at_issue = of(column.LATE) + of(column.SCALAR_WRITES) > 0
    inserts = (timing == ELEMENTWISE) & one_element & ~(cached | odd | at_issue | whole)
    inserts &= (reads == 0) & (writes == 1)
    of(column.CHAIN)[:] = np.select([arithmetic, sums, inserts], [1, 2, 3], 0)
    for place, read in ((column.SECOND, of(column.READS + 2)), (column.THIRD, of(column.READS + 3))):
        of(place)[:] = np.where(read == NONE, of(column.READS + 1), read)


def _shift(number: int) -> int:
    return -1 if number & (number - 1) else number.bit_length() - 1


def add_reciprocals(numbers: Ints) -> None:
    """Fill the places from ``LANES_SCALE`` on from those before."""
    lanes, entries = int(numbers[parameter.LANES]), int(numbers[parameter.SPARSE_UNIT_P])
    words = int(numbers[parameter.WORDS_PER_CYCLE])
    numbers[parameter.LANES_SCALE], numbers[parameter.LANES_SHIFT] = reciprocal(lanes), _shift(lanes)
    numbers[parameter.SPARSE_SCALE], numbers[parameter.SPARSE_SHIFT] = reciprocal(entries), _shift(entries)
    numbers[parameter.WORDS_SCALE], numbers[parameter.WORDS_SHIFT] = reciprocal(words), _shift(words)
    numbers[parameter.STREAMS] = numbers[parameter.BANKS] >= words * numbers[parameter.BANK_BUSY]


def constant_tracks(machine: Machine) -> tuple[Ints, Ints]:
    """Give the (TRACKS, s) cycles of the elements and the (TRACKS,) most elements that pass in a cycle."""
    cycles = np.zeros((TRACKS, machine.section_size), np.int64)
    pace = np.zeros(TRACKS, np.int64)
    pace[:SHIFTED] = machine.words_per_cycle, machine.lanes, machine.sparse_unit.p
    pace[SHIFTED:FIRST_FREE] = machine.words_per_cycle
    phase = np.concatenate([np.zeros(SHIFTED, np.int64), np.arange(1, PHASES)])
    elements = np.arange(machine.section_size) + phase[:, None]
    cycles[:FIRST_FREE] = elements // pace[:FIRST_FREE, None]
    return cycles, pace


NO_RUN = -1
ALONE = -1
"""The timing, here, of user-defined instructions: they may fail, and are issued one by one."""
MOST_BRANCHES = 3
WIDEST_ISSUE = 8
"""On machines that issue more in a cycle there are no runs: a part has a case for each."""
LONG = 2000
"""In programs of more instructions a run begins at the targets of branches and where another ends, not at
every instruction: working them out would take longer than what a long program gains, which runs most of its
instructions once."""


class Line(NamedTuple):
    """An instruction of a run: registers awaited and written, its latency, and whether it is a branch."""

    awaited: list[int]
    written: list[int]
    latency: int
    branch: bool


def quick_runs(program: Ints, machine: Machine) -> Ints:
    """Work out a run from every scalar instruction; give them all, flat.

    A part takes ``HEAD`` + ``issue_width`` x ``CASE`` integers. Column ``RUN`` of the program table becomes
    the place of the first part of the run that begins there.
    """
    rows = program.reshape(-1, instruction.WIDTH)
    begins = np.full(len(rows), len(rows) <= LONG)
    targets = rows[:, instruction.TARGET]
    begins[targets[(targets >= 0) & (targets < len(rows))]] = True
    known = np.column_stack([rows[:, : instruction.LATE + 3], begins, targets == NONE])
    known[:, instruction.FIELD : instruction.AWAITED] = (
        0  # operands, of which immediates differ from matrix to matrix
    )
    own = known[:, instruction.OPERATION] >= len(BASE.instructions)
    known[own, instruction.TIMING] = ALONE
    rows[:, instruction.RUN], runs = _worked_out(known.tobytes(), known.shape[1], machine.issue_width)
    return runs.copy()


@lru_cache(maxsize=512)
def _worked_out(known: bytes, columns: int, width: int) -> tuple[Ints, Ints]:
    """Give column ``RUN`` and the runs of the program whose first columns, flat, are ``known``.

    The last columns of ``known`` are 1 where a run begins even within another, and where no target is known.
    """
    rows = np.frombuffer(known, np.int64).reshape(-1, columns)
    places = np.full(len(rows), NO_RUN, np.int64)
    parts: list[Ints] = []
    late = {register for row in rows[:-1] for register in _listed(row, instruction.LATE)}
    end = 0  # of the run before
    for i in range(len(rows) - 1 if width <= WIDEST_ISSUE else 0):
        lines = _lines(rows, i) if i >= end or rows[i, -2] else []
        if lines:
            places[i] = len(parts) * (quick_run.HEAD + width * quick_run.CASE)
            parts += _parts(lines, late, width, i)
            end = i + len(lines)
    return places, np.concatenate(parts) if parts else np.zeros(1, np.int64)


def _listed(row: Ints, column: int) -> list[int]:
    return [int(register) for register in row[column + 1 : column + 1 + row[column]]]


def _lines(rows: Ints, i: int) -> list[Line]:
    """Give the instructions from i on that make a run."""
    lines: list[Line] = []
    kinds = {Timing.SCALAR, Timing.BRANCH, Timing.SCALAR_LOAD, Timing.SCALAR_STORE}
    branches = 0
    while (
        len(lines) < quick_run.MOST_INSTRUCTIONS
        and branches < MOST_BRANCHES
        and rows[i, instruction.TIMING] in kinds
    ):
        kinds = {Timing.SCALAR, Timing.BRANCH}
        branch = bool(rows[i, instruction.TIMING] == Timing.BRANCH)
        awaited, written = _listed(rows[i], instruction.AWAITED), _listed(rows[i], instruction.SCALAR_WRITES)
        longer = [*lines, Line(awaited, written, int(rows[i, instruction.LATENCY]), branch)]
        if len(_awaited(longer)) > quick_run.MOST_AWAITED or len(_written(longer)) > quick_run.MOST_WRITTEN:
            break
        lines = longer
        if branch and (rows[i, -1] == 1 or written or not awaited):  # it is always taken
            break
        branches += branch
        i += 1
    return lines


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


def _parts(lines: list[Line], late: set[int], width: int, first: int) -> list[Ints]:
    """Give the parts of the run that begins at an instruction, the shortest first."""
    ends = [k + 1 for k, line in enumerate(lines) if line.branch or k + 1 == len(lines)]
    parts = []
    for position, end in enumerate(ends):
        part = np.zeros(quick_run.HEAD + width * quick_run.CASE, np.int64)
        awaited, written = _awaited(lines[:end]), _written(lines[:end])
        begin = ends[position - 1] if position else 0
        branch = lines[end - 1].branch
        part[: quick_run.LONGER] = end - begin - branch, branch, end
        part[quick_run.LONGER : quick_run.WRITES + 1] = (
            len(ends) - 1 - position,
            not late.isdisjoint(awaited),
            len(lines[0].awaited),
            len(awaited),
            len(written),
        )
        part[quick_run.AWAITED_REGISTERS : quick_run.AWAITED_REGISTERS + len(awaited)] = awaited
        part[quick_run.WRITTEN_REGISTERS : quick_run.WRITTEN_REGISTERS + len(written)] = written
        parts.append(part)
    for before in range(width):
        at = quick_run.HEAD + before * quick_run.CASE
        cases = _cases(lines, before, width)
        for part, end in zip(parts, ends, strict=True):
            part[at : at + quick_run.CASE] = cases[end - 1]
            part[at + quick_run.BEGIN : at + quick_run.LENGTH + 1] = first * instruction.WIDTH, end
    return parts


def _cases(lines: list[Line], before: int, width: int) -> list[Ints]:
    """Issue a run behind ``before`` others of its first cycle; give the case up to each instruction."""
    cycle, issued, retired = 0, before, 0
    ready_at: dict[int, int] = {}
    waited: list[int] = []
    retired_up_to: list[int] = []
    cases = []
    for position, line in enumerate(lines):
        earliest = cycle + 1 if issued >= width else cycle
        ready = max((ready_at.get(register, 0) for register in line.awaited), default=0)
        now = max(ready, earliest)
        waited.append(cycle - now if ready > earliest else now - cycle)
        issued = 1 if now > cycle or (position == 0 and before == 0) else issued + 1
        cycle = now
        retired = max(retired, cycle + line.latency)
        retired_up_to.append(retired)
        ready_at |= dict.fromkeys(line.written, cycle + line.latency)
        case = np.zeros(quick_run.CASE, np.int64)
        case[: quick_run.LINK] = cycle, issued, retired, max(ready_at.values(), default=0)
        for column, values in (
            (quick_run.READY_AT, list(ready_at.values())),
            (quick_run.RETIRED_UP_TO, retired_up_to),
            (quick_run.WAITED, waited),
        ):
            case[column : column + len(values)] = values
        cases.append(case)
    return cases
