"""The nonlinear hash: rows of a block with similar numbers of entries come to stand near each other.

Of a row with n entries in the block the place is ``min(n >> a, 8) * b + (n * c) % d``: aggregation,
dispersion, linear mapping (HBP, section III-B and figure 3). a and c follow from a sample of the matrix, b
and d from the rows of a block. The figure is not legible in the text; this is the formula that the text
describes, and its examples fit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from vecsim.formats.array_types import IntArray
from vecsim.support.errors import UserError

CLASSES = 9
"""Aggregated numbers of entries: 0 to 8; larger ones count as 8 (section III-B)."""
OUTSIDE = 0.05
"""Of the sampled rows so many may be over 8: extreme values shall not decide."""
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
        Bits that aggregation shifts away: so many entries, 2^a, count as one.
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
        """Give the hash with this a: the other numbers follow from it and the rows of a block.

        Parameters
        ----------
        a
            Bits that aggregation shifts away.
        block_rows
            Rows of a block.
        """
        b = max(1, block_rows // CLASSES)
        return cls(a, b, max(1, b >> a), b)

    def __call__(self, counts: NDArray[np.integer[Any]]) -> IntArray:
        """Give the places, int64, of rows with so many entries: from 0 to below ``9 b``."""
        wide = np.asarray(counts, np.int64)
        places: IntArray = np.minimum(wide >> self.a, CLASSES - 1) * self.b + wide * self.c % self.d
        return places
