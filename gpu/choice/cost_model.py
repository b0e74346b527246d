"""Which format `auto` takes: the one whose product should take the least time.

The estimated time is that of starting; the longest chain of loads of one thread; and what all threads share:
on the way from the L2 cache the stored bytes at the rate of the format, the sectors of x, and the beginning
and end of each warp, or what of these comes from memory, whichever takes longer, rounded off where they meet.
What a product does is counted by `Kernel.work` from the pattern of the matrix, without converting it. The
constants stand in constants.toml, fitted to measured times of warm products, of the same vectors again and
again (benchmarks/fit_auto.py).
"""

import functools
import heapq
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from gpu.choice.lower_bounds import LowerBounds
from gpu.choice.structure import SECTOR_BYTES, Structure, Work
from gpu.registry import KERNELS

CONSTANTS = Path(__file__).with_name("constants.toml")


@dataclass(frozen=True)
class Machine:
    """What all formats share.

    Attributes
    ----------
    power
        How sharply the longer of L2 cache and memory wins: of the sum of their powers the root is taken.
    launch_us
        What each kernel behind the first takes, microseconds.
    sector_ns
        Nanoseconds a sector of x that a block of threads asks for.
    ahead
        Loads of a chain that are under way at once: so many take little more than one.
    cache_bytes
        The size of matrix and vectors of which half comes from memory: what is read in turn and exceeds the
        L2 cache has left it when its turn comes again.
    cache_sharpness
        How fast that share grows around this size, a power.
    x_bytes
        Of x, how many stay in the L2 cache beside the stream of the matrix.
    memory_gb_per_s
        Rate of the memory for what is read in its order.
    scattered_gb_per_s
        Rate of the memory for sectors of x.
    """

    power: float
    launch_us: float
    sector_ns: float
    ahead: float
    cache_bytes: float
    cache_sharpness: float
    x_bytes: float
    memory_gb_per_s: float
    scattered_gb_per_s: float


@dataclass(frozen=True)
class Speed:
    """What is a format's own.

    Attributes
    ----------
    gb_per_s
        Rate at which its stored bytes are read from the L2 cache, float32 and float64.
    step_ns
        A load of one thread, the next of which waits for it.
    start_us
        Starting and ending.
    warp_ns
        Beginning and ending of a warp, shared by all that run at a time.
    """

    gb_per_s: tuple[float, float]
    step_ns: float
    start_us: float
    warp_ns: float


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
            name: Speed(tuple(entry["gb_per_s"]), entry["step_ns"], entry["start_us"], entry["warp_ns"])
            for name, entry in document["format"].items()
        }
        return cls(Machine(**document["machine"]), speeds)

    def speed(self, name: str) -> Speed:
        """Give a format's own constants, or those of one that was not measured."""
        return self.formats.get(name, self.formats["default"])


@functools.cache
def _constants() -> Constants:
    return Constants.read()


@functools.lru_cache(maxsize=256)
def _speeds(constants: Constants, names: tuple[str, ...], value_bytes: int) -> Any:
    """Give arrays of rates, steps, starts and warps, an element for each of these formats."""
    speeds = [constants.speed(name) for name in names]
    double = value_bytes == 8
    return np.array([(each.gb_per_s[double], each.step_ns, each.start_us, each.warp_ns) for each in speeds]).T


@dataclass(frozen=True)
class Counts:
    """What the time of a product is estimated of; numbers, or arrays of them for many products.

    Attributes
    ----------
    moved
        Bytes of the format that are read, and of x and y.
    chain
        Loads of one thread, one after the other.
    sectors
        Sectors of x that are asked for.
    missed
        Bytes of x among them that lie too far apart for a cache to hold them.
    launches
        Kernels.
    warps
        Of threads.
    """

    moved: Any
    chain: Any
    sectors: Any
    missed: Any
    launches: Any
    warps: Any

    @classmethod
    def of(cls, work: Work, structure: Structure, machine: Machine) -> Self:
        """Count one product, or several where the numbers of `work` are arrays (`together`)."""
        columns, size = structure.shape[1], structure.value_bytes
        # Where the cache has room for all of x, it does not matter how far threads reach.
        spread = structure.mean_spread if columns * size > machine.x_bytes else 0.0
        missed = missed_bytes(work.sectors, window_bytes(work.scattered, spread, columns, size), machine)
        moved = work.stored_bytes + sum(structure.shape) * size
        return cls(moved, work.chain, work.sectors, missed, work.launches, work.warps)


def together(works: Iterable[Work]) -> Work:
    """Give what several products do as one: an array with an element for each in place of each number."""
    numbers: Any = np.array([list(vars(work).values()) for work in works], dtype=np.float64).T
    return Work(*numbers)


def window_bytes(scattered: Any, mean_spread: Any, columns: Any, value_bytes: Any) -> Any:
    """Give the bytes of x within which threads that run together read: all of it, where rows are sorted.

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


def missed_bytes(sectors: Any, window: Any, machine: Machine) -> Any:
    """Give the bytes of x that come from memory, of so many sectors within a window of so many bytes."""
    return sectors * SECTOR_BYTES * np.maximum(0.0, 1 - machine.x_bytes / np.maximum(window, 1.0))


def microseconds(
    counts: Counts, gb_per_s: Any, step_ns: Any, start_us: Any, warp_ns: Any, machine: Machine
) -> Any:
    """Estimate the time of products that are done again and again on the same vectors.

    Parameters
    ----------
    counts
        What the products do.
    gb_per_s, step_ns, start_us, warp_ns
        The formats' own constants, as of `Speed`, for the type of the values.
    machine
        What they share.
    """
    share = 1 - 1 / (1 + (counts.moved / machine.cache_bytes) ** machine.cache_sharpness)
    memory = share * counts.moved / machine.memory_gb_per_s + counts.missed / machine.scattered_gb_per_s
    cache = counts.moved / gb_per_s + counts.sectors * machine.sector_ns + counts.warps * warp_ns
    longer = np.maximum(np.maximum(memory, cache), 1e-9)
    powers = (memory / longer) ** machine.power + (cache / longer) ** machine.power
    chain = counts.chain**2 / (counts.chain + machine.ahead) * step_ns
    shared = longer * powers ** (1 / machine.power)
    return start_us + machine.launch_us * (counts.launches - 1) + 1e-3 * (chain + shared)


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
    speed, machine = constants.speed(name), constants.machine
    rate = speed.gb_per_s[structure.value_bytes == 8]
    counts = Counts.of(work, structure, machine)
    return float(microseconds(counts, rate, speed.step_ns, speed.start_us, speed.warp_ns, machine))


def _estimates(works: Mapping[str, Work], structure: Structure) -> dict[str, float]:
    """Estimate the microseconds of products in formats, by their names, that do this work."""
    if not works:
        return {}
    constants = _constants()
    counts = Counts.of(together(works.values()), structure, constants.machine)
    rates, steps, starts, warps = _speeds(constants, tuple(works), structure.value_bytes)
    found = microseconds(counts, rates, steps, starts, warps, constants.machine)
    return dict(zip(works, found.tolist(), strict=True))


def estimates(structure: Structure, *, deterministic: bool = False) -> dict[str, float]:
    """Give the estimated microseconds of a product by format, of those that can hold the matrix."""
    return _estimates(_works(structure, deterministic), structure)


def _works(structure: Structure, deterministic: bool) -> dict[str, Work]:
    """Give the work of a product by format, of those that can hold the matrix."""
    found = {}
    for name, kernel in KERNELS.items():
        if kernel.work is not None and (kernel.deterministic or not deterministic):
            work = kernel.work(structure)
            if work is not None:
                found[name] = work
    return found


def ranking(matrix: Any, *, deterministic: bool = False) -> Iterator[str]:
    """Give the names of formats one by one, the best first.

    The work of a format is counted no sooner than it could be the next: as long as another is estimated to
    take less than this one would at the least (`gpu.choice.lower_bounds`), nothing is counted.

    Parameters
    ----------
    matrix
        A sorted SciPy CSR matrix without duplicates, of float32 or float64.
    deterministic
        Leave out formats whose results may differ from run to run.
    """
    structure = Structure.of(matrix)
    # Each knows more than the one before, and takes longer.
    levels = (
        LowerBounds.of_structure(structure, padded=False),
        LowerBounds.of_structure(structure, padded=True),
        structure,
    )
    least = _estimates(_works(levels[0], deterministic), structure)
    # Of equal times a bound comes first, since what it bounds may have the same; then the order of `KERNELS`.
    waiting = [(time, 0, place, name) for place, (name, time) in enumerate(least.items())]
    heapq.heapify(waiting)
    while waiting:
        _, level, place, name = heapq.heappop(waiting)
        if levels[level] is structure:
            yield name
            continue
        count = KERNELS[name].work
        work = count(levels[level + 1]) if count is not None else None
        if work is not None:
            heapq.heappush(waiting, (estimate(name, work, structure), level + 1, place, name))
