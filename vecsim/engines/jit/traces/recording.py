"""The loop that executes a program without timing it, and records what timing needs to know.

It keeps where it is among the arrays of a run, so that it can go on with more room.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from isa.declaration import Pattern, Timing, Unit
from vecsim.engines.jit.arrays.cells import int32_at, int64_at
from vecsim.engines.jit.arrays.views import run_of
from vecsim.engines.jit.compiler.functions import inline, larger, smaller
from vecsim.engines.jit.interface import FINISHED, FULL, GOING, TROUBLE
from vecsim.engines.jit.rules import compiled_rule
from vecsim.engines.jit.semantics import Semantics
from vecsim.engines.jit.traces import naming, noting
from vecsim.engines.rules import addresses, memory_order
from vecsim.engines.state.row import NONE
from vecsim.engines.trace_timing import events

SCALAR_LOAD, SCALAR_STORE = int(Timing.SCALAR_LOAD), int(Timing.SCALAR_STORE)
BRANCH, EXTRACT, HALT, SPARSE, ACCESS = (
    int(Timing.BRANCH),
    int(Timing.EXTRACT),
    int(Timing.HALT),
    int(Timing.SPARSE),
    int(Timing.ACCESS),
)
WORD = 4
SCALAR, MEMORY, CONTIGUOUS = int(Unit.SCALAR), int(Unit.MEMORY), int(Pattern.CONTIGUOUS)
POSITION, IS_NOTED, IS_NAMED, NUMBER_IN_UNIT = range(4)
MOST_ADDRESS = 1 << 40
"""Later than any address."""
MOST_NAMED = 128
"""Words around the event of an instruction whose registers are renamed, at most."""
REMEMBERED = 64
"""Accesses that a scalar one may have to follow, at most."""
RANGES = NUMBER_IN_UNIT + len(Unit)
PROGRESS = RANGES + 3 * REMEMBERED
"""The progress of a recording: words so far, 1 if it is noted what the words of accesses do
(:mod:`vecsim.engines.trace_timing.notes`), 1 if registers are renamed, vector instructions so far by unit,
and of the latest accesses whether it is a store, the first byte, and the one after the last."""
elements, place = compiled_rule(addresses.elements), compiled_rule(addresses.place)
slice_exists, base_address = compiled_rule(addresses.slice_exists), compiled_rule(addresses.base_address)
contiguous_bytes = compiled_rule(addresses.contiguous_bytes)
must_follow = compiled_rule(memory_order.must_follow)
note_before, note_after = compiled_rule(naming.note_before), compiled_rule(naming.note_after)
note_access, most_notes = compiled_rule(noting.note_access), compiled_rule(noting.most_notes)


@inline
def _number_in_unit(progress: Any, unit: Any) -> Any:
    """The number of an instruction among those of its unit; count it."""
    number = progress[NUMBER_IN_UNIT + unit]
    progress[NUMBER_IN_UNIT + unit] = number + 1
    return number


@inline
def _followed(progress: Any, store: Any, first: Any, end: Any) -> Any:
    """The number of the youngest access that a scalar access must follow; NONE for none."""
    count = progress[NUMBER_IN_UNIT + MEMORY]
    for k in range(smaller(count, REMEMBERED)):
        at = RANGES + 3 * ((count - 1 - k) % REMEMBERED)
        if must_follow(store, first, end, progress[at], progress[at + 1], progress[at + 2]):
            return count - 1 - k
    return NONE


@inline
def _record_access(r: Any, instruction: Any, n: Any, out: Any, at: Any, progress: Any) -> Any:
    """Write what follows the first word of an access; return how many words, and its kind."""
    base = r.address[0]
    number = _number_in_unit(progress, MEMORY)
    place = RANGES + 3 * (number % REMEMBERED)
    out[at + 1], out[at + 2] = n, number
    progress[place], progress[place + 1], progress[place + 2] = instruction.store, base, NONE
    if instruction.pattern == CONTIGUOUS:
        count = contiguous_bytes(r, instruction, n)
        progress[place + 2] = base + count
        out[at + 3], out[at + 4] = base, count
        if instruction.cache != 1:
            return 5, events.CONTIGUOUS
        out[at + 5] = r.x[instruction.element_register]
        return 6, events.SLICES
    lowest, highest = MOST_ADDRESS, 0
    for k in range(n):
        masked_off = instruction.masked == 1 and r.mask[k] == 0
        out[at + 3 + k] = NONE if masked_off else r.address[k] >> 2
        if not masked_off:
            lowest, highest = smaller(lowest, r.address[k]), larger(highest, r.address[k])
    if r.machine.disambiguation > 0:
        progress[place + 1], progress[place + 2] = lowest, highest + instruction.value_bytes
    return 3 + n, events.WORDWISE


@inline
def _room_of(r: Any, instruction: Any, n: Any, noted: Any) -> Any:
    """How many words the event of a vector instruction takes, at most, with its notes."""
    room = 2 * MOST_NAMED + 16 + 2 * n
    if noted == 1 and instruction.timing == ACCESS:
        room += (n * larger(instruction.record_bytes, 2 * WORD) // WORD + 2) * most_notes(r)
    return room


@inline
def _record_mask(r: Any, n: Any, out: Any, at: Any) -> Any:
    """Write which of n elements are not masked off; return how many words."""
    words = (n + 31) // 32
    for j in range(words):
        bits = 0
        for k in range(32 * j, smaller(32 * j + 32, n)):
            if r.mask[k] != 0:
                bits |= 1 << (k - 32 * j)
        out[at + j] = bits
    return words


@inline
def _record_rows(r: Any, n: Any, out: Any, at: Any) -> None:
    """Write how far before each entry the one before in its row is."""
    for k in range(n):
        distance, back = events.FAR, 1
        while back <= k and distance == events.FAR:
            if r.row[k - back] == r.row[k]:
                distance = back
            back += 1
        out[at + k] = 0 if r.row[k] < 0 else distance


def make_recording_loop(semantics: Semantics) -> Callable[..., int]:
    """Return the plain function that executes and records, to be compiled.

    ``record(table, progress, events, capacity)``: the address of the table of addresses, and those of
    :data:`PROGRESS` 64-bit integers and of ``capacity`` 32-bit words. It returns FINISHED, TROUBLE at an
    instruction that cannot be executed, or FULL.
    """
    execute_scalar, is_taken, execute_vector = semantics

    @inline
    def vector(r: Any, instruction: Any, out: Any, at: Any, progress: Any, room: Any) -> Any:
        """Execute and record a vector instruction; return how many words.

        0 if it cannot be executed, -1 if it does not fit into ``room`` words.
        """
        n, number, unit = elements(r, instruction), instruction.number, instruction.unit
        if n < 0 or (n > 0 and not slice_exists(r, instruction)):
            return 0
        if _room_of(r, instruction, n, progress[IS_NOTED]) > room:
            return -1
        if instruction.pattern > 0 and n > 0 and not place(r, instruction, n):
            return 0
        begin = at
        if progress[IS_NAMED] == 1:
            at = note_before(r, instruction, n, out, at)
        if n == 0:
            execute_vector(r, instruction, 0)
            out[at] = events.KINDS * number + events.EMPTY
            at += 1
            if progress[IS_NAMED] == 1:
                at = note_after(r, instruction, n, out, at)
            return at - begin
        kind, words = events.ARITHMETIC, 4
        if instruction.timing == ACCESS:
            words, kind = _record_access(r, instruction, n, out, at, progress)
        else:
            out[at + 1], out[at + 2], out[at + 3] = n, _number_in_unit(progress, unit), NONE
            if instruction.slice_register >= 0:
                out[at + 3] = r.x[instruction.slice_register]
            if instruction.element_register >= 0:
                kind = events.ONE
                out[at + 1] = r.x[instruction.element_register] & (r.section - 1)
        if instruction.masked == 1 and kind != events.WORDWISE:
            words += _record_mask(r, n, out, at + words)
        if instruction.timing == ACCESS and progress[IS_NOTED] == 1:
            words = note_access(r, instruction, n, out, at + words) - at
        execute_vector(r, instruction, n)
        if instruction.timing == SPARSE:
            kind, words = events.SPARSE, 4 + n
            _record_rows(r, n, out, at + 4)
        out[at] = events.KINDS * number + kind
        at += words
        if progress[IS_NAMED] == 1:
            at = note_after(r, instruction, n, out, at)
        return at - begin

    @inline
    def scalar(r: Any, instruction: Any, out: Any, at: Any, progress: Any) -> Any:
        """Execute and record a scalar instruction but a branch; the same."""
        timing, kind = instruction.timing, events.PLAIN
        if timing in (SCALAR_LOAD, SCALAR_STORE):
            first = r.x[instruction.base_register] + instruction.offset
            end = first + instruction.record_bytes
            if first < 0 or end > r.machine.memory_bytes:
                return 0
            r.address[0] = first
            followed = _followed(progress, instruction.store, first, end)
            if followed >= 0:
                kind, out[at + 1] = events.ORDERED, followed
        elif timing == EXTRACT:
            kind, out[at + 1] = events.EXTRACT, r.x[instruction.element_register] & (r.section - 1)
        execute_scalar(r, instruction, 1)
        out[at] = events.KINDS * instruction.number + kind
        return 1 if kind == events.PLAIN else 2

    @inline
    def branch(r: Any, instruction: Any, out: Any, at: Any) -> Any:
        """Execute and record a branch; return the number of the next instruction."""
        r.address[0] = instruction.following
        target = instruction.target
        leads_to = r.x[instruction.fields[0]] if target == NONE else target
        taken = 1 if is_taken(r, instruction, 0) else 0
        out[at] = events.KINDS * instruction.number + (events.TAKEN if taken == 1 else events.PLAIN)
        return leads_to if taken == 1 else instruction.following

    def record(table: Any, progress_at: Any, events_at: Any, capacity: Any) -> Any:
        r, progress, out = run_of(int64_at(table)), int64_at(progress_at), int32_at(events_at)
        at, pc, status = progress[POSITION], r.control.pc, GOING
        most = 2 * MOST_NAMED
        while status == GOING:
            if pc < 0 or pc >= r.machine.instructions:
                status = TROUBLE
            elif at + most > capacity:
                status = FULL
            else:
                instruction = r.program[pc]
                named = progress[IS_NAMED] == 1 and instruction.unit == SCALAR
                if named:
                    at = note_before(r, instruction, 0, out, at)
                if instruction.timing == BRANCH:
                    pc = branch(r, instruction, out, at)
                    at += 1
                else:
                    if instruction.unit != SCALAR:
                        words = vector(r, instruction, out, at, progress, capacity - at)
                    else:
                        words = scalar(r, instruction, out, at, progress)
                    at += larger(words, 0)
                    if words <= 0:
                        status = TROUBLE if words == 0 else FULL
                    elif instruction.timing == HALT:
                        status = FINISHED
                    else:
                        pc = instruction.following
                if named:
                    at = note_after(r, instruction, 0, out, at)
        if status == FINISHED:
            out[at] = events.END
            at += 1
        progress[POSITION] = at
        r.control.pc = pc
        return status

    return record
