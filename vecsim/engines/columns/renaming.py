"""Columns of the arrays of renaming (docs/timing.md, "Renaming")."""

VECTOR, X, F = range(3)
KINDS = 3
"""The kinds of registers that are renamed, each with physical registers of its own."""

AGE, COMMIT, REGISTER = range(3)
COLUMNS = 3
"""Of ``displaced``, the physical registers that are free or will be: the age of the instruction that has
displaced it, -1 of one that was free from the beginning; the latest retirement known of that and all older
instructions; its number, 0 of a scalar one."""

WRITTEN, OLDER, NEWER = range(3)
STATES = 3
"""Of ``physical``: how many elements its instruction writes, from the first on; the register that it has
displaced, if it leaves elements as they were there, and the one that has so displaced it, -1."""
