"""The grid of choices that the paper leaves open, and the facts that it states, measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from experiments.papers.hism.assignment import ASSIGNMENT
from experiments.papers.hism.timing import METHODS
from isa.assembler import assemble
from programs.declaration import SCHEDULE
from programs.registry import PROGRAMS
from vecsim.engines.running import run
from vecsim.engines.timeline import TimelineRequest
from vecsim.machine import Machine

STATED = {
    "section_size": 64,
    "startup": 20,
    "words_per_cycle": 4,
    "addresses_per_cycle": 1,
}
"""What section 3.1.1 of the paper says of the machine in numbers; no candidate differs in it."""

Options = Mapping[str, Mapping[str, str]]
"""Options of the programs, by program and option."""


@dataclass(frozen=True)
class Value:
    """One way to decide a choice.

    Attributes
    ----------
    name
        What reports call it.
    machine
        Fields of the machine that it sets; ``latency.add`` is a field of a field.
    options
        Options of programs that it sets.
    cycles
        What it adds to every run of every program.
    """

    name: str
    machine: Mapping[str, Any] = field(default_factory=dict)
    options: Options = field(default_factory=dict)
    cycles: int = 0


@dataclass(frozen=True)
class Choice:
    """Something that the paper leaves open.

    Attributes
    ----------
    name
        What reports call it.
    values
        What is plausible; the first values make the uncalibrated machine, chosen before any cycle of the
        suite was looked at.
    why
        Why these values are plausible.
    paper
        What the paper says that bears on it.
    """

    name: str
    values: tuple[Value, ...]
    why: str
    paper: str

    def value(self, name: str) -> Value:
        """Return a value by its name."""
        return next(value for value in self.values if value.name == name)


CODED_BY_HAND = "programs were coded by hand in vector assembly"
EARLIER_PAPER = "described in an earlier paper"
WORK = "work"
"""Name of the choice that says whether all programs do the same work."""
EQUAL = "equal"
"""Value of `WORK` with which all programs do the same work."""


def _field(field: str, *values: int | bool) -> tuple[Value, ...]:
    return tuple(Value(str(value).lower(), {field: value}) for value in values)


def _option(programs: tuple[str, ...], option: str, *values: str) -> tuple[Value, ...]:
    return tuple(Value(value, options={p: {option: value} for p in programs}) for value in values)


def _cache(loaded: tuple[str, ...], cleared: tuple[str, ...]) -> tuple[Value, ...]:
    # Without the first load of the cache there is nothing to add to.
    return tuple(
        Value(cache, options={"chism": {"cache": cache} | added})
        for caches, added in ((loaded, {}), (cleared, {"accumulate": "no"}))
        for cache in caches
    )


def _schedule(program: str, why: str, paper: str = CODED_BY_HAND, *schedules: str) -> Choice:
    values = _option((program,), SCHEDULE.name, *(schedules or ("pipelined", "plain")))
    return Choice(f"{METHODS[program]}: {SCHEDULE.name}", values, why, paper)


def _banks(*pairs: tuple[int, int]) -> tuple[Value, ...]:
    return tuple(Value(f"{banks}, busy {busy}", {"banks": banks, "bank_busy": busy}) for banks, busy in pairs)


def _latencies(name: str, move: int, add: int, multiply: int, multiply_add: int, total: int) -> Value:
    result = {"move": move, "add": add, "multiply": multiply, "multiply_add": multiply_add, "sum": total}
    return Value(name, {f"latency.{key}": cycles for key, cycles in result.items()})


CHOICES = (
    Choice(
        "banks",
        _banks((16, 4), (8, 2), (16, 2), (16, 3), (32, 4), (32, 8), (64, 8)),
        "word-interleaved, a power of two; at least four times the busy time, or the stated 36 cycles of a "
        "contiguous access of 64 words are missed",
        "a high bandwidth bank memory; gathers that meet one bank again and again slow JD down on qc324",
    ),
    Choice(
        "accesses in flight",
        _field("accesses_in_flight", 2, 1, 3, 4, 8),
        "1: the startups of the two worked examples, one after the other; more: a pipelined memory",
        "20 cycles of startup; nothing of startups that overlap",
    ),
    Choice(
        "memory ports",
        _field("memory_ports", 1, 2),
        "Torrent-0 has one; two are common in vector machines of the time",
        "a behaviour similar to Torrent-0; 4 words a cycle",
    ),
    Choice(
        "alignment",
        _field("alignment_bytes", 16, 8, 32),
        "16 bytes are the 4 words of a cycle; 8 and 32 a narrower and a wider line",
        "an extra cycle if the first address is not aligned",
    ),
    Choice(
        "chaining",
        _field("chaining", True, False),
        "Torrent-0 and most vector machines chain; the simulator may not have",
        "nothing",
    ),
    Choice(
        "unit queue",
        _field("unit_queue", 4, 0, 1, 2, 8),
        "0: issue waits for the unit, as in Torrent-0; more: reservation stations, as in SimpleScalar (16)",
        "based on SimpleScalar 2.0, a superscalar simulator",
    ),
    Choice(
        "vector latencies",
        (
            _latencies("long", 4, 8, 8, 12, 8),
            _latencies("middle", 2, 4, 4, 6, 4),
            _latencies("short", 1, 2, 4, 6, 2),
        ),
        "short: SimpleScalar's floating point (add 2, multiply 4); long: units of early vector machines",
        "nothing",
    ),
    Choice(
        "lanes",
        _field("lanes", 4, 1, 2, 8),
        "4 keep up with a contiguous access, 1 with a gather; Torrent-0 has 8",
        "nothing",
    ),
    Choice(
        "sparse unit p",
        _field("sparse_unit.p", 4, 1, 2, 8),
        "4 keep up with the memory port; 1 is the simplest unit",
        "a pipelined unit, described in an earlier paper",
    ),
    Choice(
        "sparse unit rows",
        _field("sparse_unit.r", 4, 1, 2, 8),
        "as many rows as elements a cycle, or fewer ports of the result register",
        "nothing",
    ),
    Choice(
        "sparse unit latency",
        _field("sparse_unit.latency", 10, 6, 16, 24, 32),
        "multiply, a tree of adders for entries of one row, accumulate: of long latencies 24 (8 + 8 + 8) or "
        "32 (two levels of adders), of short ones 6 to 16",
        "nothing",
    ),
    Choice(
        "issue width",
        _field("issue_width", 4, 1, 2),
        "SimpleScalar's default is 4; Torrent-0 issues one",
        "based on SimpleScalar 2.0",
    ),
    Choice(
        "scalar load latency",
        _field("scalar_load_latency", 2, 1, 6),
        "SimpleScalar: 1 in the first cache, 6 in the second",
        "vector accesses pass by the cache; scalar ones do not",
    ),
    Choice(
        "extract latency",
        _field("latency.extract", 2, 1, 4),
        "from a vector register to a scalar one: near, or through the bypass of the load path",
        "HiSM takes pointers out of a vector register one by one",
    ),
    Choice(
        "branch penalty",
        _field("branch_penalty", 0, 1, 3),
        "SimpleScalar loses 3 cycles for a mispredicted branch; a predicted one may cost a fetch cycle",
        "based on SimpleScalar 2.0",
    ),
    Choice(
        "CRS: sums",
        _option(("crs",), "sums", "scalar", "register"),
        "a hand-written loop may store each sum, or collect a vector of them",
        CODED_BY_HAND,
    ),
    Choice(
        "JD: y",
        _option(("jd",), "y", "memory", "register"),
        "diagonal by diagonal is the textbook's way; strip by strip saves two words a non-zero",
        "vectors are in the order of the number of rows",
    ),
    Choice(
        "HiSM: positions",
        _option(("hism", "chism"), "positions", "one", "two"),
        "in memory 8 + 8 bits, or 16 + 16 as in the register",
        "8 bits for each row and column where s < 256; 16 bits each in a register",
    ),
    Choice(
        "CHiSM: transfer",
        _option(("chism",), "transfer", "stream", "slices"),
        "one access of 4096 elements, or 64 accesses of a section",
        "a vector load of 64 x 64 = 4096 elements",
    ),
    Choice(
        WORK,
        tuple(
            Value(name, options={p: {"accumulate": value} for p in ("bbcs", "hism", "chism")})
            for name, value in ((EQUAL, "no"), ("y is zero before", "yes"))
        ),
        "equal: all programs give y = A x, whatever memory holds, and clear y themselves; y is zero before: "
        "BBCS, HiSM and CHiSM add to a y that was cleared for nothing, as CRS and JD need not",
        "BMIPA adds to an intermediate result that is loaded and stored; nothing of clearing it",
    ),
    # After the choice of the work: a cache that begins with zeros has nothing to add to.
    Choice(
        "CHiSM: cache",
        _cache(("whole", "store_rows", "rows"), ("cleared", "cleared_rows")),
        "all, or only rows that the matrix has; y is zero at first, so the first load may be left out",
        "loads and stores the intermediate result at level 1; for a very small matrix a large number of "
        "unnecessary memory accesses",
    ),
    _schedule("crs", "one row after the other, or the next rows' loads before the sum of this one"),
    _schedule("jd", "one strip after the other, or the next strip's loads before this one's store"),
    _schedule(
        "bbcs",
        "one section after the other; the next section's load ahead; or its gather as well, before this "
        "section's scatter",
        EARLIER_PAPER,
        "ahead",
        "pipelined",
        "plain",
    ),
    _schedule("hism", "one block after the other, or the next block's loads before this segment's store"),
    _schedule("chism", "one block after the other, or the next block's load ahead"),
    Choice(
        "fixed cost of a run",
        tuple(Value(str(cycles), cycles=cycles) for cycles in (0, 50, 100, 200, 400, 800)),
        "0: a program begins with its first instruction; more: a call, its arguments, a cold instruction "
        "cache, the end of a measured region",
        "very small matrices; nothing of where its simulator began to count",
    ),
)
"""The grid."""

Candidate = Mapping[str, str]
"""The value of every choice, by name."""


def uncalibrated(choices: tuple[Choice, ...] = CHOICES) -> dict[str, str]:
    """Return the candidate that takes the first value of every choice."""
    return {choice.name: choice.values[0].name for choice in choices}


def as_now(base: Machine, choices: tuple[Choice, ...] = CHOICES) -> dict[str, str]:
    """Return the candidate that is nearest to a machine and the programs of `ASSIGNMENT`.

    A choice that has no such value takes its first.
    """
    result = uncalibrated(choices)
    for choice in choices:
        for value in choice.values:
            changed = result | {choice.name: value.name}
            same_machine = machine_of(changed, base, (choice,)) == machine_of({}, base, ())
            same_options = options_of(changed, (choice,)) == options_of({}, ())
            if same_machine and same_options and not value.cycles:
                result[choice.name] = value.name
    return result


def machine_of(candidate: Candidate, base: Machine, choices: tuple[Choice, ...] = CHOICES) -> Machine:
    """Return the machine of a candidate: what the paper states, what was chosen, and the rest of `base`."""
    table = base.model_dump() | STATED | {"name": base.based_on}
    for value in _values(candidate, choices):
        for name, number in value.machine.items():
            *path, last = name.split(".")
            inner = table
            for part in path:
                inner = inner[part]
            inner[last] = number
    return Machine.model_validate(table)


def options_of(candidate: Candidate, choices: tuple[Choice, ...] = CHOICES) -> dict[str, dict[str, str]]:
    """Return the options of every program, by its name; what no choice sets is as `ASSIGNMENT` says."""
    result = {name: dict(ASSIGNMENT[name]) for name in PROGRAMS}
    for value in _values(candidate, choices):
        for program, options in value.options.items():
            result[program] |= options
    return {name: PROGRAMS[name].choose(options) for name, options in result.items()}


def fixed_cycles_of(candidate: Candidate, choices: tuple[Choice, ...] = CHOICES) -> int:
    """Return the cycles that a candidate adds to every run."""
    return sum(value.cycles for value in _values(candidate, choices))


STANDARDS = tuple(SCHEDULE.values)
"""Schedules that all programs may have alike."""


def by_standard(candidate: Candidate, schedule: str) -> dict[str, str]:
    """Return the same machine with all programs in one schedule, doing the same work."""
    schedules = {name: schedule for name in candidate if name.endswith(f": {SCHEDULE.name}")}
    return {**candidate, **schedules} | ({WORK: EQUAL} if WORK in candidate else {})


def neighbours(candidate: Candidate, choice: Choice) -> Iterator[dict[str, str]]:
    """Yield the candidates that differ in one choice alone."""
    for value in choice.values:
        if value.name != candidate[choice.name]:
            yield {**candidate, choice.name: value.name}


def _values(candidate: Candidate, choices: tuple[Choice, ...]) -> Iterator[Value]:
    for choice in choices:
        yield choice.value(candidate[choice.name])


MEMORY_BYTES = 4096
PROGRAM = """
    li      x1, 64
    setvl   x1
    li      x4, 1
    cvi     v1, x4
    li      x2, {address}
    li      x3, 150
wait:                       # until all elements of the indices are there
    addi    x3, x3, -1
    bnez    x3, wait
access:
    {access}
    halt
"""


@dataclass(frozen=True)
class Fact:
    """Cycles that the paper states for an access of 64 words.

    Attributes
    ----------
    name
        In words.
    cycles
        From dispatch until the last element is ready.
    access, address
        The instruction and where it reads.
    """

    name: str
    cycles: int
    access: str
    address: int


FACTS = (
    Fact("64 words, contiguous", 36, "lv.w v0, (x2)", 256),
    Fact("64 words, contiguous, not aligned", 37, "lv.w v0, (x2)", 260),
    Fact("64 words, indexed", 84, "lvi.w v0, (x2), v1", 256),
)
"""Section 3.1.1: 20 + 64/4 = 36, one cycle more if not aligned, 20 + 64 = 84."""


def measured(fact: Fact, machine: Machine, engine: str) -> int:
    """Return the cycles of an access on a machine, from dispatch until its last element is ready."""
    program = assemble(PROGRAM.format(address=fact.address, access=fact.access))
    memory = np.zeros(MEMORY_BYTES, np.uint8)
    timeline = run(program, memory, machine, engine=engine, timeline=TimelineRequest()).timeline
    assert timeline is not None
    row = int(np.flatnonzero(timeline["pc"] == program.symbols["access"])[0])
    return int(timeline["last"][row] - timeline["dispatch"][row])


def meets_facts(machine: Machine, engine: str) -> bool:
    """Return whether a machine keeps all stated facts."""
    return all(measured(fact, machine, engine) == fact.cycles for fact in FACTS)
