"""The numbers of :class:`vecsim.engines.record.Counter`."""

from vecsim.engines.record import Counter

SCALAR_INSTRUCTIONS, VECTOR_INSTRUCTIONS = int(Counter.SCALAR_INSTRUCTIONS), int(Counter.VECTOR_INSTRUCTIONS)
ELEMENT_OPERATIONS, SCALAR_BYTES = int(Counter.ELEMENT_OPERATIONS), int(Counter.SCALAR_BYTES)
WORDS_LOADED, WORDS_STORED = int(Counter.WORDS_LOADED), int(Counter.WORDS_STORED)
TAKEN_BRANCHES = int(Counter.TAKEN_BRANCHES)
