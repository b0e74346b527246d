"""The vector instructions in flight: columns of ``TimingRecord.slots``, and what they wait for.

An instruction is in flight from its issue to the cycle in which its last element starts; from then on its
whole future is known and is in the register arrays.
"""

COLUMNS = 24
AGE, PC, UNIT, PORT, ELEMENTS, FIRST = range(6)
"""Its number in program order, -1: the slot is free; the unit; the memory port, -1 before dispatch; how many
elements; the number of the first."""
ISSUED_AT, DISPATCHED_AT, BASE = range(6, 9)
"""-1: waits in the queue; from BASE on the first word may go, -1: not yet known."""
ELEMENT, WORD, WORDS = range(9, 12)
"""Elements started (of an access: transferred); words transferred, of how many."""
ADDRESS, LAST_BYTE = 12, 13
"""First byte of a contiguous access, and the end, exclusive; -1 of others."""
START_CYCLE, CYCLE, IN_CYCLE = 14, 15, 16
"""Cycle of the first element, -1 before; of the latest; elements (words) started in that."""
ORDER_END = 17
"""When the last of the accesses that it had to follow ended."""
CHARGED = 18
"""Cycles charged to it for waiting while it was the oldest."""
FIRST_READY, SLICE, CACHE_FIRST, ROW, BEHIND = range(19, 24)
"""The cycle from which its first result is ready; the slice of the cache that a sparse instruction adds to,
-1; the first element of the cache that an access moves, -1; where in the program the row begins that names
its registers; as bits the registers whose elements, left as they were, are in what it reads as a whole."""

FOLLOWS_ELEMENT, FOLLOWS_WHOLE, FOLLOWS_SLICE, FOLLOWS_ORDER = 1, 2, 4, 8
"""Bits of ``TimingRecord.depends``, what one waits for in an older one: element k of it started; it has left
flight; the same slice of the vector cache is complete; a memory access that it must follow."""

FACTS = 3
BLOCKED, ELEMENT_WAITS, SLICE_WAITS = range(FACTS)
"""Columns of ``facts``, what the rules keep of a slot in addition to the record: how many older instructions
must leave flight before it may start; how many it follows element by element, and slice by slice."""
