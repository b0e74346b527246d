"""Engines: what runs a program on a machine. :mod:`vecsim.engines.protocol` is the way in."""
