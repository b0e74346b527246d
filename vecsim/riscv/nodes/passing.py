"""Parts that only occupy a unit: an access before its port, a group after the element that is moved.

What such a part passes on to the port is carried by a register that no program names, one for each register.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from vecsim.riscv.nodes.registers import PartRegisters

REGISTERS = 32


def through_unit(parts: tuple[PartRegisters, ...]) -> tuple[PartRegisters, ...]:
    """Return the parts of an access that goes through a unit: each passes, and then moves its bytes.

    Operands are read where it passes.
    """

    def both() -> Iterator[PartRegisters]:
        for part in parts:
            carried = (REGISTERS + (*part.writes, *part.reads, 0)[0],)
            yield PartRegisters(part.reads, carried, part.whole_reads, passes=True)
            yield replace(part, reads=carried, whole_reads=())

    return tuple(both())


def with_rest(parts: tuple[PartRegisters, ...], registers: int) -> tuple[PartRegisters, ...]:
    """Return the part that moves an element, and those that pass the ``registers`` of its group."""
    return (*parts, *(PartRegisters(passes=True) for _ in range(registers)))
