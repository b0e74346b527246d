"""The engines: the SimPy model, and the same machine compiled."""

DEFAULT_ENGINE = "jit"
"""The engine that runs when nobody says otherwise; the others are in ``vecsim.engines.running.ENGINES``."""

AUTO = "auto"
"""Of the command line: the compiled engine, or the SimPy model while that is compiled for its first use."""
