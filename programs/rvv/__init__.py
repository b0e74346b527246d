"""Kernels in C for RISC-V Vector, each with its built ELF file (docs/tutorial/riscv-course.md)."""
