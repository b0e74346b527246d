"""What the pattern of a matrix tells of a format before anything is converted: bytes, chains, gathers."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from .coordinates import IntArray, Shape
from .slicing import WARP

SECTOR_BYTES = 32
"""What memory and caches move at once."""
SAMPLED_WARPS = 256
"""Warps of rows that the gathers are counted in, evenly over the matrix."""
SAMPLED_ENTRIES = 1 << 15
"""Entries of a sample of the matrix, about."""
SAMPLED_ROWS = 12 * WARP
"""Neighbouring rows that are sampled together: whole slices, and whole blocks of 2, 3 and 4."""
HIGHEST_OFFSET = 2**16 - 2
"""The largest 16-bit offset; the next marks padding."""


@dataclass(frozen=True)
class Work:
    """What one product does, counted before the matrix is converted.

    Attributes
    ----------
    stored_bytes
        Bytes of the format that are read, padding included; x and y apart.
    chain
        Loads that one thread does one after the other, at most: the longest row over its lanes.
    sectors
        Sectors of 32 bytes of x that warps ask for, all loads together.
    launches
        Kernels, one behind the other.
    """

    stored_bytes: float
    chain: float
    sectors: float
    launches: int = 1


@dataclass(frozen=True, eq=False)
class Structure:
    """The pattern of a matrix, and what estimates of formats need of it, each counted once when first asked.

    Attributes
    ----------
    shape
        Rows M and columns N.
    indptr, indices
        Of the sorted CSR matrix without duplicates.
    value_bytes
        4 or 8.
    """

    shape: Shape
    indptr: NDArray[np.integer[Any]]
    indices: NDArray[np.integer[Any]]
    value_bytes: int
    _places: dict[tuple[int, int | None, int], int] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, csr: Any) -> Self:
        """Take the pattern of a sorted SciPy CSR matrix without duplicates, as it is."""
        return cls((int(csr.shape[0]), int(csr.shape[1])), csr.indptr, csr.indices, csr.data.dtype.itemsize)

    def sample(self) -> Self:
        """Give the pattern of some rows, in whole slices evenly over the matrix; of all, if they are few."""
        rows = self.shape[0]
        runs = -(-rows // SAMPLED_ROWS)
        wanted = max(8, int(SAMPLED_ENTRIES / max(1.0, self.mean * SAMPLED_ROWS)))
        if runs <= 2 * wanted:
            return self
        # The last run may be shorter, so it is left out.
        first = np.linspace(0, runs - 2, wanted).astype(np.int64) * SAMPLED_ROWS
        begin, end = self.indptr[first], self.indptr[first + SAMPLED_ROWS]
        indices = np.concatenate([self.indices[a:b] for a, b in zip(begin, end, strict=True)])
        lengths = self.lengths[(first[:, None] + np.arange(SAMPLED_ROWS)).ravel()]
        indptr = np.concatenate(([0], np.cumsum(lengths))).astype(self.indptr.dtype)
        return type(self)((len(lengths), self.shape[1]), indptr, indices, self.value_bytes)

    @property
    def nnz(self) -> int:
        """Stored entries."""
        return len(self.indices)

    @cached_property
    def lengths(self) -> IntArray:
        """Entries of each row."""
        return np.diff(self.indptr).astype(np.int64)

    @cached_property
    def longest(self) -> int:
        """Entries of the longest row."""
        return int(self.lengths.max(initial=0))

    @property
    def mean(self) -> float:
        """Entries a row."""
        return self.nnz / max(1, self.shape[0])

    @property
    def crs_bytes(self) -> int:
        """Bytes in CRS."""
        return self.nnz * (self.value_bytes + 4) + 4 * (self.shape[0] + 1)

    def allows(self, stored_bytes: float) -> bool:
        """Return whether a format may take so many bytes: four times CRS, or a MiB."""
        from .sliced import ALWAYS_MADE_BYTES, MAX_GROWTH  # which may take its estimates from here

        return stored_bytes <= max(ALWAYS_MADE_BYTES, MAX_GROWTH * self.crs_bytes)

    def places(self, *, height: int = WARP, window: int | None = 1, group: int = 1) -> int:
        """Give the places for entries, padding included, in slices of `height` rows.

        Parameters
        ----------
        height
            Rows of a slice.
        window
            Rows are sorted by falling length within each run of so many; None sorts all.
        group
            Entries that rows are padded to multiples of.
        """
        arguments = (height, window, group)
        if arguments not in self._places:
            steps = (
                _steps_all_sorted(self.lengths, height, group)
                if window is None
                else _steps(self.lengths, height, group, window)
            )
            self._places[arguments] = int(steps) * group * height
        return self._places[arguments]

    @cached_property
    def _spreads(self) -> NDArray[np.int64]:
        spreads: NDArray[np.int64] = _slice_spreads(self.indptr, self.indices, WARP)
        return spreads

    @property
    def slice_spread(self) -> int:
        """How far columns of one slice of a warp of rows lie apart, at most."""
        return int(self._spreads.max(initial=0))

    @property
    def mean_spread(self) -> float:
        """The same, the mean over all slices."""
        return float(self._spreads.mean()) if len(self._spreads) else 0.0

    @cached_property
    def _sampled_sectors(self) -> tuple[float, float]:
        in_sector = SECTOR_BYTES // self.value_bytes
        stride = max(1, -(-self.shape[0] // WARP) // SAMPLED_WARPS)
        counts = _sectors(self.indptr, self.indices, in_sector, stride)
        entries, down, along = (int(count) for count in counts.sum(axis=0))
        return (down / entries, along / entries) if entries else (0.0, 0.0)

    @property
    def sectors_down(self) -> float:
        """Sectors of x that warps ask for where each thread has a row."""
        return self._sampled_sectors[0] * self.nnz

    @property
    def sectors_along(self) -> float:
        """Sectors of x that warps ask for where their lanes take neighbouring entries."""
        return self._sampled_sectors[1] * self.nnz


def _steps_all_sorted(lengths: IntArray, height: int, group: int) -> int:
    """Count the steps of all slices, all rows sorted by length: the first of each slice is the longest."""
    shorter = np.cumsum(np.bincount(lengths)) if len(lengths) else np.zeros(1, dtype=np.int64)
    # The k-th longest row is the (M - 1 - k)-th shortest.
    first = len(lengths) - 1 - np.arange(0, len(lengths), height)
    widths = np.searchsorted(shorter, first, side="right")
    return int((-(-widths // group)).sum())


@njit(parallel=True, cache=True)
def _steps(lengths: Any, height: int, group: int, window: int) -> Any:
    """Count the steps of all slices, rows sorted within each window of several slices."""
    rows = len(lengths)
    if window < height or window % height:
        window = height  # sorting within a slice changes no width
    runs = (rows + window - 1) // window
    total = 0
    for run in prange(runs):
        first, last = run * window, min(rows, (run + 1) * window)
        steps = 0
        if window == height:
            longest = 0
            for row in range(first, last):
                longest = max(longest, lengths[row])
            steps = (longest + group - 1) // group
        else:
            rising = np.sort(lengths[first:last])
            for k in range(last - first - 1, -1, -height):
                steps += (rising[k] + group - 1) // group
        total += steps
    return total


@njit(parallel=True, cache=True)
def _slice_spreads(indptr: Any, indices: Any, height: int) -> Any:
    """Give the largest distance of two columns of each slice; rows are sorted, so their ends tell."""
    rows = len(indptr) - 1
    slices = (rows + height - 1) // height
    spread = np.zeros(slices, np.int64)
    for s in prange(slices):
        lowest: Any = np.int64(2**62)
        highest: Any = np.int64(-1)
        for row in range(s * height, min(rows, (s + 1) * height)):
            if indptr[row] < indptr[row + 1]:
                lowest = min(lowest, np.int64(indices[indptr[row]]))
                highest = max(highest, np.int64(indices[indptr[row + 1] - 1]))
        spread[s] = max(0, highest - lowest)
    return spread


@njit(parallel=True, cache=True)
def _sectors(indptr: Any, indices: Any, in_sector: int, stride: int) -> Any:
    """Count entries, sectors down rows and sectors along rows, in every `stride`th warp of rows.

    A load of 32 lanes down asks for sectors that mostly rise with the row, so a sector is new where it
    differs from that of the two rows before; along a row the same with the entry before. Rows beyond 256
    entries are counted in their first 256, and weighed.
    """
    rows = len(indptr) - 1
    warps = (rows + 31) // 32
    sampled = (warps + stride - 1) // stride
    counts = np.zeros((sampled, 3), np.int64)
    for part in prange(sampled):
        first = part * stride * 32
        last = min(rows, first + 32)
        before = np.full(256, -1, np.int64)
        second = np.full(256, -1, np.int64)
        entries: Any = 0
        down: Any = 0
        along: Any = 0
        for row in range(first, last):
            begin = np.int64(indptr[row])
            length: Any = np.int64(indptr[row + 1] - indptr[row])
            taken: Any = min(length, 256)
            row_down, row_along = 0, 0
            previous = np.int64(-1)
            for j in range(taken):
                sector = np.int64(indices[begin + j]) // in_sector
                if sector != before[j] and sector != second[j]:
                    row_down += 1
                if sector != previous:
                    row_along += 1
                second[j] = before[j]
                before[j] = sector
                previous = sector
            entries += length
            if taken:
                down += row_down * length // taken
                along += row_along * length // taken
        counts[part, 0], counts[part, 1], counts[part, 2] = entries, down, along
    return counts
