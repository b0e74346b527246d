"""Sparse matrix-vector products (SMVM) in assembly, a folder a program: two schedules and the loader."""
