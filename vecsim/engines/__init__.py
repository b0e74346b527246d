"""The engines: the SimPy model, and the same machine compiled."""

DEFAULT_ENGINE = "jit"
"""The engine that runs when nobody says otherwise; the others are in ``vecsim.engines.protocol.ENGINES``."""
