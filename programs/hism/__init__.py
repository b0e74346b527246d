"""SMVM on the hierarchical sparse matrix format, with LDB and BMIPA."""
