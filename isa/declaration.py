"""How an instruction is declared: the vocabulary of the table in :mod:`isa.instructions`.

An instruction is one :class:`Instruction`. Its ``syntax`` is at once the assembly syntax, the list of
operands and the encoding. It is a comma-separated list of operands:

========== =====================================================================================
``xa``     a scalar integer register; ``fa`` a scalar float register; ``va`` a vector register;
           ``sa`` a special register. The letters after the first are the operand's name.
``xa=``    written;  ``xa+`` read and written;  plain: read.
``va*``    a vector operand that is addressed by position or that is complete only with the last
           element: it does not chain, neither with what produces nor with what reads it.
``i14``    a signed immediate of 14 bits; ``u4`` unsigned; ``t14`` the distance, in instructions,
           from this branch to a label.
``i14(xa)`` a memory operand: offset in bytes and base register; ``(xa)`` without the offset.
========== =====================================================================================

Binary form: 32 bits, the opcode in the upper 8, then the operands in the order of the syntax, 5 bits a
register, an immediate its own width, the rest zero. Several instructions may share an opcode: the lowest 4
bits of the word then number their forms. The table is checked when it is built.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from typing import Any

from vecsim.support.overview import Overview

REGISTERS = 32
"""Registers of each kind (x, f, v) that 5 bits can name."""

EXTENSION_OPCODES = range(0xE0, 0x100)
"""Opcodes that stay free for users' own instructions."""

FORM_BITS = 4
"""The lowest bits of a word, which tell instructions with the same upper 8 bits apart."""
FORM = 1 << 8
"""An opcode in the table is the upper 8 bits of the word and ``FORM`` times the number of its form."""
UNDER_MASK = FORM
"""What the opcode of an instruction under mask has in addition: the lowest bit of its form."""

SPECIAL_REGISTERS = ("vl", "blocklen", "rowptr", "rowcount")
"""vl: vector length. The other three belong to LDS: entries left in the block column, the row of the
next entry, and the number of rows that the last section touched."""


class Unit(IntEnum):
    """Where an instruction executes. SCALAR has no queue; MEMORY is the set of vector memory ports."""

    SCALAR = 0
    MEMORY = 1
    ADD = 2
    MULTIPLY = 3
    SPARSE = 4


class Timing(IntEnum):
    """The rule that gives an instruction its cycles (docs/timing.md has one section for each)."""

    SCALAR = 0
    BRANCH = 1
    SCALAR_LOAD = 2
    SCALAR_STORE = 3
    HALT = 4
    EXTRACT = 5
    ELEMENTWISE = 6
    REDUCTION = 7
    ACCESS = 8
    SPARSE = 9


class Length(IntEnum):
    """How many elements a vector instruction works on; known at issue."""

    NONE = 0
    VL = 1
    ONE = 2
    SECTION = 3  # min(the last x operand, section size)
    BLOCK = 4  # min(blocklen, section size)
    COUNT = 5  # the last x operand, at most s * s


class Pattern(IntEnum):
    """The addresses of a memory access."""

    NONE = 0
    CONTIGUOUS = 1
    STRIDED = 2
    INDEXED = 3
    LISTED = 4  # in memory, in the words from where the base register says


class Record(IntEnum):
    """What is stored next to each value of a contiguous access."""

    PLAIN = 0
    POSITIONS = 1  # column and row, as many bytes each as the immediate operand says
    DESCRIPTOR = 2  # the BBCS descriptor: log2(s) + 2 bits, rounded up to bytes


@dataclass(frozen=True)
class Access:
    """A load or store: its pattern, its direction and the bytes of a value."""

    pattern: Pattern
    store: bool
    value_bytes: int
    record: Record = Record.PLAIN
    cache: bool = False
    """True when the vector side of the access is the vector cache and not a register."""


@dataclass(frozen=True)
class Operand:
    """One operand of an instruction, as its syntax declares it."""

    name: str
    kind: str  # x, f, v, s (registers); i, u (immediates); t (branch target)
    bits: int
    read: bool = True
    written: bool = False
    whole: bool = False
    shift: int = 0
    """Position of the operand's lowest bit in the 32-bit word."""

    @property
    def is_register(self) -> bool:
        """True for x, f, v and s operands."""
        return self.kind in "xfvs"

    @property
    def limits(self) -> tuple[int, int]:
        """Smallest and largest value that the field holds."""
        if self.kind == "s":
            return 0, len(SPECIAL_REGISTERS) - 1
        if self.kind in "it":
            return -(1 << (self.bits - 1)), (1 << (self.bits - 1)) - 1
        return 0, (1 << self.bits) - 1


_OPERAND = re.compile(r"(?P<kind>[xfvs])(?P<name>[a-z]*)(?P<role>[=+]?)(?P<whole>\*?)$")
_IMMEDIATE = re.compile(r"(?P<kind>[iut])(?P<bits>\d+)$")
_MEMORY = re.compile(r"(?P<offset>[iu]\d+)?\((?P<base>x[a-z]*[=+]?)\)$")


def _parse_operand(text: str, shift: int) -> Operand:
    if match := _IMMEDIATE.match(text):
        bits = int(match["bits"])
        return Operand(text, match["kind"], bits, shift=shift - bits)
    match = _OPERAND.match(text)
    if match is None:
        raise ValueError(f"operand {text!r} is malformed; docs/extending.md lists the possible operands")
    role = match["role"]
    return Operand(
        match["kind"] + match["name"],
        match["kind"],
        5,
        read=role != "=",
        written=role != "",
        whole=match["whole"] != "",
        shift=shift - 5,
    )


def _flatten(syntax: str) -> list[str]:
    """Syntax as a flat list of operand texts; a memory operand is an offset and a base."""
    flat: list[str] = []
    for text in filter(None, (part.strip() for part in syntax.split(","))):
        memory = _MEMORY.match(text)
        if memory is None:
            flat.append(text)
        else:
            flat += [memory["offset"]] * bool(memory["offset"]) + [memory["base"]]
    return flat


@dataclass(frozen=True)
class Instruction:
    """Everything that vecsim knows about one instruction.

    Attributes
    ----------
    mnemonic, opcode, syntax
        The assembly name, the upper 8 bits of the word with the form (``FORM``), and the operands (see the
        module).
    unit, timing, latency
        The unit that executes it, its timing rule, and the name of its latency in the machine description
        (``latency.<name>``; empty where the rule has none).
    semantics
        ``f(m, n, *operands)``: what it does, over the flat arrays of :class:`isa.state.State`, with n
        elements and the operand fields (register numbers, immediates) as integers. Branches return
        True when they are taken. It is plain Python that Numba can compile: loops, integers, NumPy
        scalars, other functions of :mod:`isa.semantics`.
    summary
        One line for the reference.
    length, access
        How many elements, and the memory access if it is one.
    reads, writes, late
        Special registers read at issue, written at issue, and written with the last element.
    accumulates
        The whole, read-and-written operand is forwarded inside the sparse unit.
    mask
        ``"r"`` or ``"w"`` for instructions that read or write the vector mask, one bit an element; ``"m"``
        for those that work under mask: they change nothing where it is 0. ``"mw"`` is both.
    """

    mnemonic: str
    opcode: int
    syntax: str
    unit: Unit
    timing: Timing
    latency: str
    semantics: Callable[..., Any]
    summary: str
    length: Length = Length.NONE
    access: Access | None = None
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    late: tuple[str, ...] = ()
    accumulates: bool = False
    mask: str = ""
    slice_operand: str = ""
    """Name of the x operand that selects a slice of the vector cache, read and written."""
    extension: str = field(default="", compare=False)
    """Name of the extension that declares it, if one does."""
    examples: str = field(default="", compare=False)
    """Worked examples of an extension's instruction, in the form of :mod:`isa.worked`."""
    operands: tuple[Operand, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Lay out the operands from the high bits down; refuse a declaration that does not fit."""
        shift, operands = 24, []
        for text in _flatten(self.syntax):
            operand = _parse_operand(text, shift)
            operands.append(operand)
            shift = operand.shift
        bits = 24 if self.opcode < FORM else 24 - FORM_BITS
        if shift < 24 - bits or not 0 <= self.opcode < FORM << FORM_BITS:
            raise ValueError(
                f"{self.mnemonic}: the operands {self.syntax!r} need more than {bits} bits; use fewer"
            )
        if self.under_mask and (self.length != Length.VL or self.unit in (Unit.SCALAR, Unit.SPARSE)):
            raise ValueError(
                f"{self.mnemonic}: under mask only the units memory, add and multiply work, on vl elements"
            )
        object.__setattr__(self, "operands", tuple(operands))

    @property
    def reads_mask(self) -> bool:
        """Whether it reads the vector mask."""
        return "r" in self.mask or self.under_mask

    @property
    def writes_mask(self) -> bool:
        """Whether it writes the vector mask."""
        return "w" in self.mask

    @property
    def under_mask(self) -> bool:
        """Whether it changes nothing where the vector mask is 0."""
        return "m" in self.mask

    @cached_property
    def memory_operand(self) -> int | None:
        """Index of the base register among the operands, None if there is no memory operand."""
        bases = re.search(r"\((x[a-z]*)", self.syntax)
        return None if bases is None else [o.name for o in self.operands].index(bases[1])


@dataclass(frozen=True, repr=False)
class InstructionSet(Overview):
    """An immutable set of instructions, looked up by mnemonic or opcode."""

    instructions: tuple[Instruction, ...]

    def overview(self) -> dict[str, object]:
        """Return how many instructions there are, and the names of user-defined ones."""
        own = tuple(i.mnemonic for i in self.instructions if i.opcode in EXTENSION_OPCODES)
        return {"instructions": len(self.instructions), **({"own": own} if own else {})}

    def __post_init__(self) -> None:
        """Refuse two instructions with one name or one opcode."""
        for key in ("mnemonic", "opcode"):
            values = [getattr(i, key) for i in self.instructions]
            twice = sorted({str(v) for v in values if values.count(v) > 1})
            if twice:
                raise ValueError(f"declared twice: {key} {', '.join(twice)}; use different ones")

    def __hash__(self) -> int:
        """Hash the instructions, once: engines look their code up by the set at every start."""
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash(self.instructions)

    @cached_property
    def by_mnemonic(self) -> dict[str, Instruction]:
        """Instructions by their assembly name."""
        return {i.mnemonic: i for i in self.instructions}

    @cached_property
    def by_opcode(self) -> dict[int, Instruction]:
        """Instructions by the upper 8 bits of their word."""
        return {i.opcode: i for i in self.instructions}

    @cached_property
    def with_forms(self) -> tuple[int, ...]:
        """The upper 8 bits of words whose lowest bits are a form."""
        return tuple(sorted({i.opcode % FORM for i in self.instructions if i.opcode >= FORM}))

    @cached_property
    def number_by_opcode(self) -> dict[int, int]:
        """Places in ``instructions`` by opcode."""
        return {instruction.opcode: number for number, instruction in enumerate(self.instructions)}

    def extended(self, *extra: Instruction) -> InstructionSet:
        """Return this set with user-defined instructions; their opcodes are in ``EXTENSION_OPCODES``.

        Raises
        ------
        ValueError
            An opcode outside the reserved range, or a name or opcode that is taken.
        """
        for instruction in extra:
            if instruction.opcode not in EXTENSION_OPCODES:
                raise ValueError(
                    f"{instruction.mnemonic}: opcode {instruction.opcode:#x} must be in the range for "
                    f"extensions, {EXTENSION_OPCODES.start:#x} to {EXTENSION_OPCODES.stop - 1:#x}"
                )
        return InstructionSet(self.instructions + extra)
