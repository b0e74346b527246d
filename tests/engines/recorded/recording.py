"""A program of this machine as a recorded one: what depended on values is seen by running it step by step."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from isa.declaration import SPECIAL_REGISTERS, Length, Pattern, Timing, Unit
from isa.program import Program
from vecsim.engines.decoded import NONE, Decoded, decode
from vecsim.engines.recorded.events import event
from vecsim.engines.recorded.program import Costs, RecordedProgram, RecordedRow, recorded_program
from vecsim.engines.running import start
from vecsim.machine import Machine

_UNITS = {Unit.ADD: "add", Unit.MULTIPLY: "multiply"}


def recorded(
    program: Program, memory: npt.NDArray[np.uint8], machine: Machine
) -> tuple[RecordedProgram, npt.NDArray[np.uint8]]:
    """Run a program and return it as a recorded program with its memory."""
    rows = decode(program, machine)
    record = []
    alone = machine.model_copy(update={"issue_width": 1})  # no value depends on time
    running = start(program, memory, alone)
    while not running.finished and rows.timing[running.pc] != Timing.HALT:
        pc = running.pc
        before = {
            "x": running.state.x.copy(),
            "v": running.state.vw.copy(),
            "vl": int(running.state.special[0]),
        }
        running.advance(instructions=1)
        each = _event(rows, pc, running.pc, before, machine)
        if each is not None:
            record.append(each)
    result = [_row(rows, pc) for pc in range(len(program))]
    return recorded_program(
        result,
        record,
        memory_bytes=len(memory),
        costs_of=lambda name, on: Costs(int(decode(program, on).latency[int(name)])),
        entry=program.entry,
        most_listed=machine.section_size,
    )


def _registers(values: npt.NDArray[np.int64]) -> tuple[int, ...]:
    return tuple(int(value) for value in values if value != NONE)


def _row(rows: Decoded, pc: int) -> RecordedRow:
    unit, timing = Unit(rows.unit[pc]), Timing(rows.timing[pc])
    assert rows.element_register[pc] == NONE, "instructions of one element have no event"
    assert rows.length[pc] in (Length.NONE, Length.VL, Length.ONE, Length.SECTION), Length(rows.length[pc])
    bits = 8 * int(rows.value_bytes[pc])
    direction = "store" if rows.store[pc] == 1 else "load"
    if unit == Unit.MEMORY:
        way = {Pattern.CONTIGUOUS: "unit", Pattern.STRIDED: "strided", Pattern.INDEXED: "listed"}
        kind = f"vector_{direction}.{way[Pattern(rows.pattern[pc])]}{bits}"
    elif unit in _UNITS:
        kind = _UNITS[unit] + (".to_scalar" if timing == Timing.REDUCTION else "")
    elif timing in (Timing.SCALAR_LOAD, Timing.SCALAR_STORE):
        kind = f"{direction}{bits}"
    elif timing == Timing.BRANCH:
        kind = "jump" if rows.target[pc] == NONE else "branch"
    else:
        kind = {Timing.SCALAR: "scalar", Timing.HALT: "halt"}[timing]
    names = ("awaited", "scalar_writes", "late", "reads", "writes", "whole_reads", "whole_writes")
    return RecordedRow(
        kind,
        cost=str(pc),
        target=int(rows.target[pc]),
        element_bytes=max(int(rows.record_bytes[pc]), 4),
        **{name: _registers(getattr(rows, name)[pc]) for name in names},
    )


def _event(
    rows: Decoded, pc: int, following: int, before: dict, machine: Machine
) -> npt.NDArray[np.uint32] | None:
    timing, x, n = rows.timing[pc], before["x"], before["vl"]
    if rows.length[pc] == Length.ONE:
        n = 1
    elif rows.length[pc] == Length.SECTION:
        n = min(max(int(x[rows.length_register[pc]]), 0), machine.section_size)
    if timing == Timing.BRANCH:
        taken = following != pc + 1 or (rows.awaited[pc] == NONE).all()  # a jump may lead to the next
        return event(taken=taken, target=following if rows.target[pc] == NONE else None)
    if timing in (Timing.SCALAR_LOAD, Timing.SCALAR_STORE):
        return event(address=int(x[rows.base_register[pc]] + rows.offset[pc]))
    if rows.unit[pc] == Unit.SCALAR:
        return None
    if rows.pattern[pc] == Pattern.NONE:
        return event(count=n)
    base = int(x[rows.base_register[pc]] + rows.offset[pc])
    if rows.pattern[pc] == Pattern.CONTIGUOUS:
        return event(count=n, address=base, stride=n * int(rows.record_bytes[pc]))
    index = int(rows.index_register[pc])
    if rows.pattern[pc] == Pattern.STRIDED:
        return event(count=n, address=base, stride=int(x[index]))
    first = 2 * index * machine.section_size
    return event(
        count=n, listed=[base + int(rows.value_bytes[pc]) * int(before["v"][first + 2 * k]) for k in range(n)]
    )


assert SPECIAL_REGISTERS[0] == "vl"
