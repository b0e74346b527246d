"""SMVM on jagged diagonals."""
