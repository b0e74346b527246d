"""The list of events of a run, and the rows of its program as the timing reads them: 32-bit integers.

An event is an executed instruction. Its first word is its kind, and its row times ``KINDS``. What follows:

==============  ==================================================================================
``PLAIN``       a scalar instruction: nothing
``TAKEN``       a branch that is taken: nothing
``ORDERED``     a scalar access that must follow a vector access: the number of the youngest of these
``EXTRACT``     the element
``EMPTY``       a vector instruction of no elements: nothing
``ARITHMETIC``  elements n, its number among those of its unit, its slice of the vector cache or -1
``ONE``         the element, its number among those of its unit, its slice of the vector cache or -1
``SPARSE``      as ARITHMETIC; for each entry how many entries before it the one before in its row is, a large
                number if there is none, and 0 of an entry without a row
``CONTIGUOUS``  elements n, its number among the accesses, the first byte, how many bytes
``WORDWISE``    elements n, its number among the accesses, the word address of each element
``SLICES``      as CONTIGUOUS; the first element of the vector cache
``END``         nothing: the run is over
==============  ==================================================================================

Of an instruction under mask, of whose row ``MASKED`` is 1, bits follow the head of an event of elements, 32 in a
word: 1 of an element that is not masked off. The word address of an element that is masked off is -1.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from isa.declaration import Timing, Unit
from isa.program import Program
from vecsim.engines.attribution import work_of
from vecsim.engines.decoded import Decoded
from vecsim.engines.many import places

(PLAIN, TAKEN, ORDERED, EXTRACT, EMPTY, ARITHMETIC, ONE, SPARSE, CONTIGUOUS, WORDWISE, SLICES, END) = range(12)
KINDS = 16
"""Kinds of events have this many numbers: a power of two."""
HEAD = {
    PLAIN: 1,
    TAKEN: 1,
    ORDERED: 2,
    EXTRACT: 2,
    EMPTY: 1,
    ARITHMETIC: 4,
    ONE: 4,
    SPARSE: 4,
    CONTIGUOUS: 5,
    WORDWISE: 3,
    SLICES: 6,
    END: 1,
}
"""Words of an event before those of elements."""
FAR = 1 << 20
"""Instead of a distance: no entry before is of the row."""

Words = npt.NDArray[np.int32]

UNIT, LATENCY, RATE, INTERVAL, TREE, WORK, REST, STORE, RECORD_BYTES, ELEMENT_WORDS, WAITS, MASKED = range(12)
"""Of a row: its unit; where among the numbers of a machine are its latency, how many elements start in a cycle,
and from which cycle on another may (only of divides, otherwise 0); 1 if a result comes through a tree; the
causes of its cycles while elements pass, and after the last; 1 of a store; bytes of a record; words of an
element that is not contiguous; whether it has an operand that is not an element; 1 under mask."""
LISTS = {
    "awaited": 11,
    "scalar_writes": 4,
    "late": 2,
    "reads": 5,
    "writes": 2,
    "whole_reads": 10,
    "whole_writes": 8,
    "accumulators": 8,
}
"""After that the registers that it names: of each list how many, and these."""


def _list_places() -> dict[str, int]:
    at, result = MASKED + 1, {}
    for name, most in LISTS.items():
        result[name] = at
        at += 1 + most
    return result | {"": at}


_PLACES = _list_places()
AWAITED, WRITTEN, LATE, READS, WRITES, WHOLE_READS, WHOLE_WRITES, ACCUMULATORS, ROW = _PLACES.values()
"""Where the lists begin, and how many integers a row has."""


def rows_of(program: Program, decoded: Decoded) -> Words:
    """Return the (n, ROW) rows of a program of n instructions.

    Parameters
    ----------
    decoded
        The same program resolved for a machine with the sizes of those that are timed.
    """
    rows = np.zeros((len(decoded.unit), ROW), np.int32)
    rows[:, UNIT], rows[:, STORE] = decoded.unit, np.maximum(decoded.store, 0)
    rows[:, MASKED] = np.maximum(decoded.masked, 0)
    rows[:, RECORD_BYTES] = np.maximum(decoded.record_bytes, 0)
    rows[:, ELEMENT_WORDS] = np.maximum(decoded.value_bytes, 0) + 3 >> 2
    for pc, opcode in enumerate(program.opcode.tolist()):
        instruction = program.instruction_set.by_opcode[opcode]
        number = places.ONE
        if instruction.timing == Timing.SCALAR_LOAD:
            number = places.NUMBERS.index("scalar_load_latency")
        elif instruction.latency:
            number = places.NUMBERS.index(f"latency.{instruction.latency}")
        elif instruction.timing == Timing.SPARSE:
            number = places.NUMBERS.index("sparse_unit.latency")
        rows[pc, LATENCY] = number
        rows[pc, RATE] = places.ENTRIES_PER_CYCLE if instruction.timing == Timing.SPARSE else places.LANES_PER_CYCLE
        rows[pc, INTERVAL] = places.DIVIDE_INTERVAL if instruction.latency == "divide" else 0
        rows[pc, TREE] = instruction.timing == Timing.REDUCTION
        rows[pc, WORK], rows[pc, REST] = work_of(instruction)
    for name in LISTS:
        values = getattr(decoded, name)
        at = _PLACES[name]
        rows[:, at] = (values >= 0).sum(axis=1)
        rows[:, at + 1 : at + 1 + values.shape[1]] = np.maximum(values, 0)
    rows[:, WAITS] = rows[:, [WHOLE_READS, WHOLE_WRITES, ACCUMULATORS, LATE]].any(axis=1)
    return rows


MEMORY = int(Unit.MEMORY)
