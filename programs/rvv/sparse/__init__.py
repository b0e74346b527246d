"""Products y = A x for RISC-V Vector, float32, in assembly: each for a storage format."""
