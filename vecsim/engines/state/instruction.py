"""An instruction of a program as the timing rules read it, resolved for one machine."""

from __future__ import annotations

from dataclasses import dataclass

from vecsim.engines.decoded import WIDTHS
from vecsim.engines.state.row import NONE, Row, array, registers

END_OF_PROGRAM = 100
"""The timing of the row after the last instruction."""


@dataclass(slots=True, eq=False)
class Instruction(Row):
    """A row of the program; what an instruction lacks is -1.

    Most fields are those of :class:`vecsim.engines.decoded.Decoded`.
    """

    number: int = NONE
    """Its place in the program."""
    operation: int = NONE
    """Which instruction of the instruction set it is."""
    timing: int = NONE
    """An :class:`isa.declaration.Timing`, or ``END_OF_PROGRAM``."""
    unit: int = NONE
    """An :class:`isa.declaration.Unit`; 0, the scalar unit, of what is no vector instruction."""
    queue: int = NONE
    """The queue that it waits in: its unit, or that of stores."""
    latency: int = NONE
    """Cycles."""
    interval: int = 1
    """Cycles from an element to the next in its lane."""
    fields: list[int] = array(WIDTHS["fields"], NONE)
    """The operands, as the semantics take them."""
    awaited: list[int] = registers(WIDTHS["awaited"], fill=0)
    """Scalar registers that must be ready at issue; in a structured array x0, always ready, fills them up."""
    scalar_writes: list[int] = registers(WIDTHS["scalar_writes"])
    """Scalar registers written at issue."""
    late: list[int] = registers(WIDTHS["late"])
    """Scalar registers that come with the last element."""
    length: int = NONE
    """An :class:`isa.declaration.Length`."""
    length_register: int = NONE
    """The x register that limits its length."""
    pattern: int = NONE
    """An :class:`isa.declaration.Pattern`."""
    store: int = NONE
    """1 for a store, 0 for a load."""
    value_bytes: int = NONE
    """Bytes of a value."""
    record_bytes: int = NONE
    """Bytes from one element of a contiguous access to the next."""
    cache: int = NONE
    """1 if it moves elements of the vector cache."""
    base_register: int = NONE
    """The x register of the base address."""
    offset: int = NONE
    """Bytes from the base address."""
    index_register: int = NONE
    """The x register of the stride, or the vector register of the indexes."""
    element_register: int = NONE
    """The x register that selects the one element of a vector register, or the first of the vector cache."""
    slice_register: int = NONE
    """The x register that selects a slice of the vector cache."""
    target: int = NONE
    """The instruction to which a taken branch goes; -1 for an indirect jump."""
    following: int = NONE
    """The instruction that comes next unless a branch is taken."""
    joined: int = 0
    """1 if it takes no place in issue: it is a further part of the one before it."""
    recovery: int = 0
    """Cycles that its unit takes after its last element, or those that this element takes less."""
    level: int = 0
    """Cycles that its unit takes more for each level of a tree over all values."""
    pair: int = 0
    """Cycles of two values, where the values of an element follow each other; 0: they do not."""
    overlap: int = 0
    """How many cycles before the older result is there it may start to overwrite a register."""
    per_element: int = 1
    """How many addresses an element of a listed access has, or entries one of a sparse instruction."""
    event: int = 0
    """What it does to the record of a recorded program (:mod:`vecsim.engines.recorded.events`)."""
    accumulators: list[int] = registers(WIDTHS["accumulators"])
    """The vector registers to which a sparse instruction adds."""
    masked: int = NONE
    """1 if it works under mask."""
    reads: list[int] = registers(WIDTHS["reads"])
    """Vector registers read element by element."""
    writes: list[int] = registers(WIDTHS["writes"])
    """Vector registers written element by element."""
    whole_reads: list[int] = registers(WIDTHS["whole_reads"])
    """Vector registers read as a whole."""
    whole_writes: list[int] = registers(WIDTHS["whole_writes"])
    """Vector registers written as a whole."""

    read_set: int = 0
    write_set: int = 0
    whole_read_set: int = 0
    whole_write_set: int = 0
    added_set: int = 0
    """``reads``, ``writes``, ``whole_reads``, ``whole_writes`` and ``accumulators`` as bits."""

    record_scale: int = NONE
    """The reciprocal of the bytes of a record. From here on, what the single-port loop knows beforehand,
    :mod:`vecsim.engines.jit.single_port.preparation`."""
    plain: int = NONE
    """1 if all its operands pass element by element from element 0 on: none as a whole, late, or in the
    vector cache."""
    simple: int = NONE
    """1 if it is a plain contiguous access of one register in 32-bit elements, 2 if in records of several
    words that have a steady schedule, otherwise 0."""
    chain: int = NONE
    """1 if it is arithmetic that writes one register, 2 if it sums one up into a scalar register; both read
    one to three registers element by element, and nothing as a whole. 3 if it writes one element of one
    register and reads no vector register. Otherwise 0."""
    second: int = NONE
    third: int = NONE
    """The second and the third register that a ``chain`` reads; the first again where there is none."""
    part: int = 0
    """1 if it is a ``chain`` of a recorded program that writes no scalar register, and awaits none if it is
    joined."""
    scalar_block: int = NONE
    """Where the block of scalar instructions begins that begins here."""
