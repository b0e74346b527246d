"""The instruction table: the one place where an instruction is declared.

To add an instruction, write its semantics in :mod:`isa.semantics`, one row in :mod:`isa.rows`, and at least
two worked examples in ``isa/examples`` (:mod:`isa.worked`). Assembler, encoding, disassembler, engines and
the reference read this table. Mnemonics follow the textbooks'
VMIPS; the suffix is the type of an element: ``.b``, ``.h`` and ``.w`` integers of 8, 16 and 32 bits (``.bu``,
``.hu`` unsigned), ``.s`` float32, ``.d`` 64-bit word or float64. :data:`TYPED` maps the assembler's generic
suffix ``.f`` to them.
"""

from __future__ import annotations

from isa.declaration import InstructionSet
from isa.rows import accesses, arithmetic, moves, scalar, sparse

TYPED = {4: ("s", "w"), 8: ("d", "d")}
"""Suffixes that ``.f`` may stand for, by the bytes of a matrix value: arithmetic, then data movement."""

BASE = InstructionSet((*scalar.rows(), *arithmetic.rows(), *moves.rows(), *accesses.rows(), *sparse.rows()))
"""The instruction set of every vecsim machine."""
