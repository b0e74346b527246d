"""One instruction of the program as Python reads it: a row of the decoded arrays, unpacked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from isa.program import Program
from vecsim.engines.decoded import NONE, Decoded
from vecsim.machine import Machine


@dataclass(frozen=True, slots=True)
class Static:
    """See :class:`vecsim.engines.decoded.Decoded`; register sets are bit masks and tuples."""

    pc: int
    semantics: Callable[..., Any]
    fields: tuple[int, ...]
    unit: int
    timing: int
    latency: int
    length: int
    length_register: int
    pattern: int
    store: bool
    value_bytes: int
    record_bytes: int
    cache: bool
    base: int
    offset: int
    index_register: int
    wait_ready: tuple[int, ...]
    """Scalar registers that must be ready at issue."""
    scalar_writes: tuple[int, ...]
    late_writes: tuple[int, ...]
    reads: tuple[int, ...]
    """Vector registers read element by element."""
    writes: tuple[int, ...]
    whole_reads: tuple[int, ...]
    whole_writes: tuple[int, ...]
    accumulator: int
    element: int
    slice: int
    target: int
    read_offsets: tuple[int, ...]
    """Where the registers of ``reads`` begin in the element arrays."""
    write_offsets: tuple[int, ...]
    read_mask: int
    write_mask: int
    whole_read_mask: int
    whole_write_mask: int
    accumulator_mask: int

    @property
    def all_reads(self) -> tuple[int, ...]:
        """Vector registers that it reads in one way or the other."""
        return self.reads + self.whole_reads


def _mask(registers: tuple[int, ...]) -> int:
    return sum(1 << register for register in set(registers))


def unpack(program: Program, decoded: Decoded, machine: Machine) -> list[Static]:
    """Unpack every instruction."""
    instructions = program.instruction_set.instructions
    return [
        _unpack_one(decoded, pc, machine, instructions[int(decoded.operation[pc])].semantics)
        for pc in range(len(decoded.operation))
    ]


def _unpack_one(decoded: Decoded, pc: int, machine: Machine, semantics: Callable[..., Any]) -> Static:
    def row(name: str) -> tuple[int, ...]:
        return tuple(int(r) for r in getattr(decoded, name)[pc] if r != NONE)

    def one(name: str) -> int:
        return int(getattr(decoded, name)[pc])

    reads, writes = row("vector_reads"), row("vector_writes")
    whole_reads, whole_writes = row("whole_reads"), row("whole_writes")
    s = machine.section_size
    accumulator = one("accumulator")
    return Static(
        pc=pc,
        semantics=semantics,
        fields=tuple(int(f) for f in decoded.fields[pc, : one("operands")]),
        store=bool(one("store") == 1),
        cache=bool(one("cache") == 1),
        wait_ready=row("awaited"),
        scalar_writes=row("scalar_writes"),
        late_writes=row("late_writes"),
        reads=reads,
        writes=writes,
        whole_reads=whole_reads,
        whole_writes=whole_writes,
        accumulator=accumulator,
        read_offsets=tuple(s * v for v in reads),
        write_offsets=tuple(s * v for v in writes),
        read_mask=_mask(reads),
        write_mask=_mask(writes),
        whole_read_mask=_mask(whole_reads),
        whole_write_mask=_mask(whole_writes),
        accumulator_mask=0 if accumulator == NONE else 1 << accumulator,
        **{
            name: one(name)
            for name in (
                "unit",
                "timing",
                "latency",
                "length",
                "length_register",
                "pattern",
                "value_bytes",
                "record_bytes",
                "base",
                "offset",
                "index_register",
                "element",
                "slice",
                "target",
            )
        },
    )
