"""What an instruction that cannot be executed would do, in words; the check is a timing rule."""

from __future__ import annotations

from isa.declaration import Pattern
from vecsim.engines.rules.addresses import (
    IMPOSSIBLE,
    NOT_ACCESSED,
    base_address,
    element_address,
    elements,
    is_outside,
    list_length,
    listed_address,
    place,
    slice_exists,
)
from vecsim.engines.state.instruction import Instruction
from vecsim.engines.state.run import Run

CONTIGUOUS, LISTED = int(Pattern.CONTIGUOUS), int(Pattern.LISTED)


def what_is_wrong(r: Run) -> str:
    """Return why the instruction at ``pc`` cannot be executed.

    Parameters
    ----------
    r
        The arrays of the run, as the rules take them, :mod:`vecsim.engines.rules`.
    """
    pc, s = r.control.pc, r.machine.section_size
    if not 0 <= pc < r.machine.instructions:
        return "the program runs past its end: halt is missing, or a jump went astray"
    instruction = r.program[pc]
    n = elements(r, instruction)
    if n == IMPOSSIBLE:
        first = r.x[instruction.element_register]
        count = r.x[instruction.length_register]
        return f"elements {first} to {first + count - 1} of the vector cache: it has {s} x {s} = {s * s}"
    if not slice_exists(r, instruction):
        slice_ = r.x[instruction.slice_register]
        return f"slice {slice_} of the vector cache: it has 0 to {s - 1}"
    n = max(n, 1)
    if place(r, instruction, n):
        raise AssertionError("an instruction that can be executed was taken for one that cannot")
    return _outside(r, instruction, n)


def _outside(r: Run, instruction: Instruction, n: int) -> str:
    """Return which address of n elements, set by ``place``, is outside memory."""
    size = r.machine.memory_bytes
    if instruction.masked == 1:
        active = {k: element_address(r, instruction, k) for k in range(n) if r.mask[k] != 0}
        k = next(k for k, address in active.items() if is_outside(r, instruction, address))
        what = f"element {k} at address {active[k]}"
    elif instruction.pattern == LISTED:
        addresses = [listed_address(r, instruction, k) for k in range(list_length(r, instruction))]
        wrong = max(address for address in addresses if address != NOT_ACCESSED)
        what = f"number {addresses.index(wrong)} of its list, address {wrong}"
    elif instruction.pattern == CONTIGUOUS:
        base = base_address(r, instruction)
        what = f"bytes {base} to {base + n * instruction.record_bytes - 1}"
    else:
        addresses = list(r.address[:n])
        wrong = min(addresses) if min(addresses) < 0 else max(addresses)
        what = f"element {addresses.index(wrong)} at address {wrong}"
    kind = "store" if instruction.store == 1 else "load"
    return f"{kind} outside memory: {what}; memory is bytes 0 to {size - 1}"
