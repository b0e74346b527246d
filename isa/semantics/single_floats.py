"""Scalar floats beside add, subtract and multiply: divide, square root, minimum, conversions, branches."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from isa.semantics.numbers import BITS_OF_NAN_D, BITS_OF_NAN_S, put_fd, put_fs, put_x
from isa.semantics.operations import at_least, divided, greater, lesser, truncated
from isa.semantics.scalar import float_d, float_s
from isa.state import State

Semantics = Callable[..., Any]


def one_s(operation: Callable[[Any], Any]) -> Semantics:
    """``fd = op fa``, float32."""

    def execute(m: State, n: int, d: int, a: int) -> None:
        put_fs(m, d, operation(m.fs[2 * a]))

    return execute


def one_d(operation: Callable[[Any], Any]) -> Semantics:
    """``fd = op fa``, float64."""

    def execute(m: State, n: int, d: int, a: int) -> None:
        put_fd(m, d, operation(m.fd[a]))

    return execute


def fsqrt_s(m: State, n: int, d: int, a: int) -> None:
    """``fd = square root of fa``, float32."""
    root = np.sqrt(m.fs[2 * a])
    put_fs(m, d, root)
    if root != root:
        m.f[d] = BITS_OF_NAN_S


def fsqrt_d(m: State, n: int, d: int, a: int) -> None:
    """``fd = square root of fa``, float64."""
    root = np.sqrt(m.fd[a])
    put_fd(m, d, root)
    if root != root:
        m.f[d] = BITS_OF_NAN_D


def fcvt_s_w(m: State, n: int, d: int, a: int) -> None:
    """``fd = xa`` as a float32."""
    put_fs(m, d, np.float32(m.x[a]))


def fcvt_d_w(m: State, n: int, d: int, a: int) -> None:
    """``fd = xa`` as a float64."""
    put_fd(m, d, np.float64(m.x[a]))


def fcvt_w_s(m: State, n: int, d: int, a: int) -> None:
    """``xd = fa``, float32, rounded towards zero."""
    put_x(m, d, truncated(m.fs[2 * a]))


def fcvt_w_d(m: State, n: int, d: int, a: int) -> None:
    """``xd = fa``, float64, rounded towards zero."""
    put_x(m, d, truncated(m.fd[a]))


def fcvt_s_d(m: State, n: int, d: int, a: int) -> None:
    """``fd = fa``: a float64 as a float32."""
    put_fs(m, d, np.float32(m.fd[a]))


def fcvt_d_s(m: State, n: int, d: int, a: int) -> None:
    """``fd = fa``: a float32 as a float64."""
    put_fd(m, d, np.float64(m.fs[2 * a]))


def branch_s(condition: Callable[[Any, Any], Any]) -> Semantics:
    """Taken if ``fa cond fb``, float32."""

    def execute(m: State, n: int, a: int, b: int, target: int) -> bool:
        return bool(condition(m.fs[2 * a], m.fs[2 * b]))

    return execute


def branch_d(condition: Callable[[Any, Any], Any]) -> Semantics:
    """Taken if ``fa cond fb``, float64."""

    def execute(m: State, n: int, a: int, b: int, target: int) -> bool:
        return bool(condition(m.fd[a], m.fd[b]))

    return execute


fdiv_s, fdiv_d = float_s(divided), float_d(divided)
fmin_s, fmin_d = float_s(lesser), float_d(lesser)
fmax_s, fmax_d = float_s(greater), float_d(greater)
fabs_s, fabs_d = one_s(abs), one_d(abs)
fbeq_s, fbeq_d = branch_s(operator.eq), branch_d(operator.eq)
fbne_s, fbne_d = branch_s(operator.ne), branch_d(operator.ne)
fblt_s, fblt_d = branch_s(operator.lt), branch_d(operator.lt)
fbge_s, fbge_d = branch_s(at_least), branch_d(at_least)
