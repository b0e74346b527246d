"""All rows of RISC-V instructions, and how a word finds its row."""

from __future__ import annotations

from isa.riscv.rows import (
    atomic,
    bits,
    float,
    integer,
    sparse,
    system,
    vector_accesses,
    vector_float,
    vector_integer,
    vector_masks,
)

ROWS = (
    *integer.ROWS,
    *bits.ROWS,
    *system.ROWS,
    *atomic.ROWS,
    *float.ROWS,
    *vector_accesses.ROWS,
    *vector_integer.ROWS,
    *vector_masks.ROWS,
    *vector_float.ROWS,
    *sparse.ROWS,
)
"""The instructions; the number of a row is its place here."""

NUMBERS = {row.mnemonic: number for number, row in enumerate(ROWS)}
"""The number of each row by its mnemonic."""
