"""SMVM on the hierarchical sparse matrix format with the vector cache."""
