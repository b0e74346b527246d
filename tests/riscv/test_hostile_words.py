"""Whatever words are executed in whatever state: nothing reaches outside of the arrays of a hart."""

import random

import numpy as np
import pytest

from isa.riscv.declaration import Trap
from isa.riscv.encoding import decoded_text, encode
from isa.riscv.instructions import ROWS
from isa.riscv.state import PC, Hart
from vecsim.riscv.hart import Interpreter, new_hart

BASE, MEMORY_BYTES, WORDS, PROGRAMS = 0x10000, 1 << 16, 64, 40
GUARD_BYTES = 1 << 16
GUARD = 0x5A


def guarded(array):
    """Return a copy of an array in the middle of bytes that nobody may write, and those bytes."""
    room = np.full(array.nbytes + 2 * GUARD_BYTES, GUARD, np.uint8)
    copy = room[GUARD_BYTES:-GUARD_BYTES].view(array.dtype)
    copy[:] = array
    return copy, room


def hostile_word(chosen):
    """Return a configuration of the vector unit, or a word near a row."""
    if chosen.random() < 0.3:
        vtype = chosen.choice([0, 1, 2, 3, 5, 6, 7]) | chosen.randrange(4) << 3 | chosen.randrange(4) << 6
        return encode("vsetvli", {"rs1": chosen.randrange(32), "zimm11": vtype})
    row = chosen.choice(ROWS)
    word = row.match | chosen.getrandbits(32) & ~row.mask
    return word ^ 1 << chosen.randrange(7, 32) if chosen.random() < 0.1 else word


def hostile_number(chosen, vlen):
    edges = [0, 1, 2, -1, 3, 8, vlen, BASE, BASE + MEMORY_BYTES - 16, BASE + MEMORY_BYTES // 2]
    return chosen.choice([*edges, BASE + chosen.getrandbits(16), chosen.getrandbits(63)])


@pytest.mark.parametrize("vlen", [64, 256, 16384])
def test_nothing_outside_is_written(vlen):
    executed = 0
    for seed in range(PROGRAMS):
        chosen = random.Random(f"hostile {vlen} {seed}")
        text = b"".join(hostile_word(chosen).to_bytes(4, "little") for _ in range(WORDS))
        memory = np.zeros(MEMORY_BYTES, np.uint8)
        memory[: len(text)] = np.frombuffer(text, np.uint8)
        plain = new_hart(memory, BASE, decoded_text(text), BASE, vlen)
        inside, rooms = {}, {}
        for name in ("x", "f", "v64", "memory", "control", "addresses"):
            inside[name], rooms[name] = guarded(getattr(plain, name))
        views = {f"v{bits}": inside["v64"].view(f"int{bits}") for bits in (8, 16, 32)}
        hart = Hart(**plain._asdict() | inside | views)
        hart.x[1:] = [hostile_number(chosen, vlen) for _ in range(31)]
        interpreter = Interpreter(hart)
        for number in range(WORDS):
            hart.control[PC] = BASE + 4 * number
            executed += interpreter.run(1) == Trap.NONE
        assert hart.x[0] == 0
        for name, room in rooms.items():
            assert (room[:GUARD_BYTES] == GUARD).all(), (seed, name)
            assert (room[-GUARD_BYTES:] == GUARD).all(), (seed, name)
    assert executed > 0.3 * PROGRAMS * WORDS
