"""Operations of user-defined code, compiled so that they are what Python's are, or an error.

Integers have 64 bits: what does not fit, a division by zero and a negative shift are errors, those of
:mod:`vecsim.engines.user_values`. Floats follow NumPy: one of 32 bits stays so next to an integer and next to
a constant of Python. Code is refused where Python distinguishes what the compiler cannot.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from types import ModuleType
from typing import Any, NoReturn

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.core.errors import TypingError
from numba.core.types import unliteral  # type: ignore[attr-defined]
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin, overload

from vecsim.engines.jit.arrays.checked_cells import WORD, refuse
from vecsim.engines.jit.compiler.compilation import REASON
from vecsim.engines.user_values import (
    BY_ZERO,
    DOMAIN,
    EXACT,
    INEXACT,
    LEAST,
    MATH_OF_FLOATS,
    NEGATIVE_POWER,
    NEGATIVE_SHIFT,
    RANGE,
    TOO_LARGE,
    USER_MATH,
    Int64,
    greater,
    greater_of,
    lesser,
    lesser_of,
    to_float,
    to_integer,
    to_single,
)

MIXED = "float32 and float64 meet: convert one by np.float32() or np.float64()"
OF_TRUTH = "truth values are no numbers in all engines: convert them by int()"
ONE = ir.Constant(WORD, 1)
ZERO = ir.Constant(WORD, 0)
MOST = ir.Constant(WORD, 63)


def refused(why: str) -> NoReturn:
    """Refuse to compile."""
    raise TypingError(f"{REASON}{why}")


def number(kind: Any) -> Any:
    """Return the type in which a number takes part in an operation."""
    kind = unliteral(kind)
    if isinstance(kind, types.Boolean):
        return types.int64
    if isinstance(kind, types.Integer) and kind != types.int64:
        refused(f"integers are those of Python, of 64 bits, not {kind}")
    if isinstance(kind, types.Integer | types.Float):
        return kind
    return refused(f"{kind} is no number")


def common(left: Any, right: Any, constant: tuple[bool, bool]) -> Any:
    """Return the type in which two numbers meet.

    Parameters
    ----------
    constant
        Which of them is a constant float of Python, which takes the type of the other.
    """
    left, right = number(left), number(right)
    if left == right:
        return left
    if isinstance(left, types.Integer) or isinstance(right, types.Integer):
        return right if isinstance(left, types.Integer) else left
    if (left == types.float64 and constant[0]) or (right == types.float64 and constant[1]):
        return types.float32
    return refused(MIXED)


Lowering = Callable[[Any, Any, Any, Any], Any]
"""``(context, builder, a, b)``: an operation of two int64."""


def _with_overflow(name: str) -> Lowering:
    def lower(context: Any, builder: Any, a: Any, b: Any) -> Any:
        both = getattr(builder, f"{name}_with_overflow")(a, b)
        refuse(context, builder, builder.extract_value(both, 1), OverflowError, TOO_LARGE)
        return builder.extract_value(both, 0)

    return lower


def _check_divisor(context: Any, builder: Any, a: Any, b: Any) -> None:
    refuse(context, builder, builder.icmp_signed("==", b, ZERO), ZeroDivisionError, BY_ZERO)
    least = builder.icmp_signed("==", a, ir.Constant(WORD, LEAST))
    minus = builder.icmp_signed("==", b, ir.Constant(WORD, -1))
    refuse(context, builder, builder.and_(least, minus), OverflowError, TOO_LARGE)


def _is_rounded_up(builder: Any, rest: Any, b: Any) -> Any:
    """Return whether a division that leaves this has to be rounded down: the signs differ."""
    other = builder.icmp_signed("<", builder.xor(rest, b), ZERO)
    return builder.and_(builder.icmp_signed("!=", rest, ZERO), other)


def _modulo(context: Any, builder: Any, a: Any, b: Any) -> Any:
    refuse(context, builder, builder.icmp_signed("==", b, ZERO), ZeroDivisionError, BY_ZERO)
    minus = builder.icmp_signed("==", b, ir.Constant(WORD, -1))
    divisor = builder.select(minus, ONE, b)
    rest = builder.srem(a, divisor)
    return builder.select(_is_rounded_up(builder, rest, divisor), builder.add(rest, divisor), rest)


def _floor(context: Any, builder: Any, a: Any, b: Any) -> Any:
    _check_divisor(context, builder, a, b)
    quotient = builder.sdiv(a, b)
    is_rounded_up = _is_rounded_up(builder, builder.srem(a, b), b)
    return builder.select(is_rounded_up, builder.sub(quotient, ONE), quotient)


def _quotient(context: Any, builder: Any, a: Any, b: Any) -> Any:
    refuse(context, builder, builder.icmp_signed("==", b, ZERO), ZeroDivisionError, BY_ZERO)
    for value in (a, b):
        moved = builder.add(value, ir.Constant(WORD, EXACT))
        above = builder.icmp_unsigned(">", moved, ir.Constant(WORD, 2 * EXACT))
        refuse(context, builder, above, OverflowError, INEXACT)
    double = ir.DoubleType()
    return builder.fdiv(builder.sitofp(a, double), builder.sitofp(b, double))


def _left(context: Any, builder: Any, a: Any, count: Any) -> Any:
    refuse(context, builder, builder.icmp_signed("<", count, ZERO), ValueError, NEGATIVE_SHIFT)
    wide = builder.icmp_signed(">", count, MOST)
    shifted = builder.shl(a, builder.select(wide, ZERO, count))
    back = builder.ashr(shifted, builder.select(wide, ZERO, count))
    lost = builder.or_(builder.icmp_signed("!=", back, a), wide)
    lost = builder.and_(lost, builder.icmp_signed("!=", a, ZERO))
    refuse(context, builder, lost, OverflowError, TOO_LARGE)
    return builder.select(wide, ZERO, shifted)


def _right(context: Any, builder: Any, a: Any, count: Any) -> Any:
    refuse(context, builder, builder.icmp_signed("<", count, ZERO), ValueError, NEGATIVE_SHIFT)
    return builder.ashr(a, builder.select(builder.icmp_signed(">", count, MOST), MOST, count))


INTEGERS: dict[Any, tuple[Lowering | None, types.Type]] = {
    operator.add: (_with_overflow("sadd"), types.int64),
    operator.sub: (_with_overflow("ssub"), types.int64),
    operator.mul: (_with_overflow("smul"), types.int64),
    operator.floordiv: (_floor, types.int64),
    operator.mod: (_modulo, types.int64),
    operator.truediv: (_quotient, types.float64),
    operator.lshift: (_left, types.int64),
    operator.rshift: (_right, types.int64),
    **dict.fromkeys((operator.and_, operator.or_, operator.xor), (None, types.int64)),
    **dict.fromkeys(
        (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge), (None, types.boolean)
    ),
}
"""By operation what it is on integers, if that is not as Numba has it, and the type of its result."""
OF_INTEGERS_ALONE = (operator.lshift, operator.rshift, operator.and_, operator.or_, operator.xor)
NOT_OF_FLOATS = (operator.floordiv, operator.mod)
"""NumPy's and the compiler's differ by zero and in the sign of zero."""


def _as(context: Any, builder: Any, value: Any, match: Any, wanted: Any) -> Any:
    """Convert a number as NumPy does, an integer to a float32 by way of a float64."""
    if isinstance(match, types.Integer) and wanted == types.float32:
        value, match = context.cast(builder, value, match, types.float64), types.float64
    return context.cast(builder, value, match, wanted)


CHECKED: dict[tuple[Any, tuple[bool, bool]], Any] = {}
"""What stands for an operation; the key has which of its operands is a constant float."""


def _declare(plain: Any, constant: tuple[bool, bool]) -> None:
    exact, result = INTEGERS[plain]

    def operation(a: Any, b: Any) -> Any:
        """Stand for the operation in what is compiled; Numba decides branches on constants by it."""
        return plain(*(Int64(each) if isinstance(each, int) else each for each in (a, b)))

    CHECKED[plain, constant] = operation
    operation.__name__ = f"_{plain.__name__.rstrip('_')}_{2 * constant[0] + constant[1]}"
    globals()[operation.__name__] = operation  # Numba looks for it by its name

    @infer_global(operation)
    class Template(AbstractTemplate):  # type: ignore[misc]
        def generic(self, args: Any, kws: Any) -> Any:
            both = {unliteral(kind) for kind in args}
            if both == {types.boolean} and plain in OF_INTEGERS_ALONE[2:]:
                return signature(types.boolean, types.boolean, types.boolean)
            if both == {types.boolean} and result != types.boolean:
                refused(OF_TRUTH)
            kind = common(args[0], args[1], constant)
            if isinstance(kind, types.Integer):
                return signature(result, kind, kind)
            if plain in OF_INTEGERS_ALONE or plain in NOT_OF_FLOATS:
                refused(f"{plain.__name__.rstrip('_')} of floats is not the same in all engines")
            result_type = types.boolean if result == types.boolean else kind
            return signature(result_type, number(args[0]), number(args[1]))

    @lower_builtin(operation, types.Any, types.Any)
    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        if exact is not None and sig.args == (types.int64, types.int64):
            return exact(context, builder, *args)
        if sig.args[0] != types.boolean:
            kind = common(sig.args[0], sig.args[1], constant)
            args = [_as(context, builder, *each, kind) for each in zip(args, sig.args, strict=True)]
            sig = signature(sig.return_type, kind, kind)
        if plain is operator.truediv:  # by IEEE 754, without a look at zero
            if constant == (True, True):  # but for floats of Python
                by_zero = builder.fcmp_ordered("==", args[1], args[1].type(0))
                refuse(context, builder, by_zero, ZeroDivisionError, BY_ZERO)
            return builder.fdiv(*args)
        return context.get_function(plain, sig)(builder, args)


for _plain in INTEGERS:
    for _constant in ((False, False), (True, False), (False, True), (True, True)):
        _declare(_plain, _constant)


def _power(base: Any, exponent: Any) -> Any:
    """Stand for a power in what is compiled; Numba decides branches on constants by it."""
    return Int64(base) ** Int64(exponent)


@overload(_power, strict=False)
def _power_of_integers(base: Any, exponent: Any) -> Any:
    if number(base) != types.int64 or number(exponent) != types.int64:
        refused("powers of floats are not the same in all engines: multiply")
    multiply = CHECKED[operator.mul, (False, False)]

    def compiled(base: Any, exponent: Any) -> Any:
        if exponent < 0:
            raise ValueError(NEGATIVE_POWER)
        result = 1
        if -2 < base < 2 and exponent > 2:
            exponent = 2 - (exponent & 1)
        for _ in range(exponent):
            result = multiply(result, base)
        return result

    return compiled


def _negated(value: Any) -> Any:
    """Stand for a minus sign in what is compiled."""


@overload(_negated, strict=False)
def _negated_number(value: Any) -> Any:
    _refuse_truth(value)
    if number(value) != types.int64:
        return lambda value: -value
    subtract = CHECKED[operator.sub, (False, False)]
    return lambda value: subtract(0, value)


def _inverted(value: Any) -> Any:
    """Stand for ``~`` in what is compiled."""


@overload(_inverted, strict=False)
def _inverted_number(value: Any) -> Any:
    _refuse_truth(value)
    if number(value) != types.int64:
        refused("floats have no bits to invert")
    return lambda value: ~value


def _refuse_truth(kind: Any) -> None:
    if isinstance(unliteral(kind), types.Boolean):
        refused(OF_TRUTH)


def magnitude(value: Any) -> Any:
    """Stand for ``abs`` in what is compiled."""


@overload(magnitude, strict=False)
def _magnitude(value: Any) -> Any:
    if number(value) != types.int64:
        return lambda value: abs(value)
    subtract = CHECKED[operator.sub, (False, False)]
    return lambda value: subtract(0, value) if value < 0 else value


@overload(to_integer, strict=False)
def _to_integer(value: Any = 0) -> Any:
    kind = number(value)
    if isinstance(kind, types.Integer):
        return lambda value=0: 0 + value

    def compiled(value: Any = 0) -> Any:
        if value != value:
            raise ValueError("cannot convert float NaN to integer")
        if value - value != 0:
            raise OverflowError("cannot convert float infinity to integer")
        if value < -9223372036854775808.0 or value >= 9223372036854775808.0:
            raise OverflowError(TOO_LARGE)
        return int(value)

    return compiled


@overload(to_float, strict=False)
def _to_float(value: Any = 0.0) -> Any:
    number(value)
    return lambda value=0.0: np.float64(value)


@overload(to_single, strict=False)
def _to_single(value: Any = 0.0) -> Any:
    if isinstance(number(value), types.Integer):  # by way of a float64, as NumPy goes
        return lambda value=0.0: np.float32(np.float64(value))
    return lambda value=0.0: np.float32(value)


def _overload_choice(stand: Any, stand_of_many: Any, plain: Any) -> None:
    compare = CHECKED[plain, (False, False)]

    def chosen(a: Any, b: Any) -> Any:
        if number(a) != number(b):
            refused("min and max take numbers of one type: convert one")
        return lambda a, b: b if compare(b, a) else a

    def chosen_of_many(*values: Any) -> Any:
        if len(values) == 2:
            return lambda *values: stand(values[0], values[1])
        if len(values) == 3:
            return lambda *values: stand(stand(values[0], values[1]), values[2])
        return refused("min and max take two or three numbers")

    overload(stand, strict=False)(chosen)
    overload(stand_of_many, strict=False)(chosen_of_many)


_overload_choice(lesser, lesser_of, operator.lt)
_overload_choice(greater, greater_of, operator.gt)


def _overload_math(stand: Any, plain: Any) -> None:
    nowhere, far = DOMAIN, RANGE
    logarithm = plain is math.log

    def typed(value: Any) -> Any:
        if number(value) == types.float32:
            refused("functions of math take a float64: convert by float()")

        def compiled(value: Any) -> Any:
            argument = np.float64(value)
            result = plain(argument)
            if (result != result and argument == argument) or (logarithm and argument == 0):
                raise ValueError(nowhere)
            if result - result != 0 and argument - argument == 0:
                raise OverflowError(far)
            return result

        return compiled

    overload(stand, strict=False)(typed)


def _overload_rounding(stand: Any, plain: Any) -> None:
    def typed(value: Any) -> Any:
        if isinstance(number(value), types.Integer):
            return lambda value: to_integer(value)
        return lambda value: to_integer(plain(np.float64(value)))

    overload(stand, strict=False)(typed)


for _name in MATH_OF_FLOATS:
    _overload_math(getattr(USER_MATH, _name), getattr(math, _name))
for _name, _plain in (("floor", np.floor), ("ceil", np.ceil), ("trunc", np.trunc)):
    _overload_rounding(getattr(USER_MATH, _name), _plain)


def _module(plain: ModuleType, *names: str, **members: Any) -> ModuleType:
    """Return a module with what of another is the same in all engines."""
    built = ModuleType(plain.__name__)
    vars(built).update({name: getattr(plain, name) for name in names}, **members)
    return built


_OPERATORS = {plain.__name__: CHECKED[plain, (False, False)] for plain in INTEGERS}
_OPERATORS |= {"neg": _negated, "invert": _inverted, "abs": magnitude, "pow": _power}
NUMPY = (
    "sqrt",
    "floor",
    "ceil",
    "trunc",
    "rint",
    "isnan",
    "isinf",
    "isfinite",
    "signbit",
    "copysign",
    "fabs",
)
"""Functions of NumPy with the same results in all engines."""
CONSTANTS = ("nan", "inf", "pi", "e")

COMPILED: dict[int, Any] = {
    id(int): to_integer,
    id(float): to_float,
    id(np.float32): to_single,
    id(np.float64): to_float,
    id(abs): magnitude,
    id(min): lesser_of,
    id(max): greater_of,
    id(math): _module(
        math,
        *("isnan", "isinf", "isfinite", *CONSTANTS),
        **{name: getattr(USER_MATH, name) for name in (*MATH_OF_FLOATS, "floor", "ceil", "trunc")},
    ),
    id(np): _module(np, *NUMPY, *CONSTANTS, float32=to_single, float64=to_float, abs=magnitude),
    id(operator): _module(operator, **_OPERATORS),
    **{id(getattr(operator, name)): stand for name, stand in _OPERATORS.items()},
    **{
        id(getattr(math, name)): getattr(USER_MATH, name)
        for name in (*MATH_OF_FLOATS, "floor", "ceil", "trunc")
    },
    **{id(function): function for function in (math.isnan, math.isinf, math.isfinite)},
    **{id(getattr(np, name)): getattr(np, name) for name in NUMPY},
}
"""What stands in user-defined code for what it names, by the identity of that."""
STANDING = frozenset(map(id, COMPILED.values()))
CHECKED_OF_ONE = {operator.neg: _negated, operator.invert: _inverted}
POWER = _power
