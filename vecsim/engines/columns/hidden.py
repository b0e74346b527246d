"""Columns of ``TimingRecord.hidden``: instructions whose cycles are known, behind an older one in flight.

They are charged when that has left flight. Of two neighbours the younger retires later: one that retires no
later than an older one is charged nothing.
"""

COLUMNS = 4
AGE, PLACE, PASSED, RETIRE = range(COLUMNS)
"""Its number in program order; where in the ledger its cycles up to PASSED go, those up to RETIRE, its
retirement, going to the column behind."""
