"""The numbers of :class:`vecsim.engines.record.Counter`."""

from vecsim.engines.record import Counter

WORDS_LOADED, WORDS_STORED = int(Counter.WORDS_LOADED), int(Counter.WORDS_STORED)
TAKEN_BRANCHES = int(Counter.TAKEN_BRANCHES)
