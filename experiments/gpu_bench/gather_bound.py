"""What a product takes at least whose gathers of x go through the L2 cache, next to the stream of its matrix.

Where columns are anywhere, not the bytes bound a product but the elements of x, each fetched with the 32
bytes around it. `GatherWork` counts such requests to the L2 cache from the pattern alone: entries in the
order of their rows, in blocks as a block of threads takes them, which the hardware deals to the
multiprocessors in turn. A request is spared if the sector is among the last different ones that fit into all
of a multiprocessor's L1 cache and shared memory. Columns stand as they are, or those with most entries first,
as in formats that copy hubs of x side by side: whichever asks for fewer sectors.

These sectors and the stored matrix go the same way, through the slices of the L2 cache, so their times add
up: that of the requests at the gather rate, and that of the matrix at the highest rate at which anything was
read. On an H200 ncu has the L2 cache at 93 % of its throughput on random columns (power-rows-18, float64),
where this bound is all of the time.

What that bounds are products that gather x through the caches, rows in their order, blocks as they come. It
is no bound where a kernel chooses what stays near, or runs where, or puts rows in another order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np
from numba import njit, prange

from experiments.gpu_bench.ceilings import Gather
from vecsim.formats.thread_count import threads_that_pay

SECTOR_BYTES = 32
"""What the L2 cache delivers at least."""
L1_BYTES = 256 << 10
"""L1 cache and shared memory of a multiprocessor, of compute capability 9.0; less before."""
BEYOND_L1_BYTES = 4 * L1_BYTES
"""From this size of x on few random elements are found in the L1 cache."""
BLOCK_ENTRIES = 2048
"""Of a block of threads: 256 with eight each, as the products that are best on such matrices have."""


@dataclass(frozen=True)
class GatherWork:
    """The sectors of x that a product asks the L2 cache for.

    Attributes
    ----------
    first
        Requests for a sector that nobody has asked for before: as many as there are different ones.
    again
        Requests for one of them by another multiprocessor, or when it is in no L1 cache any more.
    spread_bytes
        While as many sectors are asked for as the L2 cache holds, those asked for again are as many different
        ones as random requests would meet in an x of this many bytes.
    """

    first: int
    again: int
    spread_bytes: int

    @classmethod
    def of(
        cls,
        columns: Any,
        width: int,
        itemsize: int,
        *,
        multiprocessors: int,
        l2_bytes: int,
        l1_bytes: int = L1_BYTES,
        block_entries: int = BLOCK_ENTRIES,
    ) -> Self:
        """Count them.

        Parameters
        ----------
        columns
            int32: the column of each entry, row by row.
        width
            Columns of the matrix.
        itemsize
            Bytes of an element of x, a power of two up to 32.
        multiprocessors, l2_bytes, l1_bytes
            Of the device; the L1 cache with the shared memory of each multiprocessor.
        block_entries
            Neighbouring entries that a multiprocessor takes before it is the turn of the next.
        """
        shift = (SECTOR_BYTES // itemsize).bit_length() - 1
        sectors = ((width - 1) >> shift) + 1 if width else 0
        asked = np.zeros(len(columns), np.bool_)
        threads = threads_that_pay(len(columns))
        recorded = l1_bytes // SECTOR_BYTES
        _ask(columns, shift, sectors, recorded, multiprocessors, block_entries, threads, asked)
        requests = int(np.count_nonzero(asked))
        windows = max(1, -(-requests * SECTOR_BYTES // l2_bytes))
        first, different = _different(columns, shift, sectors, windows, asked)
        again = requests - first
        spread = min(float(first), _spread(again / windows, different / windows))
        return cls(first, again, round(spread) * SECTOR_BYTES)


@dataclass(frozen=True)
class GatherBound:
    """What bounds the gathers of a device.

    Attributes
    ----------
    l2_gb_per_s
        The highest rate at which anything was read.
    gathers
        How fast random elements are read, by type and size of x, ascending.
    """

    l2_gb_per_s: float
    gathers: tuple[Gather, ...]

    def document(self) -> list[dict[str, Any]]:
        """Return the rates as plain data, for JSON."""
        return [asdict(each) for each in self.gathers]

    def g_per_s(self, dtype: str, x_bytes: int) -> float:
        """Return the rate for an x of this size, 1e9 a second, interpolated in the logarithm of the size."""
        own = self._of(dtype)
        sizes = np.log([each.x_bytes for each in own])
        return float(np.interp(np.log(max(x_bytes, 1)), sizes, [each.g_per_s for each in own]))

    def us(self, work: GatherWork, dtype: str, stored_bytes: int) -> float:
        """Return the least time of a product, microseconds: of its requests and of what is stored.

        Requests for a sector again count at the rate for an x as large as they are spread, but beyond the L1
        cache, where they were not found. Those for one that was not asked for before come in the order of the
        rows, not at random: they count at the highest rate of an x beyond the L1 cache.

        Parameters
        ----------
        work
            What is asked for.
        dtype
            float32 or float64.
        stored_bytes
            Of the matrix on the device.
        """
        fastest = max(each.g_per_s for each in self._of(dtype) if each.x_bytes >= BEYOND_L1_BYTES)
        again = self.g_per_s(dtype, max(work.spread_bytes, BEYOND_L1_BYTES))
        return (work.first / fastest + work.again / again + stored_bytes / self.l2_gb_per_s) / 1000

    def _of(self, dtype: str) -> list[Gather]:
        return [each for each in self.gathers if each.dtype == dtype]


def least_work(
    columns: Any, width: int, itemsizes: Sequence[int], *, multiprocessors: int, l2_bytes: int
) -> list[GatherWork]:
    """Count the requests of a product for each size of an element, in the better order of columns.

    Parameters
    ----------
    columns, width, multiprocessors, l2_bytes
        As of `GatherWork.of`.
    itemsizes
        Bytes of an element of x.
    """
    device = {"multiprocessors": multiprocessors, "l2_bytes": l2_bytes}
    orders = (columns, _by_degree(columns, width))
    result = ([GatherWork.of(each, width, size, **device) for each in orders] for size in itemsizes)
    return [min(both, key=lambda each: each.first + each.again) for both in result]


def _by_degree(columns: Any, width: int) -> Any:
    """Number columns again, those with most entries first."""
    place = np.empty(width, np.int32)
    place[np.argsort(-np.bincount(columns, minlength=width), kind="stable")] = np.arange(width)
    return place[columns]


def _spread(requests: float, different: float) -> float:
    """Return among how many sectors this many random requests would meet this many different ones.

    Of n sectors r requests leave out a share of exp(-r / n).
    """
    if different >= requests:
        return math.inf
    low, high = different, different * requests / (requests - different) + 1
    for _ in range(50):  # n (1 - exp(-r / n)) rises with n
        middle = (low + high) / 2
        if -middle * math.expm1(-requests / middle) < different:
            low = middle
        else:
            high = middle
    return high


@njit(parallel=True, cache=True)
def _ask(
    columns: Any,
    shift: int,
    sectors: int,
    recorded: int,
    multiprocessors: int,
    block_entries: int,
    threads: int,
    asked: Any,
) -> None:
    """Mark the entries that make a multiprocessor request a sector.

    Each keeps the sectors of the latest requests in a circular list, the latest at its head.
    """
    blocks = (len(columns) + block_entries - 1) // block_entries
    for thread in prange(threads):
        place_of = np.full(sectors, -1, np.int32)
        sector_at = np.full(recorded, -1, np.int32)
        after, before = np.empty(recorded, np.int32), np.empty(recorded, np.int32)
        for place in range(recorded):
            after[place], before[place] = (place + 1) % recorded, (place - 1) % recorded
        head = 0
        for own in range(multiprocessors * thread // threads, multiprocessors * (thread + 1) // threads):
            for place in range(recorded):  # nothing of another multiprocessor
                if sector_at[place] >= 0:
                    place_of[sector_at[place]] = -1
                    sector_at[place] = -1
            for block in range(own, blocks, multiprocessors):
                begin = block * block_entries
                for entry in range(begin, min(begin + block_entries, len(columns))):
                    sector = columns[entry] >> shift
                    place = place_of[sector]
                    if place < 0:
                        place = before[head]  # of what was asked for longest ago
                        if sector_at[place] >= 0:
                            place_of[sector_at[place]] = -1
                        sector_at[place], place_of[sector] = sector, place
                        asked[entry] = True
                    elif place != head and place != before[head]:
                        after[before[place]], before[after[place]] = after[place], before[place]
                        last = before[head]
                        after[last], before[place] = place, last
                        after[place], before[head] = head, place
                    head = place


@njit(cache=True)
def _different(columns: Any, shift: int, sectors: int, windows: int, asked: Any) -> Any:
    """Count the sectors asked for, and in each window of time those asked for again, each once.

    Entries are multiplied in about their order: windows are parts of them. Below 0 stands the window of a
    sector that was asked for once.
    """
    last = np.zeros(sectors, np.int32)
    entries = len(columns)
    first, different = 0, 0
    for window in range(windows):
        for entry in range(entries * window // windows, entries * (window + 1) // windows):
            if asked[entry]:
                sector = columns[entry] >> shift
                if last[sector] == 0:
                    first += 1
                    last[sector] = -1 - window
                elif last[sector] != window + 1:
                    different += 1
                    last[sector] = window + 1
    return first, different
