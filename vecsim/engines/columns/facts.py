"""Columns of ``facts``: what the rules keep of a slot in flight beside the record."""

COLUMNS = 3
BLOCKED, ELEMENT_WAITS, SLICE_WAITS = range(COLUMNS)
"""How many older instructions must leave flight before it may start; how many it follows element by element,
and slice by slice."""
