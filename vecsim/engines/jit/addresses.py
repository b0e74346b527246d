"""Lengths and addresses of instructions, worked out and checked at issue.

The compiled form of :mod:`vecsim.engines.access`, which words the message when a check fails.
"""

from __future__ import annotations

from typing import Any

from isa.declaration import Length, Pattern
from vecsim.engines.jit.code import (
    BASE_REGISTER,
    ELEMENT_REGISTER,
    INDEX_REGISTER,
    LENGTH,
    LENGTH_REGISTER,
    MEMORY_BYTES,
    OFFSET,
    PATTERN,
    RECORD_BYTES,
    VALUE_BYTES,
)
from vecsim.engines.jit.functions import inline
from vecsim.engines.jit.integers import larger, smaller

VL, ONE, SECTION, BLOCK, COUNT = (
    int(Length.VL),
    int(Length.ONE),
    int(Length.SECTION),
    int(Length.BLOCK),
    int(Length.COUNT),
)
CONTIGUOUS, STRIDED = int(Pattern.CONTIGUOUS), int(Pattern.STRIDED)

TROUBLE = -1


@inline
def elements(m: Any, code: Any, i: Any) -> Any:
    """Number of elements; TROUBLE for more than the vector cache holds."""
    kind = code[i + LENGTH]
    if kind == VL:
        return m.special[0]
    if kind == ONE:
        return 1
    if kind == SECTION:
        return smaller(larger(m.x[code[i + LENGTH_REGISTER]], 0), m.section)
    if kind == BLOCK:
        return smaller(larger(m.special[1], 0), m.section)
    if kind == COUNT:
        first, count = m.x[code[i + ELEMENT_REGISTER]], m.x[code[i + LENGTH_REGISTER]]
        if first < 0 or count < 0 or first + count > m.section * m.section:
            return TROUBLE
        return count
    return 0


@inline
def place(m: Any, code: Any, machine: Any, i: Any, n: Any) -> Any:
    """Set ``address`` for n >= 1 elements; give False if one is outside memory."""
    base = m.x[code[i + BASE_REGISTER]] + code[i + OFFSET]
    size = machine[MEMORY_BYTES]
    pattern = code[i + PATTERN]
    m.address[0] = base
    if pattern == CONTIGUOUS:
        return base >= 0 and base + n * code[i + RECORD_BYTES] <= size
    index, value_bytes = code[i + INDEX_REGISTER], code[i + VALUE_BYTES]
    lowest = highest = base
    if pattern == STRIDED:
        stride = m.x[index]
        for k in range(n):
            m.address[k] = base + stride * k
        lowest, highest = smaller(base, base + stride * (n - 1)), larger(base, base + stride * (n - 1))
    else:
        first = 2 * index * m.section
        lowest = highest = m.vw[first]
        for k in range(n):
            value = m.vw[first + 2 * k]
            lowest, highest = smaller(lowest, value), larger(highest, value)
            m.address[k] = base + value_bytes * value
        lowest, highest = base + value_bytes * lowest, base + value_bytes * highest
    return lowest >= 0 and highest + value_bytes <= size
