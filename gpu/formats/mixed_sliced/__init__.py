"""Sliced ELL for skewed matrices, with two index widths."""
