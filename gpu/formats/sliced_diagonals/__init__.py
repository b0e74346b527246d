"""Slices along their diagonals, without columns."""
