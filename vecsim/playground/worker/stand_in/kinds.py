"""The types of elements."""

from __future__ import annotations

import math
from struct import pack, unpack
from typing import Any

Shape = tuple[int, ...]


class generic:
    """The base of the types of elements."""

    letter = ""

    def __class_getitem__(cls, item: Any) -> Any:
        """Return the class: annotations name what it holds."""
        return cls

    def item(self) -> Any:
        """Return Python's number."""
        return int(self) if isinstance(self, int) else float(self)  # type: ignore[arg-type]

    def view(self, kind: Any) -> Any:
        """Return the number that the same bits are in another type."""
        own, other = dtype(type(self)), dtype(kind)
        return unpack(f"<{other.letter}", pack(f"<{own.letter}", self))[0]


class integer(generic):
    """Of whole numbers."""


class floating(generic):
    """Of floats."""


class _Whole(int, integer):
    def __new__(cls, value: Any = 0) -> Any:
        kind = dtype(cls)
        return int.__new__(cls, kind.fitted(int(value)))


def true_divide(a: float, b: float) -> float:
    """Divide as IEEE 754 says: no error where b is 0."""
    if b:
        return float(a) / float(b)
    return math.nan if not a or a != a else math.copysign(math.inf, a) * math.copysign(1.0, b)


class _Real(float, floating):
    """A float whose results are rounded as it is."""

    def __new__(cls, value: Any = 0.0) -> Any:
        return float.__new__(cls, dtype(cls).fitted(float(value)))

    def __truediv__(self, other: Any) -> Any:
        return result_of(self, other)(true_divide(self, other))

    def __rtruediv__(self, other: Any) -> Any:
        return result_of(self, other)(true_divide(other, self))

    def __add__(self, other: Any) -> Any:
        return result_of(self, other)(float(self) + float(other))

    def __sub__(self, other: Any) -> Any:
        return result_of(self, other)(float(self) - float(other))

    def __rsub__(self, other: Any) -> Any:
        return result_of(self, other)(float(other) - float(self))

    def __mul__(self, other: Any) -> Any:
        return result_of(self, other)(float(self) * float(other))

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> Any:
        return type(self)(-float(self))

    def __abs__(self) -> Any:
        return type(self)(abs(float(self)))


class bool_(int, generic):
    """Truth."""

    letter = "?"


class int8(_Whole):
    """8 bits."""

    letter = "b"


class uint8(_Whole):
    """8 bits, no sign."""

    letter = "B"


class int16(_Whole):
    """16 bits."""

    letter = "h"


class uint16(_Whole):
    """16 bits, no sign."""

    letter = "H"


class int32(_Whole):
    """32 bits."""

    letter = "i"


class uint32(_Whole):
    """32 bits, no sign."""

    letter = "I"


class int64(_Whole):
    """64 bits."""

    letter = "q"


class uint64(_Whole):
    """64 bits, no sign."""

    letter = "Q"


class float32(_Real):
    """Single precision."""

    letter = "f"


class float64(_Real):
    """Double precision."""

    letter = "d"


def result_of(a: Any, b: Any) -> type[_Real]:
    """Return the type of a result: numbers of Python take that of the other side."""
    return float64 if isinstance(a, float64) or isinstance(b, float64) else float32


REALS: dict[str, type[_Real]] = {"f": float32, "d": float64}
"""The types of floats by their letters."""

intp = int64
TYPES: tuple[type[generic], ...] = (
    bool_,
    int8,
    uint8,
    int16,
    uint16,
    int32,
    uint32,
    int64,
    uint64,
    float32,
    float64,
)
RANK = {kind.letter: rank for rank, kind in enumerate(TYPES)}
_KINDS = {"?": "b", **dict.fromkeys("bhiq", "i"), **dict.fromkeys("BHIQ", "u"), **dict.fromkeys("fd", "f")}
_SIZES = {"?": 1, "b": 1, "B": 1, "h": 2, "H": 2, "i": 4, "I": 4, "q": 8, "Q": 8, "f": 4, "d": 8}
_CODES = {f"{_KINDS[letter]}{size}": letter for letter, size in _SIZES.items() if letter != "?"}
_PYTHON = {bool: "?", int: "q", float: "d"}


class dtype:
    """What an element is: a number of a letter of ``struct``, or a structure of fields."""

    __slots__ = ("fields", "itemsize", "kind", "letter")
    fields: dict[str, tuple[dtype, int, Shape]]
    itemsize: int
    kind: str
    letter: str

    def __new__(cls, kind: Any) -> dtype:
        """Return the type that NumPy would make of this."""
        if isinstance(kind, dtype):
            return kind
        self = object.__new__(cls)
        self.fields = {}
        if isinstance(kind, list):
            at = 0
            for name, of, *shape in kind:
                inner, dimensions = dtype(of), shape[0] if shape else ()
                self.fields[name] = (inner, at, dimensions)
                at += inner.itemsize * math.prod(dimensions)
            self.letter, self.kind, self.itemsize = "", "V", at
            return self
        if isinstance(kind, str):
            self.letter = _CODES[kind.lstrip("<|=")]
        elif kind in _PYTHON:
            self.letter = _PYTHON[kind]
        else:
            self.letter = kind.letter
        self.kind, self.itemsize = _KINDS[self.letter], _SIZES[self.letter]
        return self

    def __class_getitem__(cls, item: Any) -> Any:
        return cls

    def __eq__(self, other: object) -> bool:
        try:
            known = dtype(other)
        except (AttributeError, KeyError, TypeError):
            return False
        return (self.letter, self.fields) == (known.letter, known.fields)

    def __hash__(self) -> int:
        return hash((self.letter, tuple(self.fields)))

    def __repr__(self) -> str:
        return f"dtype({self.letter or list(self.fields)!r})"

    @property
    def type(self) -> Any:
        """The type of elements."""
        return next(kind for kind in TYPES if kind.letter == self.letter)

    @property
    def names(self) -> tuple[str, ...] | None:
        """The names of the fields of a structure."""
        return tuple(self.fields) or None

    def fitted(self, value: Any) -> Any:
        """Return a number as this type holds it: whole numbers wrap around, floats are rounded."""
        if self.kind == "f":
            try:
                return unpack("f", pack("f", value))[0] if self.letter == "f" else float(value)
            except OverflowError:
                return math.copysign(math.inf, value)
        if self.kind == "b":
            return bool(value)
        bits = 8 * self.itemsize
        value = int(value) & ((1 << bits) - 1)
        return value - (1 << bits) if self.kind == "i" and value >> (bits - 1) else value
