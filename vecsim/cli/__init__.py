"""The command line: it parses, calls and shows; what is computed is computed elsewhere."""

from vecsim.cli.application import main

__all__ = ["main"]
