"""When elements of vector registers are ready and taken: schedules and bounds.

An instruction whose elements pass in cycles c[0], c[1], ... makes what it writes ready at c[k] + latency, and
what it reads taken at c[k]. Instead of writing these for every register and element, the cycles are kept as a
*schedule*, and a register has the number of the schedule, what is added to its cycles and how many elements
it holds for. A consumer that follows a producer element by element then passes in the producer's own
schedule, which is found without looking at an element. Regular patterns (k // words per cycle, k // lanes)
are schedules that never change.

What a register's schedule covers replaces what the record holds: ``ready`` of the record is older, and
``taken`` counts in addition. :func:`write_schedules` writes both into the record.

What a whole operand does to all elements of a register is kept as one number a register, a lower bound of the
cycles of its elements (``ready_bound`` and ``taken_bound``), until :func:`write_registers` writes it into the
record. See docs/timing.md, "Chaining" and "WAR and WAW hazards".
"""

from __future__ import annotations

from typing import Any

from vecsim.engines.decoded import WIDTHS
from vecsim.engines.jit.compiler.functions import function, inline, larger, raised
from vecsim.engines.jit.rules import compiled_rule
from vecsim.engines.jit.state import FIRST_FREE, FREE
from vecsim.engines.rules import operands
from vecsim.engines.state.row import NONE

READ, WRITTEN = WIDTHS["reads"], WIDTHS["writes"]
"""Registers that an instruction reads and writes element by element, at most; NONE stands for the others."""
free_to_overwrite = compiled_rule(operands.free_to_overwrite)


@inline
def ready_at(r: Any, v: Any, element: Any) -> Any:
    """From when an element of register v is ready."""
    cycle, own = r.ready[v][element], r.scheduled[v]
    if own.ready_schedule >= 0 and element < own.ready_count:
        cycle = r.schedules[own.ready_schedule][element] + own.ready_add
    return larger(cycle, own.ready_bound)


@inline
def taken_at(r: Any, v: Any, element: Any) -> Any:
    """When an element of register v is last taken."""
    own = r.scheduled[v]
    cycle = larger(r.taken[v][element], own.taken_bound)
    if own.taken_schedule >= 0 and element < own.taken_count:
        cycle = larger(cycle, r.schedules[own.taken_schedule][element] + own.taken_add)
    return cycle


@inline
def element_free_at(r: Any, v: Any, element: Any) -> Any:
    """From when an element of register v may be overwritten (WAR, WAW)."""
    return larger(ready_at(r, v, element), taken_at(r, v, element) + 1)


@function
def write_ready_schedule(r: Any, v: Any) -> None:
    """Write into the record from when the elements of register v are ready."""
    own = r.scheduled[v]
    if own.ready_schedule >= 0:
        add, ready, cycles = own.ready_add, r.ready[v], r.schedules[own.ready_schedule]
        for k in range(own.ready_count):
            ready[k] = cycles[k] + add
        own.ready_schedule = NONE


@function
def write_taken_schedule(r: Any, v: Any) -> None:
    """Write into the record when the elements of register v are taken."""
    own = r.scheduled[v]
    if own.taken_schedule >= 0:
        add, taken, cycles = own.taken_add, r.taken[v], r.schedules[own.taken_schedule]
        for k in range(own.taken_count):
            taken[k] = raised(taken[k], cycles[k] + add)
        own.taken_schedule = NONE


@function
def write_schedules(r: Any, v: Any) -> None:
    """Write both into the record."""
    write_ready_schedule(r, v)
    write_taken_schedule(r, v)


@function
def write_registers(r: Any) -> None:
    """Write the schedules and the lower bounds of all registers into the record, and start with none."""
    for v in range(r.machine.registers):
        write_schedules(r, v)
        own, ready, taken = r.scheduled[v], r.ready[v], r.taken[v]
        for k in range(r.machine.section_size):
            ready[k] = raised(ready[k], own.ready_bound)
            taken[k] = raised(taken[k], own.taken_bound)
        own.ready_bound, own.taken_bound = 0, -1


@function
def _write_old_schedules(r: Any) -> None:
    """Write the schedules of the older half into the record."""
    oldest = r.outcome.schedules_made - FREE // 2
    for v in range(r.machine.registers):
        schedule = r.scheduled[v].ready_schedule
        if schedule >= FIRST_FREE and r.serial[schedule] <= oldest:
            write_ready_schedule(r, v)
        schedule = r.scheduled[v].taken_schedule
        if schedule >= FIRST_FREE and r.serial[schedule] <= oldest:
            write_taken_schedule(r, v)


@inline
def new_schedule(r: Any, pace: Any) -> Any:
    """Return a schedule to fill, with at most ``pace`` elements in a cycle."""
    built = r.outcome.schedules_made + 1
    r.outcome.schedules_made = built
    if built & (FREE // 2 - 1) == 0:
        _write_old_schedules(r)
    schedule = FIRST_FREE + (built & (FREE - 1))
    r.serial[schedule] = built
    r.pace[schedule] = pace
    return schedule


@inline
def take(r: Any, v: Any, schedule: Any, add: Any, n: Any) -> None:
    """Note that n elements of register v are taken in the cycles of a schedule, each later by ``add``."""
    own = r.scheduled[v]
    old = own.taken_schedule
    if old >= 0:
        covered = (own.taken_count <= n) & (own.taken_add <= add)
        if old != schedule or not covered:
            write_taken_schedule(r, v)
    own.taken_schedule, own.taken_add, own.taken_count = schedule, add, n


@inline
def give(r: Any, v: Any, schedule: Any, add: Any, n: Any) -> None:
    """Note that n elements of register v are ready from the cycles of a schedule on, each later by ``add``.

    They were written after all that took them before, so nobody need know of that any more; nor of what came
    about later elements before the cycle in which issue is.
    """
    now, own = r.outcome.before, r.scheduled[v]
    if own.ready_schedule >= 0 and own.ready_count > n and r.vectors[v].ready_at > now:
        write_ready_schedule(r, v)
    if own.taken_schedule >= 0:
        if own.taken_count > n and r.vectors[v].taken_at >= now:
            write_taken_schedule(r, v)
        own.taken_schedule = NONE
    own.ready_schedule, own.ready_add, own.ready_count = schedule, add, n


@inline
def cycles_in(r: Any, schedule: Any, n: Any) -> Any:
    """In how many cycles the first n elements of a schedule pass."""
    if r.pace[schedule] == 1:
        return n
    passed, cycles = r.schedules[schedule], 1
    for k in range(1, n):
        cycles += passed[k] != passed[k - 1]
    return cycles


@function
def catch_up(r: Any, n: Any, rate: Any, schedule: Any, add: Any, bound: Any, cycle: Any) -> Any:
    """Make the schedule of n elements that start from ``cycle`` on, ``rate`` a cycle, each with its operand.

    In ``outcome`` is left in how many cycles elements start, and how many they wait.

    Parameters
    ----------
    rate
        The most elements that start in a cycle.
    schedule, add
        In whose cycles, and how much later, their operands are ready.
    bound
        The cycle before which no operand is ready.
    cycle
        The first cycle in which an element may start.
    """
    built = new_schedule(r, rate)
    cycles, operand = r.schedules[built], r.schedules[schedule]
    before, in_cycle, busy, waited = cycle, 0, 0, 0
    for k in range(n):
        free = before + 1 if in_cycle == rate else before
        now = larger(free, larger(operand[k] + add, bound))
        waited += now - free
        if now > before or in_cycle == 0:
            busy, in_cycle = busy + 1, 0
        in_cycle += 1
        before = now
        cycles[k] = now
    r.outcome.busy, r.outcome.waited = busy, waited
    return built


@inline
def whole_operand(r: Any, instruction: Any, slice_: Any) -> Any:
    """From when all is ready that must be complete before the first element."""
    cycle = 0
    for v in instruction.whole_reads:
        cycle = larger(cycle, r.vectors[v].ready_at)
    for v in instruction.accumulators:
        cycle = larger(cycle, r.vectors[v].ready_without_sums)
    if slice_ >= 0:
        cycle = larger(cycle, r.slices[slice_].ready_without_sums)
    return cycle


whole_hazard = compiled_rule(operands.whole_hazard)
"""From when what is written as a whole may be overwritten (WAR, WAW)."""


@inline
def free_at(r: Any, v: Any) -> Any:
    """From when every element of register v may be overwritten (WAR, WAW)."""
    return free_to_overwrite(r.vectors[v], 0)


@inline
def operand_clear(r: Any, instruction: Any) -> Any:
    """From when every element is ready of what is read element by element."""
    cycle = 0
    for k in range(READ):
        v = instruction.reads[k]
        if v >= 0:
            cycle = larger(cycle, r.vectors[v].ready_at)
    return cycle


@inline
def hazard_clear(r: Any, instruction: Any) -> Any:
    """From when every element of what is written element by element may be overwritten (WAR, WAW)."""
    cycle = 0
    for k in range(WRITTEN):
        v = instruction.writes[k]
        if v >= 0:
            cycle = larger(cycle, free_at(r, v))
    return cycle


@inline
def element_operand(r: Any, instruction: Any, element: Any) -> Any:
    """From when all that an element reads is ready (RAW)."""
    cycle = 0
    for k in range(READ):
        v = instruction.reads[k]
        if v >= 0:
            cycle = larger(cycle, ready_at(r, v, element))
    return cycle


@inline
def element_hazard(r: Any, instruction: Any, element: Any) -> Any:
    """From when an element may be overwritten (WAR, WAW)."""
    cycle = 0
    for k in range(WRITTEN):
        v = instruction.writes[k]
        if v >= 0:
            cycle = larger(cycle, element_free_at(r, v, element))
    return cycle


@inline
def pass_one(r: Any, instruction: Any, element: Any, cycle: Any, ready: Any) -> None:
    """Note that the one element of an instruction passes in ``cycle``; what it writes is ready later.

    Parameters
    ----------
    cycle
        The cycle in which the element starts.
    ready
        The cycle from which its result is ready.
    """
    for k in range(READ):
        v = instruction.reads[k]
        if v >= 0:
            take_one(r, v, element, cycle)
    for k in range(WRITTEN):
        v = instruction.writes[k]
        if v >= 0:
            give_one(r, v, element, ready)


@inline
def take_one(r: Any, v: Any, element: Any, cycle: Any) -> None:
    """Note that an element of register v is taken in ``cycle``."""
    taken = r.taken[v]
    taken[element] = raised(taken[element], cycle)


@inline
def give_one(r: Any, v: Any, element: Any, ready: Any) -> None:
    """Note that an element of register v is ready at ``ready``."""
    if r.scheduled[v].ready_schedule >= 0:
        write_ready_schedule(r, v)
    r.ready[v][element] = ready


@inline
def pass_elements(r: Any, instruction: Any, n: Any, schedule: Any, add: Any, later: Any) -> None:
    """Note that n elements pass in the cycles of a schedule and ``add``, and what they write is ready later.

    Parameters
    ----------
    later
        How many cycles after its start the result of an element is ready.
    """
    for k in range(READ):
        v = instruction.reads[k]
        if v >= 0:
            take(r, v, schedule, add, n)
    for k in range(WRITTEN):
        v = instruction.writes[k]
        if v >= 0:
            give(r, v, schedule, add + later, n)


@inline
def write_operand_schedules(r: Any, instruction: Any) -> None:
    """Write into the record the schedules of the registers that pass element by element."""
    for v in instruction.reads:
        write_schedules(r, v)
    for v in instruction.writes:
        write_schedules(r, v)


@inline
def complete(r: Any, instruction: Any, last: Any, result: Any) -> None:
    """Note what the last element, which starts in ``last``, completes at ``result``."""
    for k in range(READ):
        v = instruction.reads[k]
        if v >= 0:
            take_all(r, v, last)
    for k in range(WRITTEN):
        v = instruction.writes[k]
        if v >= 0:
            complete_result(r, v, result)
    if instruction.plain == 0:
        _complete_whole(r, instruction, last, result)


@inline
def take_all(r: Any, v: Any, last: Any) -> None:
    """Note that elements of register v are taken up to ``last``."""
    register = r.vectors[v]
    register.taken_at = larger(register.taken_at, last)


@inline
def complete_result(r: Any, v: Any, result: Any) -> None:
    """Note that the last element of register v is ready at ``result``."""
    register = r.vectors[v]
    register.ready_at = larger(register.ready_at, result)
    register.ready_without_sums = larger(register.ready_without_sums, result)


@inline
def _complete_whole(r: Any, instruction: Any, last: Any, result: Any) -> None:
    for v in instruction.whole_reads:
        r.scheduled[v].taken_bound = larger(r.scheduled[v].taken_bound, last)
        take_all(r, v, last)
    for v in instruction.whole_writes:
        r.scheduled[v].ready_bound = larger(r.scheduled[v].ready_bound, result)
        complete_result(r, v, result)
    for v in instruction.accumulators:
        own, register = r.scheduled[v], r.vectors[v]
        own.ready_bound = larger(own.ready_bound, result)
        register.ready_at = larger(register.ready_at, result)
    for scalar in instruction.late:
        r.scalars[scalar].ready_at = result
