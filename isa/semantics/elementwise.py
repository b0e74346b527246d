"""Vector operations beside add, subtract and multiply, element by element.

Divide, square root, minimum and maximum, absolute value, logic and shifts of 32-bit words, and conversions.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from isa.semantics.numbers import BITS_OF_NAN_D, BITS_OF_NAN_S, put_vd, put_vs, wrap
from isa.semantics.operations import (
    divided,
    divides,
    greater,
    lesser,
    shift_left,
    shift_right,
    shift_right_arithmetic,
    truncated,
)
from isa.semantics.vector import vs_d, vs_s, vs_w, vv_d, vv_s, vv_w
from isa.state import State

Semantics = Callable[..., Any]


def v_w(operation: Callable[[Any], Any]) -> Semantics:
    """``vd[k] = op va[k]``, int32."""

    def execute(m: State, n: int, d: int, a: int) -> None:
        s = m.section
        for k in range(n):
            m.v[d * s + k] = wrap(operation(int(m.vw[2 * (a * s + k)]))) & 0xFFFFFFFF

    return execute


def v_s(operation: Callable[[Any], Any]) -> Semantics:
    """``vd[k] = op va[k]``, float32."""

    def execute(m: State, n: int, d: int, a: int) -> None:
        s = m.section
        for k in range(n):
            put_vs(m, d * s + k, operation(m.vs[2 * (a * s + k)]))

    return execute


def v_d(operation: Callable[[Any], Any]) -> Semantics:
    """``vd[k] = op va[k]``, float64."""

    def execute(m: State, n: int, d: int, a: int) -> None:
        s = m.section
        for k in range(n):
            put_vd(m, d * s + k, operation(m.vd[a * s + k]))

    return execute


def sqrtv_s(m: State, n: int, d: int, a: int) -> None:
    """``vd[k] = square root of va[k]``, float32."""
    s = m.section
    for k in range(n):
        root = np.sqrt(m.vs[2 * (a * s + k)])
        put_vs(m, d * s + k, root)
        if root != root:
            m.v[d * s + k] = BITS_OF_NAN_S


def sqrtv_d(m: State, n: int, d: int, a: int) -> None:
    """``vd[k] = square root of va[k]``, float64."""
    s = m.section
    for k in range(n):
        root = np.sqrt(m.vd[a * s + k])
        put_vd(m, d * s + k, root)
        if root != root:
            m.v[d * s + k] = BITS_OF_NAN_D


def cvtv_s_w(m: State, n: int, d: int, a: int) -> None:
    """``vd[k] = va[k]``: int32 as float32."""
    s = m.section
    for k in range(n):
        put_vs(m, d * s + k, np.float32(m.vw[2 * (a * s + k)]))


def cvtv_d_w(m: State, n: int, d: int, a: int) -> None:
    """``vd[k] = va[k]``: int32 as float64."""
    s = m.section
    for k in range(n):
        put_vd(m, d * s + k, np.float64(m.vw[2 * (a * s + k)]))


def cvtv_w_s(m: State, n: int, d: int, a: int) -> None:
    """``vd[k] = va[k]``: float32 as int32, rounded towards zero."""
    s = m.section
    for k in range(n):
        m.v[d * s + k] = truncated(m.vs[2 * (a * s + k)]) & 0xFFFFFFFF


def cvtv_w_d(m: State, n: int, d: int, a: int) -> None:
    """``vd[k] = va[k]``: float64 as int32, rounded towards zero."""
    s = m.section
    for k in range(n):
        m.v[d * s + k] = truncated(m.vd[a * s + k]) & 0xFFFFFFFF


def cvtv_s_d(m: State, n: int, d: int, a: int) -> None:
    """``vd[k] = va[k]``: float64 as float32."""
    s = m.section
    for k in range(n):
        put_vs(m, d * s + k, np.float32(m.vd[a * s + k]))


def cvtv_d_s(m: State, n: int, d: int, a: int) -> None:
    """``vd[k] = va[k]``: float32 as float64."""
    s = m.section
    for k in range(n):
        put_vd(m, d * s + k, np.float64(m.vs[2 * (a * s + k)]))


divvv_s, divvv_d = vv_s(divided), vv_d(divided)
divvs_s, divvs_d = vs_s(divided), vs_d(divided)
divsv_s, divsv_d = vs_s(divides), vs_d(divides)
absv_w, absv_s, absv_d = v_w(abs), v_s(abs), v_d(abs)
minvv_w, minvv_s, minvv_d = vv_w(lesser), vv_s(lesser), vv_d(lesser)
minvs_w, minvs_s, minvs_d = vs_w(lesser), vs_s(lesser), vs_d(lesser)
maxvv_w, maxvv_s, maxvv_d = vv_w(greater), vv_s(greater), vv_d(greater)
maxvs_w, maxvs_s, maxvs_d = vs_w(greater), vs_s(greater), vs_d(greater)
andvv_w, andvs_w = vv_w(operator.and_), vs_w(operator.and_)
orvv_w, orvs_w = vv_w(operator.or_), vs_w(operator.or_)
xorvv_w, xorvs_w = vv_w(operator.xor), vs_w(operator.xor)
sllvv_w, sllvs_w = vv_w(shift_left), vs_w(shift_left)
srlvv_w, srlvs_w = vv_w(shift_right), vs_w(shift_right)
sravv_w, sravs_w = vv_w(shift_right_arithmetic), vs_w(shift_right_arithmetic)
