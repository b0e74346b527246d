"""Measurements of speed, run from a clone; no part of what is installed."""
