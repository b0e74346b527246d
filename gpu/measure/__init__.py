"""Measuring on a GPU: fair times, ceilings, iterations of warps."""
