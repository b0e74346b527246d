"""Addresses and lengths of vector instructions, worked out and checked at issue."""

from __future__ import annotations

import numpy as np

from isa.declaration import Length, Pattern
from isa.state import State
from vecsim.engines.fault import Trouble
from vecsim.engines.static import Static

VL, ONE, SECTION, BLOCK, COUNT = (
    int(Length.VL),
    int(Length.ONE),
    int(Length.SECTION),
    int(Length.BLOCK),
    int(Length.COUNT),
)
CONTIGUOUS, STRIDED = int(Pattern.CONTIGUOUS), int(Pattern.STRIDED)


def elements(m: State, static: Static) -> int:
    """Number of elements that an instruction works on.

    Raises
    ------
    Trouble
        A transfer of the vector cache that is longer than what the cache holds.
    """
    kind = static.length
    if kind == VL:
        return int(m.special[0])
    if kind == ONE:
        return 1
    if kind == SECTION:
        return min(max(int(m.x[static.length_register]), 0), m.section)
    if kind == BLOCK:
        return min(max(int(m.special[1]), 0), m.section)
    if kind == COUNT:
        first, count = int(m.x[static.element]), int(m.x[static.length_register])
        if first < 0 or count < 0 or first + count > m.section * m.section:
            raise Trouble(
                f"elements {first} to {first + count - 1} of the vector cache: it has "
                f"{m.section} x {m.section} = {m.section * m.section}"
            )
        return count
    return 0


def place(m: State, static: Static, n: int) -> tuple[int, int]:
    """Set ``m.address`` for n >= 1 elements and check that all are in memory.

    Returns
    -------
    first, end
        The bytes of a contiguous access, end exclusive; end is -1 for the others.

    Raises
    ------
    Trouble
        An address outside memory.
    """
    base = int(m.x[static.base]) + static.offset
    size = len(m.memory)
    if static.pattern == CONTIGUOUS:
        m.address[0] = base
        end = base + n * static.record_bytes
        if base < 0 or end > size:
            raise Trouble(_outside(static, f"bytes {base} to {end - 1}", size))
        return base, end
    if static.pattern == STRIDED:
        m.address[:n] = base + int(m.x[static.index_register]) * np.arange(n)
    else:
        s = m.section
        indexes = m.vw[2 * static.index_register * s : 2 * (static.index_register * s + n) : 2]
        m.address[:n] = base + static.value_bytes * indexes.astype(np.int64)
    lowest, highest = int(m.address[:n].min()), int(m.address[:n].max())
    if lowest < 0 or highest + static.value_bytes > size:
        wrong = lowest if lowest < 0 else highest
        element = int(np.flatnonzero(m.address[:n] == wrong)[0])
        raise Trouble(_outside(static, f"element {element} at address {wrong}", size))
    return base, -1


def check(m: State, static: Static) -> None:
    """Check an instruction that is about to issue.

    Raises
    ------
    Trouble
        It does what the machine cannot do.
    """
    n = elements(m, static)
    if static.unit and n == 0:
        return
    if static.slice >= 0 and not 0 <= int(m.x[static.slice]) < m.section:
        raise Trouble(f"slice {int(m.x[static.slice])} of the vector cache: it has 0 to {m.section - 1}")
    if static.pattern:
        place(m, static, n)


def _outside(static: Static, what: str, size: int) -> str:
    return f"{'store' if static.store else 'load'} outside memory: {what}; memory is bytes 0 to {size - 1}"
