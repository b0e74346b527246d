"""A vector instruction in flight: how it enters, what it waits for in older ones, and how it leaves."""

from __future__ import annotations

from typing import Any

from isa.declaration import Pattern, Timing
from vecsim.engines.columns import (
    ADDRESS,
    AGE,
    BASE,
    CACHE_FIRST,
    CYCLE,
    DISPATCHED_AT,
    ELEMENTS,
    FIRST,
    FIRST_READY,
    ISSUED_AT,
    LAST_BYTE,
    ORDER_END,
    PORT,
    SLICE,
    SLOT_PC,
    START_CYCLE,
    UNIT,
    WAIT_ELEMENT,
    WAIT_ORDER,
    WAIT_SLICE,
    WAIT_WHOLE,
    WORDS,
)
from vecsim.engines.jit.code import (
    ACCUMULATOR,
    BASE_REGISTER,
    CACHE,
    CHAINING,
    ELEMENT_REGISTER,
    LATE,
    OFFSET,
    PATTERN,
    READS,
    RECORD_BYTES,
    SECTION_SIZE,
    SLICE_REGISTER,
    SLOTS,
    STORE,
    TIMING,
    VALUE_BYTES,
    WHOLE_READS,
    WHOLE_WRITES,
    WIDTH,
    WRITES,
)
from vecsim.engines.jit.code import UNIT as UNIT_OF
from vecsim.engines.jit.functions import function, inline
from vecsim.engines.jit.integers import larger
from vecsim.engines.jit.stepwise.accounts import retire_vector
from vecsim.engines.jit.stepwise.facts import facts_of
from vecsim.engines.jit.stepwise.operands import complete
from vecsim.engines.jit.stepwise.places import (
    ADDED,
    BLOCKED,
    ELEMENT_WAITS,
    FLYING,
    LEFT_FLIGHT,
    ORDER,
    PROGRESS,
    READ,
    SLICE_WAITS,
    SLOT_COLUMNS,
    TIMELINE,
    WHOLE_READ,
    WHOLE_WRITTEN,
    WRITTEN,
)
from vecsim.engines.jit.stepwise.rows import write_vector_row
from vecsim.engines.jit.views import record_of, scratch_of, state_of
from vecsim.engines.record import WAITS

ACCESS, CONTIGUOUS = int(Timing.ACCESS), int(Pattern.CONTIGUOUS)


@inline
def _set_of(code: Any, at: Any) -> Any:
    """The registers of a list as bits."""
    bits = 0
    for j in range(code[at]):
        bits |= 1 << code[at + 1 + j]
    return bits


@function
def list_slot(w: Any, slot: Any) -> None:
    """List the registers of a slot, and count what it waits for by its row of ``depends``."""
    r, scratch = record_of(w), scratch_of(w)
    code, machine, work = scratch.program, scratch.machine, scratch.outcome
    i, facts = r.slots[slot * SLOT_COLUMNS + SLOT_PC] * WIDTH, facts_of(machine, slot)
    work[facts + READ] = _set_of(code, i + READS)
    work[facts + WRITTEN] = _set_of(code, i + WRITES)
    work[facts + WHOLE_READ] = _set_of(code, i + WHOLE_READS)
    work[facts + WHOLE_WRITTEN] = _set_of(code, i + WHOLE_WRITES)
    work[facts + ADDED] = 1 << code[i + ACCUMULATOR] if code[i + ACCUMULATOR] >= 0 else 0
    work[facts + BLOCKED] = work[facts + ELEMENT_WAITS] = work[facts + SLICE_WAITS] = 0
    for k in range(work[FLYING]):
        _count_wait(work, facts, r.depends[slot * machine[SLOTS] + work[ORDER + k]], 1)


@inline
def _count_wait(work: Any, facts: Any, bits: Any, change: Any) -> None:
    """Count a wait for an older slot, or count it no longer."""
    if bits & WAIT_ELEMENT:
        work[facts + ELEMENT_WAITS] += change
    if bits & WAIT_SLICE:
        work[facts + SLICE_WAITS] += change
    if bits & (WAIT_WHOLE | WAIT_ORDER):
        work[facts + BLOCKED] += change


@inline
def list_order(r: Any, work: Any, slots: Any) -> None:
    """List the slots in flight, oldest first."""
    flying = 0
    for slot in range(slots):
        age = r.slots[slot * SLOT_COLUMNS + AGE]
        if age >= 0:
            k = flying
            while k > 0 and r.slots[work[ORDER + k - 1] * SLOT_COLUMNS + AGE] > age:
                work[ORDER + k] = work[ORDER + k - 1]
                k -= 1
            work[ORDER + k] = slot
            flying += 1
    work[FLYING] = flying


@inline
def conflicts(r: Any, code: Any, older: Any, store: Any, first: Any, last: Any) -> Any:
    """Tell whether a younger access must follow what is in slot ``older``.

    Parameters
    ----------
    older
        The slot of the older instruction.
    store
        1 if the younger access is a store, 0 if a load.
    first, last
        Its first byte and the one after its last; ``last`` is -1 if it is not contiguous.
    """
    at = older * SLOT_COLUMNS
    j = r.slots[at + SLOT_PC] * WIDTH
    if code[j + TIMING] != ACCESS or not (store == 1 or code[j + STORE] == 1):
        return False
    if last < 0 or r.slots[at + LAST_BYTE] < 0:
        return True
    return first < r.slots[at + LAST_BYTE] and r.slots[at + ADDRESS] < last


@inline
def _register_waits(work: Any, mine: Any, theirs: Any) -> Any:
    """What an instruction waits for in an older one because of vector registers, by the facts of both."""
    reads, writes = work[mine + READ], work[mine + WRITTEN]
    whole_reads, whole_writes = work[mine + WHOLE_READ], work[mine + WHOLE_WRITTEN]
    read, written, whole_read = work[theirs + READ], work[theirs + WRITTEN], work[theirs + WHOLE_READ]
    whole_written = work[theirs + WHOLE_WRITTEN] | work[theirs + ADDED]
    bits = 0
    if reads & written | writes & (read | written) != 0:
        bits |= WAIT_ELEMENT
    whole = reads & whole_written | writes & (whole_read | whole_written)
    whole |= whole_reads & (written | whole_written)
    whole |= whole_writes & (read | written | whole_read | whole_written)
    whole |= work[mine + ADDED] & (written | work[theirs + WHOLE_WRITTEN] | read | whole_read)
    if whole != 0:
        bits |= WAIT_WHOLE
    return bits


@inline
def _slices(r: Any, slot: Any, s: Any) -> tuple[Any, Any]:
    """First and last slice of the vector cache that an instruction touches; -1, -1 for none."""
    at = slot * SLOT_COLUMNS
    first = r.slots[at + CACHE_FIRST]
    if first >= 0:
        return first // s, (first + r.slots[at + ELEMENTS] - 1) // s
    return r.slots[at + SLICE], r.slots[at + SLICE]


@inline
def _cache_wait(r: Any, code: Any, machine: Any, slot: Any, older: Any) -> Any:
    """What an instruction waits for because of slices that both touch and at least one writes."""
    s = machine[SECTION_SIZE]
    mine, mine_last = _slices(r, slot, s)
    theirs, theirs_last = _slices(r, older, s)
    if mine < 0 or theirs < 0 or mine_last < theirs or theirs_last < mine:
        return 0
    adds = r.slots[slot * SLOT_COLUMNS + SLICE] >= 0
    if adds and r.slots[older * SLOT_COLUMNS + SLICE] >= 0:
        return 0
    i, j = r.slots[slot * SLOT_COLUMNS + SLOT_PC] * WIDTH, r.slots[older * SLOT_COLUMNS + SLOT_PC] * WIDTH
    if code[i + CACHE] == 1 and code[j + CACHE] == 1 and code[i + STORE] == 1 and code[j + STORE] == 1:
        return 0
    return WAIT_SLICE if machine[CHAINING] == 1 else WAIT_WHOLE


@inline
def _follow_older(w: Any, slot: Any) -> None:
    """Note what the new instruction in ``slot`` waits for in each one in flight."""
    r, scratch = record_of(w), scratch_of(w)
    code, machine, work = scratch.program, scratch.machine, scratch.outcome
    at, mine = slot * SLOT_COLUMNS, facts_of(machine, slot)
    i = r.slots[at + SLOT_PC] * WIDTH
    first, last = r.slots[at + ADDRESS], r.slots[at + LAST_BYTE]
    cached = r.slots[at + SLICE] >= 0 or r.slots[at + CACHE_FIRST] >= 0
    for k in range(work[FLYING]):
        older = work[ORDER + k]
        bits = _register_waits(work, mine, facts_of(machine, older))
        if cached:
            bits |= _cache_wait(r, code, machine, slot, older)
        if code[i + TIMING] == ACCESS and conflicts(r, code, older, code[i + STORE], first, last):
            bits |= WAIT_ORDER
        if bits != 0:
            r.depends[slot * machine[SLOTS] + older] = bits
            _count_wait(work, mine, bits, 1)


@inline
def _place_words(w: Any, slot: Any, i: Any, n: Any) -> None:
    """Note the bytes and words of an access of n elements, whose addresses are in the state."""
    m, r, scratch = state_of(w), record_of(w), scratch_of(w)
    code, at = scratch.program, slot * SLOT_COLUMNS
    base = m.x[code[i + BASE_REGISTER]] + code[i + OFFSET]
    r.slots[at + ADDRESS] = base
    if code[i + PATTERN] == CONTIGUOUS:
        end = base + n * code[i + RECORD_BYTES]
        r.slots[at + LAST_BYTE] = end
        r.slots[at + WORDS] = (end - 1 >> 2) - (base >> 2) + 1
    else:
        r.slots[at + WORDS] = n * (code[i + VALUE_BYTES] >> 2)
        words = slot * scratch.machine[SECTION_SIZE]
        for k in range(n):
            r.word_address[words + k] = m.address[k] >> 2


@inline
def enter(w: Any, i: Any, cycle: Any, n: Any, age: Any) -> Any:
    """Give a free slot, filled for n >= 1 elements of the instruction at ``i``, which issues in ``cycle``.

    Parameters
    ----------
    cycle
        The cycle of issue.
    """
    m, r, scratch = state_of(w), record_of(w), scratch_of(w)
    code, machine, work = scratch.program, scratch.machine, scratch.outcome
    slot, row = 0, r.slots
    while row[slot * SLOT_COLUMNS + AGE] >= 0:
        slot += 1
    at = slot * SLOT_COLUMNS
    for j in range(SLOT_COLUMNS):
        row[at + j] = 0
    for j in range(WAITS):
        r.waits[slot * WAITS + j] = 0
    row[at + PORT] = row[at + DISPATCHED_AT] = row[at + BASE] = row[at + START_CYCLE] = -1
    row[at + CYCLE] = row[at + FIRST_READY] = row[at + SLICE] = row[at + CACHE_FIRST] = -1
    row[at + AGE], row[at + SLOT_PC], row[at + UNIT] = age, i // WIDTH, code[i + UNIT_OF]
    row[at + ELEMENTS], row[at + ISSUED_AT] = n, cycle
    row[at + ADDRESS] = row[at + LAST_BYTE] = -1
    if code[i + CACHE] == 1:
        row[at + CACHE_FIRST] = m.x[code[i + ELEMENT_REGISTER]]
    elif code[i + ELEMENT_REGISTER] >= 0:
        row[at + FIRST] = m.x[code[i + ELEMENT_REGISTER]] & (machine[SECTION_SIZE] - 1)
    if code[i + SLICE_REGISTER] >= 0:
        row[at + SLICE] = m.x[code[i + SLICE_REGISTER]]
    if code[i + TIMING] == ACCESS:
        _place_words(w, slot, i, n)
    list_slot(w, slot)
    _follow_older(w, slot)
    work[ORDER + work[FLYING]] = slot
    work[FLYING] += 1
    return slot


@inline
def _complete_scalars(r: Any, code: Any, work: Any, i: Any, result: Any) -> None:
    """Give the scalar registers that come with the last element, but for those that others still write."""
    for j in range(code[i + LATE]):
        register, pending = code[i + LATE + 1 + j], False
        for k in range(work[FLYING]):
            other = r.slots[work[ORDER + k] * SLOT_COLUMNS + SLOT_PC] * WIDTH + LATE
            for at in range(other + 1, other + 1 + code[other]):
                pending = pending or code[at] == register
        if not pending:
            r.scalar_ready[register] = result


@inline
def _release(r: Any, machine: Any, work: Any, slot: Any, position: Any, last: Any) -> None:
    """Let those at ``position`` and after it wait no longer for ``slot``, and it for none before."""
    slots = machine[SLOTS]
    for k in range(position, work[FLYING]):
        i = work[ORDER + k]
        bits = r.depends[i * slots + slot]
        if bits != 0:
            r.depends[i * slots + slot] = 0
            _count_wait(work, facts_of(machine, i), bits, -1)
            if bits & WAIT_ORDER:
                at = i * SLOT_COLUMNS + ORDER_END
                r.slots[at] = larger(r.slots[at], last + 1)
    for k in range(position):
        r.depends[slot * slots + work[ORDER + k]] = 0


@function
def leave(w: Any, slot: Any, last: Any, result: Any, retire: Any) -> None:
    """Take ``slot`` out of flight: its last element starts in ``last``.

    ``result`` is the cycle from which its late results are ready.
    """
    r, scratch = record_of(w), scratch_of(w)
    code, machine, work = scratch.program, scratch.machine, scratch.outcome
    i = r.slots[slot * SLOT_COLUMNS + SLOT_PC] * WIDTH
    complete(r, code, i, machine[SECTION_SIZE], last, result)
    position = 0
    while work[ORDER + position] != slot:
        position += 1
    work[FLYING] -= 1
    for k in range(position, work[FLYING]):
        work[ORDER + k] = work[ORDER + k + 1]
    _complete_scalars(r, code, work, i, result)
    retire_vector(r, work, slot, position, retire)
    if work[TIMELINE] == 1:
        write_vector_row(w, slot, result, retire)
    _release(r, machine, work, slot, position, last)
    r.slots[slot * SLOT_COLUMNS + AGE] = -1
    work[PROGRESS] |= LEFT_FLIGHT
