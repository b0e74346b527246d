"""Compressed Row Storage."""
