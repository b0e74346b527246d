"""The record of a run: what depended on values, instruction by instruction, as words of 32 bits in memory.

An event belongs to an instruction that needs one: a vector instruction, an access, a branch. Its first word
says which parts follow. When an instruction has executed, its semantics make the next event known: where the
machine's rules look for them, in vl and in three scalar registers.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from isa.state import State
from vecsim.engines.rules.addresses import ENDING

COUNT, ADDRESS, STRIDE, TARGET, LIST, TAKEN = (1 << bit for bit in range(6))
"""Bits of the first word. The first five say that a part follows, in this order: how many elements; the byte
address; the bytes of a contiguous access, or from an element to the next; the number of the row to which an
indirect jump leads; a list: how many addresses, and the addresses, or rows of entries. TAKEN: the branch is
taken."""
BASE_REGISTER, STRIDE_REGISTER, TARGET_REGISTER = 1, 2, 3
"""The scalar registers that hold them. Of a list ADDRESS is the byte address of its first word."""
LENGTH, POSITION, IS_TAKEN = 0, 1, 2
"""Places among the special registers: of vl; of the number of the next word of the record; of whether the
branch is taken. The last, :data:`vecsim.engines.rules.addresses.ENDING`, says how an instruction ends."""
ENDING_AT = 13
"""The word of COUNT has the elements of a part in its lowest bits; from here on, how the instruction ends."""
MOST_ELEMENTS = (1 << ENDING_AT) - 1
ENDS = 1
"""Of how an instruction ends: this part has its last elements."""


def next_event(m: State) -> None:
    """Make the next event known to the rules."""
    place = int(m.special[POSITION])
    parts = int(m.words[place])
    place += 1
    if parts & COUNT != 0:
        m.special[LENGTH] = int(m.words[place]) & MOST_ELEMENTS
        m.special[ENDING] = int(m.words[place]) >> ENDING_AT
        place += 1
    if parts & ADDRESS != 0:
        m.x[BASE_REGISTER] = int(m.words[place])
        place += 1
    if parts & STRIDE != 0:
        m.x[STRIDE_REGISTER] = (int(m.words[place]) ^ 0x80000000) - 0x80000000
        place += 1
    if parts & TARGET != 0:
        m.x[TARGET_REGISTER] = int(m.words[place])
        place += 1
    if parts & LIST != 0:
        m.x[BASE_REGISTER] = 4 * place
        place += 1 + int(m.words[place])
    m.special[IS_TAKEN] = 1 if parts & TAKEN != 0 else 0
    m.special[POSITION] = place


def nothing(m: State, n: int) -> None:
    """Execute an instruction without an event."""


def recorded(m: State, n: int) -> None:
    """Execute an instruction that has an event."""
    next_event(m)


def entries(m: State, n: int) -> None:
    """Execute a sparse instruction: its list has the row of each entry, all bits set where it has none."""
    place = int(m.x[BASE_REGISTER]) // 4
    for k in range(int(m.words[place])):
        m.row[k] = (int(m.words[place + 1 + k]) ^ 0x80000000) - 0x80000000
    next_event(m)


def branch(m: State, n: int) -> bool:
    """Execute a branch: return whether it was taken."""
    taken: bool = m.special[IS_TAKEN] != 0
    next_event(m)
    return taken


NO_EVENT, NOTHING, EVENT, BRANCH, ENTRIES = range(5)
"""What an instruction does to the record: that of another program; nothing; it has an event; it is a branch;
it is a sparse instruction."""
KIND_OF = {nothing: NOTHING, recorded: EVENT, branch: BRANCH, entries: ENTRIES}
"""By semantics."""


def event(
    *,
    count: int | None = None,
    ending: int = 0,
    address: int | None = None,
    stride: int | None = None,
    target: int | None = None,
    listed: Sequence[int] | None = None,
    taken: bool = False,
) -> npt.NDArray[np.uint32]:
    """Return the (n,) words of an event; what is None is not in it.

    Parameters
    ----------
    count, ending
        Elements, and how an instruction ends (``ENDING_AT``).
    address, stride
        Bytes.
    target
        The number of a row.
    listed
        Byte addresses, ``vecsim.engines.rules.addresses.NOT_ACCESSED`` of what is masked off; or the rows of
        entries.
    taken
        Whether a branch is taken.
    """
    parts = (None if count is None else count | ending << ENDING_AT, address, stride, target)
    given = [value & 0xFFFFFFFF for value in parts if value is not None]
    first = sum(
        bit for bit, value in zip((COUNT, ADDRESS, STRIDE, TARGET), parts, strict=True) if value is not None
    )
    if listed is not None:
        given += [len(listed), *listed]
    first |= (LIST if listed is not None else 0) | (TAKEN if taken else 0)
    return np.array([first, *given], np.uint32)
