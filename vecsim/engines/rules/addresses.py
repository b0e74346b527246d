"""Lengths and addresses of instructions, worked out and checked at issue (docs/timing.md, "Accesses").

:mod:`vecsim.engines.access` words the message when a check fails.
"""

from __future__ import annotations

from isa.declaration import Length, Pattern
from vecsim.engines.rules.numbers import larger, smaller
from vecsim.engines.state.instruction import Instruction
from vecsim.engines.state.run import Run

VL, ONE, SECTION, BLOCK, COUNT = (
    int(Length.VL),
    int(Length.ONE),
    int(Length.SECTION),
    int(Length.BLOCK),
    int(Length.COUNT),
)
CONTIGUOUS, STRIDED, LISTED = int(Pattern.CONTIGUOUS), int(Pattern.STRIDED), int(Pattern.LISTED)
NOT_ACCESSED = 0xFFFFFFFF
"""In a list of addresses: the element is masked off."""

ENDING, LEVELS_AT, LEVELS_MASK, MISSING_MASK = 3, 13, 0x1F, 0xFFF
"""The special register that says how an instruction of a recorded program ends: 0 of a part that is not its
last with elements, otherwise 1 | values that the last element lacks << 1 | levels of a tree << LEVELS_AT."""

IMPOSSIBLE = -1


def elements(r: Run, instruction: Instruction) -> int:
    """Return the number of elements of an instruction ("Issue").

    IMPOSSIBLE for more than the vector cache holds.
    """
    kind, s = instruction.length, r.machine.section_size
    if kind == VL:
        return r.special[0]
    if kind == ONE:
        return 1
    if kind == SECTION:
        return smaller(larger(r.x[instruction.length_register], 0), s)
    if kind == BLOCK:
        return smaller(larger(r.special[1], 0), s)
    if kind == COUNT:
        first, count = r.x[instruction.element_register], r.x[instruction.length_register]
        if first < 0 or count < 0 or first + count > s * s:
            return IMPOSSIBLE
        return count
    return 0


def words_of_element(instruction: Instruction) -> int:
    """Return the words of an element of a strided or indexed access, also of 8 and 16 bits ("Accesses")."""
    return instruction.value_bytes + 3 >> 2


def base_address(r: Run, instruction: Instruction) -> int:
    """Return the first byte of an access ("Accesses")."""
    return r.x[instruction.base_register] + instruction.offset


def contiguous_bytes(r: Run, instruction: Instruction, n: int) -> int:
    """Return the bytes of a contiguous access ("Accesses"): those of n elements, unless a register has them.

    The last element of a recorded program may have fewer than the others.
    """
    if instruction.index_register >= 0:
        return r.x[instruction.index_register]
    return n * instruction.record_bytes


def place(r: Run, instruction: Instruction, n: int) -> bool:
    """Set ``address`` for n >= 1 elements; return False if one is outside memory ("Accesses")."""
    if instruction.pattern == LISTED:
        return _list_is_inside(r, instruction)
    if instruction.masked == 1:
        return _place_active(r, instruction, n)
    base, size = base_address(r, instruction), r.machine.memory_bytes
    value_bytes = instruction.value_bytes
    r.address[0] = base
    if instruction.pattern == CONTIGUOUS:
        return base >= 0 and base + contiguous_bytes(r, instruction, n) <= size
    lowest = highest = base
    if instruction.pattern == STRIDED:
        stride = r.x[instruction.index_register]
        for k in range(n):
            r.address[k] = base + stride * k
        lowest, highest = smaller(base, base + stride * (n - 1)), larger(base, base + stride * (n - 1))
    else:
        first = 2 * instruction.index_register * r.machine.section_size  # of its elements, of two words each
        lowest = highest = r.vw[first]
        for k in range(n):
            value = r.vw[first + 2 * k]
            if value < lowest:
                lowest = value
            if value > highest:
                highest = value
            r.address[k] = base + value_bytes * value
        lowest, highest = base + value_bytes * lowest, base + value_bytes * highest
    return lowest >= 0 and highest + value_bytes <= size


def element_address(r: Run, instruction: Instruction, k: int) -> int:
    """Return the first byte of element k of an access ("Accesses")."""
    base = base_address(r, instruction)
    if instruction.pattern == CONTIGUOUS:
        return base + instruction.record_bytes * k
    if instruction.pattern == STRIDED:
        return base + r.x[instruction.index_register] * k
    first = instruction.index_register * r.machine.section_size
    return base + instruction.value_bytes * r.vw[2 * (first + k)]


def is_outside(r: Run, instruction: Instruction, address: int) -> bool:
    """Return whether an element at an address is outside memory ("Accesses")."""
    return address < 0 or address + instruction.value_bytes > r.machine.memory_bytes


def _place_active(r: Run, instruction: Instruction, n: int) -> bool:
    """Set ``address`` for n elements under mask; return False if an active one is outside ("Masks")."""
    inside = True
    for k in range(n):
        address = element_address(r, instruction, k)
        if instruction.pattern != CONTIGUOUS or k == 0:
            r.address[k] = address
        if r.mask[k] != 0 and is_outside(r, instruction, address):
            inside = False
    return inside


def list_length(r: Run, instruction: Instruction) -> int:
    """Return how many addresses the list of an access has: its first word ("Recorded programs")."""
    return r.words[r.x[instruction.base_register] >> 2]


def listed_address(r: Run, instruction: Instruction, k: int) -> int:
    """Return byte address k of a listed access; ``NOT_ACCESSED`` if masked off ("Recorded programs")."""
    return r.words[(r.x[instruction.base_register] >> 2) + 1 + k]


def _list_is_inside(r: Run, instruction: Instruction) -> bool:
    """Return whether all addresses of a listed access are within memory ("Recorded programs")."""
    last = r.machine.memory_bytes - instruction.value_bytes
    for k in range(list_length(r, instruction)):
        address = listed_address(r, instruction, k)
        if address != NOT_ACCESSED and address > last:
            return False
    return True


def slice_exists(r: Run, instruction: Instruction) -> bool:
    """Return whether the vector cache has the slice that an instruction names, if any ("Vector cache")."""
    register = instruction.slice_register
    return register < 0 or 0 <= r.x[register] < r.machine.section_size
