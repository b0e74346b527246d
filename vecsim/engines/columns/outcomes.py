"""Places in ``outcome``, of the compiled loop for one port: what timing an instruction gives, beside what it
leaves in the record, and where the loop is.
"""

DISPATCH, START, FIRST, LAST, RETIRE, ADDRESS, WORDS, ELEMENTS = range(8)
"""Cycles of dispatch, of the first element, from which the first and the last result is ready, of
retirement; of an access its address and words; how many elements. Of an instruction that
cannot be executed START is the cycle in which it would have issued."""
BANKS_FREE = 8
"""The cycle from which every bank is free."""
CYCLE = 9
"""The cycle that comes next, for an engine that goes cycle by cycle."""
PORT_HEAD = 10
"""Where in the ring of ended accesses the latest is."""
UNIT_HEAD = 11
"""Where in the ring of dispatches to a unit the latest is: 5 places, by unit."""
RUN_BANK, RUN_WORDS, RUN_CYCLE, RUN_LEFT = range(16, 20)
"""The last words of a contiguous access whose banks are not yet noted: the bank of the first, how many words,
its cycle, and how many words go in that cycle."""
TRACKS_MADE = 20
"""How many tracks have been taken into use."""
BUSY = 21
"""In how many cycles elements of an instruction start."""
AT, BEFORE, ISSUED_IN, EARLIEST, RETIRED_BY, SEEN, UNTIL = range(22, 29)
"""Where issue is: the row of the instruction that comes next, the cycle of the one before, how many issued in
it, the cycle in which issue allows the next, that by which all have retired, how many instructions have
issued, the cycle before which to stop."""
ASTRAY = -1
"""The value of AT after a jump out of the program."""
LEADS_TO = 29
"""The number of the instruction to which a branch leads."""
WAITED = 30
"""How many cycles elements of an instruction wait for operands behind its first possible one."""
SETTLED_FREE = 31
"""The cycle from which every bank is free of words but those that are not yet noted."""
SCALARS_READY_BY = 32
"""The cycle by which every scalar register is ready but for those that come with a last element."""
LAST_CASE = 33
"""Of the runs of scalar instructions, the case that was executed for the first time last; 0 for none."""
PLACES = 34
