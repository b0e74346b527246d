"""Places in the blocks of scalar instructions, :mod:`vecsim.engines.jit.single_port.preparation`.

A part of a block is a head, and a case for each number of instructions that have issued in the first cycle.
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

LAST, ISSUED, RETIRED, ALL_READY, LINK, TIMES = range(6)
"""After the head, a case for each number of instructions that have issued in the first cycle: the cycle
of the last, how many issue in it, the latest retirement; from when all written registers are ready; 1 + the
case that was executed for the first time before it, 0 for none; how often it was executed since the
accounts were written, while all older instructions retired 0, 1, 2, ... cycles after LAST, and MOST_AHEAD or
more. Cycles are relative to that of the first instruction."""
MOST_AHEAD = 4
READY_AT = TIMES + MOST_AHEAD + 1
"""From when each written register is ready."""
BEGIN = READY_AT + MOST_WRITTEN
LENGTH = BEGIN + 1
"""The instruction with which it begins; of how many it is."""
RETIRED_UP_TO = LENGTH + 1
"""By when each instruction and all before it retire."""
MOST_INSTRUCTIONS = 16
WAITED = RETIRED_UP_TO + MOST_INSTRUCTIONS
"""Cycles that each waited after the one before: for issue, or negative: for scalar registers."""
CASE = WAITED + MOST_INSTRUCTIONS
