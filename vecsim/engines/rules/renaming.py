"""Physical registers (docs/timing.md, "Renaming").

An instruction that enters flight gets a copy in ``renamed``, in which physical registers stand for those that
it names. The other rules read it there and hold for physical registers as they do for named ones: what has
been renamed was not read or written before.
"""

from __future__ import annotations

from isa.declaration import Length
from vecsim.engines.decoded import FLOAT, SPECIAL
from vecsim.engines.rules.numbers import NEVER, larger
from vecsim.engines.state.flight import Slot
from vecsim.engines.state.instruction import Instruction
from vecsim.engines.state.registers import KINDS, VECTOR, F, FreeRegister, X
from vecsim.engines.state.run import Run

ONE = int(Length.ONE)


def renames_vectors(r: Run) -> bool:
    """Return whether vector registers are renamed ("Renaming")."""
    return r.machine.physical_vector_registers > 0


def renames_scalars(r: Run) -> bool:
    """Return whether the registers x and f are renamed ("Renaming")."""
    return r.machine.physical_scalar_registers > 0


def renames(r: Run) -> bool:
    """Return whether any registers are renamed ("Renaming")."""
    return renames_vectors(r) or renames_scalars(r)


def instruction_of(r: Run, slot: Slot) -> Instruction:
    """Return the instruction of a slot, with physical registers if they are renamed ("Renaming")."""
    if renames_vectors(r):
        return r.renamed[slot.number]
    return r.program[slot.pc]


# Free registers


def spare_registers(r: Run, kind: int) -> int:
    """Return how many physical registers of a kind there are more than programs name ("Renaming")."""
    if kind == VECTOR:
        return r.machine.physical_vector_registers - r.machine.vector_registers
    return r.machine.physical_scalar_registers - FLOAT


def _displaced(r: Run, kind: int, place: int) -> FreeRegister:
    """Return a register that is displaced or free; the one that is free next at place 0 ("Renaming")."""
    number, spare = r.next_free[kind] + place, spare_registers(r, kind)
    return r.displaced[kind][number - spare if number >= spare else number]


def _takes_vectors(r: Run, instruction: Instruction) -> int:
    """Return how many of the vector registers that an instruction writes are renamed ("Renaming")."""
    count = 0
    if instruction.length != ONE:
        for v in instruction.writes:
            count += 1 if v < r.machine.vector_registers else 0  # the mask is not
        for v in instruction.whole_writes:
            count += 1 if v < r.machine.vector_registers else 0
    return count


def _takes_scalars(instruction: Instruction, first: int, end: int) -> int:
    """Return how many of the scalar registers that are written are numbered so ("Renaming")."""
    count = 0
    for register in instruction.scalar_writes:
        count += 1 if first <= register < end else 0
    for register in instruction.late:
        count += 1 if first <= register < end else 0
    return count


def registers_taken(r: Run, instruction: Instruction, kind: int, n: int) -> int:
    """Return how many free registers of a kind an instruction takes ("Renaming").

    Parameters
    ----------
    kind
        VECTOR, X or F.
    n
        Its elements.
    """
    if kind == VECTOR:
        return _takes_vectors(r, instruction) if n > 0 and renames_vectors(r) else 0
    first = FLOAT if kind == F else 0
    return _takes_scalars(instruction, first, first + FLOAT) if renames_scalars(r) else 0


def registers_free_at(r: Run, instruction: Instruction, n: int) -> int:
    """Return the cycle from which all registers are free that an instruction takes ("Renaming").

    NEVER while an instruction is in flight that has to retire first.
    """
    return _all_free_at(r, instruction, n) if renames(r) else 0


def _all_free_at(r: Run, instruction: Instruction, n: int) -> int:
    """Return the same on a machine that renames ("Renaming")."""
    cycle = 0
    for kind in range(KINDS):
        count = registers_taken(r, instruction, kind, n)
        if count > 0:
            displaced = _displaced(r, kind, count - 1)
            if r.scratch.in_flight > 0 and r.slots[r.order[0]].age <= displaced.age:
                return NEVER
            cycle = larger(cycle, displaced.commit)
    return cycle


def _take(r: Run, kind: int, register: int) -> int:
    """Return a free register for the instruction that issues; it displaces ``register`` ("Renaming")."""
    displaced = _displaced(r, kind, 0)
    taken = displaced.register
    displaced.age, displaced.commit = r.control.count, r.control.last_retired
    displaced.register = register
    r.next_free[kind] += 1
    if r.next_free[kind] == spare_registers(r, kind):
        r.next_free[kind] = 0
    return taken


def note_retirement(r: Run, age: int, retire: int) -> None:
    """Note that the instruction of an age retires at ``retire`` ("Renaming").

    What it and younger ones displace is free no earlier.
    """
    if renames(r):
        _raise_commits(r, age, retire)


def _raise_commits(r: Run, age: int, retire: int) -> None:
    """Note a retirement at what was displaced by the instruction or younger ones ("Renaming")."""
    for kind in range(KINDS):
        if renames_vectors(r) if kind == VECTOR else renames_scalars(r):
            place = spare_registers(r, kind) - 1
            while place >= 0 and _displaced(r, kind, place).age >= age:
                displaced = _displaced(r, kind, place)
                displaced.commit = larger(displaced.commit, retire)
                place -= 1


# Scalar registers


def take_scalars(r: Run, instruction: Instruction) -> None:
    """Rename the scalar registers that the instruction that issues writes ("Renaming")."""
    if renames_scalars(r):
        _take_scalars(r, instruction)


def _take_scalars(r: Run, instruction: Instruction) -> None:
    """Take a free register for each of them ("Renaming")."""
    for kind in range(X, F + 1):
        for _ in range(registers_taken(r, instruction, kind, 0)):
            _take(r, kind, 0)


def note_writer(r: Run, register: int) -> None:
    """Note that the instruction that issues is the youngest that writes a scalar register ("Renaming")."""
    if renames_scalars(r):
        r.scalar_writers[register] = r.control.count


def is_renamed(r: Run, register: int) -> bool:
    """Return whether a scalar register, by its number among all of them, is renamed ("Renaming")."""
    return renames_scalars(r) and register < SPECIAL


# Vector registers


def ancestors(r: Run, v: int) -> int:
    """Return, as bits, the registers whose elements were left as they were in register v ("Renaming")."""
    match, older = 0, r.vectors[v].older
    while older >= 0:
        match |= 1 << older
        older = r.vectors[older].older
    return match


def _rename(r: Run, v: int, n: int) -> int:
    """Return a physical register for the first n elements of vector register v ("Renaming")."""
    old = r.names[v]
    new = _take(r, VECTOR, old)
    register, displaced = r.vectors[new], r.vectors[old]
    if register.newer >= 0:  # in its life before: what was copied has been there long since
        r.vectors[register.newer].older = -1
    register.written = n
    register.older = register.newer = -1
    register.ready_at = register.ready_without_sums = register.kept_ready_at = 0
    if n < r.machine.section_size:
        register.older, displaced.newer = old, new
        register.kept_ready_at = larger(displaced.ready_at, displaced.kept_ready_at)
    r.names[v] = new
    return new


def _name_reads(r: Run, copy: Instruction, instruction: Instruction, end: int) -> None:
    """Name what is read ("Renaming").

    An element after those that were written makes it a read of the whole register.
    """
    copy.reads.clear()
    copy.whole_reads.clear()
    for v in instruction.whole_reads:
        copy.whole_reads.append(r.names[v])
    for v in instruction.reads:
        if end > r.vectors[r.names[v]].written:
            copy.whole_reads.append(r.names[v])
        else:
            copy.reads.append(r.names[v])


def _name_write(r: Run, copy: Instruction, v: int, n: int, end: int) -> int:
    """Return the name of what is written: a free register, but for the mask and one element ("Renaming")."""
    if copy.length != ONE and v != r.machine.vector_registers:
        return _rename(r, v, n)
    if end > r.vectors[r.names[v]].written:
        copy.whole_reads.append(r.names[v])
    return r.names[v]


def set_of(registers: list[int]) -> int:
    """Return a list of registers as bits ("WAR and WAW hazards")."""
    match = 0
    for v in registers:
        match |= 1 << v
    return match


def _name_sets(copy: Instruction) -> None:
    """Write the registers of an instruction as sets ("Renaming")."""
    copy.added_set = set_of(copy.accumulators)
    copy.read_set, copy.write_set = set_of(copy.reads), set_of(copy.writes)
    copy.whole_read_set, copy.whole_write_set = set_of(copy.whole_reads), set_of(copy.whole_writes)


def _kept_set(r: Run, copy: Instruction) -> int:
    """Return, as bits, the registers that are read because elements were left as they were ("Renaming")."""
    match = 0
    for v in copy.whole_reads:
        match |= ancestors(r, v)
    for v in copy.accumulators:
        match |= ancestors(r, v)
    return match


def writes_any(r: Run, older: Slot, registers: int) -> bool:
    """Return whether an instruction in flight writes any of the registers, given as bits ("Renaming")."""
    instruction = instruction_of(r, older)
    written = instruction.write_set | instruction.whole_write_set | instruction.added_set
    return written & registers != 0


def name_registers(r: Run, slot: Slot, instruction: Instruction) -> None:
    """Name the physical registers of an instruction that enters flight ("Renaming")."""
    if renames_vectors(r):
        _name_registers(r, slot, instruction)


def _name_registers(r: Run, slot: Slot, instruction: Instruction) -> None:
    """Write the copy of an instruction that names physical registers ("Renaming")."""
    copy, n, end = r.renamed[slot.number], slot.elements, slot.first + slot.elements
    copy.copy_from(instruction)
    _name_reads(r, copy, instruction, end)
    copy.accumulators.clear()
    for v in instruction.accumulators:
        copy.accumulators.append(r.names[v])
    copy.writes.clear()
    copy.whole_writes.clear()
    for v in instruction.writes:
        copy.writes.append(_name_write(r, copy, v, n, end))
    for v in instruction.whole_writes:
        copy.whole_writes.append(_name_write(r, copy, v, n, end))
    _name_sets(copy)
    slot.kept_set = _kept_set(r, copy)


def pass_on(r: Run, slot: Slot, result: int) -> None:
    """Let copies of the registers that an instruction wrote wait for its last result ("Renaming")."""
    if renames_vectors(r):
        _pass_all_on(r, instruction_of(r, slot), result)


def _pass_all_on(r: Run, instruction: Instruction, result: int) -> None:
    """Do so for each register that it wrote ("Renaming")."""
    for v in instruction.writes:
        _pass_on(r, v, result)
    for v in instruction.whole_writes:
        _pass_on(r, v, result)
    for v in instruction.accumulators:
        _pass_on(r, v, result)


def _pass_on(r: Run, v: int, result: int) -> None:
    """Let the registers that were copied from register v wait for its last result ("Renaming")."""
    younger = r.vectors[v].newer
    while younger >= 0:
        register = r.vectors[younger]
        register.kept_ready_at = larger(register.kept_ready_at, result)
        younger = register.newer
