"""Every byte after the header, through the automaton of `grammar`: one look-up in a table a byte, compiled.

Only what reads a file imports this module: a compiler takes a second to load.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from vecsim.data.matrix_market.grammar import (
    CLASS_OF_BYTE,
    CLASSES,
    ENTRY,
    FAULT,
    NEWLINE,
    START,
    fields_of,
    tables,
)
from vecsim.data.matrix_market.header import Header


@dataclass(frozen=True)
class Scan:
    """What a body holds.

    Attributes
    ----------
    entries
        Lines that are not blank, up to the fault.
    fault
        Place of the first byte that cannot stand there (the length of the body if something is missing at its
        end); -1 if all is well.
    spellings
        Bits that tell which spellings SciPy does not know occur: `LEADING_PLUS`, `LETTER_D`, `BARE_EXPONENT`.
    """

    entries: int
    fault: int
    spellings: int


def scan(header: Header, body: NDArray[np.uint8]) -> Scan:
    """Check all lines after the header.

    Parameters
    ----------
    header
        Tells what each line must give.
    body
        uint8, the bytes after the size line.
    """
    steps, effects = tables(fields_of(header))
    entries, fault, spellings = _run(steps, effects, CLASS_OF_BYTE, body)
    return Scan(int(entries), int(fault), int(spellings) & ~ENTRY)


@njit(cache=True, nogil=True)
def _run(steps: Any, effects: Any, class_of_byte: Any, body: Any) -> Any:
    """Return entries, place of the fault (-1: none) and all effects; a newline is added at the end."""
    state, seen = START * CLASSES, 0
    entries: Any = 0
    for place in range(len(body)):
        at = state + class_of_byte[body[place]]
        state = steps[at]
        effect = effects[at]
        entries += np.int64(effect & ENTRY)  # interpreted, a sum of bytes would be one
        seen |= effect
        if state == FAULT:
            return entries, place, seen
    at = state + NEWLINE
    entries += np.int64(effects[at] & ENTRY)
    return entries, len(body) if steps[at] == FAULT else -1, seen
