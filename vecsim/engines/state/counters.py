"""What every run counts in addition to its cycle attribution."""

from enum import IntEnum


class Counter(IntEnum):
    """Places in ``Run.counters``; those of extensions follow."""

    WORDS_LOADED = 0
    WORDS_STORED = 1
    TAKEN_BRANCHES = 2
    WORDS_MERGED = 3
    ROWS_OPENED = 4
    MAIN_MEMORY_BYTES = 5
    L1_HITS = 6
    L1_MISSES = 7
    L1_PREFETCHES = 8
    L1_EVICTIONS = 9
    L1_WRITE_BACKS = 10
    L1_REFILL_BYTES = 11
    L2_HITS = 12
    L2_MISSES = 13
    L2_PREFETCHES = 14
    L2_EVICTIONS = 15
    L2_WRITE_BACKS = 16
    L2_REFILL_BYTES = 17


WORDS_LOADED, WORDS_STORED, TAKEN_BRANCHES, WORDS_MERGED, ROWS_OPENED, MAIN_MEMORY_BYTES = range(6)
HITS, MISSES, PREFETCHES, EVICTIONS, WRITE_BACKS, REFILL_BYTES = range(6, 12)
"""The same as plain integers, which compiled code reads; of a cache, those of the first."""
OF_A_CACHE = 6
"""How many each cache has."""
