"""A program as the engines read it: flat arrays, resolved for one machine.

Everything that an instruction's row of the table, its operand fields and the machine description say is
worked out here, once. Engines look at these arrays and never at text.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from isa.declaration import SPECIAL_REGISTERS, Instruction, Length, Operand, Pattern, Record, Timing
from isa.program import Program
from isa.semantics.sparse import descriptor_bytes
from vecsim.machine import Machine
from vecsim.support.errors import UserError

FLOAT = 32
"""Scalar registers in one numbering: x0 to x31, f0 to f31 from FLOAT, the special ones from SPECIAL."""
SPECIAL = 64
SCALARS = SPECIAL + len(SPECIAL_REGISTERS)

NONE = -1

Ints = npt.NDArray[np.int64]


class Decoded(NamedTuple):
    """One row for each instruction of a program; ``NONE`` (-1) fills what an instruction lacks.

    Vector registers are numbered 0 to V - 1, the vector mask is V (V is ``machine.vector_registers``).
    """

    operation: Ints
    """(n,) index into ``instruction_set.instructions``."""
    fields: Ints
    """(n, 5) operand fields, as the semantics take them."""
    operands: Ints
    """(n,) how many of the fields are operands."""
    unit: Ints
    timing: Ints
    latency: Ints
    """(n,) cycles."""
    interval: Ints
    """(n,) cycles from an element to the next in its lane."""
    length: Ints
    length_register: Ints
    """(n,) the x register that limits the length, for SECTION and COUNT."""
    pattern: Ints
    store: Ints
    value_bytes: Ints
    record_bytes: Ints
    """(n,) bytes from one element of a contiguous access to the next."""
    cache: Ints
    base_register: Ints
    """(n,) x register of the base address."""
    offset: Ints
    """(n,) bytes."""
    index_register: Ints
    """(n,) x register of the stride (STRIDED) or vector register of the indexes (INDEXED)."""
    awaited: Ints
    """(n, 11) scalar registers that must be ready at issue: all that it reads, and all that it writes but for
    those that are renamed."""
    scalar_writes: Ints
    """(n, 4) scalar registers written ``latency`` cycles after issue (one cycle for vector instructions)."""
    late: Ints
    """(n, 2) scalar registers written with the last element."""
    masked: Ints
    """(n,) 1 if it works under mask."""
    reads: Ints
    """(n, 5) vector registers whose element k is read by element k; none without chaining."""
    whole_reads: Ints
    """(n, 10) vector registers read by position; without chaining, all that are read."""
    writes: Ints
    """(n, 2) vector registers whose element k is written by element k; none without chaining."""
    whole_writes: Ints
    """(n, 8) vector registers that are complete only with the last element; without chaining, all."""
    accumulators: Ints
    """(n, 8) the vector registers that a sparse instruction adds to."""
    element_register: Ints
    """(n,) x register that selects the one element of a vector register."""
    slice_register: Ints
    """(n,) x register that selects a slice of the vector cache."""
    target: Ints
    """(n,) instruction number that a taken branch goes to, NONE for an indirect jump."""
    following: Ints
    """(n,) instruction number that comes next unless a branch is taken."""
    joined: Ints
    """(n,) 1 if it takes no place in issue."""
    recovery: Ints
    level: Ints
    pair: Ints
    overlap: Ints
    """(n,) cycles that its unit takes after its last element."""
    per_element: Ints
    """(n,) addresses of an element of a listed access, entries of an element of a sparse instruction."""
    event: Ints
    """(n,) what it does to the record of a recorded program, 0 of other programs."""


WIDTHS = {"fields": 5, "awaited": 11, "scalar_writes": 4, "late": 2, "reads": 5}
WIDTHS |= {"whole_reads": 10, "writes": 2, "whole_writes": 8, "accumulators": 8}
"""Of the arrays that have several numbers a row."""


def scalar_name(register: int) -> str:
    """Return the plain name of a scalar register by its number among all."""
    if register >= SPECIAL:
        return SPECIAL_REGISTERS[register - SPECIAL]
    return f"f{register - FLOAT}" if register >= FLOAT else f"x{register}"


_FIRST = {"x": 0, "f": FLOAT, "s": SPECIAL}
_SPECIAL = {name: SPECIAL + i for i, name in enumerate(SPECIAL_REGISTERS)}

Columns = list[Ints]
"""A number of each row, for as many numbers as a row has."""
Operands = list[tuple[Operand, Ints]]
"""The operands of an instruction, each with its field in every row."""
Resolved = dict[str, int | Ints | Columns]
"""What is resolved of the rows of an instruction: a number for all, one a row, or several a row."""


def decode(program: Program, machine: Machine) -> Decoded:
    """Resolve a program for a machine, all rows of an instruction at once; what comes is not to be changed.

    What was resolved last is kept with the program: but for latencies it is the same on most machines.

    Raises
    ------
    UserError
        A vector register that the machine does not have, or position bytes other than 1 and 2: the first of
        them.
    """
    renamed = machine.physical_scalar_registers > 0
    registers = machine.section_size, machine.vector_registers, machine.chaining, renamed
    known = _resolved_last.get(program)
    if known is None or known[0] != registers:
        known = _resolved_last[program] = (registers, _decoded(program, machine))
    return known[1]._replace(
        latency=_by_opcode(program, machine, latency_of), interval=_by_opcode(program, machine, interval_of)
    )


def most_words(decoded: Decoded, section_size: int) -> int:
    """Return the words that an access of a program touches, at most."""
    record = max(int(decoded.record_bytes.max(initial=4)), int(decoded.value_bytes.max(initial=4)))
    return section_size * record // 4 + 2


_resolved_last: WeakKeyDictionary[Program, tuple[tuple[int, int, bool, bool], Decoded]] = WeakKeyDictionary()
"""What was resolved last for a program, and the numbers of the machine that all but latencies depend on."""


def _by_opcode(program: Program, machine: Machine, value: Callable[[Instruction, Machine], int]) -> Ints:
    """Return the (n,) numbers that each instruction has on a machine."""
    instructions = program.instruction_set.by_opcode
    opcodes, places = np.unique(program.opcode, return_inverse=True)
    results: Ints = np.array([value(instructions[int(opcode)], machine) for opcode in opcodes], np.int64)
    return results[places]


def _decoded(program: Program, machine: Machine) -> Decoded:
    count = len(program.opcode)
    fields = program.fields.astype(np.int64)
    arrays = {
        name: np.full((count, WIDTHS[name]) if name in WIDTHS else count, NONE, np.int64)
        for name in Decoded._fields
    }
    arrays["fields"][:] = fields
    wrong: list[tuple[int, str]] = []
    for opcode in np.unique(program.opcode):
        rows = np.flatnonzero(program.opcode == opcode)
        instruction = program.instruction_set.by_opcode[int(opcode)]
        operands = list(zip(instruction.operands, fields[rows].T, strict=False))
        wrong += _first_mistake(operands, instruction, machine, rows)
        arrays["operation"][rows] = program.instruction_set.number_by_opcode[instruction.opcode]
        for name, value in _resolved(instruction, operands, machine, rows).items():
            if isinstance(value, list):
                arrays[name][rows[:, None], np.arange(len(value))] = _beside(value, len(rows))
            else:
                arrays[name][rows] = value
    if wrong:
        pc, what = min(wrong)
        raise UserError(f"{program.where(pc)}: {what}")
    return Decoded(**arrays)


def _first_mistake(
    operands: Operands, instruction: Instruction, machine: Machine, rows: Ints
) -> list[tuple[int, str]]:
    """Return the first row of each kind of mistake, and what is wrong there."""
    results = []
    last = machine.vector_registers - 1
    for operand, field in operands:
        if operand.kind == "v":
            for i in np.flatnonzero(field > last)[:1]:
                has = f"machine {machine.label} has vector_registers = {last + 1}, v0 to v{last}"
                results.append((int(rows[i]), f"v{field[i]}: {has}"))
    if instruction.access is not None and instruction.access.record == Record.POSITIONS:
        size = operands[-1][1]
        bad = np.flatnonzero((size != 1) & (size != 2))[:1]
        results += [(int(rows[i]), f"{size[i]} position bytes: must be 1 or 2") for i in bad]
    return results


def _resolved(instruction: Instruction, operands: Operands, machine: Machine, rows: Ints) -> Resolved:
    """Resolve the rows of an instruction."""
    row: Resolved = {
        "operands": len(operands),
        "unit": instruction.unit,
        "timing": instruction.timing,
        "length": instruction.length,
        "pattern": Pattern.NONE,
        "masked": int(instruction.under_mask),
        "following": rows + 1,
        "joined": 0,
        "recovery": 0,
        "level": 0,
        "pair": 0,
        "overlap": 0,
        "per_element": 1,
        "event": 0,
    }
    row |= _scalars(instruction, operands, len(rows), machine.physical_scalar_registers > 0)
    row |= _vectors(instruction, operands, machine)
    if instruction.access is not None:
        row |= _access(instruction, operands, machine)
    for operand, field in operands:
        if operand.kind == "t":
            row["target"] = rows + field
    if instruction.length in (Length.SECTION, Length.COUNT):
        row["length_register"] = [field for operand, field in operands if operand.kind == "x"][-1]
    return row


def latency_of(instruction: Instruction, machine: Machine) -> int:
    """Cycles of an instruction's class on this machine; without one the sparse unit's, or 1 of an access."""
    if instruction.timing == Timing.SCALAR_LOAD:
        return machine.scalar_load_latency
    if instruction.latency:
        return int(getattr(machine.latency, instruction.latency))
    return machine.sparse_unit.latency if instruction.timing == Timing.SPARSE else 1


def interval_of(instruction: Instruction, machine: Machine) -> int:
    """Cycles from an element of an instruction to the next in its lane, on this machine."""
    return machine.divide_interval if instruction.latency == "divide" else 1


def _scalars(instruction: Instruction, operands: Operands, count: int, renamed: bool) -> Resolved:
    late = instruction.timing == Timing.REDUCTION
    scalars = [(o, field + _FIRST[o.kind]) for o, field in operands if o.kind in "xfs"]
    reads = [register for o, register in scalars if o.read]
    writes = [register for o, register in scalars if o.written]
    general = [register for o, register in scalars if o.written and o.kind != "s"]
    special_reads, special_writes, special_late = (
        [np.full(count, _SPECIAL[name]) for name in names]
        for names in (instruction.reads, instruction.writes, instruction.late)
    )
    at_issue = ([] if late else writes) + special_writes
    # The special registers that come late stay in the unit: instructions of the kind do not wait for them.
    awaited = reads + special_reads + special_writes
    if renamed:
        awaited += [register for o, register in scalars if o.written and o.kind == "s" and not late]
    else:
        awaited += general if late else writes
    return {
        "awaited": _without_zeros(_without_repetitions(_beside(awaited, count))),
        "scalar_writes": _without_zeros(_beside(at_issue, count)),
        "late": _without_zeros(_beside((writes if late else []) + special_late, count)),
    }


def _beside(columns: Columns, count: int) -> Ints:
    """Put columns side by side; (count, columns)."""
    return np.stack(columns, axis=1) if columns else np.zeros((count, 0), np.int64)


def _without_repetitions(registers: Ints) -> Ints:
    """Sort the registers of each row, and put 0 for all that repeat another."""
    results = np.sort(registers, axis=1)
    results[:, 1:][results[:, 1:] == results[:, :-1]] = 0
    return np.sort(results, axis=1)


def _without_zeros(registers: Ints) -> Columns:
    """Leave register 0 out of each row, which is always ready; ``NONE`` fills the end."""
    order = np.argsort(registers == 0, axis=1, kind="stable")
    results = np.take_along_axis(registers, order, axis=1)
    return list(np.where(results == 0, NONE, results).T)


def _vectors(instruction: Instruction, operands: Operands, machine: Machine) -> Resolved:
    count = len(operands[0][1]) if operands else 1
    mask = np.full(count, machine.vector_registers)
    vectors = [(o, f) for o, f in operands if o.kind == "v"]
    accumulating = instruction.accumulates
    reads = [f for o, f in vectors if o.read and not o.whole] + [mask] * instruction.reads_mask
    writes = [f for o, f in vectors if o.written and not o.whole] + [mask] * instruction.writes_mask
    whole_reads = [f for o, f in vectors if o.read and o.whole and not (accumulating and o.written)]
    whole_writes = [f for o, f in vectors if o.written and o.whole and not accumulating]
    if not machine.chaining:
        whole_reads, whole_writes, reads, writes = whole_reads + reads, whole_writes + writes, [], []
    row: Resolved = {
        "reads": reads,
        "writes": writes,
        "whole_reads": whole_reads,
        "whole_writes": whole_writes,
    }
    if accumulating:
        row["accumulators"] = [f for o, f in vectors if o.written and o.whole]
    if instruction.slice_operand:
        row["slice_register"] = next(f for o, f in operands if o.name == instruction.slice_operand)
    if instruction.length == Length.ONE and vectors:
        row["element_register"] = next(f for o, f in reversed(operands) if o.kind == "x")
    return row


def _access(instruction: Instruction, operands: Operands, machine: Machine) -> Resolved:
    access = instruction.access
    memory = instruction.memory_operand
    assert access is not None and memory is not None
    record: int | Ints = access.value_bytes
    if access.record == Record.POSITIONS:
        record = record + 2 * operands[-1][1]
    elif access.record == Record.DESCRIPTOR:
        record = record + descriptor_bytes(machine.section_size)
    row: Resolved = {
        "pattern": access.pattern,
        "store": int(access.store),
        "value_bytes": access.value_bytes,
        "record_bytes": record,
        "cache": int(access.cache),
        "base_register": operands[memory][1],
        "offset": operands[memory - 1][1] if memory and not operands[memory - 1][0].is_register else 0,
    }
    if access.pattern in (Pattern.STRIDED, Pattern.INDEXED):
        row["index_register"] = operands[memory + 1][1]
    if access.cache:
        row["element_register"] = operands[0][1]
    return row
