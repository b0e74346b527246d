"""Sums of sparse matrices on the device."""
