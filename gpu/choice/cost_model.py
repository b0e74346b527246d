"""Which format `auto` takes: the one whose product should take the least time.

The estimated time is a sum: that of starting; the batches of loads of the thread with most, where each waits
for the one before; and what all threads share, more where some multiprocessors have a block of threads more
than others: the beginning and end of each warp, the sums of parts of rows, and little more than the longer of
two parts that overlap, the stored bytes and the sectors of x.

The constants are fitted numbers with which such times come near to measured ones, no rates of the hardware:
of what memory gives in its order each byte is counted at two rates, both far above that of the memory. Some
ended at a bound of the fit, which prints which.

What a product does is counted from the pattern of the matrix, without converting it
(`gpu.kernel_registry.work_counts_of` has what counts it). The constants stand in constants.toml, fitted to
measured times of warm products, of the same vectors again and again (benchmarks/fit_auto.py).
"""

import functools
import heapq
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from gpu.choice.lower_bounds import LowerBounds
from gpu.choice.structure import SECTOR_BYTES, Structure, Work
from gpu.runtime.device_info import MULTIPROCESSORS

Count = Callable[[Structure], Work | None]
"""Counts the work of a product; None where the format cannot hold the matrix."""
CONSTANTS = Path(__file__).with_name("constants.toml")
MOST_UNEVEN = 4.0
"""Blocks on fewer than a quarter of them cost no more: then the L2 cache has time enough for each."""


@dataclass(frozen=True)
class Machine:
    """What all formats share.

    Attributes
    ----------
    launch_us
        What each kernel after the first takes, microseconds.
    sector_ns
        Nanoseconds a sector of x that a block of threads asks for.
    sum_ns
        Nanoseconds a sum in float32 that is added to y, shared by all.
    uneven_power
        How much it costs that some multiprocessors have a block of threads more: a power of their share.
    cache_bytes
        The size of matrix and vectors at which half of the reads come from memory: what is read in turn and
        exceeds the L2 cache has left it when its turn comes again.
    cache_sharpness
        How fast that share grows around this size, a power.
    x_bytes
        Of x, how many stay in the L2 cache next to the stream of the matrix.
    memory_gb_per_s
        Bytes that memory gives in their order over the time that they add to the other parts: fitted, far
        above the 4,800 GB/s of an H200's memory.
    scattered_gb_per_s
        The same for sectors of x from memory.
    overlap
        How stored bytes and sectors of x overlap, the power of a norm of both times: 1 adds them, and with a
        large one the longer counts.
    l1_bytes
        The size of x at which half of the sectors that blocks of threads ask for are in the L1 cache, from
        the blocks before.
    """

    launch_us: float
    sector_ns: float
    sum_ns: float
    uneven_power: float
    cache_bytes: float
    cache_sharpness: float
    x_bytes: float
    memory_gb_per_s: float
    scattered_gb_per_s: float
    overlap: float
    l1_bytes: float


@dataclass(frozen=True)
class Speed:
    """What is a format's own.

    Attributes
    ----------
    gb_per_s
        Bytes that are read, from cache or memory, over the time that they add to the other parts, float32 and
        float64: fitted, no rate of the L2 cache.
    batch_ns
        A batch of loads of one thread; the next batch waits for it.
    start_us
        Starting and ending.
    warp_ns
        Beginning and ending of a warp, shared by all that run at a time.
    gather_ns
        A cache line of x that a load of a warp asks for, of its L1 cache or another, shared likewise.
    """

    gb_per_s: tuple[float, float]
    batch_ns: float
    start_us: float
    warp_ns: float
    gather_ns: float

    def of_type(self, value_bytes: int) -> tuple[float, float, float, float, float]:
        """Return rate, batch, start, warp and gather for values of 4 or 8 bytes."""
        return self.gb_per_s[value_bytes == 8], self.batch_ns, self.start_us, self.warp_ns, self.gather_ns


@dataclass(frozen=True, eq=False)
class Constants:
    """What constants.toml holds."""

    machine: Machine
    formats: Mapping[str, Speed]

    @classmethod
    def read(cls, path: Path = CONSTANTS) -> Self:
        """Read a file as the fit writes it."""
        document = tomllib.loads(path.read_text())
        speeds = {
            name: Speed(tuple(entry.pop("gb_per_s")), **entry) for name, entry in document["format"].items()
        }
        return cls(Machine(**document["machine"]), speeds)

    def speed(self, name: str) -> Speed:
        """Return a format's own constants, or those of one that was not measured."""
        return self.formats.get(name, self.formats["default"])


@functools.cache
def _constants() -> Constants:
    return Constants.read()


@functools.lru_cache(maxsize=256)
def _speeds(constants: Constants, names: tuple[str, ...], value_bytes: int) -> Any:
    """Return arrays of the constants, an element for each of these formats, as `microseconds` takes them."""
    return np.array([constants.speed(name).of_type(value_bytes) for name in names]).T


@dataclass(frozen=True)
class Counts:
    """What the time of a product is estimated of; numbers, or arrays of them for many products.

    Attributes
    ----------
    moved
        Bytes of the format that are read, and of x and y.
    batches
        Of loads of one thread, one after the other.
    sectors
        Sectors of x that blocks of threads ask the L2 cache for.
    lines
        Cache lines of x that the loads of warps ask for.
    missed
        Bytes of x among them that lie too far apart for a cache to hold them.
    launches
        Kernels.
    warps
        Of threads.
    uneven
        What the busiest multiprocessor has to do, over the mean.
    sums
        As of `Work`.
    """

    moved: Any
    batches: Any
    sectors: Any
    lines: Any
    missed: Any
    launches: Any
    warps: Any
    uneven: Any
    sums: Any

    @classmethod
    def of(cls, work: Work, structure: Structure, machine: Machine) -> Self:
        """Count one product, or several where the numbers of `work` are arrays (`together`)."""
        columns, size = structure.shape[1], structure.value_bytes
        # Where the cache has room for all of x, it does not matter how far threads reach.
        spread = structure.mean_spread if columns * size > machine.x_bytes else 0.0
        missed = missed_bytes(work.sectors, window_bytes(work.scattered, spread, columns, size), machine)
        moved = work.stored_bytes + sum(structure.shape) * size
        return cls(
            moved,
            batches(work.chain, work.ahead),
            past_l1(work.sectors, columns * size, machine),
            work.lines,
            missed,
            work.launches,
            work.warps,
            uneven(work.warps, work.block_warps),
            work.sums,
        )


def together(works: Iterable[Work]) -> Work:
    """Return what several products do as one: an array with an element for each in place of each number."""
    numbers: Any = np.array([list(vars(work).values()) for work in works], dtype=np.float64).T
    return Work(*numbers)


def batches(chain: Any, ahead: Any) -> Any:
    """Return the batches that this many loads of a thread make, `ahead` of them at once."""
    # Chains of a sample are stretched, which leaves a little after a whole number.
    return np.ceil(chain / ahead - 1e-6)


def uneven(warps: Any, block_warps: Any) -> Any:
    """Return what the busiest multiprocessor has to do over the mean, at most `MOST_UNEVEN`.

    Parameters
    ----------
    warps
        Of threads.
    block_warps
        Warps of a block; where it is 0, all are taken to have the same.
    """
    blocks = np.maximum(1.0, np.ceil(warps / np.maximum(1, block_warps))) / MULTIPROCESSORS
    return np.where(block_warps > 0, np.minimum(MOST_UNEVEN, np.ceil(blocks) / blocks), 1.0)


def window_bytes(scattered: Any, mean_spread: Any, columns: Any, value_bytes: Any) -> Any:
    """Return the bytes of x within which threads that run together read: all of it, where rows are sorted.

    Parameters
    ----------
    scattered
        Whether rows that run together lie anywhere.
    mean_spread
        Columns that a slice reaches over, the mean.
    columns
        Of the matrix.
    value_bytes
        4 or 8.
    """
    return (mean_spread + scattered * (columns - mean_spread)) * value_bytes


def past_l1(sectors: Any, x_bytes: Any, machine: Machine) -> Any:
    """Return how many of these sectors of an x of this many bytes are not in the L1 cache."""
    return sectors * x_bytes / (x_bytes + machine.l1_bytes)


def missed_bytes(sectors: Any, window: Any, machine: Machine) -> Any:
    """Return the bytes of x that come from memory, of this many sectors within a window of this many
    bytes.
    """
    return sectors * SECTOR_BYTES * np.maximum(0.0, 1 - machine.x_bytes / np.maximum(window, 1.0))


def microseconds(
    counts: Counts,
    machine: Machine,
    gb_per_s: Any,
    batch_ns: Any,
    start_us: Any,
    warp_ns: Any,
    gather_ns: Any,
) -> Any:
    """Estimate the time of products that are done again and again on the same vectors.

    Parameters
    ----------
    counts
        What the products do.
    machine
        What the formats share.
    gb_per_s, batch_ns, start_us, warp_ns, gather_ns
        Their own constants, as of `Speed`, for the type of the values.
    """
    share = 1 - 1 / (1 + (counts.moved / machine.cache_bytes) ** machine.cache_sharpness)
    memory = share * counts.moved / machine.memory_gb_per_s + counts.missed / machine.scattered_gb_per_s
    streamed = counts.moved / gb_per_s + memory
    gathered = counts.sectors * machine.sector_ns + counts.lines * gather_ns
    both = (streamed**machine.overlap + gathered**machine.overlap) ** (1 / machine.overlap)
    both = both + counts.sums * machine.sum_ns
    shared = (both + counts.warps * warp_ns) * counts.uneven**machine.uneven_power
    shared = counts.batches * batch_ns + shared
    return start_us + machine.launch_us * (counts.launches - 1) + 1e-3 * shared


def estimate(name: str, work: Work, structure: Structure, constants: Constants | None = None) -> float:
    """Estimate the microseconds of a product in a format that does this work.

    Parameters
    ----------
    name
        Of the format.
    work
        Of its product.
    structure
        Of the matrix.
    constants
        Of the device; those of constants.toml without them.
    """
    constants = constants or _constants()
    machine, own = constants.machine, constants.speed(name).of_type(structure.value_bytes)
    return float(microseconds(Counts.of(work, structure, machine), machine, *own))


def _estimates(works: Mapping[str, Work], structure: Structure) -> dict[str, float]:
    """Estimate the microseconds of products in formats, by their names, that do this work."""
    if not works:
        return {}
    constants = _constants()
    counts = Counts.of(together(works.values()), structure, constants.machine)
    own = _speeds(constants, tuple(works), structure.value_bytes)
    result = microseconds(counts, constants.machine, *own)
    return dict(zip(works, result.tolist(), strict=True))


def estimates(counts: Mapping[str, Count], structure: Structure) -> dict[str, float]:
    """Return the estimated microseconds of a product by format, of those that can hold the matrix.

    Parameters
    ----------
    counts
        What counts the work, by format.
    structure
        Of the matrix.
    """
    return _estimates(_works(counts, structure), structure)


def _works(counts: Mapping[str, Count], structure: Structure) -> dict[str, Work]:
    """Return the work of a product by format, of those that can hold the matrix."""
    result = ((name, count(structure)) for name, count in counts.items())
    return {name: work for name, work in result if work is not None}


def ranked(counts: Mapping[str, Count], matrix: Any) -> Iterator[tuple[str, float]]:
    """Yield names of formats and the estimated microseconds of a product, the least first.

    The work of a format is counted no sooner than it could be the next: as long as another is estimated to
    take less than this one would at the least (`gpu.choice.lower_bounds`), nothing is counted.

    Parameters
    ----------
    counts
        What counts the work, by format.
    matrix
        A sorted SciPy CSR matrix without duplicates, of float32 or float64.
    """
    structure = Structure.of(matrix)
    # Each knows more than the one before, and takes longer.
    levels = (
        LowerBounds.of_structure(structure, padded=False),
        LowerBounds.of_structure(structure, padded=True),
        structure,
    )
    least = _estimates(_works(counts, levels[0]), structure)
    # Of equal times a bound comes first, since what it bounds may have the same; then the order of `counts`.
    waiting = [(time, 0, place, name) for place, (name, time) in enumerate(least.items())]
    heapq.heapify(waiting)
    while waiting:
        time, level, place, name = heapq.heappop(waiting)
        if levels[level] is structure:
            yield name, time
            continue
        if (work := counts[name](levels[level + 1])) is not None:
            heapq.heappush(waiting, (estimate(name, work, structure), level + 1, place, name))
