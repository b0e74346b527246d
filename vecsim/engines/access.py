"""What an instruction that cannot be executed would do, in words; the check is a rule of time."""

from __future__ import annotations

from typing import Any

from isa.declaration import Pattern
from vecsim.engines.columns import control, instruction, parameter
from vecsim.engines.rules.addresses import IMPOSSIBLE, base_address, elements, place, slice_exists

CONTIGUOUS = int(Pattern.CONTIGUOUS)


def what_is_wrong(r: Any) -> str:
    """Say why the instruction at ``pc`` cannot be executed.

    Parameters
    ----------
    r
        The arrays of the run, as the rules take them, :mod:`vecsim.engines.rules`.
    """
    pc, s = r.control[control.PC], r.machine[parameter.SECTION_SIZE]
    if not 0 <= pc < r.machine[parameter.INSTRUCTIONS]:
        return "the program runs past its end: halt is missing, or a jump went astray"
    i = pc * instruction.WIDTH
    n = elements(r, i)
    if n == IMPOSSIBLE:
        first = r.x[r.program[i + instruction.ELEMENT_REGISTER]]
        count = r.x[r.program[i + instruction.LENGTH_REGISTER]]
        return f"elements {first} to {first + count - 1} of the vector cache: it has {s} x {s} = {s * s}"
    if not slice_exists(r, i):
        slice_ = r.x[r.program[i + instruction.SLICE_REGISTER]]
        return f"slice {slice_} of the vector cache: it has 0 to {s - 1}"
    n = max(n, 1)
    if place(r, i, n):
        raise AssertionError("an instruction that can be executed was taken for one that cannot")
    return _outside(r, i, n)


def _outside(r: Any, i: int, n: int) -> str:
    """Say which address of n elements, set by ``place``, is outside memory."""
    size = r.machine[parameter.MEMORY_BYTES]
    if r.program[i + instruction.PATTERN] == CONTIGUOUS:
        base = base_address(r, i)
        what = f"bytes {base} to {base + n * r.program[i + instruction.RECORD_BYTES] - 1}"
    else:
        addresses = list(r.address[:n])
        wrong = min(addresses) if min(addresses) < 0 else max(addresses)
        what = f"element {addresses.index(wrong)} at address {wrong}"
    kind = "store" if r.program[i + instruction.STORE] == 1 else "load"
    return f"{kind} outside memory: {what}; memory is bytes 0 to {size - 1}"
