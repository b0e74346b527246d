"""What is noted of renamed registers (:mod:`vecsim.engines.trace_timing.events`), by the timing rules.

The rules of renaming give an instruction its physical registers. No time is known here. ``out`` are the
integers that are written, ``at`` is where the next goes; each function returns where the one after that goes.
"""

from __future__ import annotations

from typing import Any

from isa.declaration import Timing
from vecsim.engines.jit.compiler.functions import apart
from vecsim.engines.rules.renaming import (
    ONE,
    name_registers,
    registers_taken,
    renames_vectors,
    spare_registers,
    take_scalars,
)
from vecsim.engines.state.registers import KINDS
from vecsim.engines.trace_timing import events

EXTRACT = int(Timing.EXTRACT)


def _place(r: Any, kind: Any, ahead: Any) -> Any:
    """Return the place of the displacement of a kind that is ``ahead`` after the next, or before it."""
    number, count, before = r.next_free[kind] + ahead, spare_registers(r, kind), 0
    for other in range(kind):
        if takes_any(r, other):
            before += spare_registers(r, other)
    return before + number % count


def takes_any(r: Any, kind: Any) -> Any:
    """Return whether registers of a kind are renamed."""
    return r.machine.physical_vector_registers > 0 if kind == 0 else r.machine.physical_scalar_registers > 0


@apart
def note_before(r: Any, instruction: Any, n: Any, out: Any, at: Any) -> Any:
    """Note what an instruction waits for, give it physical registers, and name them.

    Parameters
    ----------
    n
        Its elements; 0 of one that is not a vector instruction.
    out, at
        The integers that are written, and where the next goes.
    """
    for kind in range(KINDS):
        count = registers_taken(r, instruction, kind, n)
        if count > 0:
            out[at] = _place(r, kind, count - 1) * events.KINDS + events.FREE
            at += 1
    take_scalars(r, instruction)
    if not renames_vectors(r) or (n == 0 and instruction.timing != EXTRACT):
        return at
    slot = r.slots[0]
    slot.number, slot.elements, slot.first = 0, n, 0
    if instruction.element_register >= 0 and instruction.cache != 1:
        slot.first = r.x[instruction.element_register] & (r.machine.section_size - 1)
    if instruction.timing == EXTRACT:
        slot.elements = 1
    name_registers(r, slot, instruction)
    return _note_names(r.renamed[0], instruction.number, out, at)


def _note_names(named: Any, number: Any, out: Any, at: Any) -> Any:
    """Note the row of instruction ``number`` with the registers that a copy of it names."""
    out[at] = events.NAMED
    row, static = at + 1, 1 + number * events.ROW
    for k in range(events.ROW):
        out[row + k] = out[static + k]
    waits = len(named.whole_reads) + len(named.whole_writes) + len(named.accumulators) + len(named.late)
    out[row + events.WAITS] = 1 if waits > 0 else 0
    _note_list(named.reads, out, row + events.READS)
    _note_list(named.writes, out, row + events.WRITES)
    _note_list(named.whole_reads, out, row + events.WHOLE_READS)
    _note_list(named.whole_writes, out, row + events.WHOLE_WRITES)
    _note_list(named.accumulators, out, row + events.ACCUMULATORS)
    return row + events.ROW


def _note_list(registers: Any, out: Any, at: Any) -> None:
    """Note a list of registers."""
    out[at] = len(registers)
    k = at + 1
    for v in registers:
        out[k] = v
        k += 1


@apart
def note_after(r: Any, instruction: Any, n: Any, out: Any, at: Any) -> Any:
    """Note what an instruction displaces, and which registers keep elements.

    Parameters
    ----------
    n
        As of :func:`note_before`.
    out, at
        The integers that are written, and where the next goes.
    """
    begin, displaced = at, 0
    at += 1
    for kind in range(KINDS):
        count = registers_taken(r, instruction, kind, n)
        for k in range(count):
            out[at] = _place(r, kind, k - count)
            at += 1
        displaced += count
    kept = at
    at += 1
    if n > 0 and renames_vectors(r) and instruction.length != ONE:
        for v in instruction.writes:
            at = _note_kept(r, v, out, at)
        for v in instruction.whole_writes:
            at = _note_kept(r, v, out, at)
    if displaced == 0:
        return begin
    out[begin], out[kept] = displaced * events.KINDS + events.AFTER, (at - kept - 1) >> 1
    return at


def _note_kept(r: Any, v: Any, out: Any, at: Any) -> Any:
    """Note from which register that of vector register v keeps elements, if it does."""
    if v == r.machine.vector_registers:
        return at
    older = r.vectors[r.names[v]].older
    if older < 0:
        return at
    out[at], out[at + 1] = r.names[v], older
    return at + 2
