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

Where vector registers are renamed, the rows of the program stand before the first event, and the places of
rows count from the second word. Around the event of an instruction there may be these:

==========  =====================================================================================
``ROWS``    in the place of a row how many rows follow: those of the program
``FREE``    before it: in the place of a row that of the displacement that it waits for
``NAMED``   before it: its row, with physical registers
``AFTER``   after it: in the place of a row how many registers it displaces; their places; how many
            of its physical registers keep elements; each of them, and the one that had these
==========  =====================================================================================

Of an instruction under mask, of whose row ``MASKED`` is 1, bits follow the head of an event of elements, 32
in a word: 1 of an element that is not masked off. The word address of an element that is masked off is -1.
"""

from __future__ import annotations

from isa.declaration import Unit

(PLAIN, TAKEN, ORDERED, EXTRACT, EMPTY, ARITHMETIC, ONE, SPARSE, CONTIGUOUS, WORDWISE, SLICES, END) = range(
    12
)
FREE, NAMED, AFTER, ROWS = range(END + 1, END + 5)
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
MEMORY = int(Unit.MEMORY)

UNIT, LATENCY, RATE, INTERVAL, TREE, WORK, REST, STORE, RECORD_BYTES, ELEMENT_WORDS, WAITS, MASKED = range(12)
"""Of a row: its unit; where among the numbers of a machine are its latency, how many elements start in a
cycle, and from which cycle on another may (only of divides, otherwise 0); 1 if a result comes through a tree;
the causes of its cycles while elements pass, and after the last; 1 of a store; bytes of a record; words of an
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


LIST_PLACES = _list_places()
AWAITED, WRITTEN, LATE, READS, WRITES, WHOLE_READS, WHOLE_WRITES, ACCUMULATORS, ROW = LIST_PLACES.values()
"""Where the lists begin, and how many integers a row has."""
