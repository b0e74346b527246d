"""What the loop for one port knows of a program and of a machine beforehand, beside what every engine reads.

It fills the columns of :mod:`vecsim.engines.columns.instruction` from ``SHORTCUTS`` on, and reciprocals and
binary logarithms among the numbers of :mod:`vecsim.engines.columns.parameter`.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from isa.declaration import Pattern, Timing
from vecsim.engines.columns import instruction, parameter
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
    """Fill the columns of the (n, ``WIDTH``) rows of a program that only the loop for one port reads."""
    column = instruction
    records = rows[:, column.RECORD_BYTES]
    rows[:, column.RECORD_SCALE] = [reciprocal(int(size)) if size > 0 else NONE for size in records]
    whole = rows[:, column.WHOLE_READS] + rows[:, column.WHOLE_WRITES] + rows[:, column.LATE] > 0
    odd = (rows[:, column.ACCUMULATOR] != NONE) | (rows[:, column.SLICE_REGISTER] != NONE)
    rows[:, column.PLAIN] = ~(whole | odd | (rows[:, column.ELEMENT_REGISTER] != NONE))
    words = (rows[:, column.PATTERN] == CONTIGUOUS) & (records == 4) & (rows[:, column.CACHE] != 1)
    one = rows[:, column.READS] + rows[:, column.WRITES] == 1
    rows[:, column.SIMPLE] = words & (rows[:, column.PLAIN] == 1) & one
    _mark_chains(rows)


def _mark_chains(rows: Ints) -> None:
    """Fill the columns of ``CHAIN``."""
    reads, writes = rows[:, instruction.READS], rows[:, instruction.WRITES]
    arithmetic = (
        (rows[:, instruction.TIMING] == ELEMENTWISE)
        & (rows[:, instruction.PLAIN] == 1)
        & (reads > 0)
        & (writes == 1)
    )
    whole = rows[:, instruction.WHOLE_READS] + rows[:, instruction.WHOLE_WRITES] > 0
    sums = (
        (rows[:, instruction.TIMING] == REDUCTION)
        & ~whole
        & (reads == 1)
        & (writes == 0)
        & (rows[:, instruction.LATE] == 1)
    )
    odd = (
        (rows[:, instruction.ACCUMULATOR] != NONE)
        | (rows[:, instruction.SLICE_REGISTER] != NONE)
        | (rows[:, instruction.LATE] + rows[:, instruction.SCALAR_WRITES] > 0)
    )
    one = (
        (rows[:, instruction.TIMING] == ELEMENTWISE)
        & (rows[:, instruction.ELEMENT_REGISTER] != NONE)
        & (rows[:, instruction.CACHE] != 1)
    )
    inserts = one & ~odd & ~whole & (reads == 0) & (writes == 1)
    rows[:, instruction.CHAIN] = np.select([arithmetic, sums, inserts], [1, 2, 3], 0)
    first = rows[:, instruction.READS + 1]
    for column, read in (
        (instruction.SECOND, rows[:, instruction.READS + 2]),
        (instruction.THIRD, rows[:, instruction.READS + 3]),
    ):
        rows[:, column] = np.where(read == NONE, first, read)


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
