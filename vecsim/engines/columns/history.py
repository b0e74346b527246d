"""Columns of ``TimingRecord.port_history``, the accesses of a port that ended last."""

COLUMNS = 4
END, FIRST_BYTE, LAST_BYTE, STORED = range(COLUMNS)
"""The cycle in which the transfer has ended; first byte and last, exclusive (-1: not contiguous); 1 for a
store."""
