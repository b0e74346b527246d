"""Scalar divide, minimum, conversions, float branches, bytes and half words, worked by hand."""

import numpy as np
import pytest
from isa_machine import execute, machine

NAN = float("nan")


@pytest.mark.parametrize(
    ("a", "b", "quotient", "remainder"),
    [
        (7, 2, 3, 1),
        (-7, 2, -3, -1),
        (7, -2, -3, 1),
        (-7, -2, 3, -1),
        (5, 0, -1, 5),
        (-(1 << 31), -1, -(1 << 31), 0),
        (0, 3, 0, 0),
    ],
)
def test_integers_divide_towards_zero(a, b, quotient, remainder):
    m = machine()
    m.x[1], m.x[2] = a, b
    execute(m, "div", 3, 1, 2)
    execute(m, "rem", 4, 1, 2)
    assert m.x[3:5].tolist() == [quotient, remainder]


@pytest.mark.parametrize("suffix", ["s", "d"])
def test_floats(suffix):
    m = machine()
    f = m.fs[::2] if suffix == "s" else m.fd
    f[1], f[2], f[3] = 9, -2, NAN
    for name, fields, expected in (
        ("fdiv", (4, 1, 2), -4.5),
        ("fsqrt", (4, 1), 3),
        ("fabs", (4, 2), 2),
        ("fmin", (4, 1, 2), -2),
        ("fmax", (4, 1, 2), 9),
    ):
        execute(m, f"{name}.{suffix}", *fields)
        assert f[4] == expected, name
    for name, fields in (("fmin", (4, 1, 3)), ("fmax", (4, 3, 1)), ("fsqrt", (4, 2))):
        execute(m, f"{name}.{suffix}", *fields)
        assert np.isnan(f[4]), name


@pytest.mark.parametrize("suffix", ["s", "d"])
def test_minus_zero_is_below_zero_as_in_ieee_754_2019(suffix):
    m = machine()
    f = m.fs[::2] if suffix == "s" else m.fd
    f[1], f[2] = 0.0, -0.0
    for a, b, least, greatest in (
        (1, 1, False, False),
        (1, 2, True, False),
        (2, 1, True, False),
        (2, 2, True, True),
    ):
        for name, negative in (("fmin", least), ("fmax", greatest)):
            execute(m, f"{name}.{suffix}", 4, a, b)
            assert np.signbit(f[4]) == negative, (name, a, b)


@pytest.mark.parametrize("suffix", ["s", "d"])
@pytest.mark.parametrize(
    ("name", "pairs"),
    [
        ("fbeq", [(1, 1)]),
        ("fbne", [(1, 2), (2, 1), (1, 3), (3, 3)]),
        ("fblt", [(2, 1)]),
        ("fbge", [(1, 2), (1, 1)]),
    ],
)
def test_float_branches_are_not_taken_for_nan_but_fbne(suffix, name, pairs):
    m = machine()
    f = m.fs[::2] if suffix == "s" else m.fd
    f[1], f[2], f[3] = 1, -1, NAN
    every = [(1, 1), (1, 2), (2, 1), (1, 3), (3, 3)]
    assert [pair for pair in every if execute(m, f"{name}.{suffix}", *pair, 5)] == [
        pair for pair in every if pair in pairs
    ]


def test_conversions():
    m = machine()
    m.x[1] = 16_777_217
    execute(m, "fcvt.s.w", 1, 1)
    execute(m, "fcvt.d.w", 2, 1)
    assert (m.fs[2], m.fd[2]) == (16_777_216, 16_777_217)
    m.fd[3] = 1.9
    execute(m, "fcvt.w.d", 4, 3)
    execute(m, "fcvt.s.d", 5, 3)
    execute(m, "fcvt.d.s", 6, 5)
    assert (m.x[4], m.fs[10], m.fd[6]) == (1, np.float32(1.9), np.float32(1.9))
    m.fs[14] = -1e20
    execute(m, "fcvt.w.s", 4, 7)
    assert m.x[4] == -(1 << 31)


@pytest.mark.parametrize(("name", "expected"), [("lb", -128), ("lbu", 128), ("lh", 0x7F80), ("lhu", 0x7F80)])
def test_narrow_loads(name, expected):
    m = machine(bytes([0, 0x80, 0x7F]))
    m.address[0] = 1
    execute(m, name, 3, 1, 2)
    assert m.x[3] == expected


def test_narrow_stores_leave_what_is_beside():
    m = machine(b"\xff" * 8)
    m.x[1] = 0x12345678
    m.address[0] = 3
    execute(m, "sh", 1, 0, 0)
    m.address[0] = 6
    execute(m, "sb", 1, 0, 0)
    assert m.memory[:8].tolist() == [255, 255, 255, 0x78, 0x56, 255, 0x78, 255]


def test_narrow_vector_accesses():
    m = machine(bytes(range(250, 256)) + bytes(6))
    m.address[:] = [4, 0, 2, 1]
    execute(m, "lvi.b", 1, 0, 0)
    execute(m, "lvi.hu", 2, 0, 0)
    assert m.vw[8:16:2].tolist() == [-2, -6, -4, -5]
    assert m.vw[16:24:2].tolist() == [0xFFFE, 0xFBFA, 0xFDFC, 0xFCFB]
    execute(m, "svws.h", 1, 0, 0, n=2)
    assert m.memory[:6].tolist() == [0xFA, 0xFF, 252, 253, 0xFE, 0xFF]
    m.address[0] = 6
    execute(m, "sv.b", 2, 0, 0)
    execute(m, "lv.bu", 3, 0, 0)
    assert m.vw[24:32:2].tolist() == [0xFE, 0xFA, 0xFC, 0xFB]
