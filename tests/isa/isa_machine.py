"""A machine small enough to check by hand, for the tests of the semantics."""

import numpy as np

from isa.instructions import BASE
from isa.state import State, new_state

S = 4


def machine() -> State:
    """A machine with sections of four elements and eight vector registers."""
    return new_state(S, 8, np.zeros(256, np.uint8))


def execute(m: State, mnemonic: str, *fields: int, n: int = S):
    with np.errstate(all="ignore"):
        return BASE.by_mnemonic[mnemonic].semantics(m, n, *fields)


def int32(value: int) -> int:
    return (value + (1 << 31)) % (1 << 32) - (1 << 31)
