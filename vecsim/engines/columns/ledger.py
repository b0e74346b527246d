"""Columns of ``TimingRecord.ledger``, a row for each instruction of the program: what it came to in all."""

from vecsim.engines.cause import WAITS
from vecsim.engines.columns import instruction

EXECUTIONS, ELEMENTS, SCALAR, BUSY, LATENCY = range(5)
"""How often it was executed; on how many elements in all; the cycles charged to it while it did not wait:
without a unit, while its words or elements passed, and for the latency behind the last element."""
WAITED, CHARGED = LATENCY + 1, LATENCY + 2
BY_CAUSE = 2
"""Cycles that it waited, and cycles charged to it for that; those of the next cause are BY_CAUSE behind."""
COLUMNS = instruction.WIDTH // 2
"""Some are empty, so that a row begins at half of where that of the program begins."""
assert WAITED + BY_CAUSE * WAITS <= COLUMNS

HIDDEN = 4
AGE, PLACE, PASSED, RETIRE = range(HIDDEN)
"""Columns of ``TimingRecord.hidden``, instructions whose cycles are known, behind an older one in flight: the
number in program order; where in the ledger its cycles up to PASSED go, those up to RETIRE, its retirement,
going to the column behind. They are charged when that has left flight. Of two neighbours the younger retires
later: one that retires no later than an older one is charged nothing."""
