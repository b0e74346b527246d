"""Scalar instructions and the state, on states small enough to check by hand."""

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from isa_machine import (
    execute,
    int32,
    machine,
)

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


def test_jumps_and_halt():
    m = machine()
    m.address[0] = 12
    assert execute(m, "jal", 1, 5) is True
    assert m.x[1] == 12
    assert execute(m, "jal", 0, 5) is True
    assert m.x[0] == 0
    assert execute(m, "jr", 1) is True
    assert execute(m, "halt") is None


@pytest.mark.parametrize(("wanted", "length"), [(3, 3), (4, 4), (5, 4), (1 << 30, 4), (0, 0), (-1, 0)])
def test_setvl_gives_at_most_a_section_and_at_least_nothing(wanted, length):
    m = machine()
    m.x[5] = wanted
    execute(m, "setvl", 6, 5)
    assert m.special.tolist() == [length, 0, 0, 0]
    assert m.x[6] == length
    execute(m, "setvl", 0, 5)
    assert m.x[0] == 0


def test_special_registers():
    m = machine()
    m.x[5] = 9
    for special in range(4):
        execute(m, "mts", special, 5)
    assert m.special.tolist() == [0, 9, 9, 9]
    execute(m, "mfs", 6, 2)
    assert m.x[6] == 9


def test_words_in_memory_at_any_alignment():
    m = machine(b"\0\x01\x02\x03\xff\0")
    m.address[0] = 1
    execute(m, "lw", 5, 0, 0)
    assert m.x[5] == int.from_bytes(b"\x01\x02\x03\xff", "little", signed=True)
    m.address[0] = 99
    m.x[6] = -2
    execute(m, "sw", 6, 0, 0)
    assert m.memory[98:104].tolist() == [0, 254, 255, 255, 255, 0]


def test_floats_in_memory_and_between_registers():
    m = machine(struct.pack("<fd", 1.5, -2.25))
    m.f[:] = -1
    execute(m, "fl.w", 1, 0, 0)
    assert (m.fs[2], m.f[1] >> 32) == (1.5, 0)
    m.address[0] = 4
    execute(m, "fl.d", 2, 0, 0)
    assert m.fd[2] == -2.25
    m.address[0] = 100
    execute(m, "fs.d", 2, 0, 0)
    execute(m, "fs.w", 1, 0, 0)
    assert m.memory[100:108].tobytes() == struct.pack("<f", 1.5) + struct.pack("<d", -2.25)[4:]
    m.x[5] = -1
    execute(m, "mxf", 3, 5)
    assert m.f[3] == 0xFFFFFFFF
    m.f[4] = 0x7FFFFFFF_80000000
    execute(m, "mfx", 6, 4)
    assert m.x[6] == -(1 << 31)


def test_scalar_floats_round_in_their_type():
    m = machine()
    m.fs[2], m.fs[4] = np.float32(1), np.float32(2**-24)
    execute(m, "fadd.s", 3, 1, 2)
    assert m.fs[6] == 1
    m.fd[1], m.fd[2] = 1, 2**-24
    execute(m, "fadd.d", 3, 1, 2)
    assert m.fd[3] == 1 + 2**-24
    execute(m, "fsub.d", 3, 1, 2)
    assert m.fd[3] == 1 - 2**-24
    execute(m, "fmul.d", 3, 2, 2)
    assert m.fd[3] == 2**-48


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
