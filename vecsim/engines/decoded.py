"""A program as the engines read it: flat arrays, resolved for one machine.

Everything that an instruction's row of the table, its operand fields and the machine description say is
worked out here, once. Engines look at these arrays and never at text.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from isa.declaration import SPECIAL_REGISTERS, Instruction, Length, Operand, Pattern, Record, Timing
from isa.program import Program
from isa.semantics.sparse import descriptor_bytes
from vecsim.engines.own_instructions import check_own_instructions
from vecsim.errors import UserError
from vecsim.machine import Machine

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
    length: Ints
    length_register: Ints
    """(n,) the x register that limits the length, for SECTION and COUNT."""
    pattern: Ints
    store: Ints
    value_bytes: Ints
    record_bytes: Ints
    """(n,) bytes from one element of a contiguous access to the next."""
    cache: Ints
    base: Ints
    """(n,) x register of the base address."""
    offset: Ints
    """(n,) bytes."""
    index_register: Ints
    """(n,) x register of the stride (STRIDED) or vector register of the indexes (INDEXED)."""
    awaited: Ints
    """(n, 11) scalar registers that must be ready at issue: all that it reads and all that it writes."""
    scalar_writes: Ints
    """(n, 4) scalar registers written ``latency`` cycles after issue (one cycle for vector instructions)."""
    late_writes: Ints
    """(n, 2) scalar registers written with the last element."""
    vector_reads: Ints
    """(n, 3) vector registers whose element k is read by element k; none without chaining."""
    whole_reads: Ints
    """(n, 4) vector registers read by position; without chaining, all that are read."""
    vector_writes: Ints
    """(n, 2) vector registers whose element k is written by element k; none without chaining."""
    whole_writes: Ints
    """(n, 3) vector registers that are complete only with the last element; without chaining, all."""
    accumulator: Ints
    """(n,) the vector register that a sparse instruction adds to."""
    element: Ints
    """(n,) x register that selects the one element of a vector register."""
    slice: Ints
    """(n,) x register that selects a slice of the vector cache."""
    target: Ints
    """(n,) instruction number that a taken branch goes to, NONE for an indirect jump."""


def scalar_id(operand: Operand, field: int) -> int:
    """Give a scalar register's number among all scalar registers."""
    return field + {"x": 0, "f": FLOAT, "s": SPECIAL}[operand.kind]


def decode(program: Program, machine: Machine) -> Decoded:
    """Resolve a program for a machine.

    Raises
    ------
    UserError
        A vector register that the machine does not have, position bytes other than 1 and 2, or a branch to an
        instruction before the first; a mistake in a user's own instruction.
    """
    check_own_instructions(program.instruction_set)
    rows = [_decode_one(program, machine, pc) for pc in range(len(program.opcode))]
    columns = {}
    widths = {"fields": 5, "awaited": 11, "scalar_writes": 4, "late_writes": 2, "vector_reads": 3}
    widths |= {"whole_reads": 4, "vector_writes": 2, "whole_writes": 3}
    for name in Decoded._fields:
        values: list[Any] = [row.get(name, NONE) for row in rows]
        if name in widths:
            width = widths[name]
            values = [[*value, *[NONE] * (width - len(value))] for value in values]
            columns[name] = np.array(values, np.int64).reshape(-1, width)
        else:
            columns[name] = np.array(values, np.int64)
    return Decoded(**columns)


def _decode_one(program: Program, machine: Machine, pc: int) -> dict[str, int | list[int]]:
    instruction = program.instruction_set.by_opcode[int(program.opcode[pc])]
    fields = [int(field) for field in program.fields[pc]]
    operands = list(zip(instruction.operands, fields, strict=False))
    _check_registers(program, machine, pc, operands)
    row: dict[str, int | list[int]] = {
        "operation": program.instruction_set.number_by_opcode[instruction.opcode],
        "fields": fields,
        "operands": len(operands),
        "unit": instruction.unit,
        "timing": instruction.timing,
        "latency": latency_of(instruction, machine),
        "length": instruction.length,
        "pattern": Pattern.NONE,
    }
    row |= _scalars(instruction, operands)
    row |= _vectors(instruction, operands, machine)
    if instruction.access is not None:
        row |= _access(program, instruction, operands, machine, pc)
    for operand, field in operands:
        if operand.kind == "t":
            row["target"] = target = pc + field
            if target < 0:
                raise UserError(f"{program.where(pc)}: branch to instruction {target}: the first is 0")
    if instruction.length in (Length.SECTION, Length.COUNT):
        row["length_register"] = [field for operand, field in operands if operand.kind == "x"][-1]
    return row


def latency_of(instruction: Instruction, machine: Machine) -> int:
    """Cycles of an instruction's class on this machine; 1 for a vector access."""
    if instruction.timing == Timing.SCALAR_LOAD:
        return machine.scalar_load_latency
    if instruction.timing == Timing.SPARSE:
        return machine.sparse_unit.latency
    if not instruction.latency:
        return 1
    return int(getattr(machine.latency, instruction.latency))


def _check_registers(
    program: Program, machine: Machine, pc: int, operands: list[tuple[Operand, int]]
) -> None:
    for operand, field in operands:
        if operand.kind == "v" and field >= machine.vector_registers:
            raise UserError(
                f"{program.where(pc)}: v{field}: machine {machine.label} has vector_registers = "
                f"{machine.vector_registers}, v0 to v{machine.vector_registers - 1}"
            )


def _scalars(instruction: Instruction, operands: list[tuple[Operand, int]]) -> dict[str, int | list[int]]:
    late = instruction.timing == Timing.REDUCTION
    reads = [scalar_id(o, f) for o, f in operands if o.kind in "xfs" and o.read]
    writes = [scalar_id(o, f) for o, f in operands if o.kind in "xfs" and o.written]
    special = {name: SPECIAL + i for i, name in enumerate(SPECIAL_REGISTERS)}
    reads += [special[name] for name in instruction.reads]
    at_issue = ([] if late else writes) + [special[name] for name in instruction.writes]
    late_writes = (writes if late else []) + [special[name] for name in instruction.late]
    # The special registers that come late stay in the unit: instructions of the kind do not wait for them.
    awaited = {*reads, *at_issue, *(register for register in late_writes if register < SPECIAL)} - {0}
    return {
        "awaited": sorted(awaited),
        "scalar_writes": [register for register in at_issue if register != 0],
        "late_writes": late_writes,
    }


def _vectors(
    instruction: Instruction, operands: list[tuple[Operand, int]], machine: Machine
) -> dict[str, int | list[int]]:
    mask = machine.vector_registers
    vectors = [(o, f) for o, f in operands if o.kind == "v"]
    accumulating = instruction.accumulates
    reads = [f for o, f in vectors if o.read and not o.whole] + [mask] * (instruction.mask == "r")
    writes = [f for o, f in vectors if o.written and not o.whole] + [mask] * (instruction.mask == "w")
    whole_reads = [f for o, f in vectors if o.read and o.whole and not (accumulating and o.written)]
    whole_writes = [f for o, f in vectors if o.written and o.whole and not accumulating]
    if not machine.chaining:
        whole_reads, whole_writes, reads, writes = whole_reads + reads, whole_writes + writes, [], []
    row: dict[str, int | list[int]] = {
        "vector_reads": reads,
        "vector_writes": writes,
        "whole_reads": whole_reads,
        "whole_writes": whole_writes,
    }
    if accumulating:
        row["accumulator"] = next((f for o, f in vectors if o.written and o.whole), NONE)
    if instruction.slice_operand:
        row["slice"] = next(f for o, f in operands if o.name == instruction.slice_operand)
    if instruction.length == Length.ONE and vectors:
        row["element"] = next(f for o, f in reversed(operands) if o.kind == "x")
    return row


def _access(
    program: Program,
    instruction: Instruction,
    operands: list[tuple[Operand, int]],
    machine: Machine,
    pc: int,
) -> dict[str, int | list[int]]:
    access = instruction.access
    memory = instruction.memory_operand
    assert access is not None and memory is not None
    record = access.value_bytes
    if access.record == Record.POSITIONS:
        position_bytes = operands[-1][1]
        if position_bytes not in (1, 2):
            raise UserError(f"{program.where(pc)}: {position_bytes} position bytes: must be 1 or 2")
        record += 2 * position_bytes
    elif access.record == Record.DESCRIPTOR:
        record += descriptor_bytes(machine.section_size)
    row: dict[str, int | list[int]] = {
        "pattern": access.pattern,
        "store": int(access.store),
        "value_bytes": access.value_bytes,
        "record_bytes": record,
        "cache": int(access.cache),
        "base": operands[memory][1],
        "offset": operands[memory - 1][1] if memory and not operands[memory - 1][0].is_register else 0,
    }
    if access.pattern in (Pattern.STRIDED, Pattern.INDEXED):
        row["index_register"] = operands[memory + 1][1]
    if access.cache:
        row["element"] = operands[0][1]
    return row
