"""Sparse matrix-vector products (SMVM) in assembly, one folder a program: ``smvm.s`` and its loader."""
