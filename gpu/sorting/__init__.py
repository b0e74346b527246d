"""Sorting and prefix sums on the device."""
