"""Vector arithmetic, moves and memory accesses, on states small enough to check by hand."""

import struct

import numpy as np
import pytest
from isa_machine import (
    NAN_D_BITS,
    NAN_S_BITS,
    S,
    execute,
    get_d,
    get_s,
    get_w,
    int32,
    machine,
    set_d,
    set_s,
    set_w,
)


def test_every_nan_is_the_canonical_one():
    m = machine()
    odd_s, odd_d = 0xFFC12345, 0xFFF8000000012345 - (1 << 64)
    m.v[1 * S : 2 * S] = odd_s
    m.f[1] = odd_s
    for mnemonic, operand in (("addvv.s", 1), ("mulvs.s", 1), ("maddvv.s", 1), ("subsv.s", 1)):
        execute(m, mnemonic, 2, 1, operand)
        assert m.v[2 * S : 3 * S].tolist() == [NAN_S_BITS] * S
    execute(m, "sumv.s", 2, 1)
    assert m.f[2] == NAN_S_BITS
    execute(m, "fadd.s", 3, 1, 1)
    assert m.f[3] == NAN_S_BITS
    m.v[1 * S : 2 * S] = odd_d
    m.f[1] = odd_d
    for mnemonic, operand in (("addvv.d", 1), ("mulvs.d", 1), ("maddvs.d", 1)):
        execute(m, mnemonic, 2, 1, operand)
        assert m.v[2 * S : 3 * S].tolist() == [NAN_D_BITS] * S
    execute(m, "sumv.d", 2, 1)
    execute(m, "fmul.d", 3, 1, 1)
    assert m.f[2] == m.f[3] == NAN_D_BITS
    execute(m, "movv", 3, 1)
    assert m.v[3 * S] == odd_d, "a move leaves the bits as they are"


def test_a_float32_result_clears_the_upper_half():
    m = machine()
    m.v[:] = -1
    m.f[:] = -1
    set_s(m, 1, 1, 2, 3, 4)
    execute(m, "addvv.s", 2, 1, 1)
    assert (m.v[2 * S : 3 * S] >> 32).tolist() == [0] * S
    execute(m, "sumv.s", 2, 1)
    assert m.f[2] >> 32 == 0
    execute(m, "addvv.w", 3, 1, 1)
    assert (m.v[3 * S : 4 * S] >> 32).tolist() == [0] * S


ARITHMETIC = {"add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b}


@pytest.mark.parametrize("name", ARITHMETIC)
def test_vector_arithmetic(name):
    operation, a, b = ARITHMETIC[name], [1.5, -2, 3, 0.1], [4, 0.25, -1, 0.7]
    m = machine()
    set_s(m, 1, *a)
    set_s(m, 2, *b)
    execute(m, f"{name}vv.s", 3, 1, 2)
    assert get_s(m, 3) == operation(np.float32(a), np.float32(b)).tolist()
    m.fs[2 * 5] = 0.7
    execute(m, f"{name}vs.s", 3, 1, 5)
    assert get_s(m, 3) == operation(np.float32(a), np.float32(0.7)).tolist()
    set_d(m, 1, *a)
    set_d(m, 2, *b)
    execute(m, f"{name}vv.d", 3, 1, 2)
    assert get_d(m, 3) == operation(np.array(a), np.array(b)).tolist()
    m.fd[5] = 0.7
    execute(m, f"{name}vs.d", 3, 1, 5)
    assert get_d(m, 3) == operation(np.array(a), 0.7).tolist()
    a, b = [2**31 - 1, -(2**31), 5, 65536], [1, -1, -7, 65536]
    set_w(m, 1, *a)
    set_w(m, 2, *b)
    m.x[5] = -7
    execute(m, f"{name}vv.w", 3, 1, 2)
    assert get_w(m, 3) == [int32(operation(x, y)) for x, y in zip(a, b, strict=True)]
    execute(m, f"{name}vs.w", 3, 1, 5)
    assert get_w(m, 3) == [int32(operation(x, -7)) for x in a]


def test_reverse_subtract():
    m = machine()
    set_w(m, 1, 1, 2, 3, -(2**31))
    m.x[5] = 10
    execute(m, "subsv.w", 2, 1, 5)
    assert get_w(m, 2) == [9, 8, 7, int32(10 + 2**31)]
    set_s(m, 1, 1, 2, 3, 4)
    m.fs[10] = 0.5
    execute(m, "subsv.s", 2, 1, 5)
    assert get_s(m, 2) == [-0.5, -1.5, -2.5, -3.5]
    set_d(m, 1, 1, 2, 3, 4)
    m.fd[5] = 0.5
    execute(m, "subsv.d", 2, 1, 5)
    assert get_d(m, 2) == [-0.5, -1.5, -2.5, -3.5]


def test_only_the_first_n_elements_change():
    m = machine()
    set_s(m, 1, 1, 1, 1, 1)
    set_s(m, 2, 9, 9, 9, 9)
    execute(m, "addvv.s", 2, 1, 1, n=2)
    assert get_s(m, 2) == [2, 2, 9, 9]
    execute(m, "addvv.s", 2, 1, 2, n=0)
    assert get_s(m, 2) == [2, 2, 9, 9]


def test_multiply_add_rounds_twice():
    # (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24: the product rounds to 1 + 2^-11, a fused one would leave 2^-24.
    m = machine()
    set_s(m, 1, *[1 + 2**-12] * S)
    set_s(m, 2, *[-(1 + 2**-11)] * S)
    execute(m, "maddvv.s", 2, 1, 1)
    assert get_s(m, 2) == [0] * S
    set_s(m, 2, *[-(1 + 2**-11)] * S)
    m.fs[10] = 1 + 2**-12
    execute(m, "maddvs.s", 2, 1, 5)
    assert get_s(m, 2) == [0] * S
    set_d(m, 1, *[1 + 2**-27] * S)
    set_d(m, 2, *[-(1 + 2**-26)] * S)
    execute(m, "maddvv.d", 2, 1, 1)
    assert get_d(m, 2) == [0] * S
    m.fd[5] = 3
    execute(m, "maddvs.d", 2, 1, 5)
    assert get_d(m, 2) == [3 * (1 + 2**-27)] * S


def test_sums_are_in_element_order_in_the_type_of_the_value():
    m = machine()
    set_s(m, 1, 2**24, 1, 1, -(2**24))
    execute(m, "sumv.s", 2, 1)
    assert m.fs[4] == 0, "2^24 + 1 rounds to 2^24, twice"
    set_d(m, 1, 2**24, 1, 1, -(2**24))
    execute(m, "sumv.d", 2, 1)
    assert m.fd[2] == 2
    execute(m, "sumv.d", 2, 1, n=0)
    assert m.fd[2] == 0
    m.f[2] = -1
    execute(m, "sumv.s", 2, 1, n=0)
    assert m.f[2] == 0


def test_moves():
    m = machine()
    m.v[1 * S : 2 * S] = [-1, 2, -3, 4]
    execute(m, "movv", 2, 1)
    assert m.v[2 * S : 3 * S].tolist() == [-1, 2, -3, 4]
    m.f[5], m.x[5] = -7, -7
    execute(m, "movvf", 2, 5)
    assert m.v[2 * S : 3 * S].tolist() == [-7] * S
    execute(m, "movvx", 2, 5)
    assert get_w(m, 2) == [-7] * S
    execute(m, "cvi", 2, 5)
    assert get_w(m, 2) == [0, -7, -14, -21]
    m.x[6] = S + 2
    execute(m, "insf", 1, 5, 6)
    assert m.v[1 * S : 2 * S].tolist() == [-1, 2, -7, 4]
    execute(m, "extf", 3, 1, 6)
    assert m.f[3] == -7
    m.x[6] = -1
    execute(m, "insx", 1, 5, 6)
    assert get_w(m, 1)[3] == -7
    execute(m, "extx", 7, 1, 6)
    assert m.x[7] == -7


def test_compare_and_merge():
    m = machine()
    for kind, setter in (("w", set_w), ("s", set_s), ("d", set_d)):
        setter(m, 1, 1, 2, 3, -4)
        setter(m, 2, 1, 3, 2, 4)
        expected = {"seq": [1, 0, 0, 0], "slt": [0, 1, 0, 1], "sle": [1, 1, 0, 1]}
        for name, mask in expected.items():
            execute(m, f"{name}vv.{kind}", 1, 2)
            assert m.mask.tolist() == mask
    set_s(m, 1, float("nan"), 0, 0, 0)
    execute(m, "seqvv.s", 1, 1)
    assert m.mask.tolist() == [0, 1, 1, 1]
    execute(m, "mergev", 3, 1, 2)
    assert m.v[3 * S : 4 * S].tolist() == [m.v[2 * S], *m.v[S + 1 : 2 * S]]


def test_contiguous_accesses():
    m = machine(struct.pack("<4i4q", 1, -2, 3, -4, 5, -6, 7, -8))
    m.v[:] = -1
    execute(m, "lv.w", 1, 0, 5)
    assert m.v[1 * S : 2 * S].tolist() == [1, 2**32 - 2, 3, 2**32 - 4]
    m.address[0] = 16
    execute(m, "lv.d", 2, 0, 5)
    assert m.v[2 * S : 3 * S].tolist() == [5, -6, 7, -8]
    m.address[0] = 101
    execute(m, "sv.w", 1, 0, 5, n=2)
    assert m.memory[101:113].tobytes() == struct.pack("<3i", 1, -2, 0)
    execute(m, "sv.d", 2, 0, 5, n=2)
    assert m.memory[101:121].tobytes() == struct.pack("<2qi", 5, -6, 0)


def test_a_store_keeps_the_low_32_bits():
    m = machine()
    m.v[S] = 0x12345678_9ABCDEF0
    execute(m, "sv.w", 1, 0, 5, n=1)
    assert m.memory[:8].tobytes() == bytes.fromhex("f0debc9a00000000")


@pytest.mark.parametrize("form", ["ws", "i"])
def test_gather_and_scatter(form):
    m = machine(struct.pack("<8i", *range(10, 18)))
    m.address[:] = [28, 0, 8, 8]
    execute(m, f"lv{form}.w", 1, 5, 2)
    assert get_w(m, 1) == [17, 10, 12, 12]
    set_w(m, 1, 1, 2, 3, 4)
    execute(m, f"sv{form}.w", 1, 5, 2)
    assert struct.unpack("<8i", m.memory[:32].tobytes()) == (2, 11, 4, 13, 14, 15, 16, 1)
    m.v[1 * S : 2 * S] = [-1, -2, -3, -4]
    m.address[:] = [64, 80, 96, 112]
    execute(m, f"sv{form}.d", 1, 5, 2)
    execute(m, f"lv{form}.d", 3, 5, 2)
    assert m.v[3 * S : 4 * S].tolist() == [-1, -2, -3, -4]
