"""Rows of ``tracks``, of the single-port loop: in which cycles elements pass."""

BY_WORDS, BY_LANES, BY_ENTRIES, SHIFTED = range(4)
"""Steady tracks, which never change: element k passes in cycle k // words per cycle, k // lanes, k // p."""
PHASES = 8
"""From SHIFTED on, one for each phase from 1 on: element k passes in cycle (k + phase) // words per cycle."""
FIRST_FREE = SHIFTED + PHASES - 1
FREE = 32
"""Tracks taken in turn; at any time half of them are safe from being taken again. A power of two."""
TRACKS = FIRST_FREE + FREE
"""How many tracks there are; see :mod:`vecsim.engines.jit.single_port.registers`."""
