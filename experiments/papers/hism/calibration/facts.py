"""What the paper states of the machine in numbers, measured on a machine by running single accesses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isa.assembler import assemble
from vecsim.engines.protocol import run
from vecsim.engines.timeline import TimelineRequest
from vecsim.machine import Machine

MEMORY_BYTES = 4096
PROGRAM = """
    li      x1, 64
    setvl   x1
    li      x4, 1
    cvi     v1, x4
    li      x2, {address}
    li      x3, 150
wait:                       # until all elements of the indices are there
    addi    x3, x3, -1
    bnez    x3, wait
access:
    {access}
    halt
"""


@dataclass(frozen=True)
class Fact:
    """Cycles that the paper states for an access of 64 words.

    Attributes
    ----------
    name
        In words.
    cycles
        From dispatch until the last element is ready.
    access, address
        The instruction and where it reads.
    """

    name: str
    cycles: int
    access: str
    address: int


FACTS = (
    Fact("64 words, contiguous", 36, "lv.w v0, (x2)", 256),
    Fact("64 words, contiguous, not aligned", 37, "lv.w v0, (x2)", 260),
    Fact("64 words, indexed", 84, "lvi.w v0, (x2), v1", 256),
)
"""Section 3.1.1: 20 + 64/4 = 36, one cycle more if not aligned, 20 + 64 = 84."""


def measured(fact: Fact, machine: Machine, engine: str) -> int:
    """Give the cycles of an access on a machine, from dispatch until its last element is ready."""
    program = assemble(PROGRAM.format(address=fact.address, access=fact.access))
    memory = np.zeros(MEMORY_BYTES, np.uint8)
    timeline = run(program, memory, machine, engine=engine, timeline=TimelineRequest()).timeline
    assert timeline is not None
    row = int(np.flatnonzero(timeline["pc"] == program.symbols["access"])[0])
    return int(timeline["last"][row] - timeline["dispatch"][row])


def kept(machine: Machine, engine: str) -> bool:
    """Say whether a machine keeps all stated facts."""
    return all(measured(fact, machine, engine) == fact.cycles for fact in FACTS)
