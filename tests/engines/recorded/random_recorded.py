"""Random recorded programs on random machines."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tests.differential.random_machines import random_machine
from vecsim.engines.recorded.events import ENDS, event
from vecsim.engines.recorded.program import Costs, RecordedProgram, RecordedRow, recorded_program
from vecsim.engines.recorded.rows import KINDS
from vecsim.engines.rules.addresses import LEVELS_AT, NOT_ACCESSED
from vecsim.machine import Machine

MEMORY = 1024
MOST_EVENTS = 120
NO_ROW = 0xFFFFFFFF
"""In the list of a sparse instruction: an entry adds to none."""
REGISTERS = 6
OFTEN = ("scalar", "add", "multiply", "branch", "sparse", "vector_load.unit32", "vector_load.listed32")
"""The kinds of a third of the rows."""
_PORTS = ("memory_ports", "store_ports", "disambiguation", "divide_interval")
_UNITS = ("add_units", "multiply_units", "sparse_units")
_FLAT_MEMORY = ("words_outstanding", "merge_bytes", "l1", "l2", "main_memory")
_PLAIN = Machine(name="plain")
ONE_STREAM = {name: getattr(_PLAIN, name) for name in (*_PORTS, *_UNITS, *_FLAT_MEMORY)}
"""The numbers of a machine that the single-port loop knows."""


class RecordedCase(NamedTuple):
    program: RecordedProgram
    memory: npt.NDArray[np.uint8]
    machine: Machine


def recorded_case(seed: int, *, single_port: bool = False) -> RecordedCase:
    """Draw a program, its record and a machine, which the single-port loop can run if so asked."""
    rng = random.Random(f"recorded {seed}")
    machine = random_machine(rng).model_copy(
        update={"chaining": True, "physical_vector_registers": 0, "physical_scalar_registers": 0}
    )
    kinds = [each.mnemonic for each in KINDS.instructions if each.mnemonic != "halt"]
    if single_port:
        machine = machine.model_copy(update=ONE_STREAM)
        kinds = [kind for kind in kinds if kind != "sparse" and "listed" not in kind]
    rows = [_in_order(_row(rng, kinds)) for _ in range(rng.randrange(3, 20))]
    end = len(rows)
    for i, row in enumerate(rows):
        if row.kind == "branch":
            rows[i] = replace(row, target=rng.randrange(end + 1))
        elif not rng.randrange(10):
            rows[i] = replace(row, following=rng.randrange(i + 1, end + 1))
    rows.append(RecordedRow("halt"))
    size = rng.choice([4, 8, 16])
    rows = [replace(row, element_bytes=size) for row in rows]
    costs = {
        name: Costs(
            *(rng.choice([1, 1, 2, 3, 7]) for _ in range(3)),
            pair=rng.choice([0, 0, 1, 3, 4]),
            level=rng.choice([0, 0, 2]),
            tree_of_all=bool(rng.randrange(2)),
            overlaps=bool(rng.randrange(2)),
        )
        for name in "abc"
    }
    if single_port:
        costs = {name: Costs(cost.latency, overlaps=False) for name, cost in costs.items()}
    record = _record(rng, rows, machine, size)
    program, memory = recorded_program(
        rows,
        record,
        memory_bytes=MEMORY,
        costs_of=lambda name, _: costs.get(name, Costs()),
        most_listed=4 * machine.section_size,
    )
    return RecordedCase(program, memory, machine)


def _some(rng: random.Random, most: int, first: int = 1) -> tuple[int, ...]:
    return tuple(rng.sample(range(first, first + REGISTERS), rng.randrange(most + 1)))


def _in_order(row: RecordedRow) -> RecordedRow:
    """Let a row await the scalar registers that it writes, too: a write waits for the write before it."""
    return replace(row, awaited=tuple(dict.fromkeys((*row.awaited, *row.scalar_writes, *row.late))))


def _row(rng: random.Random, kinds: list[str]) -> RecordedRow:
    kind = rng.choice(kinds)
    if not rng.randrange(3):
        kind = rng.choice([each for each in OFTEN if each in kinds])
    row = RecordedRow(kind, rng.choice("abc"), awaited=_some(rng, 2))
    if kind in ("add", "multiply"):
        return replace(
            row,
            reads=_some(rng, 3),
            whole_reads=_some(rng, 5) if not rng.randrange(4) else (),
            writes=_some(rng, 1),
            joined=not rng.randrange(3),
            repeats=rng.choice([1, 1, 2, 5]),
        )
    if kind.endswith("to_scalar"):
        return replace(row, reads=_some(rng, 2), late=_some(rng, 1))
    if kind == "sparse":
        return replace(
            row,
            reads=_some(rng, 2),
            whole_reads=_some(rng, 2),
            accumulators=_some(rng, 3),
            joined=not rng.randrange(3),
            per_element=rng.choice([1, 2, 4]),
        )
    if kind.startswith("vector_load"):
        return replace(
            row,
            reads=_some(rng, 1) if not rng.randrange(4) else (),
            writes=_some(rng, 1),
            joined=not rng.randrange(4),
            per_element=rng.choice([1, 2, 4]),
        )
    if kind.startswith("vector_store"):
        return replace(
            row, reads=_some(rng, 2), joined=not rng.randrange(4), per_element=rng.choice([1, 2, 4])
        )
    return replace(row, scalar_writes=() if kind == "branch" else _some(rng, 1))


def _record(
    rng: random.Random, rows: list[RecordedRow], machine: Machine, size: int
) -> list[npt.NDArray[np.uint32]]:
    """Walk through the rows as a run would, and draw what depends on values."""
    record, i, end = [], 0, len(rows) - 1
    while i < end:
        row, ending = rows[i], len(record) > MOST_EVENTS
        following = i + 1 if row.following < 0 else row.following
        count = rng.choice([0, 1, machine.section_size, rng.randint(1, machine.section_size)])
        if row.kind == "branch":
            taken = row.target > i if ending else bool(rng.randrange(2))
            record.append(event(taken=taken))
            following = row.target if taken else following
        elif row.kind == "jump":
            target = end if ending else rng.randrange(end + 1)
            following = target if (taken := bool(rng.randrange(2)) or ending) else following
            record.append(event(target=target, taken=taken))
        elif "listed" in row.kind or row.kind == "sparse":
            count = max(count, 1)
            few = rng.randint(row.per_element * (count - 1) + 1, row.per_element * count)
            one = _address if "listed" in row.kind else _entry_row
            record.append(event(count=count, listed=[one(rng) for _ in range(few)]))
        elif "strided" in row.kind:
            stride = rng.choice([-8, -4, 0, 4, 8])
            middle = MEMORY // 2
            stride = stride if abs(stride) * count < middle - 8 else 0
            record.append(event(count=count, address=4 * (middle // 4), stride=stride))
        elif "unit" in row.kind:
            count = min(count, MEMORY // (2 * size))
            missing = rng.choice([0, 0, rng.randrange(size)]) if count else 0
            address = rng.choice([4, 4, 1]) * rng.randrange(MEMORY // 8)
            record.append(event(count=count, address=address, stride=count * size - missing))
        elif row.kind.startswith(("load", "store")):
            record.append(event(address=8 * rng.randrange(MEMORY // 8)))
        elif row.kind != "scalar":
            record.append(event(count=count, ending=_ending(rng, row)))
        i = following
    return record


def _ending(rng: random.Random, row: RecordedRow) -> int:
    """Draw how an instruction ends: not with this part, or with some of the values of an element."""
    if rng.randrange(3) == 0:
        return 0
    return ENDS | rng.randrange(row.repeats) << 1 | rng.randrange(6) << LEVELS_AT


def _address(rng: random.Random) -> int:
    return NOT_ACCESSED if not rng.randrange(5) else 8 * rng.randrange(MEMORY // 8)


def _entry_row(rng: random.Random) -> int:
    return NO_ROW if not rng.randrange(6) else rng.randrange(4)
