"""SMVM on block based compression storage, with LDS and MIPA."""
