"""The operands of RISC-V instructions: the bits of each in the word, and the column that it decodes to."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from isa.riscv.state import IMMEDIATE, RD, ROUNDING, RS1, RS2, RS3, VM

Word = TypeVar("Word", int, npt.NDArray[np.int64])


class Kind(Enum):
    """What an operand is, which decides how assembly writes it."""

    INTEGER = auto()  # a register x0 to x31
    FLOAT = auto()  # f0 to f31
    VECTOR = auto()  # v0 to v31
    MASK = auto()  # nothing, or v0.t
    CARRY = auto()  # v0, always
    SIGNED = auto()  # a number
    UNSIGNED = auto()
    UPPER = auto()  # bits 31 to 12, written as a number of 20 bits
    TARGET = auto()  # an address, encoded as its distance from the instruction
    CSR = auto()  # a control and status register, by name or number
    ROUNDING = auto()  # rne, rtz, rdn, rup, rmm, or nothing for dyn
    VTYPE = auto()  # e32, m4, ta, ma
    ORDER = auto()  # what a fence orders: letters of iorw
    AQRL = auto()  # a suffix of the mnemonic: nothing, .rl, .aq or .aqrl


@dataclass(frozen=True)
class Field:
    """The bits of one operand.

    Attributes
    ----------
    kind
        What it is.
    column
        The column of ``Hart.code`` that it decodes to; None if nothing depends on it.
    pieces
        For each run of bits: the lowest one in the word, how many, and the lowest one in the value.
    signed
        Whether the topmost bit of the value is its sign.
    base
        What is added to the bits: 8 for the registers x8 to x15 in three bits.
    """

    kind: Kind
    column: int | None
    pieces: tuple[tuple[int, int, int], ...]
    signed: bool = False
    base: int = 0

    @property
    def width(self) -> int:
        """Bits of the value, those included that are always 0."""
        return max(low + count for _, count, low in self.pieces)

    @property
    def step(self) -> int:
        """What divides every value."""
        return 1 << min(low for _, _, low in self.pieces)

    @property
    def least(self) -> int:
        """The smallest value."""
        return -(1 << self.width - 1) if self.signed else self.base

    @property
    def most(self) -> int:
        """The largest value."""
        bits = self.width - 1 if self.signed else self.width
        return (1 << bits) - self.step + self.base

    @property
    def mask(self) -> int:
        """The bits of the word."""
        return sum(((1 << count) - 1) << low for low, count, _ in self.pieces)

    def value_in(self, word: Word) -> Word:
        """Return the value that a word has, or the values that an array of words has."""
        value = word & 0
        for low, count, place in self.pieces:
            value |= (word >> low & (1 << count) - 1) << place
        sign = 1 << self.width - 1 if self.signed else 0
        return (value ^ sign) - sign + self.base

    def bits_of(self, value: int) -> int:
        """Return the bits of a word that hold a value.

        Raises
        ------
        ValueError
            They cannot.
        """
        if not self.least <= value <= self.most or value % self.step:
            steps = f", a multiple of {self.step}" if self.step > 1 else ""
            raise ValueError(f"{value} is not between {self.least} and {self.most}{steps}")
        return self.placed(value)

    def placed(self, value: Word) -> Word:
        """Return the bits of a word that hold a value that fits, or those of an array of words."""
        bits = value & 0
        for low, count, place in self.pieces:
            bits |= (value - self.base >> place & (1 << count) - 1) << low
        return bits


def _register(kind: Kind, column: int, low: int) -> Field:
    return Field(kind, column, ((low, 5, 0),))


FIELDS = {
    "rd": _register(Kind.INTEGER, RD, 7),
    "rs1": _register(Kind.INTEGER, RS1, 15),
    "rs2": _register(Kind.INTEGER, RS2, 20),
    "fd": _register(Kind.FLOAT, RD, 7),
    "fs1": _register(Kind.FLOAT, RS1, 15),
    "fs2": _register(Kind.FLOAT, RS2, 20),
    "fs3": _register(Kind.FLOAT, RS3, 27),
    "vd": _register(Kind.VECTOR, RD, 7),
    "vs1": _register(Kind.VECTOR, RS1, 15),
    "vs2": _register(Kind.VECTOR, RS2, 20),
    "vs3": _register(Kind.VECTOR, RD, 7),
    "vp": _register(Kind.VECTOR, RS3, 27),
    "vr": _register(Kind.VECTOR, RS2, 20),
    "vm": Field(Kind.MASK, VM, ((25, 1, 0),)),
    "v0": Field(Kind.CARRY, VM, ((25, 0, 0),)),  # no bit is left: always 0
    "rm": Field(Kind.ROUNDING, ROUNDING, ((12, 3, 0),)),
    "rm0": Field(Kind.ROUNDING, ROUNDING, ((12, 3, 0),)),  # of an exact operation: rne if it is left out
    "imm12": Field(Kind.SIGNED, IMMEDIATE, ((20, 12, 0),), signed=True),
    "store12": Field(Kind.SIGNED, IMMEDIATE, ((7, 5, 0), (25, 7, 5)), signed=True),
    "branch13": Field(Kind.TARGET, IMMEDIATE, ((8, 4, 1), (25, 6, 5), (7, 1, 11), (31, 1, 12)), signed=True),
    "jump21": Field(
        Kind.TARGET, IMMEDIATE, ((21, 10, 1), (20, 1, 11), (12, 8, 12), (31, 1, 20)), signed=True
    ),
    "upper20": Field(Kind.UPPER, IMMEDIATE, ((12, 20, 12),), signed=True),
    "shamt5": Field(Kind.UNSIGNED, IMMEDIATE, ((20, 5, 0),)),
    "shamt6": Field(Kind.UNSIGNED, IMMEDIATE, ((20, 6, 0),)),
    "csr": Field(Kind.CSR, IMMEDIATE, ((20, 12, 0),)),
    "zimm5": Field(Kind.UNSIGNED, RS1, ((15, 5, 0),)),  # next to another immediate: csrrwi, vsetivli
    "uimm5": Field(Kind.UNSIGNED, IMMEDIATE, ((15, 5, 0),)),
    "simm5": Field(Kind.SIGNED, IMMEDIATE, ((15, 5, 0),), signed=True),
    "zimm10": Field(Kind.VTYPE, IMMEDIATE, ((20, 10, 0),)),
    "zimm11": Field(Kind.VTYPE, IMMEDIATE, ((20, 11, 0),)),
    "pred": Field(Kind.ORDER, None, ((24, 4, 0),)),
    "succ": Field(Kind.ORDER, None, ((20, 4, 0),)),
    "aqrl": Field(Kind.AQRL, None, ((25, 2, 0),)),
}
"""The operands by the names that rows give them."""


def operand_names(operands: str) -> list[str]:
    """Return the names of the fields in the operands of a row, in the order of the assembly syntax."""
    return re.findall(r"[a-z]\w*", operands)
