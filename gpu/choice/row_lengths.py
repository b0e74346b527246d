"""How many rows have each length, counted in one pass over the row pointers, and what that alone tells.

The order of the rows does not matter to it: the longest, pieces of cut rows, threads, rows sorted by length.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from gpu.formats.sliced.steps import steps_by_length, steps_of_slices
from vecsim.formats.thread_count import as_many_threads_as_pay, threads_that_pay

LENGTHS = 1024
"""Rows with fewer entries are counted by their length, longer ones are listed."""
MOSTLY = 0.97
"""A larger share of the rows is nearly all of them."""
COUNTERS = 4
"""Of each length, for neighbouring rows in turn: equal lengths do not wait for each other."""


@dataclass(frozen=True, eq=False)
class RowLengths:
    """The lengths of all rows of a matrix, in no order.

    Attributes
    ----------
    of_length
        int64 of `LENGTHS`: how many rows have 0, 1, 2 .. entries.
    long
        int64: the lengths of all other rows, falling.
    """

    of_length: NDArray[np.int64]
    long: NDArray[np.int64]

    @classmethod
    def of(cls, indptr: Any) -> Self:
        """Count the lengths of rows with these pointers."""
        rows = len(indptr) - 1
        parts = threads_that_pay(rows)
        if parts == 1:
            counts = np.zeros((1, LENGTHS + 1), np.int64)
            _count(indptr, 0, rows, counts[0])
        else:
            with as_many_threads_as_pay(rows):
                counts = _count_in_parts(indptr, parts)
        if not counts[:, LENGTHS].any():
            return cls(counts[:, :LENGTHS].sum(axis=0), np.zeros(0, np.int64))
        with as_many_threads_as_pay(rows):
            long = _long_rows(indptr, counts[:, LENGTHS])
        return cls(counts[:, :LENGTHS].sum(axis=0), np.sort(long)[::-1].copy())

    @cached_property
    def longest(self) -> int:
        """Entries of the longest row."""
        if len(self.long):
            return int(self.long[0])
        occurring = np.flatnonzero(self.of_length)
        return int(occurring[-1]) if len(occurring) else 0

    @property
    def filled(self) -> int:
        """Rows with an entry."""
        return int(self.of_length.sum() - self.of_length[0]) + len(self.long)

    @cached_property
    def mostly_equal(self) -> bool:
        """Whether nearly all rows have the same length, so that sorting them moves few."""
        return int(self.of_length.max()) >= MOSTLY * (int(self.of_length.sum()) + len(self.long))

    def pieces(self, cap: int) -> tuple[int, int]:
        """Return the rows of more than `cap` entries, and the pieces of at most this many that they make."""
        if self.longest <= cap:
            return 0, 0
        rows, pieces = _pieces(self.of_length, self.long, cap)
        return int(rows), int(pieces)

    def threads(self, steps: int, most: int) -> int:
        """Count the threads of all rows: of each the fewest, a power of two, that take `steps` steps or less.

        Rows that need more than `most` are cut in pieces with this many threads each.
        """
        return int(_threads(self.of_length, self.long, steps, most))

    def classes_met(self, classes: int) -> float:
        """Return how many of this many classes rows meet, all rows together, each entry in one by chance."""
        return classes * self.rows_with(1 / max(1, classes))

    def rows_with(self, share: float) -> float:
        """Return how many rows have an entry in what holds this share of the entries, each there by chance.

        A row of n entries does with a probability of 1 - (1 - share)^n.
        """
        miss = np.log1p(-min(share, 1 - 1e-12))
        short = self.of_length * -np.expm1(miss * np.arange(LENGTHS))
        return float(short.sum() - np.expm1(miss * self.long).sum())

    def steps_sorted(self, height: int, group: int) -> int:
        """Count the steps of slices of `height` rows, all rows sorted by length: no other order takes fewer.

        A slice has a step for each `group` entries of its longest row.
        """
        return int(_steps_sorted(self.of_length, self.long, height, group))


def places(pointers: Any, lengths: RowLengths, *, height: int, window: int | None, group: int) -> int:
    """Return the places for entries in slices of rows, padding included.

    Parameters
    ----------
    pointers
        Where each row begins, then the end of the last.
    lengths
        Of these rows.
    height
        Rows of a slice.
    window
        Rows are sorted by falling length within each run of this many; None sorts all.
    group
        Entries that rows are padded to multiples of.
    """
    rows = len(pointers) - 1
    if height >= rows:
        steps = -(-lengths.longest // group) * bool(rows)
    elif window is None or height == 1:
        steps = lengths.steps_sorted(height, group)
    else:
        steps = steps_of_slices(pointers, height, window, group)
    return steps * group * height


@njit(cache=True)
def _count(indptr: Any, first: int, last: int, counts: Any) -> None:
    """Count the lengths of rows first .. last - 1; the last of `counts` takes all long ones."""
    own = indptr[first : last + 1]
    in_turn = np.zeros((COUNTERS, len(counts)), np.int64)
    most = np.int64(len(counts) - 1)
    for row in range(last - first):
        in_turn[row % COUNTERS, min(np.int64(own[row + 1]) - np.int64(own[row]), most)] += 1
    for k in range(COUNTERS):
        for length in range(len(counts)):
            counts[length] += in_turn[k, length]


@njit(parallel=True, cache=True)
def _count_in_parts(indptr: Any, parts: int) -> Any:
    rows = len(indptr) - 1
    counts = np.zeros((parts, LENGTHS + 1), np.int64)
    for part in prange(parts):
        _count(indptr, part * rows // parts, (part + 1) * rows // parts, counts[part])
    return counts


@njit(parallel=True, cache=True)
def _long_rows(indptr: Any, of_part: Any) -> Any:
    """Return the lengths of long rows; `of_part` has their number in each part of the rows."""
    rows, parts = len(indptr) - 1, len(of_part)
    result = np.empty(of_part.sum(), np.int64)
    for part in prange(parts):
        at = of_part[:part].sum()
        for row in range(part * rows // parts, (part + 1) * rows // parts):
            length = np.int64(indptr[row + 1]) - np.int64(indptr[row])
            if length >= LENGTHS:
                result[at] = length
                at += 1
    return result


@njit(cache=True)
def _pieces(of_length: Any, long: Any, cap: int) -> Any:
    rows, pieces = 0, 0
    for length in range(cap + 1, len(of_length)):
        rows += of_length[length]
        pieces += of_length[length] * ((length + cap - 1) // cap)
    for length in long:
        if length > cap:
            rows += 1
            pieces += (length + cap - 1) // cap
    return rows, pieces


@njit(cache=True)
def _threads(of_length: Any, long: Any, steps: int, most: int) -> Any:
    count, own = 0, 1
    for length in range(len(of_length)):
        while own < most and length > steps * own:
            own *= 2
        pieces = max(1, (length + steps * most - 1) // (steps * most))
        count += of_length[length] * pieces * own
    for length in long:
        own = 1
        while own < most and length > steps * own:
            own *= 2
        count += max(1, (length + steps * most - 1) // (steps * most)) * own
    return count


@njit(cache=True)
def _steps_sorted(of_length: Any, long: Any, height: int, group: int) -> Any:
    count = 0
    for k in range(0, len(long), height):
        count += (long[k] + group - 1) // group
    # The slice that the last long row is in takes some of the short ones, too.
    taken = (-len(long)) % height
    left = of_length.copy()
    for length in range(len(left) - 1, -1, -1):
        moved = min(taken, left[length])
        left[length] -= moved
        taken -= moved
        if taken == 0:
            break
    return count + steps_by_length(left, height, group)
