"""The colours of series."""

COLOURS = ("#4D4D4D", "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442")
"""Okabe and Ito's colours, grey for their black: told apart by all kinds of colour vision."""
