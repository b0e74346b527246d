"""What issue and each unit wait for, by the engine's timing rules on a copy of its record."""

from __future__ import annotations

from dataclasses import dataclass

from isa.declaration import Timing, Unit
from isa.state import interpreted
from vecsim.debugger.activity import Activity, activities, started_elements
from vecsim.debugger.position import Position
from vecsim.engines.decoded import scalar_name
from vecsim.engines.interpreted_run import ExtendedRun, InterpretedRun
from vecsim.engines.program_rows import cache_numbers, extension_numbers, machine_numbers, program_rows
from vecsim.engines.recorded.program import RecordedProgram, resolved
from vecsim.engines.rules.addresses import elements, place
from vecsim.engines.rules.issue import earliest_issue, scalars_ready_at, take_element
from vecsim.engines.rules.memory_order import scalar_order_at
from vecsim.engines.rules.numbers import NEVER
from vecsim.engines.rules.queues import room_at
from vecsim.engines.rules.renaming import registers_free_at
from vecsim.engines.state.flight import FOLLOWS_ELEMENT, FOLLOWS_ORDER, FOLLOWS_SLICE, FOLLOWS_WHOLE
from vecsim.engines.state.instruction import Instruction
from vecsim.engines.state.row import objects
from vecsim.engines.user_rules import interpreted_rules, own_arrays
from vecsim.support.suggestions import counted

UNITS = (Unit.MEMORY, Unit.ADD, Unit.MULTIPLY, Unit.SPARSE)
_WORDS = {
    FOLLOWS_ELEMENT: "element by element after",
    FOLLOWS_WHOLE: "a whole register of",
    FOLLOWS_SLICE: "a slice of the vector cache of",
    FOLLOWS_ORDER: "memory order after",
}


@dataclass(frozen=True)
class UnitState:
    """A unit, or a memory port.

    Attributes
    ----------
    name
        ``add``, ``port 0``.
    activity
        The instruction that it works on or that it waits with, None if it is free.
    text
        What that is at.
    queued
        The ages of the instructions in the queue before it; all ports have one queue.
    """

    name: str
    activity: Activity | None
    text: str
    queued: tuple[int, ...]


def arrays_of(position: Position) -> InterpretedRun:
    """Return what the rules take as ``r``: a copy of everything at a position."""
    state, record = position.arrays()
    program, machine = position.program, position.machine
    numbers = machine_numbers(machine, record, len(program), len(state.memory))
    own = own_arrays(machine)
    r = (ExtendedRun if own else InterpretedRun)(
        objects(Instruction, program_rows(resolved(program, machine), machine)),
        numbers,
        cache_numbers(machine),
        extension_numbers(machine).tolist(),
        interpreted(state),
        record,
        own,
    )
    interpreted_rules(machine.extensions).list_flight(r)
    return r


def issue_waits(position: Position) -> str:
    """Return what the instruction that issues next waits for; what it does if it waits for nothing."""
    if position.fault:
        return position.fault
    if position.finished:
        return "the program has ended"
    if position.halted:
        return "halt has issued: waits for what is in flight"
    r, cycle = arrays_of(position), position.cycle
    pc = r.control.pc
    if not 0 <= pc < len(position.program):
        return f"instruction {pc} is outside the program"
    instruction = r.program[pc]
    return _scalar_wait(r, instruction, cycle) or _order_wait(r, cycle) or _vector_wait(r, instruction, cycle)


def _scalar_wait(r: InterpretedRun, instruction: Instruction, cycle: int) -> str:
    if scalars_ready_at(r, instruction) <= cycle:
        return ""
    for register in instruction.awaited:
        ready = r.scalars[register].ready_at
        if ready > cycle:
            when = "with a vector result in flight" if ready >= NEVER else f"in cycle {ready}"
            return f"waits for {scalar_name(register)}, which is ready {when}"
    return ""


def _order_wait(r: InterpretedRun, cycle: int) -> str:
    earliest = earliest_issue(r)
    if earliest <= cycle:
        return ""
    return f"waits until cycle {earliest}: a branch was taken"


def _vector_wait(r: InterpretedRun, instruction: Instruction, cycle: int) -> str:
    unit, timing = instruction.unit, instruction.timing
    n = elements(r, instruction) if unit > 0 else 0
    if registers_free_at(r, instruction, max(n, 0)) > cycle:
        return "waits for a free physical register"
    if unit > 0 and n > 0 and room_at(r, unit) > cycle:
        return f"waits for room in the queue of {Unit(unit).name.lower()}"
    if timing == Timing.EXTRACT and take_element(r, instruction, cycle) > cycle:
        return "waits for an element of a vector register"
    if timing in (Timing.SCALAR_LOAD, Timing.SCALAR_STORE) and place(r, instruction, 1):
        order = scalar_order_at(r, instruction, cycle)
        if order > cycle:
            return "waits for older accesses" + ("" if order >= NEVER else f", until cycle {order}")
    return "issues in this cycle"


def unit_states(position: Position) -> list[UnitState]:
    """Return what every unit and every memory port is at, ports first."""
    shown = activities(position)
    results = []
    for unit in UNITS:
        here = [each for each in shown if each.unit == unit and each.elements and each.retired is None]
        queued = tuple(each.age for each in here if each.dispatched is None)
        ports = range(position.machine.ports) if unit == Unit.MEMORY else [-1]
        for port in ports:
            at_work = [each for each in here if each.dispatched is not None and each.port in (port, -1)]
            name = f"port {port}" if unit == Unit.MEMORY else unit.name.lower()
            first = at_work[0] if at_work else None
            text = "free" if first is None else what_it_does(first, position)
            if len(at_work) > 1:
                text += f"; after it {', '.join(f'#{each.age}' for each in at_work[1:])}"
            results.append(UnitState(name, first, text, queued))
            queued = ()
    return results


def what_it_does(activity: Activity, position: Position) -> str:
    """Return what an instruction in flight works on or waits for."""
    followed = _followed(activity.age, position)
    done = started_elements(activity, position)
    if activity.phase == "works":
        if done is None:
            return f"works on {counted(activity.elements, 'element')}"
        return f"element {done} of {activity.elements}" + (f"; {followed}" if followed else "")
    startup = position.machine.startup
    if activity.unit == Unit.MEMORY and activity.dispatched is not None:
        if position.cycle < activity.dispatched + startup:
            return f"startup until cycle {activity.dispatched + startup}"
        awaited = followed or _awaited(activity, position) or "for banks, or the access before it"
        return f"waits: {awaited}"
    return f"waits: {followed or _awaited(activity, position) or 'for its turn'}"


def _awaited(activity: Activity, position: Position) -> str:
    """Return which registers that it reads are not complete."""
    timing, program = position.snapshot.timing, position.program
    results = []
    if isinstance(program, RecordedProgram):
        row = program.rows[activity.pc]
        read = [*row.reads, *row.whole_reads]
    else:
        operands = program.instruction(activity.pc).operands
        fields = zip(operands, program.fields[activity.pc].tolist(), strict=False)
        read = [field for operand, field in fields if operand.kind == "v" and operand.read]
    for register in read:
        ready = int(timing["vectors"]["ready_at"][timing["names"][register]])
        if position.cycle < ready < NEVER:
            results.append(f"v{register}, whole in cycle {ready}")
    return " and ".join(dict.fromkeys(results))


def _followed(age: int, position: Position) -> str:
    """Return which older instructions one in flight waits for."""
    slot = position.slots.get(age)
    if slot is None:
        return ""
    depends = position.snapshot.timing["depends"][slot]
    ages = position.snapshot.timing["slots"]["age"]
    results = []
    for older in position.slots.values():
        for bit, words in _WORDS.items():
            if depends[older] & bit and ages[older] < age:
                results.append(f"{words} #{ages[older]}")
    return ", ".join(results)
