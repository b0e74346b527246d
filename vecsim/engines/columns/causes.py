"""The numbers of :class:`vecsim.engines.record.Cause`."""

from vecsim.engines.record import Cause

ISSUE, SCALAR_RAW_WAW = int(Cause.ISSUE), int(Cause.SCALAR_RAW_WAW)
VECTOR_RAW, VECTOR_WAR_WAW = int(Cause.VECTOR_RAW), int(Cause.VECTOR_WAR_WAW)
UNIT, PORT, STARTUP, ALIGNMENT = int(Cause.UNIT), int(Cause.PORT), int(Cause.STARTUP), int(Cause.ALIGNMENT)
BANK_CONFLICT, MEMORY_ORDER, EXECUTE = int(Cause.BANK_CONFLICT), int(Cause.MEMORY_ORDER), int(Cause.EXECUTE)
FREE_REGISTER = int(Cause.FREE_REGISTER)
