"""Measuring on a GPU: fair times, and whether results are equal."""
