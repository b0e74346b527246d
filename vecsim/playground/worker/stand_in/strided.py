"""Arrays: strided views of bytes, what a key selects of them, and their arithmetic."""

from __future__ import annotations

import math
import operator
from array import array as packed_array
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, product
from typing import Any

from vecsim.playground.worker.stand_in.kinds import (
    RANK,
    REALS,
    Shape,
    dtype,
    float64,
    generic,
    int64,
    true_divide,
)

Kind = dtype


@lru_cache(maxsize=4096)
def contiguous(shape: Shape, itemsize: int) -> Shape:
    """Return the strides of an array without gaps."""
    steps = accumulate(reversed((*shape[1:], itemsize) if shape else (itemsize,)), operator.mul)
    return tuple(reversed(list(steps)))[-len(shape) :] if shape else ()


def _offsets(shape: Shape, strides: Shape, first: int) -> list[int]:
    """Return where the elements of an array are, in order."""
    result = [first]
    for length, stride in zip(shape, strides, strict=True):
        steps = range(0, length * stride, stride) if stride else [0] * length
        result = [begin + step for begin in result for step in steps]
    return result


class _Flags:
    writeable = True


class _Address:
    """In the place of an address: whoever runs the module lays arrays out where it likes."""

    data = 0


class ndarray:
    """A strided view of bytes."""

    __slots__ = ("content", "dtype", "flags", "offset", "shape", "strides")
    ctypes = _Address()
    __hash__ = None  # type: ignore[assignment]

    def __init__(
        self, content: Any, kind: dtype, shape: Shape, strides: Shape | None = None, offset: int = 0
    ) -> None:
        self.content, self.dtype, self.shape, self.offset = content, kind, shape, offset
        self.strides = contiguous(shape, kind.itemsize) if strides is None else strides
        self.flags = _Flags()

    def __class_getitem__(cls, item: Any) -> Any:
        return cls

    @classmethod
    def of(cls, values: Sequence[Any], shape: Shape, kind: dtype) -> ndarray:
        """Return a new array of values in order."""
        letter = "B" if kind.letter == "?" else kind.letter
        try:
            content = packed_array(letter, values)
        except (OverflowError, TypeError):
            content = packed_array(letter, [kind.fitted(value) for value in values])
        return cls(memoryview(bytearray(content.tobytes())), kind, shape)

    # What it is

    @property
    def size(self) -> int:
        """How many elements."""
        return math.prod(self.shape)

    @property
    def ndim(self) -> int:
        """How many dimensions."""
        return len(self.shape)

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self.size * self.itemsize

    @property
    def T(self) -> ndarray:
        """The same with the dimensions the other way round."""
        return ndarray(self.content, self.dtype, self.shape[::-1], self.strides[::-1], self.offset)

    def __len__(self) -> int:
        return self.shape[0]

    @property
    def is_block(self) -> bool:
        """Whether it has no gaps."""
        return self.strides == contiguous(self.shape, self.itemsize) or not self.size

    @property
    def _block(self) -> Any:
        """The bytes of an array without gaps."""
        return self.content[self.offset : self.offset + self.nbytes]

    def __buffer__(self, flags: int) -> Any:
        return self._block.cast(self.dtype.letter) if self.dtype.letter else self._block

    # Elements

    def _numbers(self) -> Any:
        """All content of the same bytes as numbers of this type."""
        return self.content[: len(self.content) // self.itemsize * self.itemsize].cast(self.dtype.letter)

    def values(self) -> list[Any]:
        """Return the elements in order."""
        if not self.size:
            return []
        if self.dtype.fields:
            return [self._structure(at) for at in _offsets(self.shape, self.strides, self.offset)]
        if self.is_block:
            return self._block.cast(self.dtype.letter).tolist()  # type: ignore[no-any-return]
        numbers, size = self._numbers(), self.itemsize
        return [numbers[at // size] for at in _offsets(self.shape, self.strides, self.offset)]

    def _structure(self, at: int) -> tuple[Any, ...]:
        parts = []
        for kind, begin, shape in self.dtype.fields.values():
            part = ndarray(self.content, kind, shape, None, at + begin)
            parts.append(part if shape else part.item())
        return tuple(parts)

    def item(self) -> Any:
        """Return the only element."""
        (value,) = self.values()
        return value

    def tolist(self) -> Any:
        """Return lists of lists of elements."""
        values = self.values()
        for length in reversed(self.shape[1:]):
            count = len(values) // length if length else math.prod(self.shape[:-1])
            values = [values[k * length : (k + 1) * length] for k in range(count)]
        return values if self.shape else values[0]

    def tobytes(self) -> bytes:
        """Return the bytes of the elements in order."""
        return bytes(self._block) if self.is_block else self.copy().tobytes()

    def __iter__(self) -> Iterator[Any]:
        return (self[k] for k in range(len(self)))

    def __int__(self) -> int:
        return int(self.item())

    def __float__(self) -> float:
        return float(self.item())

    def __bool__(self) -> bool:
        return bool(self.item())

    __index__ = __int__

    def __repr__(self) -> str:
        return f"array({self.tolist()})"

    # Other views

    def view(self, kind: Any) -> ndarray:
        """Return the same bytes as elements of another type, along the last dimension."""
        known = dtype(kind)
        if known.itemsize == self.itemsize:
            return ndarray(self.content, known, self.shape, self.strides, self.offset)
        length = self.shape[-1] * self.itemsize // known.itemsize
        strides = (*self.strides[:-1], known.itemsize)
        return ndarray(self.content, known, (*self.shape[:-1], length), strides, self.offset)

    def reshape(self, *shape: Any) -> ndarray:
        """Return the elements in another shape; -1 stands for the length that is left."""
        wanted = tuple(shape[0]) if isinstance(shape[0], tuple) else shape
        rest = math.prod(length for length in wanted if length >= 0)
        full = tuple((self.size // rest if rest else 0) if length < 0 else length for length in wanted)
        source = self if self.is_block else self.copy()
        return ndarray(source.content, self.dtype, full, None, source.offset)

    def copy(self) -> ndarray:
        """Return a new array of the same elements."""
        if self.is_block:
            return ndarray(memoryview(bytearray(self._block)), self.dtype, self.shape)
        if self.dtype.fields:
            result = zeros(self.shape, self.dtype)
            result[...] = self
            return result
        return ndarray.of(self.values(), self.shape, self.dtype)

    def astype(self, kind: Any, *, copy: bool = True) -> ndarray:
        """Return the elements as another type."""
        known = dtype(kind)
        if known == self.dtype:
            return self.copy()
        values = [int(value) for value in self.values()] if known.kind in "iu" else self.values()
        if self.dtype.kind == "b" or known.kind == "b":
            values = [bool(value) for value in values]
        return ndarray.of(values, self.shape, known)

    def ravel(self) -> ndarray:
        """Return the elements in one dimension."""
        return self.reshape(-1)

    # Places

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            kind, begin, shape = self.dtype.fields[key]
            strides = (*self.strides, *contiguous(shape, kind.itemsize))
            return ndarray(self.content, kind, (*self.shape, *shape), strides, self.offset + begin)
        if type(key) is int and len(self.shape) == 1 and self.dtype.letter:
            if not -self.shape[0] <= key < self.shape[0]:
                raise IndexError(f"index {key} is outside {self.shape[0]} elements")
            at = self.offset + self.strides[0] * (key if key >= 0 else key + self.shape[0])
            number, real = self._numbers()[at // self.itemsize], REALS.get(self.dtype.letter)
            return number if real is None else float.__new__(real, number)
        places = _selection(self, key)
        if isinstance(places, ndarray):
            return places.item() if not places.shape and places.dtype.letter and _is_point(key) else places
        offsets, shape = places
        if self.dtype.fields:
            size = self.itemsize
            content = b"".join(bytes(self.content[at : at + size]) for at in offsets)
            return ndarray(memoryview(bytearray(content)), self.dtype, shape)
        numbers, size = self._numbers(), self.itemsize
        return ndarray.of([numbers[at // size] for at in offsets], shape, self.dtype)

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(key, str):
            self[key][...] = value
            return
        places = _selection(self, key)
        if isinstance(places, ndarray):
            places._fill(value)
            return
        offsets, shape = places
        given = spread(asarray(value), shape).values()
        numbers, size, fitted = self._numbers(), self.itemsize, self.dtype.fitted
        for at, each in zip(offsets, given, strict=True):
            numbers[at // size] = fitted(each)

    def _fill(self, value: Any) -> None:
        """Write a value, or an array of values, into all elements."""
        if not self.size:
            return
        given = value if isinstance(value, ndarray) else array(value)
        if not given.shape and self.dtype.letter:
            given = given.astype(self.dtype)
        if given.dtype == self.dtype and given.is_block and self.is_block:
            if given.size == self.size:
                self._block[:] = bytes(given._block)
                return
            if self.shape[len(self.shape) - given.ndim :] == given.shape:
                self._block[:] = bytes(given._block) * (self.size // given.size)
                return
        if self.dtype.fields:
            for name in self.dtype.fields:
                self[name]._fill(given[name])
            return
        values = spread(given, self.shape).values()
        if self.is_block:
            self._block[:] = ndarray.of(
                [int(each) for each in values] if self.dtype.kind in "iu" else values, self.shape, self.dtype
            )._block
            return
        numbers, size, fitted = self._numbers(), self.itemsize, self.dtype.fitted
        for at, each in zip(_offsets(self.shape, self.strides, self.offset), values, strict=True):
            numbers[at // size] = fitted(each)

    # Along dimensions

    def reduced(self, how: Callable[[list[Any]], Any], axis: int | None, kind: dtype) -> Any:
        """Return what comes of the elements along a dimension; None: of all of them."""
        if axis is None:
            return how(self.values())
        at = axis % self.ndim
        moved = (*(k for k in range(self.ndim) if k != at), at)
        shape = tuple(self.shape[k] for k in moved)
        last = ndarray(self.content, self.dtype, shape, tuple(self.strides[k] for k in moved), self.offset)
        values, length = last.values(), shape[-1]
        count = math.prod(shape[:-1])
        return ndarray.of(
            [how(values[k * length : (k + 1) * length]) for k in range(count)], shape[:-1], kind
        )

    def sum(self, axis: int | None = None) -> Any:
        """Add."""
        return self.reduced(sum, axis, self.dtype if self.dtype.kind == "f" else dtype(int64))

    def any(self, axis: int | None = None) -> Any:
        """Return whether one is true."""
        return self.reduced(any, axis, dtype(bool))

    def all(self, axis: int | None = None) -> Any:
        """Return whether all are true."""
        return self.reduced(all, axis, dtype(bool))

    def max(self, axis: int | None = None, initial: Any = None) -> Any:
        """Return the largest."""
        first = [] if initial is None else [initial]
        return self.reduced(lambda values: max([*first, *values]), axis, self.dtype)

    def min(self, axis: int | None = None, initial: Any = None) -> Any:
        """Return the smallest."""
        first = [] if initial is None else [initial]
        return self.reduced(lambda values: min([*first, *values]), axis, self.dtype)

    def argmin(self) -> int:
        """Return the place of the first that is smallest."""
        values = self.values()
        return values.index(min(values))

    def argmax(self) -> int:
        """Return the place of the first that is largest."""
        values = self.values()
        return values.index(max(values))

    # Arithmetic, element by element

    def __neg__(self) -> ndarray:
        return ndarray.of([-value for value in self.values()], self.shape, self.dtype)

    def __invert__(self) -> ndarray:
        turn: Callable[[Any], Any] = operator.not_ if self.dtype.kind == "b" else operator.invert
        return ndarray.of([turn(value) for value in self.values()], self.shape, self.dtype)


def _is_point(key: Any) -> bool:
    """Return whether a key names one element and nothing else."""
    parts = key if isinstance(key, tuple) else (key,)
    return not any(part is Ellipsis for part in parts)


def _kind_of(value: Any) -> dtype | None:
    """Return the type that an operand brings; None of Python's numbers that take the other's."""
    if isinstance(value, ndarray):
        return value.dtype
    return dtype(type(value)) if isinstance(value, generic) else None


def result_kind(a: Any, b: Any) -> dtype:
    """Return the type of the result of an operation; numbers of Python take that of the other side."""
    kinds = [kind for kind in (_kind_of(a), _kind_of(b)) if kind is not None]
    best = max(kinds, key=lambda kind: RANK[kind.letter])
    if len(kinds) == 2 and {kinds[0].kind, kinds[1].kind} == {"i", "u"}:
        size = max(kind.itemsize * (2 if kind.kind == "u" else 1) for kind in kinds)
        return dtype(f"i{min(size, 8)}")
    for value in (a, b):
        if best.kind != "f" and isinstance(value, float):
            return dtype(float64)
        if best.kind == "b" and isinstance(value, int) and not isinstance(value, bool):
            return dtype(int64)
    return best


def elementwise(how: Callable[[Any, Any], Any], a: Any, b: Any, kind: dtype) -> ndarray:
    """Apply a function to the elements of two operands, repeated to a common shape."""
    left, right = asarray(a), asarray(b)
    shape = common(left.shape, right.shape)
    pairs = zip(spread(left, shape).values(), spread(right, shape).values(), strict=True)
    return ndarray.of([how(x, y) for x, y in pairs], shape, kind)


def common(a: Shape, b: Shape) -> Shape:
    """Return the shape to which two are repeated; ValueError if they do not fit."""
    width = max(len(a), len(b))
    a, b = (1,) * (width - len(a)) + a, (1,) * (width - len(b)) + b
    if any(x != y and 1 not in (x, y) for x, y in zip(a, b, strict=True)):
        raise ValueError(f"shapes {a} and {b} do not fit")
    return tuple(y if x == 1 else x for x, y in zip(a, b, strict=True))


def spread(given: ndarray, shape: Shape) -> ndarray:
    """Return an array repeated to a shape, without a copy."""
    if given.shape == shape:
        return given
    missing = len(shape) - given.ndim
    own, strides = (1,) * missing + given.shape, (0,) * missing + given.strides
    if common(own, shape) != shape:
        raise ValueError(f"shape {given.shape} does not fit {shape}")
    steps = tuple(0 if length == 1 else stride for length, stride in zip(own, strides, strict=True))
    return ndarray(given.content, given.dtype, shape, steps, given.offset)


def _operators() -> None:
    """Define for arrays the operators of two operands, from both sides and in place."""
    plain = {
        "add": operator.add,
        "sub": operator.sub,
        "mul": operator.mul,
        "floordiv": operator.floordiv,
        "mod": operator.mod,
        "and": operator.and_,
        "or": operator.or_,
        "xor": operator.xor,
        "lshift": operator.lshift,
        "rshift": operator.rshift,
        "truediv": true_divide,
    }
    compared = {name: getattr(operator, name) for name in ("eq", "ne", "lt", "le", "gt", "ge")}

    def given(how: Callable[[Any, Any], Any], name: str) -> None:
        def kind(a: Any, b: Any) -> dtype:
            best = result_kind(a, b)
            return dtype(float64) if name == "truediv" and best.kind != "f" else best

        def forward(self: ndarray, other: Any) -> ndarray:
            return elementwise(how, self, other, kind(self, other))

        def backward(self: ndarray, other: Any) -> ndarray:
            return elementwise(how, other, self, kind(other, self))

        def in_place(self: ndarray, other: Any) -> ndarray:
            self[...] = elementwise(how, self, other, self.dtype)
            return self

        setattr(ndarray, f"__{name}__", forward)
        setattr(ndarray, f"__r{name}__", backward)
        setattr(ndarray, f"__i{name}__", in_place)

    for name, how in plain.items():
        given(how, name)
    for name, how in compared.items():
        setattr(
            ndarray,
            f"__{name}__",
            lambda self, other, how=how: elementwise(how, self, other, dtype(bool)),
        )


_operators()


# What a key selects


def _selection(of: ndarray, key: Any) -> ndarray | tuple[list[int], Shape]:
    """Return the view that a key selects; of lists of places where the elements are, and their shape."""
    parts: list[Any] = list(key) if isinstance(key, tuple) else [key]
    lists = [isinstance(part, ndarray | list) for part in parts]
    if any(lists):
        return _listed(of, parts)
    given = sum(part is not None and part is not Ellipsis for part in parts)
    if not any(part is Ellipsis for part in parts):
        parts.append(Ellipsis)
    shape: list[int] = []
    strides: list[int] = []
    offset, at = of.offset, 0
    for part in parts:
        if part is None:
            shape.append(1)
            strides.append(0)
        elif part is Ellipsis:
            rest = of.ndim - given
            shape += of.shape[at : at + rest]
            strides += of.strides[at : at + rest]
            at += rest
        elif isinstance(part, slice):
            begin, end, step = part.indices(of.shape[at])
            shape.append(len(range(begin, end, step)))
            strides.append(of.strides[at] * step)
            offset += begin * of.strides[at]
            at += 1
        else:
            offset += _place(operator.index(part), of.shape[at]) * of.strides[at]
            at += 1
    return ndarray(of.content, of.dtype, tuple(shape), tuple(strides), offset)


def _place(k: int, length: int) -> int:
    if not -length <= k < length:
        raise IndexError(f"index {k} is outside {length} elements")
    return k if k >= 0 else k + length


def _listed(of: ndarray, parts: list[Any]) -> tuple[list[int], Shape]:
    """Return the places of elements that lists select, with slices before and after them."""
    expanded: list[Any] = []
    for part in parts:
        known = asarray(part) if isinstance(part, ndarray | list) else part
        if isinstance(known, ndarray) and known.dtype.kind == "b":
            expanded += nonzero(known)
        else:
            expanded.append(known)
    expanded += [slice(None)] * (of.ndim - len(expanded))
    which = [k for k, part in enumerate(expanded) if not isinstance(part, slice)]
    if which != list(range(which[0], which[-1] + 1)):
        raise TypeError("lists of places must stand side by side")
    shape: Shape = ()
    for k in which:
        shape = common(shape, asarray(expanded[k]).shape)
    places = [0] * math.prod(shape)
    for k in which:
        values = spread(asarray(expanded[k]), shape).values()
        step, length = of.strides[k], of.shape[k]
        places = [at + _place(value, length) * step for at, value in zip(places, values, strict=True)]
    first, last = which[0], which[-1] + 1
    ahead = ndarray(b"", of.dtype, of.shape[:first], of.strides[:first], 0)
    behind = ndarray(b"", of.dtype, of.shape[last:], of.strides[last:], 0)
    outer = _selection(ahead, tuple(expanded[:first])) if first else ahead
    inner = _selection(behind, tuple(expanded[last:])) if last < of.ndim else behind
    assert isinstance(outer, ndarray) and isinstance(inner, ndarray)
    offsets = [
        of.offset + a + b + c
        for a in _offsets(outer.shape, outer.strides, outer.offset)
        for b in places
        for c in _offsets(inner.shape, inner.strides, inner.offset)
    ]
    return offsets, (*outer.shape, *shape, *inner.shape)


def shape_of(shape: Any) -> Shape:
    """Return a length, or lengths, as a shape."""
    return (int(shape),) if isinstance(shape, int) else tuple(map(int, shape))


def zeros(shape: Any, dtype: Any = float64) -> ndarray:
    """Return an array of zeros."""
    kind, dimensions = Kind(dtype), shape_of(shape)
    return ndarray(memoryview(bytearray(kind.itemsize * math.prod(dimensions))), kind, dimensions)


empty = zeros


def array(values: Any, dtype: Any = None) -> ndarray:
    """Return a new array of numbers, or of lists of them."""
    known = None if dtype is None else Kind(dtype)
    if isinstance(values, ndarray):
        return values.copy() if known is None else values.astype(known)
    if isinstance(values, int | float):
        letter = _kind_of(values) or Kind(_python_type(values))
        return ndarray.of([values], (), known or letter)
    parts = list(values)
    if parts and isinstance(parts[0], list | tuple | ndarray | range):
        rows = [asarray(part) for part in parts]
        joined = [value for row in rows for value in row.values()]
        return ndarray.of(joined, (len(rows), *rows[0].shape), known or best_of(row.dtype for row in rows))
    plain = [each.item() if isinstance(each, ndarray) else each for each in parts]
    best = known or best_of(_kind_of(each) or Kind(_python_type(each)) for each in plain)
    return ndarray.of(plain, (len(plain),), best)


def _python_type(value: Any) -> type:
    return bool if isinstance(value, bool) else int if isinstance(value, int) else float


def best_of(kinds: Iterable[dtype]) -> dtype:
    """Return the type that holds all of some; float64 if there are none."""
    return max(kinds, key=lambda kind: RANK[kind.letter], default=dtype(float64))


def asarray(values: Any, dtype: Any = None) -> ndarray:
    """Return an array; the same if it is one of that type."""
    if isinstance(values, ndarray) and (dtype is None or values.dtype == dtype):
        return values
    return array(values, dtype)


def nonzero(of: ndarray) -> list[ndarray]:
    """Return the places of what is not zero, a list a dimension."""
    indexes = [
        index for index, value in zip(product(*map(range, of.shape)), of.values(), strict=True) if value
    ]
    return [ndarray.of([each[k] for each in indexes], (len(indexes),), dtype(int64)) for k in range(of.ndim)]
