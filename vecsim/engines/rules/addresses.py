"""Lengths and addresses of instructions, worked out and checked at issue (docs/timing.md, "Accesses").

:mod:`vecsim.engines.access` words the message when a check fails.
"""

from __future__ import annotations

from typing import Any

from isa.declaration import Length, Pattern
from vecsim.engines.columns import instruction, parameter
from vecsim.engines.rules.numbers import larger, smaller

VL, ONE, SECTION, BLOCK, COUNT = (
    int(Length.VL),
    int(Length.ONE),
    int(Length.SECTION),
    int(Length.BLOCK),
    int(Length.COUNT),
)
CONTIGUOUS, STRIDED = int(Pattern.CONTIGUOUS), int(Pattern.STRIDED)

IMPOSSIBLE = -1


def elements(r: Any, i: Any) -> Any:
    """Give the number of elements; IMPOSSIBLE for more than the vector cache holds."""
    kind, s = r.program[i + instruction.LENGTH], r.machine[parameter.SECTION_SIZE]
    if kind == VL:
        return r.special[0]
    if kind == ONE:
        return 1
    if kind == SECTION:
        return smaller(larger(r.x[r.program[i + instruction.LENGTH_REGISTER]], 0), s)
    if kind == BLOCK:
        return smaller(larger(r.special[1], 0), s)
    if kind == COUNT:
        first = r.x[r.program[i + instruction.ELEMENT_REGISTER]]
        count = r.x[r.program[i + instruction.LENGTH_REGISTER]]
        if first < 0 or count < 0 or first + count > s * s:
            return IMPOSSIBLE
        return count
    return 0


def words_of_element(r: Any, i: Any) -> Any:
    """Give the words of an element of a strided or indexed access; one has those of 8 and 16 bits, too."""
    return r.program[i + instruction.VALUE_BYTES] + 3 >> 2


def base_address(r: Any, i: Any) -> Any:
    """Give the byte at which an access begins."""
    return r.x[r.program[i + instruction.BASE_REGISTER]] + r.program[i + instruction.OFFSET]


def place(r: Any, i: Any, n: Any) -> Any:
    """Set ``address`` for n >= 1 elements; give False if one is outside memory."""
    base, size = base_address(r, i), r.machine[parameter.MEMORY_BYTES]
    pattern = r.program[i + instruction.PATTERN]
    r.address[0] = base
    if pattern == CONTIGUOUS:
        return base >= 0 and base + n * r.program[i + instruction.RECORD_BYTES] <= size
    index, value_bytes = r.program[i + instruction.INDEX_REGISTER], r.program[i + instruction.VALUE_BYTES]
    lowest = highest = base
    if pattern == STRIDED:
        stride = r.x[index]
        for k in range(n):
            r.address[k] = base + stride * k
        lowest, highest = smaller(base, base + stride * (n - 1)), larger(base, base + stride * (n - 1))
    else:
        first = 2 * index * r.machine[parameter.SECTION_SIZE]
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


def slice_exists(r: Any, i: Any) -> Any:
    """Tell whether the slice of the vector cache that an instruction names, if it does, exists."""
    register = r.program[i + instruction.SLICE_REGISTER]
    return register < 0 or 0 <= r.x[register] < r.machine[parameter.SECTION_SIZE]
