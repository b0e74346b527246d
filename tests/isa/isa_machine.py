"""A machine small enough to check by hand, for the tests of the semantics."""

import numpy as np

from isa.instructions import BASE
from isa.state import State, new_state

NAN_S_BITS, NAN_D_BITS = 0x7FC00000, 0x7FF8000000000000
S = 4


def machine(memory: bytes = b"", size: int = 256) -> State:
    """A machine with sections of four elements and eight vector registers."""
    return new_state(S, 8, np.frombuffer(memory.ljust(size, b"\0"), np.uint8).copy())


def execute(m: State, mnemonic: str, *fields: int, n: int = S):
    with np.errstate(all="ignore"):
        return BASE.by_mnemonic[mnemonic].semantics(m, n, *fields)


def set_s(m: State, register: int, *values: float) -> None:
    for k, value in enumerate(values):
        m.v[register * S + k] = 0
        m.vs[2 * (register * S + k)] = value


def set_d(m: State, register: int, *values: float) -> None:
    m.vd[register * S : register * S + len(values)] = values


def set_w(m: State, register: int, *values: int) -> None:
    m.v[register * S : register * S + len(values)] = [value & 0xFFFFFFFF for value in values]


def get_s(m: State, register: int) -> list[float]:
    return m.vs[2 * register * S : 2 * (register + 1) * S : 2].tolist()


def get_d(m: State, register: int) -> list[float]:
    return m.vd[register * S : (register + 1) * S].tolist()


def get_w(m: State, register: int) -> list[int]:
    return m.vw[2 * register * S : 2 * (register + 1) * S : 2].tolist()


def int32(value: int) -> int:
    return (value + (1 << 31)) % (1 << 32) - (1 << 31)
