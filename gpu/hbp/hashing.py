"""The nonlinear hash: rows of a block with similar numbers of entries come to stand near each other.

Of a row with n entries in the block the place is ``min(n >> a, 8) * b + (n * c) % d``: aggregation,
dispersion, linear mapping (HBP, section III-B and figure 3). a and c follow from a sample of the matrix, b
and d from the rows of a block. The figure is not legible in the text; this is the formula that the text
describes, and its examples fit.

The rows of each block come to stand at the place of their hash, or the next that is free. All rows of a block
are hashed (HBP, algorithm 2), so the table is full in the end. Which of several rows has the place that they
come to is not said in the paper. Where rows come in the order of their hash, as on a ring, nobody is pushed
after a row of a later one: rows alike stay together. And it takes no probing: all places being taken, the
rows follow each other by their hash, moved on by as many places as it takes for none to stand before its own,
those after the last coming first. That is counting, as in a radix sort.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from vecsim.formats.array_types import IntArray
from vecsim.support.errors import UserError


@njit(parallel=True, cache=True)
def place_rows(hashes: Any, block_rows: Any, order: Any) -> None:
    """Place the rows of each block in the order of their hash; rows of one hash as they stand.

    Parameters
    ----------
    hashes
        (slots,) int64: the hash of each row of each block, in the order of the rows, from 0 to below
        ``block_rows``.
    block_rows
        Rows of a block.
    order
        (slots,) int32, written: which row of its block stands at each place.
    """
    for block in prange(len(hashes) // block_rows):
        first = block * block_rows
        before = np.zeros(block_rows + 1, np.int64)
        for row in range(block_rows):
            before[hashes[first + row] + 1] += 1
        ahead = 0
        for place in range(block_rows):
            ahead = max(ahead, place - before[place])
            before[place + 1] += before[place]
        for row in range(block_rows):
            own = hashes[first + row]
            order[first + (before[own] + ahead) % block_rows] = row
            before[own] += 1


@njit(parallel=True, cache=True)
def place_rows_in_turn(hashes: Any, block_rows: Any, order: Any) -> None:
    """Place the rows of each block as they stand, one after the other, each at the first free place.

    Parameters
    ----------
    hashes, block_rows, order
        As of `place_rows`.
    """
    for block in prange(len(hashes) // block_rows):
        first = block * block_rows
        # following[k]: the first free place from k on, as far as it is known; block_rows: there is none.
        following = np.arange(block_rows + 1)
        for row in range(block_rows):
            at = _free_from(following, hashes[first + row])
            if at == block_rows:
                at = _free_from(following, 0)
            order[first + at] = row
            following[at] = at + 1


@njit(cache=True)
def _free_from(following: Any, start: Any) -> Any:
    at = start
    while following[at] != at:
        at = following[at]
    while following[start] != start:  # whoever comes by here again goes straight there
        following[start], start = at, following[start]
    return at


CLASSES = 9
"""Aggregated numbers of entries: 0 to 8; larger ones count as 8 (section III-B)."""
OUTSIDE = 0.05
"""The share of the sampled rows that may be over 8, so that extreme values do not decide."""
MOST = (1 << 32) - 1
"""The largest number of a hash."""
SAMPLED = 4096
"""Rows of blocks that are sampled, at most."""


@dataclass(frozen=True)
class RowHash:
    """The hash of one matrix.

    Attributes
    ----------
    a
        Bits that aggregation shifts away: this many entries, 2^a, count as one.
    b
        Places between two aggregated numbers.
    c
        Places for each entry more within such a number.
    d
        Places that the linear mapping keeps to.

    Raises
    ------
    UserError
        a is not from 0 to 31, b or c not from 0, or d not from 1 to below 2^32: kernels take 32 bits.
    """

    a: int
    b: int
    c: int
    d: int

    def __post_init__(self) -> None:
        for name, least, most in (("a", 0, 31), ("b", 0, MOST), ("c", 0, MOST), ("d", 1, MOST)):
            if not least <= getattr(self, name) <= most:
                given = f"{name} = {getattr(self, name)} of a hash is not possible"
                raise UserError(f"{given}: use {least} to {most}")

    @classmethod
    def sampled(cls, counts: NDArray[np.integer[Any]], block_rows: int, seed: int = 0) -> Self:
        """Choose the hash of a matrix.

        Parameters
        ----------
        counts
            Entries of each row of each block, those without entries among them or not: they are left out.
        block_rows
            Rows of a block.
        seed
            Of the sample; the same seed samples the same rows.
        """
        filled = counts[counts > 0]
        if len(filled) > SAMPLED:
            filled = np.random.default_rng(seed).choice(filled, SAMPLED, replace=False)
        a = 0
        while len(filled) and np.mean(filled >> a > CLASSES - 1) > OUTSIDE:
            a += 1
        return cls.of(a, block_rows)

    @classmethod
    def of(cls, a: int, block_rows: int) -> Self:
        """Return the hash with this a: the other numbers follow from it and the rows of a block.

        Parameters
        ----------
        a
            Bits that aggregation shifts away.
        block_rows
            Rows of a block.
        """
        b = max(1, block_rows // CLASSES)
        return cls(a, b, max(1, b >> a), b)

    def numbers(self) -> dict[str, int]:
        """Return a, b, c and d by name."""
        return asdict(self)

    def __call__(self, counts: NDArray[np.integer[Any]]) -> IntArray:
        """Return the places, int64, of rows with this many entries: from 0 to below ``9 b``."""
        wide = np.asarray(counts, np.int64)
        places: IntArray = np.minimum(wide >> self.a, CLASSES - 1) * self.b + wide * self.c % self.d
        return places
