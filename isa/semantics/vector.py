"""Vector arithmetic: element by element, reduction, compare and mask, moves.

Register r holds its element k in container ``r * section + k``. Multiply-add rounds twice.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from isa.semantics.numbers import put_fd, put_fs, put_vd, put_vs, put_x, wrap
from isa.state import State

Semantics = Callable[..., Any]
Operation = Callable[[Any, Any], Any]


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


def reverse_subtract(a: Any, b: Any) -> Any:
    """``b - a``."""
    return b - a


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


def compare_vv_s(condition: Operation) -> Semantics:
    """``mask[k] = va[k] cond vb[k]``, float32."""

    def execute(m: State, n: int, a: int, b: int) -> None:
        s = m.section
        for k in range(n):
            m.mask[k] = 1 if condition(m.vs[2 * (a * s + k)], m.vs[2 * (b * s + k)]) else 0

    return execute


def compare_vv_d(condition: Operation) -> Semantics:
    """``mask[k] = va[k] cond vb[k]``, float64."""

    def execute(m: State, n: int, a: int, b: int) -> None:
        s = m.section
        for k in range(n):
            m.mask[k] = 1 if condition(m.vd[a * s + k], m.vd[b * s + k]) else 0

    return execute


def compare_vv_w(condition: Operation) -> Semantics:
    """``mask[k] = va[k] cond vb[k]``, int32."""

    def execute(m: State, n: int, a: int, b: int) -> None:
        s = m.section
        for k in range(n):
            m.mask[k] = 1 if condition(m.vw[2 * (a * s + k)], m.vw[2 * (b * s + k)]) else 0

    return execute


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


addvv_w, addvv_s, addvv_d = vv_w(operator.add), vv_s(operator.add), vv_d(operator.add)
subvv_w, subvv_s, subvv_d = vv_w(operator.sub), vv_s(operator.sub), vv_d(operator.sub)
mulvv_w, mulvv_s, mulvv_d = vv_w(operator.mul), vv_s(operator.mul), vv_d(operator.mul)
addvs_w, addvs_s, addvs_d = vs_w(operator.add), vs_s(operator.add), vs_d(operator.add)
subvs_w, subvs_s, subvs_d = vs_w(operator.sub), vs_s(operator.sub), vs_d(operator.sub)
subsv_w, subsv_s, subsv_d = vs_w(reverse_subtract), vs_s(reverse_subtract), vs_d(reverse_subtract)
mulvs_w, mulvs_s, mulvs_d = vs_w(operator.mul), vs_s(operator.mul), vs_d(operator.mul)
seqvv_w, seqvv_s, seqvv_d = compare_vv_w(operator.eq), compare_vv_s(operator.eq), compare_vv_d(operator.eq)
sltvv_w, sltvv_s, sltvv_d = compare_vv_w(operator.lt), compare_vv_s(operator.lt), compare_vv_d(operator.lt)
slevv_w, slevv_s, slevv_d = compare_vv_w(operator.le), compare_vv_s(operator.le), compare_vv_d(operator.le)
