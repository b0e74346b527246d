"""Physical registers (docs/timing.md, "Renaming").

An instruction that enters flight gets a row of its own behind the program, in which physical registers stand
for those that it names. The other rules read it there and hold for physical registers as they do for named
ones: what has been renamed was not read or written before.
"""

from __future__ import annotations

from typing import Any

from isa.declaration import Length
from vecsim.engines.columns import control, flight, instruction, parameter, renaming, work
from vecsim.engines.decoded import FLOAT, SPECIAL
from vecsim.engines.rules.numbers import NEVER, larger
from vecsim.engines.rules.operands import list_end

ONE = int(Length.ONE)
VECTOR, X, F = renaming.VECTOR, renaming.X, renaming.F


def renames_vectors(r: Any) -> Any:
    """Tell whether vector registers are renamed."""
    return r.machine[parameter.PHYSICAL_VECTOR_REGISTERS] > 0


def renames_scalars(r: Any) -> Any:
    """Tell whether the registers x and f are renamed."""
    return r.machine[parameter.PHYSICAL_SCALAR_REGISTERS] > 0


def row_of(r: Any, slot: Any) -> Any:
    """Give where in ``program`` the row begins that names the registers of an instruction in flight."""
    return r.slots[slot * flight.COLUMNS + flight.ROW]


# Free registers


def _spare(r: Any, kind: Any) -> Any:
    """Give how many physical registers of a kind there are beside those that programs name."""
    if kind == VECTOR:
        return r.machine[parameter.PHYSICAL_VECTOR_REGISTERS] - r.machine[parameter.VECTOR_REGISTERS]
    return r.machine[parameter.PHYSICAL_SCALAR_REGISTERS] - FLOAT


def _displaced(r: Any, kind: Any, place: Any) -> Any:
    """Give where in ``displaced`` a register is, the one that is free next at place 0."""
    number = r.next_free[kind] + place
    spare = _spare(r, kind)
    if number >= spare:
        number -= spare
    return (kind * r.machine[parameter.DISPLACED] + number) * renaming.COLUMNS


def _takes_vectors(r: Any, i: Any, column: Any) -> Any:
    """Give how many registers of a list of those written are renamed."""
    count = 0
    if r.program[i + instruction.LENGTH] != ONE:
        for j in range(i + column + 1, i + column + 1 + r.program[i + column]):
            if r.program[j] < r.machine[parameter.VECTOR_REGISTERS]:  # the mask is not
                count += 1
    return count


def _takes_scalars(r: Any, i: Any, column: Any, first: Any, end: Any) -> Any:
    """Give how many registers of a list of those written are numbered from ``first`` to ``end``."""
    count = 0
    for j in range(i + column + 1, i + column + 1 + r.program[i + column]):
        if first <= r.program[j] < end:
            count += 1
    return count


def _takes(r: Any, i: Any, kind: Any, n: Any) -> Any:
    """Give how many free registers of a kind an instruction takes."""
    if kind == VECTOR:
        if n == 0 or not renames_vectors(r):
            return 0
        return _takes_vectors(r, i, instruction.WRITES) + _takes_vectors(r, i, instruction.WHOLE_WRITES)
    if not renames_scalars(r):
        return 0
    first = FLOAT if kind == F else 0
    at_issue = _takes_scalars(r, i, instruction.SCALAR_WRITES, first, first + FLOAT)
    return at_issue + _takes_scalars(r, i, instruction.LATE, first, first + FLOAT)


def registers_free_at(r: Any, i: Any, n: Any) -> Any:
    """Give the cycle from which an instruction finds all the registers free that it takes.

    NEVER while an instruction is in flight that has to retire first.
    """
    cycle = 0
    if not (renames_vectors(r) or renames_scalars(r)):
        return 0
    for kind in range(renaming.KINDS):
        count = _takes(r, i, kind, n)
        if count > 0:
            at = _displaced(r, kind, count - 1)
            age = r.displaced[at + renaming.AGE]
            if r.work[work.FLYING] > 0 and r.slots[r.order[0] * flight.COLUMNS + flight.AGE] <= age:
                return NEVER
            cycle = larger(cycle, r.displaced[at + renaming.COMMIT])
    return cycle


def _take(r: Any, kind: Any, register: Any) -> Any:
    """Give a free register to the instruction that issues; it displaces ``register``."""
    at = _displaced(r, kind, 0)
    taken = r.displaced[at + renaming.REGISTER]
    r.displaced[at + renaming.AGE] = r.control[control.COUNT]
    r.displaced[at + renaming.COMMIT] = r.control[control.LAST_RETIRED]
    r.displaced[at + renaming.REGISTER] = register
    r.next_free[kind] += 1
    if r.next_free[kind] == _spare(r, kind):
        r.next_free[kind] = 0
    return taken


def note_retirement(r: Any, age: Any, retire: Any) -> None:
    """Note that the instruction of an age retires at ``retire``: what it and younger ones displace waits."""
    if not (renames_vectors(r) or renames_scalars(r)):
        return
    for kind in range(renaming.KINDS):
        if renames_vectors(r) if kind == VECTOR else renames_scalars(r):
            place = _spare(r, kind) - 1
            at = _displaced(r, kind, place)
            while place >= 0 and r.displaced[at + renaming.AGE] >= age:
                r.displaced[at + renaming.COMMIT] = larger(r.displaced[at + renaming.COMMIT], retire)
                place -= 1
                at = _displaced(r, kind, place) if place >= 0 else at


# Scalar registers


def take_scalars(r: Any, i: Any) -> None:
    """Rename the scalar registers that the instruction that issues writes."""
    if not renames_scalars(r):
        return
    for kind in range(X, F + 1):
        for _ in range(_takes(r, i, kind, 0)):
            _take(r, kind, 0)


def note_writer(r: Any, register: Any) -> None:
    """Note that the instruction that issues is the youngest that writes a scalar register."""
    if renames_scalars(r):
        r.scalar_writer[register] = r.control[control.COUNT]


def is_renamed(r: Any, register: Any) -> Any:
    """Tell whether a scalar register, by its number among all of them, is renamed."""
    return renames_scalars(r) and register < SPECIAL


# Vector registers


def elements_written(r: Any, v: Any) -> Any:
    """Give how many elements the instruction writes that physical register v was given to."""
    return r.physical[v * renaming.STATES + renaming.WRITTEN]


def ancestors(r: Any, v: Any) -> Any:
    """Give, as bits, the registers of which elements come into physical register v as they were."""
    found, older = 0, r.physical[v * renaming.STATES + renaming.OLDER]
    while older >= 0:
        found |= 1 << older
        older = r.physical[older * renaming.STATES + renaming.OLDER]
    return found


def _rename(r: Any, v: Any, n: Any) -> Any:
    """Give a physical register to an instruction that writes the first n elements of vector register v."""
    old, s = r.names[v], r.machine[parameter.SECTION_SIZE]
    new = _take(r, VECTOR, old)
    at, old_at = new * renaming.STATES, old * renaming.STATES
    younger = r.physical[at + renaming.NEWER]
    if younger >= 0:  # of its life before: what was copied has been there long since
        r.physical[younger * renaming.STATES + renaming.OLDER] = -1
    r.physical[at + renaming.WRITTEN] = n
    r.physical[at + renaming.OLDER] = r.physical[at + renaming.NEWER] = -1
    r.ready_all[new] = r.ready_accumulator[new] = r.ready_behind[new] = 0
    if n < s:
        r.physical[at + renaming.OLDER], r.physical[old_at + renaming.NEWER] = old, new
        r.ready_behind[new] = larger(r.ready_all[old], r.ready_behind[old])
    r.names[v] = new
    return new


def _read_as_whole(r: Any, row: Any, v: Any) -> None:
    """Add a physical register to those that an instruction reads as a whole."""
    at = row + instruction.WHOLE_READS
    r.program[at] += 1
    r.program[at + r.program[at]] = v


def _name_reads(r: Any, row: Any, end: Any) -> None:
    """Name what is read; an element behind what was written makes it a read of the whole register."""
    for j in range(row + instruction.WHOLE_READS + 1, list_end(r, row + instruction.WHOLE_READS)):
        r.program[j] = r.names[r.program[j]]
    kept = row + instruction.READS
    for j in range(row + instruction.READS + 1, list_end(r, row + instruction.READS)):
        v = r.names[r.program[j]]
        if end > elements_written(r, v):
            _read_as_whole(r, row, v)
        else:
            kept += 1
            r.program[kept] = v
    r.program[row + instruction.READS] = kept - row - instruction.READS


def _name_writes(r: Any, row: Any, column: Any, n: Any, end: Any) -> None:
    """Name what is written: in a free register, but for the mask and a single element."""
    single = r.program[row + instruction.LENGTH] == ONE
    for j in range(row + column + 1, list_end(r, row + column)):
        v = r.program[j]
        if single or v == r.machine[parameter.VECTOR_REGISTERS]:
            r.program[j] = r.names[v]
            if end > elements_written(r, r.names[v]):
                _read_as_whole(r, row, r.names[v])
        else:
            r.program[j] = _rename(r, v, n)


def _bits(r: Any, row: Any, column: Any) -> Any:
    """Give a list of registers as bits."""
    found = 0
    for j in range(row + column + 1, list_end(r, row + column)):
        found |= 1 << r.program[j]
    return found


def _name_sets(r: Any, row: Any) -> None:
    """Make the registers of a row into sets."""
    added = r.program[row + instruction.ACCUMULATOR]
    if added >= 0:
        r.program[row + instruction.ADDED_SET] = 1 << added
    r.program[row + instruction.READ_SET] = _bits(r, row, instruction.READS)
    r.program[row + instruction.WRITE_SET] = _bits(r, row, instruction.WRITES)
    r.program[row + instruction.WHOLE_READ_SET] = _bits(r, row, instruction.WHOLE_READS)
    r.program[row + instruction.WHOLE_WRITE_SET] = _bits(r, row, instruction.WHOLE_WRITES)


def _behind(r: Any, row: Any) -> Any:
    """Give, as bits, the registers that a row reads because elements have been left as they were there."""
    found, added = 0, r.program[row + instruction.ACCUMULATOR]
    for j in range(row + instruction.WHOLE_READS + 1, list_end(r, row + instruction.WHOLE_READS)):
        found |= ancestors(r, r.program[j])
    return found if added < 0 else found | ancestors(r, added)


def writes_any(r: Any, older: Any, registers: Any) -> Any:
    """Tell whether an instruction in flight writes any of the registers, given as bits."""
    row = row_of(r, older)
    written = r.program[row + instruction.WRITE_SET] | r.program[row + instruction.WHOLE_WRITE_SET]
    return (written | r.program[row + instruction.ADDED_SET]) & registers != 0


def name_registers(r: Any, i: Any, slot: Any) -> Any:
    """Give the row of an instruction that enters flight: its own, or one that names physical registers."""
    if not renames_vectors(r):
        return i
    at = slot * flight.COLUMNS
    row = (r.machine[parameter.INSTRUCTIONS] + 1 + slot) * instruction.WIDTH
    n, end = r.slots[at + flight.ELEMENTS], r.slots[at + flight.FIRST] + r.slots[at + flight.ELEMENTS]
    for column in range(instruction.WIDTH):
        r.program[row + column] = r.program[i + column]
    _name_reads(r, row, end)
    if r.program[row + instruction.ACCUMULATOR] >= 0:
        r.program[row + instruction.ACCUMULATOR] = r.names[r.program[row + instruction.ACCUMULATOR]]
    _name_writes(r, row, instruction.WRITES, n, end)
    _name_writes(r, row, instruction.WHOLE_WRITES, n, end)
    _name_sets(r, row)
    r.slots[at + flight.BEHIND] = _behind(r, row)
    for column in range(instruction.WIDTH):
        r.renamed[slot * instruction.WIDTH + column] = r.program[row + column]
    return row


def restore_row(r: Any, slot: Any) -> None:
    """Write the row of an instruction in flight anew, from the record."""
    if renames_vectors(r):
        row = row_of(r, slot)
        for column in range(instruction.WIDTH):
            r.program[row + column] = r.renamed[slot * instruction.WIDTH + column]


def pass_on(r: Any, row: Any, result: Any) -> None:
    """Let what has been copied from the registers that an instruction wrote wait for its last result."""
    if renames_vectors(r):
        _pass_on_list(r, row + instruction.WRITES, result)
        _pass_on_list(r, row + instruction.WHOLE_WRITES, result)
        if r.program[row + instruction.ACCUMULATOR] >= 0:
            _pass_on(r, r.program[row + instruction.ACCUMULATOR], result)


def _pass_on_list(r: Any, column: Any, result: Any) -> None:
    for j in range(column + 1, list_end(r, column)):
        _pass_on(r, r.program[j], result)


def _pass_on(r: Any, v: Any, result: Any) -> None:
    younger = r.physical[v * renaming.STATES + renaming.NEWER]
    while younger >= 0:
        r.ready_behind[younger] = larger(r.ready_behind[younger], result)
        younger = r.physical[younger * renaming.STATES + renaming.NEWER]
