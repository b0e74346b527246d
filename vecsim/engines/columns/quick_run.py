"""Columns of the runs of scalar instructions, :mod:`vecsim.engines.jit.quick_runs`: a head, then a case for
each number of instructions that have issued in the first cycle.
"""

SEGMENT, BRANCHES, INSTRUCTIONS, LONGER, AWAITS_LATE, AWAITS_FIRST, AWAITS, WRITES = range(8)
"""Head of a part: how many instructions but branches it has more than the part before; whether a branch ends
it (0 or 1); all its instructions; how many longer parts follow; whether it awaits a register that any
instruction of the program writes late; how many registers the first instruction awaits, how many all of them,
which follow; how many the part writes."""
AWAITED_REGISTERS = 8
MOST_AWAITED = 12
WRITTEN_REGISTERS = AWAITED_REGISTERS + MOST_AWAITED
MOST_WRITTEN = 8
HEAD = WRITTEN_REGISTERS + MOST_WRITTEN

LAST, ISSUED, RETIRED, WAITED_ISSUE, WAITED_SCALAR, ALL_READY, READY_AT = range(7)
"""Behind the head, for each number of instructions that have issued in the first cycle before: the cycle of
the last, how many issue in it, the latest retirement, cycles waited behind the first instruction, by cause;
from when all written registers are ready; then from when each is. Cycles are relative to that of the first
instruction."""
CASE = READY_AT + MOST_WRITTEN
