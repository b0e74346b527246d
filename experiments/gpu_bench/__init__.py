"""Measurements on a real GPU: the suite of matrices, and the benchmark against cuSPARSE over it."""
