"""What user-defined semantics compute with in plain Python, so that it is what compiled code computes with.

Integers have 64 bits and do not grow. Arrays have bounds and no negative indices. Functions of Python whose
results differ when they are compiled are replaced. Compiled code has the same checks
(:mod:`vecsim.engines.jit.user.operations`), so all engines end in the same error.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from isa.semantics import numbers
from isa.state import State

LEAST, GREATEST = -(1 << 63), (1 << 63) - 1
EXACT = 1 << 53
"""Up to this magnitude a float64 has every integer."""
TOO_LARGE = "the result does not fit into 64 bits"
BY_ZERO = "integer division by zero"
NEGATIVE_SHIFT = "negative shift count"
NEGATIVE_POWER = "an integer to a negative power"
INEXACT = "integers above 2^53 have no exact quotient"
DOMAIN, RANGE = "math domain error", "math range error"


def outside(index: int, length: int) -> str:
    """Return the message that an index is outside an array of some length."""
    return f"index {index} is not in 0 to {length - 1}"


def too_wide(bits: int) -> str:
    """Return the message that an integer does not fit an element of an array."""
    return f"the value does not fit into {bits} bits"


class Int64(int):
    """An integer that stays one of 64 bits, or is an error; next to NumPy's floats it is a plain one."""

    __slots__ = ()
    __array_ufunc__ = None  # so that NumPy's floats leave operations to it
    __hash__ = int.__hash__


Operation = Callable[[Any, Any], Any]


def _wide(value: Any) -> Any:
    """Return a float of Python as one of NumPy, which follows IEEE 754."""
    return np.float64(value) if type(value) is float else value


def _defined(name: str, plain: Operation, exact: Operation) -> None:
    """Define an operation of two numbers, from either side.

    Parameters
    ----------
    plain
        What it is on other numbers.
    exact
        What it is on integers; it may give one that does not fit.
    """

    def forward(self: Int64, other: Any) -> Any:
        if type(other) is np.bool_:
            other = int(other)
        if not isinstance(other, int):
            return plain(int(self), _wide(other))
        result = exact(self, other)
        return Int64(result) if LEAST <= result <= GREATEST else fitting(result)

    def backward(self: Int64, other: Any) -> Any:
        if type(other) is np.bool_:
            other = int(other)
        if not isinstance(other, int):
            return plain(_wide(other), int(self))
        result = exact(other, self)
        return Int64(result) if LEAST <= result <= GREATEST else fitting(result)

    setattr(Int64, f"__{name}__", forward)
    setattr(Int64, f"__r{name}__", backward)


def _compared(name: str, plain: Operation) -> None:
    setattr(
        Int64,
        f"__{name}__",
        lambda self, other: Int64(plain(int(self), int(other) if isinstance(other, int) else _wide(other))),
    )


def _of_one(name: str, plain: Callable[[int], int]) -> None:
    setattr(Int64, f"__{name}__", lambda self: fitting(plain(int(self))))


def fitting(value: int) -> Int64:
    """Return an integer as one of 64 bits.

    Raises
    ------
    OverflowError
        It is none.
    """
    if LEAST <= value <= GREATEST:
        return Int64(value)
    raise OverflowError(TOO_LARGE)


def _over(a: Any, b: Any) -> Any:
    a, b = (int(each) if type(each) is np.bool_ else each for each in (a, b))
    if not (isinstance(a, int) and isinstance(b, int)):
        return operator.truediv(*(int(value) if isinstance(value, int) else _wide(value) for value in (a, b)))
    if b == 0:
        raise ZeroDivisionError(BY_ZERO)
    if not (-EXACT <= a <= EXACT and -EXACT <= b <= EXACT):
        raise OverflowError(INEXACT)
    return np.float64(int(a) / int(b))


def _left(a: int, count: int) -> int:
    if count < 0:
        raise ValueError(NEGATIVE_SHIFT)
    return int(a) << min(int(count), 64) if a else 0


def _power(base: int, exponent: int) -> int:
    if exponent < 0:
        raise ValueError(NEGATIVE_POWER)
    power: int = int(base) ** min(int(exponent), 64 + (int(exponent) & 1))
    return power


for _name in ("add", "sub", "mul", "and", "or", "xor", "floordiv", "mod", "rshift"):
    _defined(_name, getattr(operator, f"__{_name}__"), getattr(int, f"__{_name}__"))
_defined("lshift", operator.lshift, _left)
_defined("pow", operator.pow, _power)
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    _compared(_name, getattr(operator, _name))
for _name in ("neg", "pos", "abs", "invert"):
    _of_one(_name, getattr(operator, _name))
Int64.__truediv__ = lambda self, other: _over(self, other)  # type: ignore[method-assign]
Int64.__rtruediv__ = lambda self, other: _over(other, self)  # type: ignore[method-assign]


X0, VL, MASK, ROW = (
    "x0 is always 0",
    "vl is 0 to the section size",
    "an element of the mask is 0 or 1",
    "a row is -1, or 0 to the section size - 1",
)
"""What semantics may write to an array of the state that holds less than its elements could."""
ADDRESS = "m.address is read only"
UNCHANGED = "the program and the machine are read only"


class Integers:
    """An array of integers, read and written one element at a time."""

    __slots__ = ("bits", "greatest", "least", "length", "values")
    __iter__ = None

    def __init__(self, values: Any, bits: int, signed: bool) -> None:
        self.values, self.length, self.bits = values, len(values), bits
        self.least = -(1 << (bits - 1)) if signed else 0
        self.greatest = (1 << (bits - signed)) - 1

    def __getitem__(self, index: Any) -> Int64:
        """Read an element."""
        place = operator.index(index)
        if 0 <= place < self.length:
            return Int64(self.values[place])
        raise IndexError(outside(place, self.length))

    def __setitem__(self, index: Any, value: Any) -> None:
        """Write an element."""
        place, number = operator.index(index), operator.index(value)
        if not 0 <= place < self.length:
            raise IndexError(outside(place, self.length))
        if not self.least <= number <= self.greatest:
            raise OverflowError(too_wide(self.bits))
        self.check(place, number)
        self.values[place] = number

    def check(self, place: int, number: int) -> None:
        """Refuse a number that the machine cannot have in a place."""


class Registers(Integers):
    """The scalar integer registers."""

    def check(self, place: int, number: int) -> None:
        """Keep x0."""
        if place == 0 and number != 0:
            raise ValueError(X0)


class Special(Integers):
    """The special registers, on a machine whose sections have this many elements."""

    __slots__ = ("section",)
    section: int

    def check(self, place: int, number: int) -> None:
        """Keep the vector length within the section size."""
        if place == 0 and not 0 <= number <= self.section:
            raise ValueError(VL)


class Mask(Integers):
    """The vector mask."""

    def check(self, place: int, number: int) -> None:
        """Keep bits."""
        if number > 1:
            raise ValueError(MASK)


class Rows(Special):
    """The rows that entries add to."""

    def check(self, place: int, number: int) -> None:
        """Keep rows of a section."""
        if not -1 <= number < self.section:
            raise ValueError(ROW)


class Addresses(Integers):
    """The addresses of an access."""

    def check(self, place: int, number: int) -> None:
        """Keep what the machine has worked out."""
        raise TypeError(ADDRESS)


class Memory(Integers):
    """Simulated memory, by bytes and by groups of them."""

    def load(self, address: int, size: int, signed: bool) -> Int64:
        """Read this many bytes at an address."""
        if 0 <= address <= self.length - size:
            return Int64(int.from_bytes(self.values[address : address + size], "little", signed=signed))
        raise IndexError(outside(address, self.length - size + 1))

    def store(self, address: int, size: int, value: int) -> None:
        """Write the low bytes of an integer at an address."""
        if not 0 <= address <= self.length - size:
            raise IndexError(outside(address, self.length - size + 1))
        bits = value & ((1 << 8 * size) - 1)
        self.values[address : address + size] = bits.to_bytes(size, "little")


OF_STATE = {"x": Registers, "special": Special, "mask": Mask, "row": Rows, "address": Addresses}
"""Arrays of the state that hold less than their elements could."""
KINDS = OF_STATE | {"memory": Memory}


class Floats:
    """An array of floats, read and written one element at a time."""

    __slots__ = ("length", "values")
    __iter__ = None

    def __init__(self, values: Any) -> None:
        self.values, self.length = values, len(values)

    def __getitem__(self, index: Any) -> Any:
        """Read an element."""
        place = operator.index(index)
        if 0 <= place < self.length:
            return self.values[place]
        raise IndexError(outside(place, self.length))

    def __setitem__(self, index: Any, value: Any) -> None:
        """Write an element."""
        place = operator.index(index)
        if not 0 <= place < self.length:
            raise IndexError(outside(place, self.length))
        self.values[place] = np.nan if value != value else value


def guarded(m: State) -> State:
    """Return a state, like that of :func:`isa.state.interpreted`, whose arrays check what is done to them."""
    fields: dict[str, Any] = {"section": Int64(m.section)}
    for name in State._fields[:-1]:
        values = getattr(m, name)
        if isinstance(values, memoryview):
            bits = 32 if name in ("x", "special") else 8 * values.itemsize
            fields[name] = KINDS.get(name, Integers)(values, bits, values.format.islower())
        else:
            fields[name] = Floats(values)
    fields["special"].section = fields["row"].section = m.section
    return State(**fields)


# Functions that stand for others in user-defined semantics, in Python and compiled.


def to_integer(value: Any = 0) -> Any:
    """Return an integer, of a float that which is next to it towards zero; stands for ``int``."""
    return fitting(int(value))


def to_float(value: Any = 0.0) -> Any:
    """Return a float64; stands for ``float``."""
    return np.float64(value)


def to_single(value: Any = 0.0) -> Any:
    """Return a float32; stands for NumPy's."""
    return np.float32(value)


def lesser(a: Any, b: Any) -> Any:
    """Return the lesser as ``min`` does; stands for it."""
    return b if b < a else a


def greater(a: Any, b: Any) -> Any:
    """Return the greater as ``max`` does; stands for it."""
    return b if b > a else a


def lesser_of(*values: Any) -> Any:
    """Stand for ``min``, of two values and more."""
    match = values[0]
    for value in values[1:]:
        match = lesser(match, value)
    return match


def greater_of(*values: Any) -> Any:
    """Stand for ``max``, of two values and more."""
    match = values[0]
    for value in values[1:]:
        match = greater(match, value)
    return match


def _of_floats(plain: Callable[[float], float]) -> Callable[[Any], Any]:
    """Return a function of ``math`` that gives a NumPy float64, which follows IEEE 754 in what comes next."""

    def function(value: Any) -> Any:
        try:
            return np.float64(plain(value))
        except ValueError:
            raise ValueError(DOMAIN) from None
        except OverflowError:
            raise OverflowError(RANGE) from None

    return function


def _rounding(plain: Callable[[float], int]) -> Callable[[Any], Any]:
    def function(value: Any) -> Any:
        return fitting(plain(value))

    return function


MATH_OF_FLOATS = ("sqrt", "exp", "log", "sin", "cos", "tan", "tanh", "atan", "fabs")
"""Functions of ``math`` that compiled code has with the same results."""


class _Module(ModuleType):
    """A module some of whose functions are replaced; all others are its own."""

    def __init__(self, plain: ModuleType, **replaced: Any) -> None:
        super().__init__(plain.__name__)
        self.__dict__.update(replaced)
        self._plain = plain

    def __getattr__(self, name: str) -> Any:
        """Return what is not replaced."""
        return getattr(self._plain, name)


USER_MATH: Any = _Module(
    math,
    **{name: _of_floats(getattr(math, name)) for name in MATH_OF_FLOATS},
    **{name: _rounding(getattr(math, name)) for name in ("floor", "ceil", "trunc")},
)


def _loads(size: int, signed: bool) -> Callable[[Any, Any], Any]:
    return lambda m, address: m.memory.load(operator.index(address), size, signed)


def _stores(size: int) -> Callable[[Any, Any, Any], None]:
    return lambda m, address, value: m.memory.store(operator.index(address), size, operator.index(value))


REPLACED: dict[int, Any] = {
    id(numbers.load16): _loads(2, False),
    id(numbers.load32): _loads(4, False),
    id(numbers.load64): _loads(8, True),
    id(numbers.store32): _stores(4),
    id(numbers.store64): _stores(8),
    id(int): to_integer,
    id(float): to_float,
    id(min): lesser_of,
    id(max): greater_of,
    id(math): USER_MATH,
    **{
        id(getattr(math, name)): getattr(USER_MATH, name)
        for name in (*MATH_OF_FLOATS, "floor", "ceil", "trunc")
    },
}
"""What user-defined semantics call in Python, by the identity of what they name."""
