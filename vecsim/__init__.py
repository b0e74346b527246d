"""vecsim: a cycle-level vector machine for sparse matrices."""

__version__ = "0.1.0"
