"""Bits of ``TimingRecord.depends``: what a vector instruction in flight waits for in an older one."""

ELEMENT, WHOLE, SLICE, ORDER = 1, 2, 4, 8
"""Element k of it started; it has left flight; the same slice of the vector cache is complete; a memory
access that it must follow."""
