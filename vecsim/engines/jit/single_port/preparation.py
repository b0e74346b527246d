"""What the single-port loop knows of a program and a machine before it starts.

It fills the fields of ``Instruction`` from ``record_scale`` on, and reciprocals and binary logarithms among
the numbers of the machine. It also works out the timing of blocks of scalar instructions. If every register
that a block awaits from before it is ready when its first instruction issues, the cycles of the block,
relative to that one, depend on nothing but how many instructions have issued in that cycle already. A block
is a straight line of scalar instructions; only the first may be an access to memory. It goes on after
branches that may be taken or not. Where one is taken the block ends; so it is kept in parts, each from the
beginning to a branch or to the end.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from isa.declaration import Length, Pattern, Timing, Unit
from isa.instructions import BASE
from vecsim.engines.decoded import Decoded
from vecsim.engines.jit.single_port import block
from vecsim.engines.jit.state import BY_RECORDS, PHASES, SCHEDULES, SHIFTED
from vecsim.engines.recorded.events import EVENT
from vecsim.engines.state.instruction import Instruction
from vecsim.engines.state.row import COUNT, NONE, NUMBERS, fields_of
from vecsim.machine import WORD_BYTES, Machine

Ints = npt.NDArray[np.int64]
Rows = npt.NDArray[Any]

ELEMENTWISE, REDUCTION = int(Timing.ELEMENTWISE), int(Timing.REDUCTION)
MOST_CHAINED = 3
"""Registers that a ``chain`` reads, at most."""
CONTIGUOUS = int(Pattern.CONTIGUOUS)


def runs_on_single_port(rows: Decoded) -> bool:
    """Return whether the single-port loop knows all that the rows of a program cost."""
    plain = (rows.interval <= 1) & (rows.recovery == 0) & (rows.level <= 0) & (rows.pair <= 0)
    overlaps = (rows.overlap > 0) & (rows.writes != NONE).any(axis=1)
    entries = (rows.timing == Timing.SPARSE) & (rows.base_register != NONE)
    joined = (rows.joined == 1) & (rows.unit == Unit.SCALAR)
    return bool((plain & ~overlaps & ~entries & ~joined & (rows.pattern != Pattern.LISTED)).all())


def reciprocal(divisor: int) -> int:
    """Return the number whose product with k, shifted right by 32 bits, is k // divisor.

    It holds for 0 <= k < 2^32 / divisor, far more than the elements and words of a vector register.
    """
    return ((1 << 32) + divisor - 1) // divisor


def steady_record(rows: Decoded) -> int:
    """Return the bytes of most records of several whole words that a program accesses; 0 without any."""
    accesses = (rows.timing == Timing.ACCESS) & (rows.pattern == Pattern.CONTIGUOUS) & (rows.cache != 1)
    sizes = rows.record_bytes[accesses & (rows.record_bytes > WORD_BYTES)]
    sizes = sizes[sizes % WORD_BYTES == 0]
    return int(np.bincount(sizes).argmax()) if len(sizes) else 0


def mark_shortcuts(rows: Rows, record_bytes: int) -> None:
    """Fill the fields of the (n,) instructions of a program that only the single-port loop reads.

    ``record_bytes`` is what :func:`steady_record` returns.
    """

    def count(name: str) -> Ints:
        return rows[name][COUNT]

    records, timing, reads, writes = rows["record_bytes"], rows["timing"], count("reads"), count("writes")
    whole = count("whole_reads") + count("whole_writes") > 0
    odd = (count("accumulators") > 0) | (rows["slice_register"] != NONE)
    cached, one_element = rows["cache"] == 1, rows["element_register"] != NONE
    plain = ~(whole | odd | one_element | (count("late") > 0))
    rows["record_scale"] = [reciprocal(int(size)) if size > 0 else NONE for size in records]
    rows["plain"] = plain
    moved = np.where(rows["store"] == 1, reads, writes)
    one_register = (rows["pattern"] == CONTIGUOUS) & ~cached & plain & (reads + writes == 1) & (moved == 1)
    steady = (records == record_bytes) & (record_bytes > 0)
    rows["simple"] = np.select([one_register & (records == WORD_BYTES), one_register & steady], [1, 2], 0)
    arithmetic = (timing == ELEMENTWISE) & plain & (reads > 0) & (reads <= MOST_CHAINED) & (writes == 1)
    sums = (timing == REDUCTION) & ~whole & (reads == 1) & (writes == 0) & (count("late") == 1)
    at_issue = count("late") + count("scalar_writes") > 0
    inserts = (timing == ELEMENTWISE) & one_element & ~(cached | odd | at_issue | whole)
    inserts &= (reads == 0) & (writes == 1)
    rows["chain"] = np.select([arithmetic, sums, inserts], [1, 2, 3], 0)
    alone = (rows["event"] == EVENT) & ~at_issue & (rows["length"] == Length.VL)
    alone &= (rows["joined"] == 0) | (count("awaited") == 0)
    rows["part"] = alone & (rows["chain"] == 1)
    read = rows["reads"][NUMBERS]
    for name, place in (("second", 1), ("third", 2)):
        rows[name] = np.where(read[:, place] == NONE, read[:, 0], read[:, place])


def _shift(number: int) -> int:
    return -1 if number & (number - 1) else number.bit_length() - 1


def add_reciprocals(numbers: Rows) -> None:
    """Fill the numbers of a machine from ``lanes_scale`` on from those before."""
    for name, source in (("lanes", "lanes"), ("sparse", "sparse_unit_p"), ("words", "words_per_cycle")):
        number = int(numbers[source][0])
        numbers[f"{name}_scale"], numbers[f"{name}_shift"] = reciprocal(number), _shift(number)
    numbers["streams"] = numbers["banks"] >= numbers["words_per_cycle"] * numbers["bank_busy"]


def steady_schedules(machine: Machine, record_bytes: int) -> tuple[Ints, Ints]:
    """Return the (SCHEDULES, s) cycles of the elements and the (SCHEDULES,) most that pass in a cycle.

    ``record_bytes`` is what :func:`steady_record` returns.
    """
    cycles = np.zeros((SCHEDULES, machine.section_size), np.int64)
    pace = np.zeros(SCHEDULES, np.int64)
    pace[:SHIFTED] = machine.words_per_cycle, machine.lanes, machine.sparse_unit.p
    pace[SHIFTED:BY_RECORDS] = machine.words_per_cycle
    phase = np.concatenate([np.zeros(SHIFTED, np.int64), np.arange(1, PHASES)])
    elements = np.arange(machine.section_size) + phase[:, None]
    cycles[:BY_RECORDS] = elements // pace[:BY_RECORDS, None]
    words = max(record_bytes // WORD_BYTES, 1)
    pace[BY_RECORDS] = -(-machine.words_per_cycle // words)
    cycles[BY_RECORDS] = (words * np.arange(1, machine.section_size + 1) - 1) // machine.words_per_cycle
    return cycles, pace


NO_BLOCK = -1
ALONE = -1
"""The timing, here, of user-defined instructions: they may fail, and are issued one by one."""
MOST_BRANCHES = 3
WIDEST_ISSUE = 8
"""On machines that issue more in a cycle there are no blocks: a part has a case for each."""
LONG = 2000
"""In programs of more instructions a block begins at the targets of branches and where another ends, not at
every instruction: working them out would take longer than what a long program gains, which runs most of its
instructions once."""


class Line(NamedTuple):
    """An instruction of a block: registers awaited and written, its latency, and whether it is a branch."""

    awaited: list[int]
    written: list[int]
    latency: int
    branch: bool


BLOCK_FIELDS = ("operation", "timing", "latency", "awaited", "scalar_writes", "late")
"""What the timing of a block depends on; operands are not, so that it is the same for all matrices."""


def scalar_blocks(program: Rows, machine: Machine) -> Ints:
    """Work out the block from every scalar instruction; return them all, flat.

    A part takes ``HEAD`` + ``issue_width`` x ``CASE`` integers. Field ``scalar_block`` of an instruction
    becomes the place of the first part of the block that begins there.
    """
    begins = np.full(len(program), len(program) <= LONG)
    targets = program["target"]
    begins[targets[(targets >= 0) & (targets < len(program))]] = True
    fields = [field for field in fields_of(Instruction) if field.name in BLOCK_FIELDS]
    words = program.view(np.int64).reshape(len(program), -1)
    parts = [words[:, field.offset : field.offset + field.words] for field in fields]
    goes_on = program["following"] == np.arange(1, len(program) + 1)
    known = np.column_stack([*parts, begins, targets == NONE, goes_on])
    user_defined = (program["operation"] >= len(BASE.instructions)) & (program["event"] == 0)
    timing = sum(field.words for field in fields[: [each.name for each in fields].index("timing")])
    known[user_defined, timing] = ALONE
    program["scalar_block"], blocks = _worked_out(known.tobytes(), known.shape[1], machine.issue_width)
    return blocks.copy()


class KnownLine(NamedTuple):
    """What is known of an instruction where blocks are worked out.

    Attributes
    ----------
    begins
        Whether a block begins there even within another.
    indirect
        Whether no target is known.
    goes_on
        Whether the next row follows.
    """

    timing: int
    latency: int
    awaited: list[int]
    written: list[int]
    late: list[int]
    begins: bool
    indirect: bool
    goes_on: bool


def _known_line(row: list[int]) -> KnownLine:
    """Return a row of ``BLOCK_FIELDS`` and the three that follow."""
    values: dict[str, Any] = {}
    at = 0
    for field in fields_of(Instruction):
        if field.name in BLOCK_FIELDS:
            first, end = at + field.counted, at + field.counted + row[at] if field.counted else at + 1
            values[field.name] = row[first:end] if field.counted else row[at]
            at += field.words
    return KnownLine(
        values["timing"],
        values["latency"],
        values["awaited"],
        values["scalar_writes"],
        values["late"],
        *(bool(each) for each in row[-3:]),
    )


@lru_cache(maxsize=512)
def _worked_out(known: bytes, columns: int, width: int) -> tuple[Ints, Ints]:
    """Return field ``scalar_block`` and the blocks of a program whose ``BLOCK_FIELDS`` are ``known``."""
    rows = [_known_line(row) for row in np.frombuffer(known, np.int64).reshape(-1, columns).tolist()]
    places = np.full(len(rows), NO_BLOCK, np.int64)
    parts: list[Ints] = []
    late = {register for row in rows[:-1] for register in row.late}
    end = 0  # of the block before
    for i in range(len(rows) - 1 if width <= WIDEST_ISSUE else 0):
        lines = _lines(rows, i) if i >= end or rows[i].begins else []
        if lines:
            places[i] = len(parts) * (block.HEAD + width * block.CASE)
            parts += _parts(lines, late, width, i)
            end = i + len(lines)
    return places, np.concatenate(parts) if parts else np.zeros(1, np.int64)


def _lines(rows: list[KnownLine], i: int) -> list[Line]:
    """Return the instructions from i on that make a block."""
    lines: list[Line] = []
    kinds = {Timing.SCALAR, Timing.BRANCH, Timing.SCALAR_LOAD, Timing.SCALAR_STORE}
    branches = 0
    while len(lines) < block.MOST_INSTRUCTIONS and branches < MOST_BRANCHES and rows[i].timing in kinds:
        kinds = {Timing.SCALAR, Timing.BRANCH}
        row = rows[i]
        branch = row.timing == Timing.BRANCH
        longer = [*lines, Line(row.awaited, row.written, row.latency, branch)]
        if len(_awaited(longer)) > block.MOST_AWAITED or len(_written(longer)) > block.MOST_WRITTEN:
            break
        lines = longer
        always_taken = branch and (row.indirect or row.written or not row.awaited)
        if always_taken or not row.goes_on:
            break
        branches += branch
        i += 1
    return lines


def _awaited(lines: list[Line]) -> list[int]:
    """Registers that a block awaits from before it."""
    result: dict[int, None] = {}
    written: set[int] = set()
    for line in lines:
        result |= dict.fromkeys(register for register in line.awaited if register not in written)
        written |= set(line.written)
    return list(result)


def _written(lines: list[Line]) -> list[int]:
    return list(dict.fromkeys(register for line in lines for register in line.written))


def _parts(lines: list[Line], late: set[int], width: int, first: int) -> list[Ints]:
    """Return the parts of the block that begins at an instruction, the shortest first."""
    ends = [k + 1 for k, line in enumerate(lines) if line.branch or k + 1 == len(lines)]
    parts = []
    for position, end in enumerate(ends):
        part = np.zeros(block.HEAD + width * block.CASE, np.int64)
        awaited, written = _awaited(lines[:end]), _written(lines[:end])
        begin = ends[position - 1] if position else 0
        branch = lines[end - 1].branch
        part[: block.LONGER] = end - begin - branch, branch, end
        part[block.LONGER : block.WRITES + 1] = (
            len(ends) - 1 - position,
            not late.isdisjoint(awaited),
            len(lines[0].awaited),
            len(awaited),
            len(written),
        )
        part[block.AWAITED_REGISTERS : block.AWAITED_REGISTERS + len(awaited)] = awaited
        part[block.WRITTEN_REGISTERS : block.WRITTEN_REGISTERS + len(written)] = written
        parts.append(part)
    for before in range(width):
        at = block.HEAD + before * block.CASE
        cases = _cases(lines, before, width)
        for part, end in zip(parts, ends, strict=True):
            part[at : at + block.CASE] = cases[end - 1]
            part[at + block.BEGIN : at + block.LENGTH + 1] = first, end
    return parts


def _cases(lines: list[Line], before: int, width: int) -> list[Ints]:
    """Issue a block after ``before`` others of its first cycle; return the case up to each instruction."""
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
        case = np.zeros(block.CASE, np.int64)
        case[: block.LINK] = cycle, issued, retired, max(ready_at.values(), default=0)
        for column, values in (
            (block.READY_AT, list(ready_at.values())),
            (block.RETIRED_UP_TO, retired_up_to),
            (block.WAITED, waited),
        ):
            case[column : column + len(values)] = values
        cases.append(case)
    return cases
