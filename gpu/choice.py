"""Which format `auto` takes: the one whose product should take the least time.

The estimated time is that of starting plus the longest of three, rounded off where they meet: reading the
stored bytes at the rate of the format, the longest chain of loads of one thread, and gathering x. What a
product does is counted by `Kernel.work` from the pattern of the matrix, without converting it. The constants
stand in choice.toml, fitted to measured times (benchmarks/fit_auto.py).
"""

import functools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from vecsim.formats.structure import SECTOR_BYTES, Structure, Work

from .kernels import KERNELS

CONSTANTS = Path(__file__).with_name("choice.toml")


@dataclass(frozen=True)
class Machine:
    """What all formats share.

    Attributes
    ----------
    power
        How sharply the longest of the three bounds wins: of the sum of their powers the root is taken.
    launch_us
        What each kernel behind the first takes, microseconds.
    sector_ns
        Nanoseconds a sector of x that is asked for.
    cache_bytes
        Of the matrix and of x, how many stay in the L2 cache between products.
    cache_gain
        How many times faster bytes that stay there are read.
    memory_gb_per_s
        Rate of the memory, where parts of x come from that do not fit the cache.
    """

    power: float
    launch_us: float
    sector_ns: float
    cache_bytes: float
    cache_gain: float
    memory_gb_per_s: float


@dataclass(frozen=True)
class Speed:
    """What is a format's own.

    Attributes
    ----------
    gb_per_s
        Rate at which its stored bytes are read from memory, float32 and float64.
    step_ns
        A load of one thread, the next of which waits for it.
    start_us
        Starting and ending.
    """

    gb_per_s: tuple[float, float]
    step_ns: float
    start_us: float


@dataclass(frozen=True)
class Constants:
    """What choice.toml holds."""

    machine: Machine
    formats: Mapping[str, Speed]

    @classmethod
    def read(cls, path: Path = CONSTANTS) -> Self:
        """Read a file as the fit writes it."""
        document = tomllib.loads(path.read_text())
        speeds = {
            name: Speed(tuple(entry["gb_per_s"]), entry["step_ns"], entry["start_us"])
            for name, entry in document["format"].items()
        }
        return cls(Machine(**document["machine"]), speeds)

    def speed(self, name: str) -> Speed:
        """Give a format's own constants, or those of one that was not measured."""
        return self.formats.get(name, self.formats["default"])


@functools.cache
def _constants() -> Constants:
    return Constants.read()


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
    """

    moved: Any
    chain: Any
    sectors: Any
    missed: Any
    launches: Any

    @classmethod
    def of(cls, work: Work, structure: Structure, cache_bytes: float) -> Self:
        """Count one product."""
        vectors = sum(structure.shape) * structure.value_bytes
        # What a warp of rows needs of x lies within so many bytes; what no cache holds is read each time.
        window = structure.mean_spread * structure.value_bytes
        share = 1 - cache_bytes / window if window > cache_bytes else 0.0
        missed = work.sectors * SECTOR_BYTES * share
        return cls(work.stored_bytes + vectors, work.chain, work.sectors, missed, work.launches)


def microseconds(counts: Counts, gb_per_s: Any, step_ns: Any, start_us: Any, machine: Machine) -> Any:
    """Estimate the time of products that are done again and again on the same vectors."""
    kept = np.minimum(1.0, machine.cache_bytes / np.maximum(1.0, counts.moved))
    rate = gb_per_s * (1 + (machine.cache_gain - 1) * kept)
    bounds = (
        counts.moved / rate * 1e-3,
        counts.chain * step_ns * 1e-3,
        (counts.sectors * machine.sector_ns + counts.missed / machine.memory_gb_per_s) * 1e-3,
    )
    longest = np.maximum(np.maximum(bounds[0], bounds[1]), np.maximum(bounds[2], 1e-9))
    powers = sum((bound / longest) ** machine.power for bound in bounds)
    return start_us + machine.launch_us * (counts.launches - 1) + longest * powers ** (1 / machine.power)


def estimates(structure: Structure, *, deterministic: bool = False) -> dict[str, float]:
    """Give the estimated microseconds of a product by format, of those that can hold the matrix."""
    constants, found = _constants(), {}
    for name, kernel in KERNELS.items():
        if kernel.work is None or (deterministic and not kernel.deterministic):
            continue
        work = kernel.work(structure)
        if work is not None:
            counts = Counts.of(work, structure, constants.machine.cache_bytes)
            speed = constants.speed(name)
            rate = speed.gb_per_s[structure.value_bytes == 8]
            time = microseconds(counts, rate, speed.step_ns, speed.start_us, constants.machine)
            found[name] = float(time)
    return found


def ranking(matrix: Any, *, deterministic: bool = False) -> list[str]:
    """Give the names of formats for a sorted SciPy CSR matrix without duplicates, the best first.

    Parameters
    ----------
    matrix
        Of float32 or float64.
    deterministic
        Leave out formats whose results may differ from run to run.
    """
    found = estimates(Structure.of(matrix), deterministic=deterministic)
    return sorted(found, key=lambda name: found[name])
