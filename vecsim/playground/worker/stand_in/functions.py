"""Functions that make, join, search and sort arrays, and functions of their elements."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import accumulate, pairwise
from typing import Any

from vecsim.playground.worker.stand_in.kinds import dtype, float64, int64
from vecsim.playground.worker.stand_in.strided import (
    Kind,
    asarray,
    best_of,
    common,
    elementwise,
    ndarray,
    result_kind,
    spread,
    zeros,
)


def full(shape: Any, fill_value: Any, dtype: Any = None) -> ndarray:
    """Return an array of one value."""
    value = asarray(fill_value)
    result = zeros(shape, value.dtype if dtype is None else dtype)
    result[...] = value.astype(result.dtype)
    return result


def ones(shape: Any, dtype: Any = float64) -> ndarray:
    """Return an array of ones."""
    return full(shape, 1, dtype)


def zeros_like(of: ndarray) -> ndarray:
    """Return zeros in the shape and type of an array."""
    return zeros(of.shape, of.dtype)


empty_like = zeros_like


def arange(*limits: int, dtype: Any = int64) -> ndarray:
    """Return whole numbers from a first one to before an end."""
    values = range(*(operator.index(limit) for limit in limits))
    return ndarray.of(values, (len(values),), Kind(dtype))


def append(values: Any, more: Any) -> ndarray:
    """Put an array, or a number, after an array."""
    added = asarray(more)
    return concatenate([values, added.reshape(added.size)])


def diff(values: Any) -> ndarray:
    """Return by how much each element is above the one before it."""
    given = asarray(values)
    steps: ndarray = given[1:] - given[:-1]
    return steps


def cumsum(values: Any, dtype: Any = None) -> ndarray:
    """Return the sum of each element and all before it."""
    given = asarray(values)
    kind = given.dtype if given.dtype.kind == "f" else Kind(int64)
    return ndarray.of(list(accumulate(given.values())), given.shape, kind if dtype is None else Kind(dtype))


def bincount(values: Any, minlength: int = 0) -> ndarray:
    """Return how often each number occurs, from 0 on."""
    given = asarray(values).values()
    counts = [0] * max([minlength, *(value + 1 for value in given)])
    for value in given:
        counts[value] += 1
    return ndarray.of(counts, (len(counts),), Kind(int64))


def outer(a: Any, b: Any) -> ndarray:
    """Return the products of each element of one array and each of another."""
    product: ndarray = asarray(a)[:, None] * asarray(b)
    return product


def ascontiguousarray(values: Any, dtype: Any = None) -> ndarray:
    """Return an array without gaps."""
    known = asarray(values, dtype)
    return known if known.is_block else known.copy()


def frombuffer(content: Any, dtype: Any = float64) -> ndarray:
    """Return the numbers in bytes."""
    kind = Kind(dtype)
    view = memoryview(content).cast("B")
    return ndarray(view, kind, (len(view) // kind.itemsize,))


def concatenate(arrays: Iterable[Any], axis: int = 0) -> ndarray:
    """Put arrays one after the other."""
    parts = [asarray(each) for each in arrays]
    if axis:
        return concatenate([part.T for part in parts]).T.copy()
    kind = parts[0].dtype if parts[0].dtype.fields else best_of(part.dtype for part in parts)
    same = [part if part.dtype == kind else part.astype(kind) for part in parts]
    content = memoryview(bytearray(b"".join(part.tobytes() for part in same)))
    return ndarray(content, kind, (sum(map(len, parts)), *parts[0].shape[1:]))


def stack(arrays: Iterable[Any], axis: int = 0) -> ndarray:
    """Put arrays along a new dimension, the first or the last of two."""
    parts = [asarray(each) for each in arrays]
    result = concatenate([part.reshape(1, *part.shape) for part in parts])
    return result.T.copy() if axis == 1 else result


def column_stack(arrays: Iterable[Any]) -> ndarray:
    """Put columns side by side."""
    parts = [asarray(each) for each in arrays]
    return concatenate([part if part.ndim > 1 else part[:, None] for part in parts], axis=1)


def split(of: ndarray, places: Sequence[int]) -> list[ndarray]:
    """Cut an array at places."""
    ends = [0, *places, len(of)]
    return [of[begin:end] for begin, end in pairwise(ends)]


def repeat(values: Any, counts: Any) -> ndarray:
    """Repeat each element, as often as its count says."""
    given = asarray([int(value) for value in values])
    times = spread(asarray(counts), given.shape).values()
    repeated = [value for value, count in zip(given.values(), times, strict=True) for _ in range(count)]
    return ndarray.of(repeated, (len(repeated),), given.dtype)


def flatnonzero(of: Any) -> ndarray:
    """Return the places of what is not zero in one dimension."""
    places = [k for k, value in enumerate(asarray(of).values()) if value]
    return ndarray.of(places, (len(places),), dtype(int64))


def count_nonzero(of: Any) -> int:
    """Return how many are not zero."""
    return sum(map(bool, asarray(of).values()))


def where(condition: Any, yes: Any, no: Any) -> ndarray:
    """Choose elements by a condition."""
    known, a, b = asarray(condition), asarray(yes), asarray(no)
    kind = best_of(each.dtype for each in (a, b))
    shape = common(common(known.shape, a.shape), b.shape)
    chosen = (spread(each, shape).values() for each in (known, a, b))
    return ndarray.of([x if test else y for test, x, y in zip(*chosen, strict=True)], shape, kind)


def select(conditions: Sequence[Any], choices: Sequence[Any], default: Any) -> ndarray:
    """Choose the value of the first condition that holds."""
    result = asarray(default)
    for condition, choice in zip(reversed(conditions), reversed(choices), strict=True):
        result = where(condition, choice, result)
    return result


def isin(values: Any, among: Iterable[Any]) -> ndarray:
    """Return which values are among some."""
    known, given = set(among), asarray(values)
    return ndarray.of([value in known for value in given.values()], given.shape, dtype(bool))


def unique(values: Any, return_inverse: bool = False) -> Any:
    """Return the different values, sorted; with their places in that."""
    given = asarray(values)
    known = sorted(set(given.values()))
    result = ndarray.of(known, (len(known),), given.dtype)
    if not return_inverse:
        return result
    place = {value: k for k, value in enumerate(known)}
    return result, ndarray.of([place[value] for value in given.values()], given.shape, dtype(int64))


def _along_last(of: ndarray, how: Callable[[list[Any]], list[Any]], kind: dtype) -> ndarray:
    values, length = of.values(), of.shape[-1]
    rows = [how(values[k : k + length]) for k in range(0, len(values), length)] if length else []
    return ndarray.of([value for row in rows for value in row], of.shape, kind)


def sort(of: ndarray, axis: int = -1) -> ndarray:
    """Sort along the last dimension."""
    return _along_last(of, sorted, of.dtype)


def argsort(of: Any, axis: int = -1, kind: str = "stable") -> ndarray:
    """Return the places of the sorted elements along the last dimension; equal ones keep their order."""
    given = asarray(of)
    return _along_last(given, lambda row: sorted(range(len(row)), key=row.__getitem__), dtype(int64))


def take_along_axis(of: ndarray, places: ndarray, axis: int) -> ndarray:
    """Return the elements at places along the last dimension."""
    rows = zip(of.tolist(), places.tolist(), strict=True)
    return ndarray.of([row[k] for row, wanted in rows for k in wanted], places.shape, of.dtype)


def array_equal(a: Any, b: Any) -> bool:
    """Return whether arrays have the same shape and elements."""
    left, right = asarray(a), asarray(b)
    return left.shape == right.shape and left.values() == right.values()


def argmin(of: ndarray) -> int:
    """Return the place of the first that is smallest."""
    return of.argmin()


def argmax(of: ndarray) -> int:
    """Return the place of the first that is largest."""
    return of.argmax()


class ufunc:
    """A function of elements."""

    def __init__(self, how: Callable[..., Any], kind: Any = None) -> None:
        self.how, self.kind = how, kind

    def __call__(self, *given: Any) -> Any:
        """Apply it element by element."""
        if not any(isinstance(each, ndarray) for each in given):
            return self.how(*given)
        if len(given) == 1:
            (only,) = given
            kind = only.dtype if self.kind is None else dtype(self.kind)
            return ndarray.of([self.how(value) for value in only.values()], only.shape, kind)
        left, right = given
        kind = result_kind(left, right) if self.kind is None else dtype(self.kind)
        return elementwise(self.how, left, right, kind)

    def reduce(self, of: ndarray, axis: int = 0) -> Any:
        """Apply it along a dimension."""

        def folded(values: list[Any]) -> Any:
            return list(accumulate(values, self.how))[-1] if values else 0

        return of.reduced(folded, axis, of.dtype)

    def at(self, of: ndarray, places: Any, values: Any) -> None:
        """Apply it to elements at places, one after the other."""
        known = asarray(places)
        given = spread(asarray(values), known.shape).values()
        for place, value in zip(known.values(), given, strict=True):
            of[place] = self.how(of[place], value)


maximum, minimum = ufunc(max), ufunc(min)
add, bitwise_or = ufunc(operator.add), ufunc(operator.or_)
abs = absolute = ufunc(operator.abs)
isnan, isinf, isfinite = (ufunc(each, bool) for each in (math.isnan, math.isinf, math.isfinite))
sqrt = ufunc(math.sqrt)


@contextmanager
def errstate(**_: str) -> Iterator[None]:
    """Do nothing: numbers here overflow without a word."""
    yield
