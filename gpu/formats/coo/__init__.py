"""Coordinate storage: row, column and value of each entry."""
