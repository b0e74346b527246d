"""Sums of HiSparse matrices on the device."""
