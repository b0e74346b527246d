"""Vector arithmetic: element by element, reduction, compare and mask, conversions, moves.

Register r holds its element k in container ``r * section + k``. Multiply-add rounds twice.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from isa.semantics.numbers import (
    BITS_OF_NAN_D,
    BITS_OF_NAN_S,
    put_fd,
    put_fs,
    put_vd,
    put_vs,
    put_x,
    wrap,
)
from isa.state import State

Semantics = Callable[..., Any]
Operation = Callable[[Any, Any], Any]
Reader = Callable[[State, Any], Any]
Writer = Callable[[State, Any, Any], None]


def get_vw(m: State, element: Any) -> Any:
    """Read container ``element`` as int32."""
    return int(m.vw[2 * element])


def get_vs(m: State, element: Any) -> Any:
    """Read container ``element`` as float32."""
    return m.vs[2 * element]


def get_vd(m: State, element: Any) -> Any:
    """Read container ``element`` as float64."""
    return m.vd[element]


def put_vw(m: State, element: Any, value: Any) -> None:
    """Write container ``element`` with the low 32 bits of an integer."""
    m.v[element] = value & 0xFFFFFFFF


def vv_w(operation: Operation) -> Semantics:
    """``vd[k] = va[k] op vb[k]``, int32."""

    def execute(m: State, n: int, d: int, a: int, b: int) -> None:
        s = m.section
        for k in range(n):
            value = wrap(operation(int(m.vw[2 * (a * s + k)]), int(m.vw[2 * (b * s + k)])))
            m.v[d * s + k] = value & 0xFFFFFFFF

    return execute


def vv_s(operation: Operation) -> Semantics:
    """``vd[k] = va[k] op vb[k]``, float32."""

    def execute(m: State, n: int, d: int, a: int, b: int) -> None:
        s = m.section
        for k in range(n):
            put_vs(m, d * s + k, operation(m.vs[2 * (a * s + k)], m.vs[2 * (b * s + k)]))

    return execute


def vv_d(operation: Operation) -> Semantics:
    """``vd[k] = va[k] op vb[k]``, float64."""

    def execute(m: State, n: int, d: int, a: int, b: int) -> None:
        s = m.section
        for k in range(n):
            put_vd(m, d * s + k, operation(m.vd[a * s + k], m.vd[b * s + k]))

    return execute


def vs_w(operation: Operation) -> Semantics:
    """``vd[k] = va[k] op xb``, int32."""

    def execute(m: State, n: int, d: int, a: int, b: int) -> None:
        s = m.section
        for k in range(n):
            value = wrap(operation(int(m.vw[2 * (a * s + k)]), m.x[b]))
            m.v[d * s + k] = value & 0xFFFFFFFF

    return execute


def vs_s(operation: Operation) -> Semantics:
    """``vd[k] = va[k] op fb``, float32."""

    def execute(m: State, n: int, d: int, a: int, b: int) -> None:
        s = m.section
        for k in range(n):
            put_vs(m, d * s + k, operation(m.vs[2 * (a * s + k)], m.fs[2 * b]))

    return execute


def vs_d(operation: Operation) -> Semantics:
    """``vd[k] = va[k] op fb``, float64."""

    def execute(m: State, n: int, d: int, a: int, b: int) -> None:
        s = m.section
        for k in range(n):
            put_vd(m, d * s + k, operation(m.vd[a * s + k], m.fd[b]))

    return execute


def maddvv_s(m: State, n: int, d: int, a: int, b: int) -> None:
    """``vd[k] = vd[k] + va[k] * vb[k]``, float32."""
    s = m.section
    for k in range(n):
        product = m.vs[2 * (a * s + k)] * m.vs[2 * (b * s + k)]
        put_vs(m, d * s + k, m.vs[2 * (d * s + k)] + product)


def maddvv_d(m: State, n: int, d: int, a: int, b: int) -> None:
    """``vd[k] = vd[k] + va[k] * vb[k]``, float64."""
    s = m.section
    for k in range(n):
        product = m.vd[a * s + k] * m.vd[b * s + k]
        put_vd(m, d * s + k, m.vd[d * s + k] + product)


def maddvs_s(m: State, n: int, d: int, a: int, b: int) -> None:
    """``vd[k] = vd[k] + va[k] * fb``, float32."""
    s = m.section
    for k in range(n):
        product = m.vs[2 * (a * s + k)] * m.fs[2 * b]
        put_vs(m, d * s + k, m.vs[2 * (d * s + k)] + product)


def maddvs_d(m: State, n: int, d: int, a: int, b: int) -> None:
    """``vd[k] = vd[k] + va[k] * fb``, float64."""
    s = m.section
    for k in range(n):
        product = m.vd[a * s + k] * m.fd[b]
        put_vd(m, d * s + k, m.vd[d * s + k] + product)


def sumv_s(m: State, n: int, d: int, a: int) -> None:
    """``fd = va[0] + va[1] + ...`` in element order, float32; 0 for no element."""
    s = m.section
    put_fs(m, d, 0)
    for k in range(n):
        put_fs(m, d, m.fs[2 * d] + m.vs[2 * (a * s + k)])


def sumv_d(m: State, n: int, d: int, a: int) -> None:
    """``fd = va[0] + va[1] + ...`` in element order, float64; 0 for no element."""
    s = m.section
    put_fd(m, d, 0)
    for k in range(n):
        put_fd(m, d, m.fd[d] + m.vd[a * s + k])


def movv(m: State, n: int, d: int, a: int) -> None:
    """``vd[k] = va[k]``, the whole container."""
    s = m.section
    for k in range(n):
        m.v[d * s + k] = m.v[a * s + k]


def movvf(m: State, n: int, d: int, a: int) -> None:
    """``vd[k] = fa``, the whole container."""
    for k in range(n):
        m.v[d * m.section + k] = m.f[a]


def movvx(m: State, n: int, d: int, a: int) -> None:
    """``vd[k] = xa``, 32 bits."""
    for k in range(n):
        m.v[d * m.section + k] = m.x[a] & 0xFFFFFFFF


def cvi(m: State, n: int, d: int, a: int) -> None:
    """``vd[k] = k * xa``, int32."""
    for k in range(n):
        m.v[d * m.section + k] = (k * m.x[a]) & 0xFFFFFFFF


def compare(get: Reader, condition: Operation) -> Semantics:
    """``mask[k] = va[k] cond vb[k]``."""

    def execute(m: State, n: int, a: int, b: int) -> None:
        s = m.section
        for k in range(n):
            m.mask[k] = 1 if condition(get(m, a * s + k), get(m, b * s + k)) else 0

    return execute


def one(get: Reader, operation: Callable[[Any], Any], put: Writer) -> Semantics:
    """``vd[k] = op va[k]``."""

    def execute(m: State, n: int, d: int, a: int) -> None:
        s = m.section
        for k in range(n):
            put(m, d * s + k, operation(get(m, a * s + k)))

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


def mergev(m: State, n: int, d: int, a: int, b: int) -> None:
    """``vd[k] = va[k] if mask[k] else vb[k]``."""
    s = m.section
    for k in range(n):
        if m.mask[k] != 0:
            m.v[d * s + k] = m.v[a * s + k]
        else:
            m.v[d * s + k] = m.v[b * s + k]


def extf(m: State, n: int, d: int, a: int, i: int) -> None:
    """``fd = va[xi]``, the whole container; the index is taken modulo s."""
    m.f[d] = m.v[a * m.section + (m.x[i] & (m.section - 1))]


def extx(m: State, n: int, d: int, a: int, i: int) -> None:
    """``xd = va[xi]``, 32 bits; the index is taken modulo s."""
    put_x(m, d, m.v[a * m.section + (m.x[i] & (m.section - 1))] & 0xFFFFFFFF)


def insf(m: State, n: int, d: int, a: int, i: int) -> None:
    """``vd[xi] = fa``, the whole container; the index is taken modulo s."""
    m.v[d * m.section + (m.x[i] & (m.section - 1))] = m.f[a]


def insx(m: State, n: int, d: int, a: int, i: int) -> None:
    """``vd[xi] = xa``, 32 bits; the index is taken modulo s."""
    m.v[d * m.section + (m.x[i] & (m.section - 1))] = m.x[a] & 0xFFFFFFFF


FORMS: dict[str, dict[str, Callable[[Operation], Semantics]]] = {
    "vv": {"w": vv_w, "s": vv_s, "d": vv_d},
    "vs": {"w": vs_w, "s": vs_s, "d": vs_d},
}
"""What makes the semantics of an operation, by its form and the type of its elements."""
ELEMENTS: dict[str, tuple[Reader, Writer]] = {
    "w": (get_vw, put_vw),
    "s": (get_vs, put_vs),
    "d": (get_vd, put_vd),
}
"""How a suffix reads and writes an element."""
