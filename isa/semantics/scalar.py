"""The scalar side: integer arithmetic, branches, words in memory, single values."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from isa.semantics.numbers import load32, load64, put_fd, put_fs, put_x, store32, store64, wrap
from isa.semantics.operations import quotient, remainder, shift_left, shift_right, shift_right_arithmetic
from isa.state import State

Semantics = Callable[..., Any]


def integer(operation: Callable[[Any, Any], Any]) -> Semantics:
    """``xd = xa op xb``."""

    def execute(m: State, n: int, d: int, a: int, b: int) -> None:
        put_x(m, d, operation(m.x[a], m.x[b]))

    return execute


def integer_immediate(operation: Callable[[Any, Any], Any]) -> Semantics:
    """``xd = xa op imm``."""

    def execute(m: State, n: int, d: int, a: int, imm: int) -> None:
        put_x(m, d, operation(m.x[a], imm))

    return execute


def less_than(a: Any, b: Any) -> Any:
    """1 if a < b, signed, else 0."""
    return 1 if a < b else 0


def lui(m: State, n: int, d: int, imm: int) -> None:
    """``xd = imm << 13``."""
    put_x(m, d, imm << 13)


def branch(condition: Callable[[Any, Any], Any]) -> Semantics:
    """Taken if ``xa cond xb``."""

    def execute(m: State, n: int, a: int, b: int, target: int) -> bool:
        return bool(condition(m.x[a], m.x[b]))

    return execute


def jal(m: State, n: int, d: int, target: int) -> bool:
    """Jump; the engine has put the number of the next instruction in ``address[0]``."""
    put_x(m, d, m.address[0])
    return True


def jr(m: State, n: int, a: int) -> bool:
    """Jump to the instruction number in xa; the engine reads the target there."""
    return True


def halt(m: State, n: int) -> None:
    """Stop: the engine issues nothing more."""


def lw(m: State, n: int, d: int, imm: int, a: int) -> None:
    """``xd = memory[xa + imm]``, 32 bits."""
    put_x(m, d, wrap(load32(m, m.address[0])))


def sw(m: State, n: int, b: int, imm: int, a: int) -> None:
    """``memory[xa + imm] = xb``, 32 bits."""
    store32(m, m.address[0], m.x[b])


def fl_w(m: State, n: int, d: int, imm: int, a: int) -> None:
    """``fd = memory[xa + imm]``, 32 bits."""
    m.f[d] = load32(m, m.address[0])


def fl_d(m: State, n: int, d: int, imm: int, a: int) -> None:
    """``fd = memory[xa + imm]``, 64 bits."""
    m.f[d] = load64(m, m.address[0])


def fs_w(m: State, n: int, b: int, imm: int, a: int) -> None:
    """``memory[xa + imm] = fb``, 32 bits."""
    store32(m, m.address[0], m.f[b])


def fs_d(m: State, n: int, b: int, imm: int, a: int) -> None:
    """``memory[xa + imm] = fb``, 64 bits."""
    store64(m, m.address[0], m.f[b])


def float_s(operation: Callable[[Any, Any], Any]) -> Semantics:
    """``fd = fa op fb``, float32."""

    def execute(m: State, n: int, d: int, a: int, b: int) -> None:
        put_fs(m, d, operation(m.fs[2 * a], m.fs[2 * b]))

    return execute


def float_d(operation: Callable[[Any, Any], Any]) -> Semantics:
    """``fd = fa op fb``, float64."""

    def execute(m: State, n: int, d: int, a: int, b: int) -> None:
        put_fd(m, d, operation(m.fd[a], m.fd[b]))

    return execute


def mxf(m: State, n: int, d: int, a: int) -> None:
    """``fd = xa``: the 32 bits as they are."""
    m.f[d] = m.x[a] & 0xFFFFFFFF


def mfx(m: State, n: int, d: int, a: int) -> None:
    """``xd = fa``: the low 32 bits as they are."""
    put_x(m, d, m.f[a])


def setvl(m: State, n: int, d: int, a: int) -> None:
    """``vl = xd = min(max(xa, 0), s)``."""
    length = min(max(m.x[a], 0), m.section)
    m.special[0] = length
    put_x(m, d, length)


def mfs(m: State, n: int, d: int, s: int) -> None:
    """``xd = special``."""
    put_x(m, d, m.special[s])


def mts(m: State, n: int, s: int, a: int) -> None:
    """``special = xa``; vl is set by setvl alone and stays."""
    if s != 0:
        m.special[s] = m.x[a]


add = integer(operator.add)
sub = integer(operator.sub)
mul = integer(operator.mul)
div = integer(quotient)
rem = integer(remainder)
and_ = integer(operator.and_)
or_ = integer(operator.or_)
xor = integer(operator.xor)
sll = integer(shift_left)
srl = integer(shift_right)
sra = integer(shift_right_arithmetic)
slt = integer(less_than)
addi = integer_immediate(operator.add)
andi = integer_immediate(operator.and_)
ori = integer_immediate(operator.or_)
xori = integer_immediate(operator.xor)
slli = integer_immediate(shift_left)
srli = integer_immediate(shift_right)
srai = integer_immediate(shift_right_arithmetic)
slti = integer_immediate(less_than)

beq = branch(operator.eq)
bne = branch(operator.ne)
blt = branch(operator.lt)
bge = branch(operator.ge)

fadd_s, fadd_d = float_s(operator.add), float_d(operator.add)
fsub_s, fsub_d = float_s(operator.sub), float_d(operator.sub)
fmul_s, fmul_d = float_s(operator.mul), float_d(operator.mul)
