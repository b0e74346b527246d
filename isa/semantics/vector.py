"""Vector arithmetic: element by element, reduction, compare and mask, conversions, moves.

Register r holds its element k in container ``r * section + k``. Multiply-add rounds twice. ``chosen`` says on
which elements an instruction works: ``every``, or those that are ``active`` under mask.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from isa.semantics.numbers import BITS_OF_NAN, Reader, Semantics, Writer, put_vd, put_vs, put_x
from isa.semantics.scalar import REGISTERS
from isa.state import State

Operation = Callable[[Any, Any], Any]
Choice = Callable[[State, Any], Any]


def every(m: State, k: Any) -> Any:
    """Return true: an instruction works on all its elements."""
    return True


def active(m: State, k: Any) -> Any:
    """Return whether an instruction under mask works on element k."""
    return m.mask[k] != 0


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


ELEMENTS: dict[str, tuple[Reader, Writer]] = {
    "w": (get_vw, put_vw),
    "s": (get_vs, put_vs),
    "d": (get_vd, put_vd),
}
"""How a suffix reads and writes an element."""


def vv(suffix: str, operation: Operation, chosen: Choice = every) -> Semantics:
    """``vd[k] = va[k] op vb[k]``."""
    get, put = ELEMENTS[suffix]

    def execute(m: State, n: int, d: int, a: int, b: int) -> None:
        s = m.section
        for k in range(n):
            if chosen(m, k):
                put(m, d * s + k, operation(get(m, a * s + k), get(m, b * s + k)))

    return execute


def vs(suffix: str, operation: Operation, chosen: Choice = every) -> Semantics:
    """``vd[k] = va[k] op xb``, or ``fb`` of floats."""
    get, put = ELEMENTS[suffix]
    get_scalar, _ = REGISTERS[suffix]

    def execute(m: State, n: int, d: int, a: int, b: int) -> None:
        s = m.section
        for k in range(n):
            if chosen(m, k):
                put(m, d * s + k, operation(get(m, a * s + k), get_scalar(m, b)))

    return execute


def maddvv(suffix: str, chosen: Choice = every) -> Semantics:
    """``vd[k] = vd[k] + va[k] * vb[k]``, of floats."""
    get, put = ELEMENTS[suffix]

    def execute(m: State, n: int, d: int, a: int, b: int) -> None:
        s = m.section
        for k in range(n):
            if chosen(m, k):
                product = get(m, a * s + k) * get(m, b * s + k)
                put(m, d * s + k, get(m, d * s + k) + product)

    return execute


def maddvs(suffix: str, chosen: Choice = every) -> Semantics:
    """``vd[k] = vd[k] + va[k] * fb``, of floats."""
    get, put = ELEMENTS[suffix]
    get_scalar, _ = REGISTERS[suffix]

    def execute(m: State, n: int, d: int, a: int, b: int) -> None:
        s = m.section
        for k in range(n):
            if chosen(m, k):
                product = get(m, a * s + k) * get_scalar(m, b)
                put(m, d * s + k, get(m, d * s + k) + product)

    return execute


def reduction(suffix: str, operation: Operation, start: float, chosen: Choice = every) -> Semantics:
    """``fd = start op va[0] op va[1] ...`` in element order; of integers ``xd``."""
    get, _ = ELEMENTS[suffix]
    get_result, put_result = REGISTERS[suffix]

    def execute(m: State, n: int, d: int, a: int) -> None:
        s = m.section
        put_result(m, d, start)
        for k in range(n):
            if chosen(m, k):
                put_result(m, d, operation(get_result(m, d), get(m, a * s + k)))

    return execute


def movv(chosen: Choice = every) -> Semantics:
    """``vd[k] = va[k]``, the whole container."""

    def execute(m: State, n: int, d: int, a: int) -> None:
        s = m.section
        for k in range(n):
            if chosen(m, k):
                m.v[d * s + k] = m.v[a * s + k]

    return execute


def movvf(chosen: Choice = every) -> Semantics:
    """``vd[k] = fa``, the whole container."""

    def execute(m: State, n: int, d: int, a: int) -> None:
        for k in range(n):
            if chosen(m, k):
                m.v[d * m.section + k] = m.f[a]

    return execute


def movvx(chosen: Choice = every) -> Semantics:
    """``vd[k] = xa``, 32 bits."""

    def execute(m: State, n: int, d: int, a: int) -> None:
        for k in range(n):
            if chosen(m, k):
                m.v[d * m.section + k] = m.x[a] & 0xFFFFFFFF

    return execute


def cvi(m: State, n: int, d: int, a: int) -> None:
    """``vd[k] = k * xa``, int32."""
    for k in range(n):
        m.v[d * m.section + k] = (k * m.x[a]) & 0xFFFFFFFF


def comparevv(suffix: str, condition: Operation, chosen: Choice = every) -> Semantics:
    """``mask[k] = va[k] cond vb[k]``."""
    get, _ = ELEMENTS[suffix]

    def execute(m: State, n: int, a: int, b: int) -> None:
        s = m.section
        for k in range(n):
            if chosen(m, k):
                m.mask[k] = 1 if condition(get(m, a * s + k), get(m, b * s + k)) else 0

    return execute


def comparevs(suffix: str, condition: Operation, chosen: Choice = every) -> Semantics:
    """``mask[k] = va[k] cond xb``, or ``fb`` of floats."""
    get, _ = ELEMENTS[suffix]
    get_scalar, _ = REGISTERS[suffix]

    def execute(m: State, n: int, a: int, b: int) -> None:
        s = m.section
        for k in range(n):
            if chosen(m, k):
                m.mask[k] = 1 if condition(get(m, a * s + k), get_scalar(m, b)) else 0

    return execute


def popm(m: State, n: int, d: int) -> None:
    """``xd`` = how many of the first n bits of the mask are 1."""
    count = 0
    for k in range(n):
        count += int(m.mask[k])
    put_x(m, d, count)


def firstm(m: State, n: int, d: int) -> None:
    """``xd`` = the first element whose bit of the mask is 1; -1 for none."""
    k = 0
    while k < n and m.mask[k] == 0:
        k += 1
    put_x(m, d, k if k < n else -1)


def compressv(m: State, n: int, d: int, a: int) -> None:
    """``vd[0], vd[1], ...`` = the elements of va where the mask is 1, whole containers."""
    s = m.section
    place = 0
    for k in range(n):
        if m.mask[k] != 0:
            m.v[d * s + place] = m.v[a * s + k]
            place += 1


def one(get: Reader, operation: Callable[[Any], Any], put: Writer) -> Semantics:
    """``vd[k] = op va[k]``."""

    def execute(m: State, n: int, d: int, a: int) -> None:
        s = m.section
        for k in range(n):
            put(m, d * s + k, operation(get(m, a * s + k)))

    return execute


def sqrtv(suffix: str) -> Semantics:
    """``vd[k] = square root of va[k]``."""
    get, put = ELEMENTS[suffix]
    bits_of_nan = BITS_OF_NAN[suffix]

    def execute(m: State, n: int, d: int, a: int) -> None:
        s = m.section
        for k in range(n):
            root = np.sqrt(get(m, a * s + k))
            put(m, d * s + k, root)
            if root != root:
                m.v[d * s + k] = bits_of_nan

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


FORMS = {"vv": vv, "vs": vs}
COMPARES = {"vv": comparevv, "vs": comparevs}
"""What makes the semantics of an operation, by its form: of a suffix and what is done to two elements."""
