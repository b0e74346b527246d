"""The numbers of each :class:`vecsim.engines.cause.Cause` of a wait, for the timing rules."""

from vecsim.engines.cause import Cause

ISSUE, SCALAR_RAW_WAW = int(Cause.ISSUE), int(Cause.SCALAR_RAW_WAW)
VECTOR_RAW, VECTOR_WAR_WAW = int(Cause.VECTOR_RAW), int(Cause.VECTOR_WAR_WAW)
UNIT, PORT, STARTUP, ALIGNMENT = int(Cause.UNIT), int(Cause.PORT), int(Cause.STARTUP), int(Cause.ALIGNMENT)
BANK_CONFLICT, MEMORY_ORDER = int(Cause.BANK_CONFLICT), int(Cause.MEMORY_ORDER)
FREE_REGISTER = int(Cause.FREE_REGISTER)
WORDS_AWAITED, BANDWIDTH = int(Cause.WORDS_AWAITED), int(Cause.BANDWIDTH)
