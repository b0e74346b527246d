"""A recorded program: rows with registers, costs and successors, and the record that their semantics read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from isa.declaration import Pattern, Timing
from isa.program import DataSegment, Program, SourceLine
from isa.state import State
from vecsim.engines.decoded import NONE, WIDTHS, Decoded, decode
from vecsim.engines.recorded import events
from vecsim.engines.recorded.rows import KINDS
from vecsim.machine import WORD_BYTES, Machine
from vecsim.support.errors import UserError

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class RecordedRow:
    """An instruction of a recorded program.

    Attributes
    ----------
    kind
        The name of one of :data:`vecsim.engines.recorded.rows.KINDS`.
    cost
        The name of its costs on a machine (:class:`Costs`).
    awaited, scalar_writes, late
        Scalar registers that must be ready at issue, that are written at issue, and that come with the last
        element.
    reads, writes
        Vector registers whose element k is read and written by element k.
    whole_reads, whole_writes
        Vector registers that are read and written as a whole.
    accumulators
        Vector registers to which a sparse instruction adds.
    following
        The number of the row that comes next; -1: the one after it.
    target
        The number of the row to which a branch leads; -1: the event says.
    joined
        Whether it is a further part of the row before it, which takes no place in issue.
    per_element
        How many addresses of a list, or entries, belong to an element.
    repeats
        How many values an element consists of, where costs are of values.
    element_bytes
        Bytes of an element of a contiguous access of vector registers.
    """

    kind: str
    cost: str = ""
    awaited: tuple[int, ...] = ()
    scalar_writes: tuple[int, ...] = ()
    late: tuple[int, ...] = ()
    reads: tuple[int, ...] = ()
    writes: tuple[int, ...] = ()
    whole_reads: tuple[int, ...] = ()
    whole_writes: tuple[int, ...] = ()
    accumulators: tuple[int, ...] = ()
    following: int = NONE
    target: int = NONE
    joined: bool = False
    per_element: int = 1
    repeats: int = 1
    element_bytes: int = WORD_BYTES


@dataclass(frozen=True)
class Costs:
    """What a row costs on a machine, in cycles.

    Attributes
    ----------
    latency
        From the start of an element to its result; it is no shorter than the unit takes.
    first, group
        The first element takes ``first``, each further one ``group``.
    pair
        If it is not 0, values follow each other: the first takes ``first``, two further ones ``pair``.
    level, tree_of_all
        For each level of a tree over the values of an element, or over all values.
    overlaps
        Whether what is written again may start before the older result is there.
    """

    latency: int = 1
    first: int = 1
    group: int = 1
    pair: int = 0
    level: int = 0
    tree_of_all: bool = False
    overlaps: bool = False


CostsOf = Callable[[str, Machine], Costs]
"""``(name, machine)``: the costs of a row."""


@dataclass(frozen=True, eq=False, repr=False)
class RecordedProgram(Program):
    """A program whose rows are resolved already, and the record of its run.

    Attributes
    ----------
    rows
        One for each instruction.
    costs_of
        What they cost on a machine.
    most_listed
        The most addresses or entries of a list.
    addresses
        Of each row the address of its instruction, which rows of one instruction share.
    functions
        Addresses by the names of functions.
    """

    rows: tuple[RecordedRow, ...] = ()
    costs_of: CostsOf = field(default=lambda name, machine: Costs())
    most_listed: int = 0
    addresses: tuple[int, ...] = ()
    functions: Mapping[str, range] = field(default_factory=dict)

    @property
    def record_at(self) -> int:
        """The byte address of the record in memory."""
        return self.data[0].address

    def begin(self, state: State) -> None:
        """Make the first event known, in the state of a run that begins."""
        state.special[events.POSITION] = self.record_at // WORD_BYTES
        events.next_event(state)

    def decoded(self, machine: Machine) -> Decoded:
        """Return the rows as engines read them, on a machine.

        Raises
        ------
        UserError
            A machine without chaining or with other registers than the rows name.
        """
        last = max(map(_last_register, self.rows), default=0)
        if last >= machine.vector_registers:
            raise UserError(
                f"machine {machine.label} has vector_registers = {machine.vector_registers}; "
                f"the program needs {last + 1}"
            )
        count, kinds = len(self.rows), KINDS.by_mnemonic
        arrays: dict[str, Ints] = {
            name: np.full((count, WIDTHS[name]) if name in WIDTHS else count, NONE, np.int64)
            for name in Decoded._fields
        }
        arrays["fields"][:] = 0
        arrays["fields"][:, 0] = events.TARGET_REGISTER
        arrays["operands"][:] = 0
        for i, row in enumerate(self.rows):
            instruction = kinds[row.kind]
            costs = self.costs_of(row.cost, machine)
            interval = max(1, costs.pair * row.repeats + 1 >> 1 if costs.pair else costs.group)
            recovery = costs.first - (costs.pair + 1 >> 1 if costs.pair else costs.group)
            if not costs.tree_of_all:
                recovery += costs.level * (row.repeats - 1).bit_length()
            numbers = {
                "operation": KINDS.number_by_opcode[instruction.opcode],
                "event": events.KIND_OF[instruction.semantics],
                "unit": instruction.unit,
                "timing": instruction.timing,
                "latency": costs.latency if costs.pair else max(costs.latency, interval),
                "interval": interval,
                "recovery": recovery,
                "level": costs.level if costs.tree_of_all else 0,
                "pair": costs.pair,
                "overlap": costs.latency - 1 if costs.overlaps or _follows_itself(row) else 0,
                "length": instruction.length,
                "pattern": Pattern.NONE,
                "masked": 0,
                "following": i + 1 if row.following == NONE else row.following,
                "joined": int(row.joined),
                "per_element": row.per_element,
                "target": row.target,
            }
            access = instruction.access
            if access is not None:
                listed = access.pattern == Pattern.LISTED or instruction.unit == 0
                numbers |= {
                    "pattern": access.pattern,
                    "store": int(access.store),
                    "value_bytes": access.value_bytes,
                    "record_bytes": access.value_bytes if listed else row.element_bytes,
                    "cache": 0,
                    "base_register": events.BASE_REGISTER,
                    "offset": 0,
                    "index_register": NONE if instruction.unit == 0 else events.STRIDE_REGISTER,
                }
            elif instruction.timing == Timing.SPARSE:
                numbers["base_register"] = events.BASE_REGISTER
            for name, value in numbers.items():
                arrays[name][i] = value
            for name in (
                "awaited",
                "scalar_writes",
                "late",
                "reads",
                "writes",
                "whole_reads",
                "whole_writes",
                "accumulators",
            ):
                values = getattr(row, name)
                arrays[name][i, : len(values)] = values
        if not machine.chaining:
            raise UserError(
                f"machine {machine.label}: chaining = false: programs of RISC-V need chaining = true"
            )
        return Decoded(**arrays)


def _last_register(row: RecordedRow) -> int:
    """Return the last vector register that a row names, 0 if it names none."""
    return max((*row.reads, *row.writes, *row.whole_reads, *row.whole_writes, *row.accumulators), default=0)


def _follows_itself(row: RecordedRow) -> bool:
    """Return whether a row writes a register as a whole as the part before it does, in the same unit."""
    return row.joined and bool(row.whole_writes)


def recorded_program(
    rows: Sequence[RecordedRow],
    record: Sequence[npt.NDArray[np.uint32]],
    *,
    memory_bytes: int,
    costs_of: CostsOf,
    entry: int = 0,
    source: Sequence[SourceLine] = (),
    texts: Sequence[str] = (),
    addresses: Sequence[int] = (),
    functions: Mapping[str, range] | None = None,
    inputs: Mapping[str, str] | None = None,
    symbols: dict[str, int] | None = None,
    most_listed: int = 0,
) -> tuple[RecordedProgram, npt.NDArray[np.uint8]]:
    """Return the program of these rows and events, and the memory to run it on.

    Parameters
    ----------
    rows, record
        The rows; the words of the events in the order in which they are needed.
    memory_bytes
        The memory of the program, in bytes: addresses are below it. The record follows it.
    costs_of
        What rows cost on a machine.
    entry, source, texts, inputs, symbols
        As of a program.
    addresses, functions, most_listed
        As of a recorded program.
    """
    at = -(-memory_bytes // WORD_BYTES) * WORD_BYTES
    words = [np.ascontiguousarray(each, "<u4") for each in (*record, np.zeros(1))]  # no event after the last
    described = repr(list(rows)).encode()  # so that the digest is of the rows, too
    content = b"".join(words)
    data = (DataSegment(at, content), DataSegment(at + len(content), described))
    kinds = KINDS.by_mnemonic
    program = RecordedProgram(
        words=np.array([kinds[row.kind].opcode << 24 for row in rows], np.uint32),
        symbols=symbols or {},
        source=tuple(source),
        texts=tuple(texts),
        inputs=inputs or {},
        addresses=tuple(addresses),
        functions=functions or {},
        data=data,
        instruction_set=KINDS,
        entry=entry,
        rows=tuple(rows),
        costs_of=costs_of,
        most_listed=most_listed,
    )
    return program, np.zeros(data[-1].end, np.uint8)


def resolved(program: Program, machine: Machine) -> Decoded:
    """Return the rows of any program as engines read them, on a machine.

    Raises
    ------
    UserError
        As :func:`vecsim.engines.decoded.decode` and :meth:`RecordedProgram.decoded`.
    """
    return program.decoded(machine) if isinstance(program, RecordedProgram) else decode(program, machine)


def most_listed(program: Program) -> int:
    """Return the most addresses or entries of a list in any program."""
    return program.most_listed if isinstance(program, RecordedProgram) else 0
