"""What the pattern of a matrix tells of a format before anything is converted: bytes, chains, gathers.

Choosing a format must cost little beside converting: what needs every row is counted in compiled passes over
the row pointers alone, what needs columns in a sample of the rows, always the same one.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from gpu.choice import pattern_sampling as sampling
from vecsim.formats.pattern import Pattern
from vecsim.formats.sliced.slicing import WARP
from vecsim.formats.thread_count import as_many_threads_as_pay

SECTOR_BYTES = 32
"""What memory and caches move at once."""
BLOCK_ROWS = 256
"""Rows of a block of threads with a thread a row."""
NEAR_COLUMNS = 2**16 - 1
"""Columns that 16 bits tell apart, one number apart."""
MOSTLY_NEAR = 0.9
NEAR_WINDOW = 512
"""Rows whose near columns lie side by side."""
SAMPLED_ENTRIES = 1 << 15
"""Entries of a sample of the matrix, about."""
SAMPLED_ROWS = 12 * WARP
"""Neighbouring rows that are sampled together: whole slices, and whole blocks of 2, 3 and 4."""
GLANCED_ENTRIES, GLANCED_ROWS = 1 << 12, 3 * WARP
"""The same of the smaller sample."""
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
        Sectors of 32 bytes of x that blocks of threads ask for, each once a block: its L1 cache has the rest.
    launches
        Kernels, one behind the other.
    warps
        Of threads, each of which begins with pointers and ends with a row of y.
    scattered
        Whether rows that run together lie anywhere in the matrix, so that they share little of x.
    """

    stored_bytes: float
    chain: float
    sectors: float
    launches: int = 1
    warps: float = 0.0
    scattered: bool = False


@dataclass(frozen=True, eq=False)
class Structure(Pattern):
    """The pattern of a matrix, and what estimates need of it, each counted once when first asked."""

    _places: dict[tuple[int, int | None, int], int] = field(default_factory=dict, repr=False)
    _pieces: dict[int, tuple[int, int]] = field(default_factory=dict, repr=False)
    _warps: dict[tuple[int, int], float] = field(default_factory=dict, repr=False)
    _patterns: dict[int, "Structure"] = field(default_factory=dict, repr=False)

    def glance(self) -> Self:
        """Give the pattern of very few rows, in whole slices evenly over the matrix; or of all."""
        return self._glance or self

    def sample(self) -> Self:
        """Give the pattern of some rows, in whole slices evenly over the matrix; of all, if they are few."""
        return self._sample or self

    @cached_property
    def _glance(self) -> Self | None:
        return self._rows_of(3, GLANCED_ROWS, GLANCED_ENTRIES)

    @cached_property
    def _sample(self) -> Self | None:
        return self._rows_of(4, SAMPLED_ROWS, SAMPLED_ENTRIES)

    def _rows_of(self, fewest: int, together: int, entries: int) -> Self | None:
        """Give runs of rows with so many entries, about, and at least so many runs; None if they are most."""
        rows = self.shape[0]
        runs = -(-rows // together)
        wanted = max(fewest, int(entries / max(1.0, self.mean * together)))
        if runs <= 2 * wanted:
            return None
        # The last run may be shorter, so it is left out.
        first = np.linspace(0, runs - 2, wanted).astype(np.int64) * together
        indptr, indices = sampling.rows_of_runs(self.indptr, self.indices, first, together)
        return type(self)((wanted * together, self.shape[1]), indptr, indices, self.value_bytes)

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
            with as_many_threads_as_pay(self.shape[0]):
                if height >= self.shape[0]:
                    steps = -(-self.longest // group) * bool(self.shape[0])
                elif window is None:
                    steps = sampling.steps_all_sorted(self.indptr, height, group, self.longest)
                else:
                    steps = sampling.steps(self.indptr, height, group, window)
            self._places[arguments] = int(steps) * group * height
        return self._places[arguments]

    def pieces(self, cap: int) -> tuple[int, int]:
        """Give the rows of more than `cap` entries, and the pieces of at most so many that they make."""
        if self.longest <= cap:
            return 0, 0
        if cap not in self._pieces:
            with as_many_threads_as_pay(self.shape[0]):
                rows, pieces = sampling.pieces(self.indptr, cap)
            self._pieces[cap] = int(rows), int(pieces)
        return self._pieces[cap]

    def warps(self, steps: int, most_lanes: int) -> float:
        """Give the warps that rows need, with the fewest lanes a row that leave a thread `steps` steps.

        Parameters
        ----------
        steps
            Entries of a row that a thread takes.
        most_lanes
            Lanes of a row, at most.
        """
        arguments = (steps, most_lanes)
        if arguments not in self._warps:
            with as_many_threads_as_pay(self.shape[0]):
                lanes = int(sampling.lanes(self.indptr, steps, most_lanes))
            self._warps[arguments] = lanes / WARP
        return self._warps[arguments]

    def pattern_of_blocks(self, block: int) -> "Structure":
        """Give the pattern of the dense blocks of `block` x `block` that hold an entry."""
        if block not in self._patterns:
            from vecsim.formats.sliced.layout import pattern_of_blocks

            with as_many_threads_as_pay(self.nnz):
                pointers, columns = pattern_of_blocks(self.indptr, self.indices, block)
            shape = -(-self.shape[0] // block), -(-self.shape[1] // block)
            self._patterns[block] = Structure(shape, pointers, columns, self.value_bytes)
        return self._patterns[block]

    @cached_property
    def slice_spread(self) -> int:
        """How far columns of one slice of a warp of rows lie apart, at most."""
        with as_many_threads_as_pay(self.shape[0]):
            return int(sampling.widest_spread(self.indptr, self.indices, WARP))

    @property
    def fits_offsets(self) -> bool:
        """Whether the columns of each slice of a warp of rows lie within 16 bits."""
        if self.shape[1] <= HIGHEST_OFFSET:
            return True
        # Most matrices that do not fit say so in a few slices.
        return self._spreads[0] <= HIGHEST_OFFSET and self.slice_spread <= HIGHEST_OFFSET

    @cached_property
    def _spreads(self) -> tuple[int, float]:
        widest, mean = sampling.sampled_spreads(self.indptr, self.indices, WARP)
        return int(widest), float(mean)

    @property
    def mean_spread(self) -> float:
        """How far columns of the slice lie apart that an entry is in, the mean over some entries."""
        return self._spreads[1]

    @cached_property
    def _sampled_sectors(self) -> NDArray[np.float64]:
        """Sectors an entry by blocks of 1, 2, 4 .. 256 neighbouring rows; then by 256 of about one length."""
        in_sector = SECTOR_BYTES // self.value_bytes
        shares: NDArray[np.float64] = sampling.sectors(self.indptr, self.indices, in_sector)
        return shares

    def sectors(self, rows: float = BLOCK_ROWS) -> float:
        """Give the sectors of x that blocks of threads ask for, each block for those of so many rows."""
        shares = self._sampled_sectors
        power = min(max(0.0, np.log2(max(rows, 1.0))), len(shares) - 2.0)
        return float(np.interp(power, np.arange(len(shares) - 1), shares[:-1])) * self.nnz

    @property
    def sectors_down(self) -> float:
        """Sectors of x that blocks ask for where each thread has a row."""
        return self.sectors(BLOCK_ROWS)

    @property
    def sectors_along(self) -> float:
        """Sectors of x that blocks ask for where their threads take 1,024 neighbouring entries."""
        return self.sectors(1024 / max(1.0, self.mean))

    @property
    def sectors_scattered(self) -> float:
        """Sectors of x that blocks ask for where each thread has a row and all rows are sorted by length."""
        return float(self._sampled_sectors[-1]) * self.nnz

    @cached_property
    def near_share(self) -> float:
        """Which share of the entries lies within the best 65,535 columns of each 512 rows."""
        if self.shape[1] <= NEAR_COLUMNS:
            return 1.0
        return float(sampling.near_share(self.indptr, self.indices, NEAR_WINDOW, NEAR_COLUMNS))

    @cached_property
    def hubs(self) -> "Hubs":
        """What the columns with most entries hold.

        Where these stand side by side anyway, the near ones of each row are taken for them.
        """
        if self.near_share > MOSTLY_NEAR and self.shape[1] > NEAR_COLUMNS:
            return Hubs(self.near_share, np.full(1, 1 / NEAR_COLUMNS), np.full(1, float(NEAR_COLUMNS)))
        return Hubs.of(self)


@dataclass(frozen=True)
class Hubs:
    """The 65,535 columns with most entries, as a sample of the entries tells them.

    Attributes
    ----------
    share
        Which share of the entries they hold.
    counts, columns
        Of classes of hubs: entries of a column over those of all hubs, and how many columns.
    """

    share: float
    counts: NDArray[np.float64]
    columns: NDArray[np.float64]

    @classmethod
    def of(cls, structure: Structure) -> Self:
        """Count a sample of the entries."""
        share, histogram = sampling.hubs(structure.indices, structure.shape[1], NEAR_COLUMNS)
        kept = np.flatnonzero(histogram)
        columns = histogram[kept]
        total = float((columns * kept).sum())
        return cls(float(share), kept / max(1.0, total), columns.astype(np.float64))

    def sectors(self, entries: float, in_sector: int) -> float:
        """Give the sectors of hubs side by side that a block of threads asks for which reads so many."""
        if not len(self.counts) or entries <= 0:
            return 0.0
        of_sector = np.minimum(1.0, in_sector * self.counts)
        return float(
            (
                self.columns / in_sector * -np.expm1(entries * np.log1p(-np.minimum(of_sector, 1 - 1e-12)))
            ).sum()
        )
