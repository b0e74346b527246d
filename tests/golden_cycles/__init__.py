"""Cycles of the suite's products, written down, so that a change that must not change them can be held to it.

``python -m tests.golden_cycles`` compares every matrix that is found here; ``--record`` writes the file
again.
"""
