"""Columns of ``starts``: when each element and word starts, kept for a trace.

``starts`` begins with how many rows it holds and after how many an engine hands them on, 0 to keep none; the
rows follow.
"""

COUNT, ENOUGH, ROWS = range(3)
COLUMNS = 5
AGE, UNIT, PORT, BANK, CYCLE = range(COLUMNS)
"""The age of the instruction; where it executes; of a word its port and bank, -1 of others; the cycle. The
elements that an arithmetic or sparse unit starts in one cycle have one row, the words of an access one
each."""
