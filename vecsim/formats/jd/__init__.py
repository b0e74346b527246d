"""Jagged Diagonals."""
