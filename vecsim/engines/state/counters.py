"""What every run counts in addition to its cycle attribution."""

from enum import IntEnum


class Counter(IntEnum):
    """Places in ``Run.counters``; those of extensions follow."""

    WORDS_LOADED = 0
    WORDS_STORED = 1
    TAKEN_BRANCHES = 2


WORDS_LOADED, WORDS_STORED, TAKEN_BRANCHES = map(int, Counter)
"""The same as plain integers, which compiled code reads."""
