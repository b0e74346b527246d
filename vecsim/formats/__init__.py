"""Sparse formats."""
