"""Hierarchical Sparse Matrix storage: container, levels, memory image, insertion."""
