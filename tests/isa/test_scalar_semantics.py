"""Integer instructions and branches against integers of Python, and the state."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from isa_machine import execute, int32, machine

from isa.semantics.numbers import wrap
from isa.state import copy_into, new_state

INT32 = st.integers(-(1 << 31), (1 << 31) - 1)


@given(st.integers(-(1 << 63), (1 << 63) - 1))
def test_wrap(value):
    assert wrap(value) == wrap(np.int64(value)) == int32(value)


SCALAR = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "sll": lambda a, b: a << (b % 32),
    "srl": lambda a, b: (a % (1 << 32)) >> (b % 32),
    "sra": lambda a, b: a >> (b % 32),
    "slt": lambda a, b: int(a < b),
}
IMMEDIATE = {
    "addi": "add",
    "andi": "and",
    "ori": "or",
    "xori": "xor",
    "slli": "sll",
    "srli": "srl",
    "srai": "sra",
    "slti": "slt",
}


@pytest.mark.parametrize("mnemonic", SCALAR)
@given(a=INT32, b=INT32)
def test_integers_wrap_at_32_bits(mnemonic, a, b):
    m = machine()
    m.x[5], m.x[6] = a, b
    execute(m, mnemonic, 7, 5, 6)
    assert m.x[7] == int32(SCALAR[mnemonic](a, b))
    execute(m, mnemonic, 0, 5, 6)
    assert m.x[0] == 0


@pytest.mark.parametrize("mnemonic", IMMEDIATE)
@given(a=INT32, immediate=st.integers(-8192, 8191))
def test_integers_with_an_immediate(mnemonic, a, immediate):
    m = machine()
    m.x[5] = a
    execute(m, mnemonic, 7, 5, immediate)
    assert m.x[7] == int32(SCALAR[IMMEDIATE[mnemonic]](a, immediate))


@given(a=INT32, b=INT32)
def test_branches(a, b):
    m = machine()
    m.x[5], m.x[6] = a, b
    taken = [execute(m, name, 5, 6, 9) for name in ("beq", "bne", "blt", "bge")]
    assert taken == [a == b, a != b, a < b, a >= b]


def test_a_new_state():
    m = new_state(8, 4, np.zeros(1000, np.uint8))
    assert m.x[2] == 992
    assert not np.any(m.x[3:])
    assert len(m.v) == 32
    assert len(m.cache) == 64
    other = new_state(8, 4, np.zeros(1000, np.uint8))
    m.v[3], m.memory[5], m.special[0] = 1, 2, 3
    copy_into(other, m)
    assert (other.v[3], other.memory[5], other.special[0]) == (1, 2, 3)
    assert other.vw[6] == 1, "views follow"
