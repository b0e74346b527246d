"""In-order issue (docs/timing.md, "Issue").

The scalar side is timed here to its end; a vector instruction goes into the queue of its unit. Values are
computed when an instruction issues, so no value depends on time.
"""

from __future__ import annotations

from collections.abc import Callable

from isa.declaration import Timing, Unit
from vecsim.engines.rules.accounts import book_wait, count_execution, issue_cause, retire_at_issue
from vecsim.engines.rules.addresses import base_address, elements, place, slice_exists
from vecsim.engines.rules.caches import scalar_passes
from vecsim.engines.rules.flight import enter
from vecsim.engines.rules.memory_order import scalar_order_at
from vecsim.engines.rules.numbers import NEVER, larger
from vecsim.engines.rules.operands import raise_all, whole_register
from vecsim.engines.rules.queues import put, room_at
from vecsim.engines.rules.renaming import (
    ancestors,
    instruction_of,
    is_renamed,
    note_retirement,
    note_writer,
    registers_free_at,
    renames_vectors,
    take_scalars,
    writes_any,
)
from vecsim.engines.rules.timeline import write_scalar_row
from vecsim.engines.rules.units import queue_of, take_turn
from vecsim.engines.state.counters import TAKEN_BRANCHES
from vecsim.engines.state.flight import Slot
from vecsim.engines.state.instruction import Instruction
from vecsim.engines.state.run import Run

BRANCH, SCALAR_LOAD, SCALAR_STORE, HALT, EXTRACT, SPARSE = (
    int(Timing.BRANCH),
    int(Timing.SCALAR_LOAD),
    int(Timing.SCALAR_STORE),
    int(Timing.HALT),
    int(Timing.EXTRACT),
    int(Timing.SPARSE),
)
MEMORY = int(Unit.MEMORY)

Execute = Callable[[Run, Instruction, int], object]
"""``(r, instruction, n)``: computes the values of an instruction on n elements; of a branch, whether it is
taken."""


def scalars_ready_at(r: Run, instruction: Instruction) -> int:
    """Return the cycle from which all scalar registers are ready that are awaited at issue ("Issue").

    NEVER while that is not known.
    """
    ready = 0
    for register in instruction.awaited:
        ready = larger(ready, r.scalars[register].ready_at)
    return ready


def earliest_issue(r: Run) -> int:
    """Return the cycle in which order, width and branches allow the next instruction ("Issue")."""
    full = 1 if r.control.issued >= r.machine.issue_width else 0
    return larger(r.control.fetch_cycle, r.control.issue_cycle + full)


def earliest_issue_of(r: Run, instruction: Instruction) -> int:
    """Return the same for an instruction that may be part of the one before it ("Recorded programs")."""
    return r.control.issue_cycle if instruction.joined == 1 else earliest_issue(r)


def _written_later(r: Run, v: int, element: int, complete: int) -> bool:
    """Return whether an instruction in flight has yet to write an element of vector register v ("Issue").

    Parameters
    ----------
    complete
        The registers, as bits, that must be complete; 0 if the element itself is enough.
    """
    for k in range(r.scratch.in_flight):
        older = r.slots[r.order[k]]
        instruction = instruction_of(r, older)
        whole = instruction.whole_write_set | instruction.added_set
        if whole >> v & 1 or writes_any(r, older, complete):
            return True
        begin, end = older.first + older.element, older.first + older.elements
        if instruction.write_set >> v & 1 and begin <= element < end:
            return True
    return False


def take_element(r: Run, instruction: Instruction, cycle: int) -> int:
    """Return from when the element is ready that an extract reads; take it if that is now ("Issue").

    NEVER while an instruction in flight writes it.
    """
    s, chaining = r.machine.section_size, r.machine.chaining == 1
    v = instruction.reads[0] if chaining else instruction.whole_reads[0]
    element = r.x[instruction.element_register] & (s - 1)
    complete = 0
    if renames_vectors(r):
        v = r.names[v]
        if not chaining or element >= r.vectors[v].written:
            complete = 1 << v | ancestors(r, v)
    if _written_later(r, v, element, complete):
        return NEVER
    register, taken = r.vectors[v], r.taken[v]
    ready = r.ready[v][element] if chaining and complete == 0 else whole_register(register)
    if ready <= cycle:
        if complete == 0:
            taken[element] = larger(taken[element], cycle)
        else:
            raise_all(taken, 0, s, cycle)
        register.taken_at = larger(register.taken_at, cycle)
    return ready


def _count(r: Run, instruction: Instruction, cycle: int) -> int:
    """Count an instruction that issues in ``cycle``; return the cycle of the issue before it ("Issue")."""
    before = r.control.issue_cycle
    if before < cycle:
        r.control.issue_cycle, r.control.issued = cycle, 0
    if instruction.joined == 0:
        r.control.issued += 1
    r.control.count += 1
    return before


def _set_ready(r: Run, instruction: Instruction, n: int, retire: int) -> None:
    """Note when the scalar registers that an instruction writes are ready ("Issue")."""
    for register in instruction.scalar_writes:
        r.scalars[register].ready_at = retire
        note_writer(r, register)
    for register in instruction.late:
        before = 0 if is_renamed(r, register) else r.scalars[register].ready_at
        r.scalars[register].ready_at = NEVER if n > 0 else larger(before, retire)
        note_writer(r, register)


def _depart(r: Run, instruction: Instruction, slot: Slot, cause: int, cycle: int) -> None:
    """Book a vector instruction that issues, and hand it to its unit ("Issue", "Queues and dispatch")."""
    if instruction.timing == SPARSE:
        rows = r.entry_rows[slot.number]
        for k in range(slot.words):
            rows[k] = r.row[k]
    book_wait(r, slot, cause, _count(r, instruction, cycle), cycle)
    put(r, queue_of(r, instruction), slot, cycle)
    take_turn(r, instruction)


def _settle(r: Run, instruction: Instruction, cause: int, cycle: int, retire: int) -> None:
    """Book an instruction that issues and touches no unit ("Issue", "The end")."""
    begin = _count(r, instruction, cycle)
    if r.scratch.timeline > 0:
        write_scalar_row(r, instruction, cause, cycle - begin, cycle, retire)
    retire_at_issue(r, instruction, retire, cause, begin, cycle)
    note_retirement(r, r.control.count - 1, retire)


def take_branch(r: Run, cycle: int) -> None:
    """Let issue go on after a branch that is taken in ``cycle``: it ends its issue group ("Issue")."""
    r.control.fetch_cycle = cycle + 1 + r.machine.branch_penalty
    r.counters[TAKEN_BRANCHES] += 1


def _fail(r: Run, cycle: int) -> int:
    """Note that the instruction at ``pc`` cannot be executed ("Issue")."""
    r.scratch.fault = 1
    return cycle


def make_issue(
    execute_scalar: Execute, is_taken: Execute, execute_vector: Execute
) -> Callable[[Run, int], int]:
    """Return ``step_issue(r, cycle)``, which issues what can issue in a cycle ("Issue").

    It returns the cycle to look again.
    """

    def execute(r: Run, instruction: Instruction, n: int, cycle: int) -> int:
        """Compute the values of an instruction; return the number of the one that follows ("Issue")."""
        following = instruction.following
        if instruction.unit > 0:
            execute_vector(r, instruction, n)
        elif instruction.timing == BRANCH:
            r.address[0] = following
            target = instruction.target
            if target < 0:
                target = r.x[instruction.fields[0]]
            if is_taken(r, instruction, 0):
                following = target
                take_branch(r, cycle)
        else:
            execute_scalar(r, instruction, 1)
            if instruction.timing == HALT:
                r.control.halted = 1
        return following

    def finish_issue(r: Run, instruction: Instruction, n: int, cause: int, cycle: int) -> None:
        """Issue an instruction in this cycle ("Issue")."""
        retire = cycle + 1 if instruction.unit > 0 else cycle + instruction.latency
        take_scalars(r, instruction)
        if r.machine.scalar_level >= 0 and instruction.timing in (SCALAR_LOAD, SCALAR_STORE):
            retire = larger(retire, scalar_passes(r, instruction, r.address[0] >> 2, cycle))
        number = enter(r, instruction, cycle, n).number if n > 0 else -1
        r.control.pc = execute(r, instruction, n, cycle)
        _set_ready(r, instruction, n, retire)
        count_execution(r, instruction, n)
        if n > 0:
            _depart(r, instruction, r.slots[number], cause, cycle)
        else:
            _settle(r, instruction, cause, cycle, retire)

    def step_issue(r: Run, cycle: int) -> int:
        """Issue what can issue in this cycle; return the cycle to look again ("Issue")."""
        r.scratch.awaits_element = 0
        while r.control.halted == 0:
            if r.control.pc < 0 or r.control.pc >= r.machine.instructions:
                return _fail(r, cycle)
            instruction = r.program[r.control.pc]
            unit, timing = instruction.unit, instruction.timing
            ready, earliest = scalars_ready_at(r, instruction), earliest_issue_of(r, instruction)
            if ready > cycle or earliest > cycle:
                return larger(ready, earliest)
            n = operand = room = order = 0
            if unit > 0:
                n = elements(r, instruction)
                if n < 0:
                    return _fail(r, cycle)
            free = registers_free_at(r, instruction, n)
            if free > cycle:
                return free
            if unit > 0:
                if n > 0:
                    room = room_at(r, queue_of(r, instruction))
                    if room > cycle:
                        return room
                    if not (
                        slice_exists(r, instruction)
                        and (instruction.pattern == 0 or place(r, instruction, n))
                    ):
                        return _fail(r, cycle)
                elif instruction.pattern > 0:  # of no element: its base address, as 32 bits with a sign
                    r.address[0] = ((base_address(r, instruction) & 0xFFFFFFFF) ^ 0x80000000) - 0x80000000
            elif timing == EXTRACT:
                operand = take_element(r, instruction, cycle)
                if operand > cycle:
                    r.scratch.awaits_element = 1
                    return operand
            elif timing in (SCALAR_LOAD, SCALAR_STORE):
                if not place(r, instruction, 1):
                    return _fail(r, cycle)
                order = scalar_order_at(r, instruction, cycle)
                if order > cycle:
                    return order
            cause = issue_cause(cycle, earliest, ready, operand, room, order, free, unit == MEMORY)
            finish_issue(r, instruction, n, cause, cycle)
        return NEVER

    return step_issue
