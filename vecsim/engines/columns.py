"""The columns of the record as plain integers, which index faster than members of an enumeration."""

from __future__ import annotations

from vecsim.engines.record import Cause, Control, Counter, Slot, Wait

PC, COUNT, HALTED = int(Control.PC), int(Control.AGE), int(Control.HALTED)
ISSUE_CYCLE, ISSUED, FETCH = int(Control.ISSUE_CYCLE), int(Control.ISSUED), int(Control.FETCH)
RETIRED, LAST_RETIRED = int(Control.RETIRED), int(Control.LAST_RETIRED)

AGE, SLOT_PC, UNIT, PORT = int(Slot.AGE), int(Slot.PC), int(Slot.UNIT), int(Slot.PORT)
ELEMENTS, FIRST, ISSUED_AT, DISPATCHED_AT = (
    int(Slot.ELEMENTS),
    int(Slot.FIRST),
    int(Slot.ISSUE),
    int(Slot.DISPATCH),
)
BASE, ELEMENT, WORD, WORDS = int(Slot.BASE), int(Slot.ELEMENT), int(Slot.WORD), int(Slot.WORDS)
ADDRESS, LAST_BYTE = int(Slot.ADDRESS), int(Slot.LAST_BYTE)
START_CYCLE, CYCLE, IN_CYCLE = int(Slot.START_CYCLE), int(Slot.CYCLE), int(Slot.IN_CYCLE)
ORDER_END, CHARGED, AFTER = int(Slot.ORDER_END), int(Slot.CHARGED), int(Slot.AFTER)
FIRST_READY, SLICE, CACHE_FIRST = (
    int(Slot.FIRST_READY),
    int(Slot.SLICE),
    int(Slot.CACHE_FIRST),
)

WAIT_ELEMENT, WAIT_WHOLE, WAIT_SLICE, WAIT_ORDER = (
    int(Wait.ELEMENT),
    int(Wait.WHOLE),
    int(Wait.SLICE),
    int(Wait.ORDER),
)

END = 0
"""Column of ``TimingRecord.port_history`` that holds the end of a transfer."""

BY_ISSUE, BY_SCALAR_RAW_WAW, BY_RAW, BY_WAR_WAW = (
    int(Cause.ISSUE),
    int(Cause.SCALAR_RAW_WAW),
    int(Cause.VECTOR_RAW),
    int(Cause.VECTOR_WAR_WAW),
)
BY_UNIT, BY_PORT, BY_STARTUP, BY_ALIGNMENT = (
    int(Cause.UNIT),
    int(Cause.PORT),
    int(Cause.STARTUP),
    int(Cause.ALIGNMENT),
)
BY_BANK, BY_ORDER, EXECUTING = int(Cause.BANK_CONFLICT), int(Cause.MEMORY_ORDER), int(Cause.EXECUTE)

SCALAR_INSTRUCTIONS, VECTOR_INSTRUCTIONS, ELEMENT_OPERATIONS = (
    int(Counter.SCALAR_INSTRUCTIONS),
    int(Counter.VECTOR_INSTRUCTIONS),
    int(Counter.ELEMENT_OPERATIONS),
)
WORDS_LOADED, WORDS_STORED, SCALAR_BYTES, TAKEN_BRANCHES = (
    int(Counter.WORDS_LOADED),
    int(Counter.WORDS_STORED),
    int(Counter.SCALAR_BYTES),
    int(Counter.TAKEN_BRANCHES),
)
