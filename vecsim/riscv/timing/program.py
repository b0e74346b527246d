"""A recorded run as a program of the machine: a row for each part of each node."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from isa.program import SourceLine
from isa.riscv.declaration import Timing
from isa.riscv.disassembler import instruction_at
from isa.riscv.program import RiscvProgram
from vecsim.engines.recorded.events import TAKEN
from vecsim.engines.recorded.program import RecordedProgram, RecordedRow, recorded_program
from vecsim.machine import Machine
from vecsim.machine.riscv import Riscv
from vecsim.riscv.execution import Execution, RiscvResult
from vecsim.riscv.nodes import node as nodes
from vecsim.riscv.nodes.events import LAST_EVENT
from vecsim.riscv.nodes.node import Node, jump_target, successor
from vecsim.riscv.nodes.passing import REGISTERS
from vecsim.riscv.timing.costs import BY_ELEMENT, CONTIGUOUS, MULTIPLIED, costs_of
from vecsim.riscv.timing.recording import Recorded, RecordingInterpreter
from vecsim.support.errors import UserError

MULTIPLY = 2
HALT = RecordedRow("halt", cost=Timing.SCALAR.name)


@dataclass(frozen=True)
class TimedProgram:
    """A program that has run, as a program of machines with registers of the same length.

    Attributes
    ----------
    program, memory
        What an engine runs, and on which memory.
    result
        What the run has done.
    riscv
        The numbers of the machine that the record depends on. A group of elements is an element of the
        machine's registers.
    parts
        How many rows an instruction of each node has, by the number of the node.
    """

    program: RecordedProgram
    memory: npt.NDArray[np.uint8]
    result: RiscvResult
    riscv: Riscv
    parts: Mapping[int, int]

    def machine(self, machine: Machine) -> Machine:
        """Return a machine with vector registers as the program has them."""
        return with_registers(machine)


def with_registers(machine: Machine) -> Machine:
    """Return a machine whose vector registers are those of its RISC-V programs, in groups of elements.

    Raises
    ------
    UserError
        It renames registers, and its accesses go through a unit.
    """
    groups, count = machine.riscv.vlen // machine.riscv.group_bits, REGISTERS
    if machine.riscv.access_unit:
        if machine.physical_vector_registers:
            raise UserError(
                f"machine {machine.label}: riscv.access_unit = {machine.riscv.access_unit} needs "
                "physical_vector_registers = 0: registers that are renamed cannot be timed with it yet"
            )
        count += REGISTERS  # those that carry
    registers = {"section_size": groups, "vector_registers": count, "lanes": 1}
    return machine.model_copy(update=registers)


def record(execution: Execution, limit: int | None = None) -> TimedProgram:
    """Run a program and return it as one that engines time.

    Parameters
    ----------
    execution
        A program in memory, with a recording interpreter (:func:`recorded_execution`).
    limit
        Instructions that it may take.

    Raises
    ------
    UserError
        What it does has no timing, or it cannot run.
    """
    interpreter = execution.interpreter
    assert isinstance(interpreter, RecordingInterpreter)
    result = execution.run(limit)
    recorded = interpreter.result()
    riscv = interpreter.riscv
    layout = _Layout(recorded, execution.program, riscv)
    words = recorded.words
    words[recorded.patches] = [layout.place_of(int(words[at])) for at in recorded.patches]
    layout.end(words, int(interpreter.numbers[LAST_EVENT]))
    program, memory = recorded_program(
        layout.rows(),
        [words],
        memory_bytes=recorded.memory_bytes,
        costs_of=costs_of,
        entry=layout.place_of(recorded.first),
        source=layout.source(),
        texts=layout.texts(),
        addresses=layout.addresses(),
        functions=execution.program.functions,
        inputs=execution.program.inputs,
        most_listed=riscv.vlen // 8,
    )
    parts = {number: max(1, len(node.parts)) for number, node in recorded.nodes.items()}
    return TimedProgram(program, memory, result, riscv, parts)


def recorded_execution(
    program: RiscvProgram, riscv: Riscv, *, memory_bytes: int, arguments: tuple[str, ...] = ()
) -> Execution:
    """Return a program in memory whose run is recorded; parameters as of :class:`Execution`.

    Parameters
    ----------
    program, memory_bytes, arguments
        As :class:`vecsim.riscv.execution.Execution` takes them.
    riscv
        The numbers of the machine.
    """
    return Execution(
        program,
        vlen=riscv.vlen,
        memory_bytes=memory_bytes,
        arguments=arguments,
        interpreter=lambda hart: RecordingInterpreter(hart, riscv),
    )


class _Layout:
    """The rows of the nodes, in the order of their numbers, and what follows what."""

    def __init__(self, recorded: Recorded, program: RiscvProgram, riscv: Riscv) -> None:
        self.recorded, self.program = recorded, program
        self.dlen, self.access_unit = riscv.group_bits, riscv.access_unit
        self.halves = len(recorded.code)
        self.order = sorted(recorded.nodes)
        self.places: dict[int, int] = {}
        place = 0
        for number in self.order:
            self.places[number] = place
            place += max(1, len(recorded.nodes[number].parts))
        self.halt = place

    def place_of(self, number: int) -> int:
        """Return the first row of a node; that of the end for a node that has not run."""
        return self.places.get(number, self.halt)

    def following(self, number: int) -> int:
        """Return the first row of what follows a node if it does not branch."""
        vtype, row = divmod(number, self.halves)
        after = self.recorded.after.get(number, vtype)
        if after < 0:
            raise UserError(
                f"{self.program.name}: vsetvl sets several vtypes at the same place, which has no timing yet"
            )
        return self.place_of(after * self.halves + successor(self.recorded.code, row))

    def end(self, words: npt.NDArray[np.uint32], last_event: int) -> None:
        """Let the last instruction lead to the end.

        Raises
        ------
        UserError
            It goes on elsewhere, and is no call of the host.
        """
        last = self.recorded.last
        kind = self.recorded.nodes[last].kind
        if kind == nodes.CALL:
            words[last_event] |= TAKEN
            words[last_event + 1] = self.halt
        elif kind not in (nodes.INDIRECT, nodes.JUMP) and self.following(last) != self.halt:
            raise UserError(
                f"{self.program.name}: it ends at an instruction after which it also goes on; end it by ecall"
            )

    def rows(self) -> list[RecordedRow]:
        """Return all rows, and one for the end."""
        result: list[RecordedRow] = []
        for number in self.order:
            node = self.recorded.nodes[number]
            result += self._rows_of(node, number)
        return [*result, HALT]

    def _rows_of(self, node: Node, number: int) -> list[RecordedRow]:
        row = RecordedRow(
            _kind(node),
            cost=node.row.timing.name,
            awaited=node.awaited,
            scalar_writes=node.scalar_writes,
            late=node.late,
        )
        if node.kind in (nodes.BRANCH, nodes.JUMP):
            vtype, place = divmod(number, self.halves)
            target = vtype * self.halves + jump_target(self.recorded.code, place)
            row = replace(row, target=self.place_of(target))
        following, begin = self.following(number), self.places[number]
        if not node.parts:
            return [replace(row, following=following)]
        per_group = max(1, self.dlen // node.bits)
        last = len(node.parts) - 1
        return [
            replace(
                self._passing(row, node) if part.passes else row,
                awaited=row.awaited if k == 0 else (),
                reads=part.reads,
                writes=part.writes,
                whole_reads=part.whole_reads,
                whole_writes=part.whole_writes,
                accumulators=part.accumulators,
                joined=k > 0,
                following=following if k == last else begin + k + 1,
                per_element=per_group,
                repeats=per_group,
                element_bytes=per_group * node.record_bytes or self.dlen // 8,
            )
            for k, part in enumerate(node.parts)
        ]

    def _passing(self, row: RecordedRow, node: Node) -> RecordedRow:
        """Return the row of a part that only passes through its unit."""
        if node.kind == nodes.ONE:
            return replace(row, kind="add", late=(), scalar_writes=())
        unit = "multiply" if self.access_unit == MULTIPLY else "add"
        cost = CONTIGUOUS if node.kind == nodes.SPAN else BY_ELEMENT
        return replace(row, kind=unit, cost=cost, late=(), scalar_writes=())

    def addresses(self) -> list[int]:
        """Return the address of the instruction of each row; of the end that after the text."""
        result: list[int] = []
        for number in self.order:
            address = self.program.text + 2 * (number % self.halves)
            result += [address] * max(1, len(self.recorded.nodes[number].parts))
        return [*result, self.program.text_end]

    def texts(self) -> list[str]:
        """Return the instruction of each row, of a further part with its number, and of the end."""
        result: list[str] = []
        for number in self.order:
            text = instruction_at(self.program, self.program.text + 2 * (number % self.halves))
            count = len(self.recorded.nodes[number].parts)
            result += [text, *(f"{text} [{k} of {count}]" for k in range(2, count + 1))]
        return [*result, "end"]

    def source(self) -> list[SourceLine]:
        """Return the source line of each row, and of the end; without one its address and instruction."""
        return [
            self._source(address, text) for address, text in zip(self.addresses(), self.texts(), strict=True)
        ]

    def _source(self, address: int, text: str) -> SourceLine:
        line = self.program.line_of(address) if address < self.program.text_end else None
        if line is not None and line.text:
            return line
        shown = f"{address:x}: {text}"
        return SourceLine(line.file if line else self.program.name, line.line if line else 0, shown)


def _kind(node: Node) -> str:
    """Return the kind of a recorded row (:data:`vecsim.engines.recorded.rows.KINDS`)."""
    direction, bits = "store" if node.store else "load", 8 * node.value_bytes
    if node.kind == nodes.SCALAR:
        return f"{direction}{bits}"
    if node.kind in (nodes.SPAN, nodes.LISTED):
        return f"vector_{direction}.{'unit' if node.kind == nodes.SPAN else 'listed'}{bits}"
    if node.kind == nodes.ENTRIES:
        return "sparse"
    if node.kind in (nodes.ARITHMETIC, nodes.ONE):
        unit = "multiply" if node.row.timing in MULTIPLIED else "add"
        return f"{unit}.to_scalar" if node.late else unit
    simple = {nodes.BRANCH: "branch", nodes.JUMP: "branch", nodes.INDIRECT: "jump", nodes.CALL: "jump"}
    return simple.get(node.kind, "scalar")
