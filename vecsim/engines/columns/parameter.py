"""Places in the machine as a flat array, :func:`vecsim.engines.flat_arrays.machine_numbers`.

The first ``FIELDS`` are numbers of the machine description, by the names of its fields; then what a run adds.
"""

FIELDS = 19
(
    SECTION_SIZE,
    VECTOR_REGISTERS,
    PHYSICAL_VECTOR_REGISTERS,
    PHYSICAL_SCALAR_REGISTERS,
    ISSUE_WIDTH,
    UNIT_QUEUE,
    MEMORY_PORTS,
    ACCESSES_IN_FLIGHT,
    STARTUP,
    WORDS_PER_CYCLE,
    ADDRESSES_PER_CYCLE,
    ALIGNMENT_BYTES,
    BANKS,
    BANK_BUSY,
    CHAINING,
    LANES,
    BRANCH_PENALTY,
    SPARSE_UNIT_P,
    SPARSE_UNIT_R,
) = range(FIELDS)

INSTRUCTIONS, MEMORY_BYTES, REGISTERS, SLOTS, HISTORY, HIDDEN = range(FIELDS, FIELDS + 6)
"""How many instructions the program has; bytes of memory; vector registers with the mask; rows of the
record's ``slots``, of ``port_history`` of each port, and of ``hidden``."""

LANES_SCALE, SPARSE_SCALE, WORDS_SCALE = range(FIELDS + 6, FIELDS + 9)
"""Reciprocals, for the loop for one port."""
WORDS_SHIFT, LANES_SHIFT, SPARSE_SHIFT = range(FIELDS + 9, FIELDS + 12)
"""Binary logarithms; -1: no power of two."""
STREAMS = FIELDS + 12
"""1 if a contiguous stream never meets itself at a bank."""

DISPLACED = FIELDS + 13
"""Rows of ``displaced`` for each kind of registers."""

PLACES = FIELDS + 14
