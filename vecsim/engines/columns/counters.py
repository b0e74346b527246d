"""The numbers of :class:`vecsim.engines.record.Counter`."""

from vecsim.engines.record import Counter

WORDS_LOADED, WORDS_STORED = int(Counter.WORDS_LOADED), int(Counter.WORDS_STORED)
SCALAR_BYTES, TAKEN_BRANCHES = int(Counter.SCALAR_BYTES), int(Counter.TAKEN_BRANCHES)
