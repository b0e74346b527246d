"""Divide, square root, minimum and maximum, logic, shifts and conversions of vectors, worked by hand."""

import numpy as np
import pytest
from isa_machine import S, execute, get_d, get_s, get_w, machine, set_d, set_s, set_w

INF, NAN = float("inf"), float("nan")
TYPES = {"s": (set_s, get_s), "d": (set_d, get_d)}


@pytest.mark.parametrize("suffix", TYPES)
def test_divide_and_square_root(suffix):
    put, get = TYPES[suffix]
    m = machine()
    put(m, 1, 6, -1, 0, 9)
    put(m, 2, 3, 0, 0, 2)
    execute(m, f"divvv.{suffix}", 3, 1, 2)
    np.testing.assert_array_equal(get(m, 3), [2, -INF, NAN, 4.5])
    execute(m, f"fadd.{suffix}", 5, 0, 0)
    (m.fs if suffix == "s" else m.fd)[10 if suffix == "s" else 5] = 4
    execute(m, f"divvs.{suffix}", 3, 1, 5)
    assert get(m, 3) == [1.5, -0.25, 0, 2.25]
    execute(m, f"divsv.{suffix}", 3, 2, 5)
    np.testing.assert_allclose(get(m, 3), [4 / 3, INF, INF, 2], rtol=1e-7)
    execute(m, f"sqrtv.{suffix}", 3, 1)
    np.testing.assert_array_equal(get(m, 3)[1:], [NAN, 0, 3])
    assert get(m, 3)[0] == pytest.approx(6**0.5, rel=1e-7)


@pytest.mark.parametrize("suffix", TYPES)
def test_the_lesser_and_the_greater_are_nan_if_either_is(suffix):
    put, get = TYPES[suffix]
    m = machine()
    put(m, 1, 1, NAN, 5, -INF)
    put(m, 2, 2, 1, NAN, 3)
    execute(m, f"minvv.{suffix}", 3, 1, 2)
    np.testing.assert_array_equal(get(m, 3), [1, NAN, NAN, -INF])
    execute(m, f"maxvv.{suffix}", 3, 1, 2)
    np.testing.assert_array_equal(get(m, 3), [2, NAN, NAN, 3])
    execute(m, f"absv.{suffix}", 3, 1)
    np.testing.assert_array_equal(get(m, 3), [1, NAN, 5, INF])


@pytest.mark.parametrize("suffix", TYPES)
def test_minus_zero_is_below_zero_as_in_ieee_754_2019(suffix):
    put, get = TYPES[suffix]
    m = machine()
    put(m, 1, 0.0, 0.0, -0.0, -0.0)
    put(m, 2, 0.0, -0.0, 0.0, -0.0)
    (m.fs if suffix == "s" else m.fd)[10 if suffix == "s" else 5] = -0.0
    for name, b, negative in (
        ("minvv", 2, [False, True, True, True]),
        ("maxvv", 2, [False, False, False, True]),
        ("minvs", 5, [True, True, True, True]),
        ("maxvs", 5, [False, False, True, True]),
    ):
        execute(m, f"{name}.{suffix}", 3, 1, b)
        assert np.signbit(get(m, 3)).tolist() == negative, name


def test_words():
    m = machine()
    set_w(m, 1, -8, 7, 1 << 31, 0x0F0F0F0F)
    set_w(m, 2, 1, 33, -1, 4)
    m.x[5] = 3
    for name, expected in (
        ("minvv.w", [-8, 7, -(1 << 31), 4]),
        ("maxvv.w", [1, 33, -1, 0x0F0F0F0F]),
        ("andvv.w", [0, 1, -(1 << 31), 4]),
        ("orvv.w", [-7, 39, -1, 0x0F0F0F0F]),
        ("xorvv.w", [-7, 38, (1 << 31) - 1, 0x0F0F0F0B]),
        ("sllvv.w", [-16, 14, 0, 0xF0F0F0F0 - (1 << 32)]),
        ("srlvv.w", [0x7FFFFFFC, 3, 1, 0x00F0F0F0]),
        ("sravv.w", [-4, 3, -1, 0x00F0F0F0]),
    ):
        execute(m, name, 3, 1, 2)
        assert get_w(m, 3) == expected, name
    for name, expected in (
        ("minvs.w", [-8, 3, -(1 << 31), 3]),
        ("maxvs.w", [3, 7, 3, 0x0F0F0F0F]),
        ("andvs.w", [0, 3, 0, 3]),
        ("sllvs.w", [-64, 56, 0, 0x78787878]),
        ("sravs.w", [-1, 0, -(1 << 28), 0x01E1E1E1]),
    ):
        execute(m, name, 3, 1, 5)
        assert get_w(m, 3) == expected, name
    execute(m, "absv.w", 3, 1)
    assert get_w(m, 3) == [8, 7, -(1 << 31), 0x0F0F0F0F]
    assert (m.v[3 * S : 4 * S] >> 32).tolist() == [0] * S


def test_conversions():
    m = machine()
    set_w(m, 1, -3, 0, 16_777_217, -(1 << 31))
    execute(m, "cvtv.s.w", 2, 1)
    assert get_s(m, 2) == [-3, 0, 16_777_216, -(2.0**31)]
    execute(m, "cvtv.d.w", 2, 1)
    assert get_d(m, 2) == [-3, 0, 16_777_217, -(2.0**31)]
    for suffix, put in (("s", set_s), ("d", set_d)):
        put(m, 1, -2.75, NAN, 3e9, -INF)
        execute(m, f"cvtv.w.{suffix}", 2, 1)
        assert get_w(m, 2) == [-2, (1 << 31) - 1, (1 << 31) - 1, -(1 << 31)]
    set_d(m, 1, 0.1, 1e300, -1e-300, NAN)
    execute(m, "cvtv.s.d", 2, 1)
    np.testing.assert_array_equal(get_s(m, 2), [float(np.float32(0.1)), INF, 0, NAN])
    execute(m, "cvtv.d.s", 3, 2)
    np.testing.assert_array_equal(get_d(m, 3), [float(np.float32(0.1)), INF, 0, NAN])
