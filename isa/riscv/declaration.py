"""How a RISC-V instruction is declared: the vocabulary of the rows in :mod:`isa.riscv.rows`.

An instruction is one :class:`Row`: the bits that make it up, its operands as assembly writes them, what it
does, and its timing class. Operand names and the bits that each takes are in
:data:`isa.riscv.fields.FIELDS`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any


class Timing(IntEnum):
    """What gives an instruction its cycles (docs/timing.md)."""

    SCALAR = 0
    MULTIPLY = 1
    DIVIDE = 2
    BRANCH = 3
    JUMP = 4
    SCALAR_LOAD = 5
    SCALAR_STORE = 6
    ATOMIC = 7
    SCALAR_FLOAT = 8
    SCALAR_FLOAT_DIVIDE = 9
    CSR = 10
    SYSTEM = 11
    CONFIGURE = 12  # vsetvli and its kin
    LOAD_UNIT = 13  # unit-stride, whole registers, masks, fault-only-first
    LOAD_STRIDED = 14
    LOAD_INDEXED = 15
    STORE_UNIT = 16
    STORE_STRIDED = 17
    STORE_INDEXED = 18
    LOAD_BLOCK = 19  # unit-stride, of entries that are a value and a position
    SPARSE = 20  # products of entries, in the sparse unit
    INTEGER = 21  # from here on the numbers of `vecsim.machine.riscv.Riscv` by name
    COMPARE = 22
    NARROW = 23
    VECTOR_MULTIPLY = 24
    VECTOR_DIVIDE = 25
    FIXED = 26
    FLOAT = 27
    FLOAT_DIVIDE = 28
    ESTIMATE = 29
    REDUCTION = 30
    FLOAT_SUM = 31
    ORDERED_SUM = 32
    MASK = 33
    MASK_PREFIX = 34
    SLIDE = 35
    GATHER = 36
    COMPRESS = 37
    INSERT = 38
    TO_SCALAR = 39  # the scalar side waits for an element
    COUNT = 40  # the scalar side waits for what a mask says


class Trap(IntEnum):
    """Why an instruction does not execute; what semantics return. NONE: it does."""

    NONE = 0
    ILLEGAL = 1
    MISALIGNED_FETCH = 2
    FETCH_FAULT = 3
    LOAD_FAULT = 4
    STORE_FAULT = 5
    MISALIGNED_LOAD = 6
    MISALIGNED_STORE = 7
    BREAKPOINT = 8
    CALL = 9  # ecall
    HOST = 10  # it stored to tohost: the host reads that, and goes on
    TEXT = 11  # fence.i: the text is decoded again, and goes on


Semantics = Callable[[Any, Any], Any]
"""``(hart, row)``: executes the decoded instruction ``hart.code[row]`` and returns a :class:`Trap`; those of
timing BRANCH and JUMP return the address of the next instruction. ``control[PC]`` is the address of this one.

A write to ``x[0]`` is undone afterwards.
What traps changes nothing but ``vstart`` and the elements before it. Numba compiles it: it need not run as
plain Python.
"""


@dataclass(frozen=True)
class Row:
    """Everything that is known about one RISC-V instruction.

    Attributes
    ----------
    mnemonic, extension
        The assembly name; the extension that it belongs to ("I", "M", "A", "F", "D", "Zba", "V", ...).
    match, mask
        A word w is this instruction if ``w & mask == match``; 32 bits.
    operands
        Names of :data:`FIELDS` in the order of the assembly syntax, such as ``"rd, rs1, imm12"``,
        ``"vd, vs2, vs1, vm"`` or ``"rd, imm12(rs1)"``.
    timing
        What gives it its cycles.
    semantics
        What it does; several rows of a family share one function.
    operation
        Which of its family it is: ``hart.code[row, OPERATION]`` for semantics that are shared.
    summary
        One line for the reference.
    accumulates
        Whether an operation of a user's extension reads vd, too.
    """

    mnemonic: str
    extension: str
    match: int
    mask: int
    operands: str
    timing: Timing
    semantics: Semantics
    operation: int = 0
    summary: str = ""
    accumulates: bool = False
