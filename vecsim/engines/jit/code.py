"""The decoded program and the machine as two flat arrays of integers, which compiled code reads.

An instruction is a row of ``WIDTH`` integers; the constants below are its columns. What an instruction has
not got is ``NONE`` (-1). Lists follow their length.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from isa.declaration import Pattern, Timing
from vecsim.engines.decoded import NONE, Decoded
from vecsim.machine import Machine

Ints = npt.NDArray[np.int64]

WIDTH = 72
ELEMENTWISE, REDUCTION = int(Timing.ELEMENTWISE), int(Timing.REDUCTION)
CONTIGUOUS = int(Pattern.CONTIGUOUS)

OPERATION, TIMING, UNIT, LATENCY = range(4)
FIELD = 4
"""First of 5 operand fields."""
AWAITED = 9
"""Scalar registers that must be ready at issue, how many; then the registers, the first three padded
with x0."""
SCALAR_WRITES = 21
"""Scalar registers written at issue, how many; then the registers."""
LATE = 26
"""Scalar registers that come with the last element, how many; then the registers."""
LENGTH, LENGTH_REGISTER, PATTERN, STORE, VALUE_BYTES, RECORD_BYTES, CACHE = range(29, 36)
BASE_REGISTER, OFFSET, INDEX_REGISTER, ELEMENT_REGISTER, SLICE_REGISTER, TARGET = range(36, 42)
ACCUMULATOR = 42
READS = 43
"""Vector registers read element by element, how many; then the registers, 3."""
WRITES = 47
"""Vector registers written element by element; then the registers, 2."""
WHOLE_READS = 50
"""Vector registers read as a whole; then the registers, 4."""
WHOLE_WRITES = 55
"""Vector registers written as a whole; then the registers, 3."""

RECORD_SCALE = 59
"""Reciprocal of the bytes of a record."""
FOLLOWING = 60
"""The number of the instruction that follows."""
PLAIN = 61
"""1 if all its operands pass element by element from element 0 on: none as a whole, late, or in the cache."""
SIMPLE = 62
"""1 if it is a plain contiguous access of one register in 32-bit elements."""
CHAIN = 63
"""1 if it is arithmetic that writes one register, 2 if it sums one up into a scalar register; both read one
to three registers element by element, and nothing as a whole. 3 if it writes one element of one register and
reads no vector register. Else 0."""
SECOND, THIRD = 64, 65
"""The second and the third register that a ``CHAIN`` reads; the first again where there is none."""
RUN = 66
"""Where the run of scalar instructions begins that begins here; see :mod:`vecsim.engines.jit.quick_runs`."""
END_OF_PROGRAM = 100
"""The timing of a row behind the last instruction."""


def reciprocal(divisor: int) -> int:
    """Give the number whose product with k, shifted right by 32 bits, is k // divisor.

    It holds for 0 <= k < 2^32 / divisor, far more than the elements and words of a vector register.
    """
    return ((1 << 32) + divisor - 1) // divisor


_SINGLE = {
    "operation": OPERATION,
    "timing": TIMING,
    "unit": UNIT,
    "latency": LATENCY,
    "length": LENGTH,
    "length_register": LENGTH_REGISTER,
    "pattern": PATTERN,
    "store": STORE,
    "value_bytes": VALUE_BYTES,
    "record_bytes": RECORD_BYTES,
    "cache": CACHE,
    "base": BASE_REGISTER,
    "offset": OFFSET,
    "index_register": INDEX_REGISTER,
    "element": ELEMENT_REGISTER,
    "slice": SLICE_REGISTER,
    "target": TARGET,
    "accumulator": ACCUMULATOR,
}
_LISTS = {
    "awaited": AWAITED,
    "scalar_writes": SCALAR_WRITES,
    "late_writes": LATE,
    "vector_reads": READS,
    "vector_writes": WRITES,
    "whole_reads": WHOLE_READS,
    "whole_writes": WHOLE_WRITES,
}


def program_table(decoded: Decoded) -> Ints:
    """Write a decoded program as (n + 1) x ``WIDTH`` integers, flat; the last row is the end."""
    count = len(decoded.operation)
    table = np.full((count + 1, WIDTH), NONE, np.int64)
    table[count, [AWAITED, AWAITED + 1, AWAITED + 2, AWAITED + 3]] = 0
    table[count, TIMING] = END_OF_PROGRAM
    rows = table[:count]
    for name, column in _SINGLE.items():
        rows[:, column] = getattr(decoded, name)
    rows[:, FIELD : FIELD + 5] = decoded.fields
    for name, column in _LISTS.items():
        values = getattr(decoded, name)
        rows[:, column] = (values != NONE).sum(axis=1)
        rows[:, column + 1 : column + 1 + values.shape[1]] = values
    records = decoded.record_bytes
    rows[:, RECORD_SCALE] = [reciprocal(int(bytes_)) if bytes_ > 0 else NONE for bytes_ in records]
    awaited = rows[:, AWAITED + 1 : AWAITED + 4]
    awaited[awaited == NONE] = 0
    whole = rows[:, WHOLE_READS] + rows[:, WHOLE_WRITES] + rows[:, LATE] > 0
    odd = (rows[:, ACCUMULATOR] != NONE) | (rows[:, SLICE_REGISTER] != NONE)
    rows[:, PLAIN] = ~(whole | odd | (rows[:, ELEMENT_REGISTER] != NONE))
    words = (rows[:, PATTERN] == CONTIGUOUS) & (rows[:, RECORD_BYTES] == 4) & (rows[:, CACHE] != 1)
    rows[:, SIMPLE] = words & (rows[:, PLAIN] == 1) & (rows[:, READS] + rows[:, WRITES] == 1)
    _mark_chains(rows)
    rows[:, FOLLOWING] = np.arange(1, count + 1)
    return table.reshape(-1)


def _mark_chains(rows: Ints) -> None:
    """Fill the columns of ``CHAIN``."""
    reads, writes = rows[:, READS], rows[:, WRITES]
    arithmetic = (rows[:, TIMING] == ELEMENTWISE) & (rows[:, PLAIN] == 1) & (reads > 0) & (writes == 1)
    whole = rows[:, WHOLE_READS] + rows[:, WHOLE_WRITES] > 0
    sums = (rows[:, TIMING] == REDUCTION) & ~whole & (reads == 1) & (writes == 0) & (rows[:, LATE] == 1)
    odd = (
        (rows[:, ACCUMULATOR] != NONE)
        | (rows[:, SLICE_REGISTER] != NONE)
        | (rows[:, LATE] + rows[:, SCALAR_WRITES] > 0)
    )
    one = (rows[:, TIMING] == ELEMENTWISE) & (rows[:, ELEMENT_REGISTER] != NONE) & (rows[:, CACHE] != 1)
    inserts = one & ~odd & ~whole & (reads == 0) & (writes == 1)
    rows[:, CHAIN] = np.select([arithmetic, sums, inserts], [1, 2, 3], 0)
    first = rows[:, READS + 1]
    for column, read in ((SECOND, rows[:, READS + 2]), (THIRD, rows[:, READS + 3])):
        rows[:, column] = np.where(read == NONE, first, read)


(
    SECTION_SIZE,
    ISSUE_WIDTH,
    UNIT_QUEUE,
    PORTS,
    IN_FLIGHT,
    STARTUP,
    WORDS_PER_CYCLE,
    ADDRESSES_PER_CYCLE,
    ALIGNMENT_BYTES,
    BANKS,
    BANK_BUSY,
    CHAINING,
    LANES,
    BRANCH_PENALTY,
    SPARSE_P,
    SPARSE_R,
    INSTRUCTIONS,
    MEMORY_BYTES,
    REGISTERS,
    SLOTS,
    HISTORY,
    LANES_SCALE,
    SPARSE_SCALE,
    WORDS_SCALE,
    WORDS_SHIFT,
    LANES_SHIFT,
    SPARSE_SHIFT,
    STREAMS,
) = range(28)
"""Places in the array that :func:`machine_numbers` gives: the numbers of the machine description that the
engine needs, the length of the program and of memory, dimensions of the record, reciprocals, and binary
logarithms (-1: no power of two). STREAMS is 1 if a contiguous stream never meets itself at a bank."""
MACHINE_NUMBERS = 28


def _shift(number: int) -> int:
    return -1 if number & (number - 1) else number.bit_length() - 1


def machine_numbers(machine: Machine, instructions: int, memory_bytes: int, slots: int, history: int) -> Ints:
    """Give the machine as an array.

    Parameters
    ----------
    machine
        The machine.
    instructions
        How many the program has.
    memory_bytes
        How large memory is.
    slots, history
        Rows of the record's ``slots``, and of ``port_history`` of each port.
    """
    numbers: list[Any] = [
        machine.section_size,
        machine.issue_width,
        machine.unit_queue,
        machine.memory_ports,
        machine.accesses_in_flight,
        machine.startup,
        machine.words_per_cycle,
        machine.addresses_per_cycle,
        machine.alignment_bytes,
        machine.banks,
        machine.bank_busy,
        machine.chaining,
        machine.lanes,
        machine.branch_penalty,
        machine.sparse_unit.p,
        machine.sparse_unit.r,
        instructions,
        memory_bytes,
        machine.vector_registers + 1,
        slots,
        history,
        reciprocal(machine.lanes),
        reciprocal(machine.sparse_unit.p),
        reciprocal(machine.words_per_cycle),
        _shift(machine.words_per_cycle),
        _shift(machine.lanes),
        _shift(machine.sparse_unit.p),
        machine.banks >= machine.words_per_cycle * machine.bank_busy,
    ]
    return np.array(numbers, np.int64)


BY_WORDS, BY_LANES, BY_ENTRIES, SHIFTED = range(4)
"""Steady tracks, which never change: element k passes in cycle k // words per cycle, k // lanes, k // p."""
PHASES = 8
"""From SHIFTED on, one for each phase from 1 on: element k passes in cycle (k + phase) // words per cycle."""
FIRST_FREE = SHIFTED + PHASES - 1
FREE = 32
"""Tracks taken in turn; at any time half of them are safe from being taken again. A power of two."""
TRACKS = FIRST_FREE + FREE
"""How many tracks there are; see :mod:`vecsim.engines.jit.tracks`."""


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
