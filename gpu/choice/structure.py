"""What the pattern of a matrix tells of a format before anything is converted: bytes, chains, gathers.

Choosing a format must cost little next to converting: what needs every row is counted in compiled passes over
the row pointers alone, what needs columns in a sample of the rows, always the same one.
"""

import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from gpu.choice import column_spreads, sector_counts
from gpu.choice.block_rows import BlockRows
from gpu.choice.hubs import MOST_HUBS, Hubs, shares_by_degree
from gpu.choice.row_lengths import RowLengths, places
from gpu.choice.sampled_rows import rows_of_runs
from gpu.formats.sliced.slicing import WARP
from vecsim.formats.pattern import Pattern
from vecsim.formats.thread_count import as_many_threads_as_pay, threads_that_pay

SECTOR_BYTES = 32
"""What memory and caches move at once."""
LINE_BYTES = 128
"""What the L1 cache looks up at once."""
SORTED_WINDOW, SORTED_ENTRIES = 512, 1 << 15
"""Rows that formats sort together, and the entries that sectors are counted in then, about."""
BLOCK_ROWS = 256
"""Rows of a block of threads with a thread a row."""
NEAR_COLUMNS = 2**16 - 1
"""Columns that 16 bits tell apart, one number apart."""
MOSTLY_NEAR = 0.9
NEAR_WINDOW = 512
"""Rows whose near columns lie side by side."""
SAMPLED_ENTRIES = 1 << 15
"""Entries of a sample of the matrix, about."""
MOST_SAMPLED_ENTRIES = 1 << 20
"""Where rows are longer, so that it would have more, fewer rows are sampled together."""
SAMPLED_ROWS = 12 * WARP
"""Neighbouring rows that are sampled together: whole slices, and whole blocks of 2, 3 and 4."""
GLANCED_ENTRIES, GLANCED_ROWS = 1 << 12, 3 * WARP
"""The same of the smaller sample."""
HIGHEST_OFFSET = 2**16 - 2
"""The largest 16-bit offset; the next marks padding."""
MOST_GROWTH = 1.3
"""Times CRS: beyond it a format that a few rows are counted of is left out."""


@dataclass(frozen=True)
class Work:
    """What one product does, counted before the matrix is converted.

    Attributes
    ----------
    stored_bytes
        Bytes of the format that are read, padding included; x and y apart.
    chain
        Loads of one thread, at most: the longest row over its threads.
    sectors
        Sectors of 32 bytes of x that blocks of threads ask for, each once a block: its L1 cache has the rest.
    launches
        Kernels, one after the other.
    warps
        Of threads; each begins with pointers and ends with a row of y.
    scattered
        Whether rows that run together lie anywhere in the matrix, so that they share little of x.
    ahead
        Loads of a thread that its kernel sends off at once, before it waits for the first of them.
    block_warps
        Warps of a block of threads; 0 where `warps` is a bound, so that nothing follows for blocks.
    lines
        Cache lines of 128 bytes of x that the loads of warps ask for, each once a load.
    sums
        Sums in float32 that are added to y, or what takes as long.
    """

    stored_bytes: float
    chain: float
    sectors: float
    launches: int = 1
    warps: float = 0.0
    scattered: bool = False
    ahead: int = 8
    block_warps: int = BLOCK_ROWS // WARP
    lines: float = 0.0
    sums: float = 0.0


@dataclass(frozen=True, eq=False)
class Structure(Pattern):
    """The pattern of a matrix, and what estimates need of it, each counted once when first asked."""

    _places: dict[tuple[int, int | None, int], int] = field(default_factory=dict, repr=False)
    _glances: dict[Hashable, Work | None] = field(default_factory=dict, repr=False)
    _block_rows: dict[int, BlockRows] = field(default_factory=dict, repr=False)
    _slots: dict[tuple[int, bool], float] = field(default_factory=dict, repr=False)
    _lines: dict[tuple[int, int, bool], float] = field(default_factory=dict, repr=False)

    @cached_property
    def row_lengths(self) -> RowLengths:
        """How many rows have each length."""
        return RowLengths.of(self.indptr)

    @property
    def longest(self) -> int:
        """Entries of the longest row."""
        return self.row_lengths.longest

    @cached_property
    def filled_rows(self) -> int:
        """Rows with an entry."""
        return self.row_lengths.filled

    def on_a_sample(
        self,
        what: Hashable,
        count: "Callable[[Structure], Work | None]",
        least: "Callable[[Structure], Work]",
    ) -> Work | None:
        """Let `count`, which reads every column, count a sample of the rows, for all of them.

        A few rows say first whether the format could win: one that takes far more bytes than CRS does not.

        Parameters
        ----------
        what
            Tells apart what is counted, so that very few rows are counted once.
        count
            Returns the work for the rows of a structure; None if the format cannot hold them.
        least
            Returns work that the result does not fall below, at next to no cost:
            `gpu.choice.lower_bounds` takes that.

        Returns
        -------
        Work or None
            For all rows; None if the format cannot hold the matrix, or could not win.
        """
        result = self.at_a_glance(what, count)
        sample = self._sample
        if result is not None and sample is not self._glance:
            result = _small_enough(count, sample)
        if result is None:
            return None
        share = self.nnz / max(1, sample.nnz)
        rows = self.shape[0] / max(1, sample.shape[0])
        return replace(
            result,
            stored_bytes=result.stored_bytes * share,
            chain=result.chain * max(1.0, self.longest / max(1, sample.longest)),
            # Where each thread has a row, a sector that its block has asked for lies in the L1 cache.
            sectors=result.sectors * share if result.warps else self.sectors_down,
            # Without its own count, a thread a row.
            warps=result.warps * rows or self.shape[0] / WARP,
            lines=result.lines * share or self.load_lines(),
        )

    def at_a_glance(self, what: Hashable, count: "Callable[[Structure], Work | None]") -> Work | None:
        """Return the work for very few rows; None where it takes far more bytes than CRS (`on_a_sample`)."""
        if what not in self._glances:
            self._glances[what] = _small_enough(count, self._glance)
        return self._glances[what]

    @cached_property
    def _glance(self) -> Self:
        """The pattern of very few rows, in whole slices evenly over the matrix; or of all."""
        return self._rows_of(3, GLANCED_ROWS, GLANCED_ENTRIES)

    @cached_property
    def _sample(self) -> Self:
        """The pattern of some rows, in whole slices evenly over the matrix; of all, if they are few."""
        together = SAMPLED_ROWS if 4 * SAMPLED_ROWS * self.mean <= MOST_SAMPLED_ENTRIES else GLANCED_ROWS
        return self._rows_of(4, together, SAMPLED_ENTRIES)

    def _rows_of(self, fewest: int, together: int, entries: int) -> Self:
        """Return runs of rows with this many entries, about, and at least this many runs; all if that is
        most.
        """
        rows = self.shape[0]
        runs = -(-rows // together)
        wanted = max(fewest, int(entries / max(1.0, self.mean * together)))
        if runs <= 2 * wanted:
            return self
        # The last run may be shorter, so it is left out.
        first = np.linspace(0, runs - 2, wanted).astype(np.int64) * together
        indptr, indices = rows_of_runs(self.indptr, self.indices, first, together)
        return type(self)((wanted * together, self.shape[1]), indptr, indices, self.value_bytes)

    def places(self, *, height: int = WARP, window: int | None = 1, group: int = 1) -> int:
        """Return the places for entries, padding included, in slices of `height` rows.

        Parameters
        ----------
        height
            Rows of a slice.
        window
            Rows are sorted by falling length within each run of this many; None sorts all.
        group
            Entries that rows are padded to multiples of.
        """
        arguments = (height, window, group)
        if arguments not in self._places:
            self._places[arguments] = places(
                self.indptr, self.row_lengths, height=height, window=window, group=group
            )
        return self._places[arguments]

    def pieces(self, cap: int) -> tuple[int, int]:
        """Return the rows of more than `cap` entries, and the pieces of at most this many that they make."""
        return self.row_lengths.pieces(cap)

    def warps(self, steps: int, most_threads: int) -> float:
        """Return the warps that rows need, with the fewest threads a row that take at most `steps` steps.

        Parameters
        ----------
        steps
            Entries of a row that a thread takes.
        most_threads
            Threads of a row, at most.
        """
        return self.row_lengths.threads(steps, most_threads) / WARP

    def block_rows(self, block: int) -> BlockRows:
        """Return how many dense blocks of `block` x `block` with an entry each row of blocks has."""
        if block not in self._block_rows:
            self._block_rows[block] = BlockRows.of(self.indptr, self.indices, self.shape, block)
        return self._block_rows[block]

    def blocks_fit_offsets(self, block: int) -> bool:
        """Return whether the blocks of each slice of a warp of rows of blocks lie within 16 bits of them."""
        return -(-self.shape[1] // block) <= HIGHEST_OFFSET or self._spreads_fit(block)

    def _spreads_fit(self, block: int) -> bool:
        parts = threads_that_pay(self.shape[0])
        with as_many_threads_as_pay(self.shape[0]):
            return bool(
                column_spreads.spreads_within(self.indptr, self.indices, WARP, block, HIGHEST_OFFSET, parts)
            )

    @cached_property
    def fits_offsets(self) -> bool:
        """Whether the columns of each slice of a warp of rows lie within 16 bits."""
        if self.shape[1] <= HIGHEST_OFFSET:
            return True
        # Most matrices that do not fit say so in a few slices.
        return self._spreads[0] <= HIGHEST_OFFSET and self._spreads_fit(1)

    def fits_step_offsets(self, window: int) -> bool:
        """Whether some steps of slices of a warp of rows have columns within 16 bits each.

        Rows are sorted by falling length within each run of `window`. The conversion looks at all steps.
        """
        if self.shape[1] <= HIGHEST_OFFSET:
            return True
        return bool(column_spreads.some_steps_within(self.indptr, self.indices, WARP, window, HIGHEST_OFFSET))

    @cached_property
    def _spreads(self) -> tuple[int, float]:
        widest, mean = column_spreads.sampled_spreads(self.indptr, self.indices, WARP)
        return int(widest), float(mean)

    @property
    def mean_spread(self) -> float:
        """How far columns of the slice lie apart that an entry is in, the mean over some entries."""
        return self._spreads[1]

    @cached_property
    def _sector_runs(self) -> tuple[Any, Any, int]:
        runs: tuple[Any, Any, int] = sector_counts.sector_runs(self.indptr)
        return runs

    @property
    def _sector_bits(self) -> int:
        """Bits of a column that tell where in its sector it stands."""
        return (SECTOR_BYTES // self.value_bytes).bit_length() - 1

    @cached_property
    def _sampled_sectors(self) -> list[float]:
        """Sectors an entry by blocks of 1, 2, 4 .. 256 neighbouring rows."""
        return self._counted_sectors(*self._sector_runs, sector_counts.SECTOR_ROWS, False)

    @cached_property
    def _sorted_sectors(self) -> list[float]:
        """The same where rows are sorted by length in windows."""
        if self.row_lengths.mostly_equal:
            return self._sampled_sectors
        runs = sector_counts.sector_runs(self.indptr, SORTED_WINDOW, SORTED_ENTRIES)
        return self._counted_sectors(*runs, SORTED_WINDOW, True)

    def _counted_sectors(self, *runs: Any) -> list[float]:
        shares: list[float] = sector_counts.sectors(
            self.indptr, self.indices, self._sector_bits, *runs
        ).tolist()
        return shares

    def sectors(self, rows: float = BLOCK_ROWS, *, by_length: bool = False) -> float:
        """Return the sectors of x that blocks of threads ask for, each block for those of this many rows.

        Parameters
        ----------
        rows
            Of a block of threads.
        by_length
            Whether rows are sorted by length, within windows of a few hundred.
        """
        shares = self._sorted_sectors if by_length else self._sampled_sectors
        power = min(max(0.0, math.log2(max(rows, 1.0))), len(shares) - 1.0)
        below = min(int(power), len(shares) - 2)
        share = shares[below] + (power - below) * (shares[below + 1] - shares[below])
        return share * self.nnz

    def load_lines(self, threads: float = 1, *, wide: int = 1, by_length: bool = False) -> float:
        """Return the cache lines of 128 bytes of x that the loads of warps ask for, each once a load.

        Parameters
        ----------
        threads
            Of a row, rounded to a power of two; 0 takes the entries one after the other, in any row.
        wide
            Neighbouring entries that a thread takes, in as many loads.
        by_length
            Whether rows are sorted by length.
        """
        power = min(WARP, 2 ** round(math.log2(max(1.0, threads)))) if threads else 0
        key = power, wide, by_length and not self.row_lengths.mostly_equal
        if key not in self._lines:
            shift = self._sector_bits + (LINE_BYTES // SECTOR_BYTES).bit_length() - 1
            runs = self._sector_runs[:2]
            self._lines[key] = sector_counts.lines_of_loads(self.indptr, self.indices, shift, *runs, *key)
        return self._lines[key] * self.nnz

    @property
    def sectors_down(self) -> float:
        """Sectors of x that blocks ask for where each thread has a row."""
        return self.sectors(BLOCK_ROWS)

    @property
    def warp_sectors(self) -> float:
        """Sectors of x that warps ask for where each thread has a row; what warps share is counted twice."""
        return self.sectors(WARP)

    @property
    def sectors_along(self) -> float:
        """Sectors of x that blocks ask for where their threads take 1,024 neighbouring entries."""
        return self.sectors(1024 / max(1.0, self.mean))

    @cached_property
    def sectors_scattered(self) -> float:
        """Sectors of x that blocks ask for where each thread has a row and all rows are sorted by length."""
        share = sector_counts.sectors_by_length(
            self.indptr, self.indices, self._sector_bits, *self._sector_runs
        )
        return float(share) * self.nnz

    def segment_slots(self, columns: int) -> float:
        """Count what rows have in segments of this many columns, a slot each: as many as a sample says.

        What rows of these lengths would have with entries anywhere is counted of all rows, and how many fewer
        slots there are in a sample.
        """
        segments = -(-self.shape[1] // columns)
        if segments <= 1:
            return float(self.filled_rows)
        if (columns, False) not in self._slots:
            sample = self._sample
            anywhere = sample.row_lengths.classes_met(segments)
            result = int(column_spreads.slots(sample.indptr, sample.indices, columns))
            of_all = self.row_lengths.classes_met(segments) * min(1.0, result / max(1.0, anywhere))
            self._slots[columns, False] = max(float(self.filled_rows), of_all)
        return self._slots[columns, False]

    def segment_slots_by_degree(self, columns: int) -> float:
        """Count the same with columns in the order of their entries, each where chance has it."""
        if (columns, True) not in self._slots:
            shares = shares_by_degree(self.indices, self.shape[1], columns)
            met = sum(self.row_lengths.rows_with(share) for share in shares)
            self._slots[columns, True] = max(float(self.filled_rows), met)
        return self._slots[columns, True]

    @cached_property
    def near_share(self) -> float:
        """Which share of the entries lies within the best 65,535 columns of each 512 rows."""
        if self.shape[1] <= NEAR_COLUMNS:
            return 1.0
        return float(column_spreads.near_share(self.indptr, self.indices, NEAR_WINDOW, NEAR_COLUMNS))

    @cached_property
    def hubs(self) -> Hubs:
        """What the columns with most entries hold.

        Where these stand side by side anyway, the near ones of each row are taken for them.
        """
        if self.near_share > MOSTLY_NEAR and self.shape[1] > NEAR_COLUMNS:
            return Hubs(self.near_share, np.full(1, 1 / MOST_HUBS), np.full(1, float(MOST_HUBS)))
        return Hubs.of(self.indices, self.shape[1])


def _small_enough(count: Callable[[Structure], Work | None], sample: Structure) -> Work | None:
    """Return what `count` does of a sample; None where it takes far more bytes than CRS."""
    result = count(sample)
    if result is None or result.stored_bytes > MOST_GROWTH * sample.crs_bytes:
        return None
    return result
