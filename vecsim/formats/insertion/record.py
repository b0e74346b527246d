"""What an insertion gives back, what it is given, and the search for its place in many slices at once."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vecsim.formats.array_types import IntArray, Shape
from vecsim.formats.canonical_csr import MAX_COUNT
from vecsim.support.errors import UserError
from vecsim.support.suggestions import counted

Key = Callable[[IntArray, IntArray], NDArray[Any]]
"""The sorted key at `places` of the slices numbered `which`."""


def first_not_below(
    key: Key, start: IntArray, end: IntArray, target: IntArray
) -> tuple[IntArray, NDArray[np.bool_]]:
    """Find in each slice the first place whose key is not below the target.

    Parameters
    ----------
    key
        Called with places and the numbers of their slices; only places within a slice are asked for.
    start, end
        int64, the slices [start, end), one a target.
    target
        What is looked for, one a slice.

    Returns
    -------
    places
        int64; `end` where all keys are below the target.
    found
        bool, whether the key at the place equals the target.
    """
    low, high = start.copy(), end.copy()
    slices = np.flatnonzero(low < high)
    while len(slices):
        middle = (low[slices] + high[slices]) >> 1
        below = key(middle, slices) < target[slices]
        low[slices[below]] = middle[below] + 1
        high[slices[~below]] = middle[~below]
        slices = slices[low[slices] < high[slices]]
    inside = np.flatnonzero(low < end)
    result = np.zeros(len(low), dtype=np.bool_)
    result[inside] = key(low[inside], inside) == target[inside]
    return low, result


Count = TypeVar("Count", int, IntArray, float)
"""Of one insertion, of many (one element each), or a mean."""
Format = TypeVar("Format")


@dataclass(frozen=True)
class Steps(Generic[Count]):
    """Steps of an insertion by kind; the package's docstring says what counts as one.

    Attributes
    ----------
    comparisons
        Stored positions compared with the new one.
    displacements
        Items moved within the arrays (row, diagonals, block arrays) that take the element up.
    later
        Entries moved in later rows or diagonals, which lie after without a gap; always 0 in the formats
        whose arrays have room after them.
    updates
        Pointers, lengths, flags and counts changed in place.
    """

    comparisons: Count
    displacements: Count
    later: Count
    updates: Count

    @property
    def total(self) -> Count:
        """All steps."""
        return self.comparisons + self.displacements + self.later + self.updates

    def __add__(self, other: "Steps[Count]") -> "Steps[Count]":
        return Steps(
            self.comparisons + other.comparisons,
            self.displacements + other.displacements,
            self.later + other.later,
            self.updates + other.updates,
        )


@dataclass(frozen=True, eq=False)
class Insertion(Generic[Format]):
    """A matrix with an element inserted, and what that took.

    Attributes
    ----------
    matrix
        The new matrix; arrays that did not change are shared with the old one.
    replaced
        Whether the position was stored already, so that only its value changed.
    parts
        Steps by part of the format. CRS, BBCS: one part. JD: permutation, diagonals. HiSM: one a level,
        level 0 first.
    """

    matrix: Format
    replaced: bool
    parts: tuple[Steps[int], ...]

    @property
    def steps(self) -> Steps[int]:
        """Steps over all parts."""
        return sum_of_parts(self.parts)


def sum_of_parts(parts: tuple[Steps[Count], ...]) -> Steps[Count]:
    """Return the steps over all parts."""
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


def steps_of_one(parts: tuple[Steps[IntArray], ...]) -> tuple[Steps[int], ...]:
    """Return the steps of a single insertion, as integers, from arrays of one element."""
    return tuple(
        Steps(int(p.comparisons[0]), int(p.displacements[0]), int(p.later[0]), int(p.updates[0]))
        for p in parts
    )


def checked_positions(shape: Shape, rows: ArrayLike, columns: ArrayLike) -> tuple[IntArray, IntArray]:
    """Return rows and columns as equally long vectors of int64.

    Raises
    ------
    UserError
        If they are not integers, differ in length, or one lies outside the matrix.
    """
    checked = []
    for name, given, extent in (("row", rows, shape[0]), ("column", columns, shape[1])):
        numbers = np.atleast_1d(np.asarray(given))
        if numbers.ndim != 1 or (numbers.dtype.kind not in "iu" and numbers.size):
            raise UserError(f"{name} must be an integer or a vector of integers, not {given!r}")
        outside = (numbers < 0) | (numbers >= extent)
        if outside.any():
            raise UserError(
                f"{name} {numbers[outside][0]} does not exist: "
                f"the matrix has {extent} {name}s, counted from 0"
            )
        checked.append(numbers.astype(np.int64))
    if len(checked[0]) != len(checked[1]):
        raise UserError(
            f"{counted(len(checked[0]), 'row')} and {counted(len(checked[1]), 'column')} were "
            "given; the numbers must be equal"
        )
    return checked[0], checked[1]


def checked_element(
    shape: Shape, dtype: np.dtype[Any], row: int, column: int, value: float
) -> tuple[IntArray, IntArray, NDArray[Any]]:
    """Return row and column as vectors of one element, and the value in the type of the matrix.

    Parameters
    ----------
    shape
        Rows M and columns N.
    dtype
        Type of the matrix: float32 or float64.
    row, column
        The position, counted from 0.
    value
        A finite real number.

    Raises
    ------
    UserError
        If the position is no pair of integers within the matrix, or the value no finite real number that the
        type holds: a whole number exactly, another one rounded, but not to zero.
    """
    for name, given in (("row", row), ("column", column)):
        if np.ndim(given) != 0:
            raise UserError(f"{name} must be an integer, not {given!r}: one element is inserted at a time")
    rows, columns = checked_positions(shape, row, column)
    try:
        # float() drops the imaginary part of NumPy's numbers.
        number = math.nan if isinstance(value, np.complexfloating) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    with np.errstate(over="ignore", under="ignore"):
        typed = np.asarray(number, dtype=dtype)
    if not np.isfinite(typed) or (typed == 0 and number != 0):
        raise UserError(f"the value {value!r} cannot be stored: a finite {dtype} number is needed")
    if isinstance(value, int | np.integer) and int(typed) != int(value):
        raise UserError(
            f"the value {value!r} cannot be stored: {dtype} would round it to {int(typed)}; "
            "use a value that it can represent"
        )
    return rows, columns, typed


def check_room(nnz: int) -> None:
    """Refuse an entry more than 32 bits can count.

    Raises
    ------
    UserError
        If there are `MAX_COUNT` entries already.
    """
    if nnz >= MAX_COUNT:
        raise UserError(
            f"the matrix has {nnz} entries, the most that 32 bits can count: nothing can be inserted"
        )
