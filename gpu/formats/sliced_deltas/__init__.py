"""Slices whose columns are packed distances of a few bits."""
