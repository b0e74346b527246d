"""What a program executes: its instructions in program order, with lengths, addresses and rows.

"Values are computed in program order when an instruction issues, so no result of a program depends on time"
(docs/timing.md): what happens is found here, when it happens in `tests.oracle.clock`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from isa.declaration import SPECIAL_REGISTERS, Instruction, Length, Pattern, Timing
from isa.program import Program
from isa.state import State, interpreted, new_state
from vecsim.machine import WORD_BYTES, Machine

VL, BLOCKLEN = SPECIAL_REGISTERS.index("vl"), SPECIAL_REGISTERS.index("blocklen")

MOST_STEPS = 100_000
"""A program that executes more instructions is taken for an endless one."""


@dataclass(frozen=True)
class Step:
    """An instruction as it is executed.

    Attributes
    ----------
    fields
        Register numbers and immediates, in the order of the syntax.
    n
        Elements; 0 of a scalar instruction that is no load or store.
    taken
        Whether it is a branch that is taken.
    addresses
        Of a contiguous access the first byte address, of another that of each element.
    place
        The element of the register of an insert or extract, the first element in the vector cache of an
        access to it, the slice of a bmipac.
    rows
        Of a sparse instruction the row of each entry, -1 for none.
    off
        Which of its elements are masked off.
    """

    pc: int
    row: Instruction
    fields: tuple[int, ...]
    n: int
    taken: bool
    addresses: tuple[int, ...]
    place: int
    rows: tuple[int, ...]
    off: frozenset[int]


def steps_of(program: Program, memory: npt.NDArray[np.uint8], machine: Machine) -> list[Step]:
    """Execute a program that ends and stays inside memory; return its instructions up to ``halt``."""
    image = np.zeros(-(-len(memory) // WORD_BYTES) * WORD_BYTES, np.uint8)
    image[: len(memory)] = memory
    for segment in program.data:
        image[segment.address : segment.end] = np.frombuffer(segment.content, np.uint8)
    state = interpreted(new_state(machine.section_size, machine.vector_registers, image))
    with np.errstate(all="ignore"):
        return list(_execute(program, state))


def _execute(program: Program, state: State) -> Iterator[Step]:
    fields_by_pc = [tuple(map(int, fields)) for fields in program.fields.tolist()]
    pc = program.entry
    for _ in range(MOST_STEPS):
        row = program.instruction(pc)
        fields = fields_by_pc[pc][: len(row.operands)]
        step, target = _step(state, pc, row, fields)
        yield step
        if row.timing == Timing.HALT:
            return
        pc = target
    raise RuntimeError(f"no end after {MOST_STEPS} instructions")


def _step(state: State, pc: int, row: Instruction, fields: tuple[int, ...]) -> tuple[Step, int]:
    n = _length(state, row, fields)
    addresses = _addresses(state, row, fields, n)
    for k, address in enumerate(addresses):
        state.address[k] = address
    if row.mnemonic == "jal":
        state.address[0] = pc + 1
    place = _place(state, row, fields)
    off = frozenset(k for k in range(n) if row.under_mask and state.mask[k] == 0)
    target = pc + 1
    if row.timing == Timing.BRANCH:  # a jr has its target in xa, the others a distance
        target = state.x[fields[0]] if row.mnemonic == "jr" else pc + fields[-1]
    taken = bool(row.semantics(state, n, *fields)) and row.timing == Timing.BRANCH
    rows = tuple(state.row[k] for k in range(n)) if row.timing == Timing.SPARSE else ()
    return Step(pc, row, fields, n, taken, addresses, place, rows, off), target if taken else pc + 1


def _length(state: State, row: Instruction, fields: tuple[int, ...]) -> int:
    """Elements, as `vecsim isa` tells the length of each instruction."""
    last_x = [state.x[f] for f, o in zip(fields, row.operands, strict=True) if o.kind == "x"][-1:]
    match row.length:
        case Length.VL:
            return state.special[VL]
        case Length.ONE:
            return 1
        case Length.SECTION:
            return max(min(last_x[0], state.section), 0)
        case Length.BLOCK:
            return max(min(state.special[BLOCKLEN], state.section), 0)
        case Length.COUNT:
            return max(last_x[0], 0)
    return 0


def _addresses(state: State, row: Instruction, fields: tuple[int, ...], n: int) -> tuple[int, ...]:
    base = row.memory_operand
    if row.access is None or base is None:
        return ()
    address = state.x[fields[base]]
    match row.access.pattern:
        case Pattern.STRIDED:
            stride = state.x[fields[base + 1]]
            return tuple(address + stride * k for k in range(n))
        case Pattern.INDEXED:
            first = fields[base + 1] * state.section
            size = row.access.value_bytes
            return tuple(address + size * state.vw[2 * (first + k)] for k in range(n))
    if base > 0 and row.operands[base - 1].kind == "i":
        address += fields[base - 1]
    return (address,)


def _place(state: State, row: Instruction, fields: tuple[int, ...]) -> int:
    names = [operand.name for operand in row.operands]
    if row.slice_operand:
        return state.x[fields[names.index(row.slice_operand)]]
    if row.access is not None and row.access.cache:
        return state.x[fields[0]]
    return state.x[fields[names.index("xi")]] % state.section if "xi" in names else 0
