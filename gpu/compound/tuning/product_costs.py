"""What of a product takes time, counted from the features of a matrix and the numbers of a variant.

Times are sums of such counts, each at a rate: bytes, waves of blocks,
steps of a thread, loads. They say what a variant does to a matrix that is larger, wider or more uneven than
all that were searched, where trees can only repeat what they have seen.

The rates are fitted to measured times. They are few numbers, none negative, for all matrices: what they say
of a matrix unlike all others is still sensible.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import scipy.optimize
from numpy.typing import NDArray

from gpu.compound.component_layout import ComponentLayout
from gpu.compound.product_kernel import of_words_at_once
from gpu.compound.schedule import REGISTERS_PER_SM, register_limit
from gpu.compound.tuning.features import PLACES
from gpu.compound.tuning.variants import MOST_REGISTERS, DeviceLimits, Variant
from gpu.runtime.device_info import MULTIPROCESSORS

STEEPNESS = 2.0
"""A variant that takes r times the best of its matrix weighs r^-2: the order of the good ones counts."""
LEAST_WEIGHT = 0.03
"""Next to that: slow variants say what the costs are."""
SHORTEST_US = 1e-3
"""No product is faster."""


def weights_of(times: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what times of one matrix weigh in a fit.

    Parameters
    ----------
    times
        Microseconds, or any other unit.
    """
    return np.asarray((times / times.min()) ** -STEEPNESS + LEAST_WEIGHT)


def fitted_rates(
    counts: Sequence[NDArray[np.float64]], times: Sequence[NDArray[np.float64]]
) -> NDArray[np.float64]:
    """Fit times as sums of counts at rates of 0 or more, by the least squares of relative errors.

    Parameters
    ----------
    counts
        For each matrix float64 of (variants, costs).
    times
        For each matrix the microseconds of the variants. All matrices weigh the same.

    Returns
    -------
    float64, microseconds for one of each cost
    """
    weights = [weights_of(each) for each in times]
    roots = [np.sqrt(each / each.sum()) for each in weights]
    relative = [(root / us)[:, None] * count for root, us, count in zip(roots, times, counts, strict=True)]
    rates, _ = scipy.optimize.nnls(np.concatenate(relative), np.concatenate(roots))
    return np.asarray(rates, np.float64)


def shares_of_time(
    counts: NDArray[np.float64], rates: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the times that rates predict, and what share of a time each cost is.

    Parameters
    ----------
    counts
        (variants, costs).
    rates
        Of `fitted_rates`.

    Returns
    -------
    times
        float64, microseconds, above 0.
    shares
        float64 of (variants, costs).
    """
    parts = counts * rates
    times = np.maximum(parts.sum(axis=1), SHORTEST_US)
    return times, parts / times[:, None]


CACHE_BYTES = 45e6
"""Of products that stay in the L2 cache of these devices."""
NEAR_BYTES = 2e5
"""Of a vector that stays in the L1 caches."""
MILLION = 1e-6
WIDEST_LOAD = 16
"""Bytes that a thread brings by one load."""
LITTLE = 0.3
"""Of a step: if the mean of slices is so little above a whole number, most have that many steps."""
LINE = 128
"""Bytes of a line of the caches."""
GROUP = 8
"""Registers are given to threads in groups of this many."""


@dataclass(frozen=True)
class Registers:
    """An estimate of the registers of a thread, which the compiler decides.

    Attributes
    ----------
    fixed
        Addresses and counters.
    at_once
        For each entry that is running, next to its components and those of its element of x.
    """

    fixed: int
    at_once: int


@dataclass(frozen=True)
class _Counts:
    """What costs are made of: of an entry, of the matrix in a layout, and of the launch."""

    at_once: int
    loads: int
    element_parts: int
    element_bytes: float
    reads: float
    total_bytes: float
    steps: int
    waves: float
    threads: float
    csr: bool
    sorted: bool
    bases: bool
    entry_lines: float


COSTS = (
    "bytes",
    "bytes from memory",
    "bytes while the last wave is not full",
    "batches of loads",
    "loads of a thread",
    "steps of a thread",
    "draws of chunks",
    "fixed chunks",
    "steps of the longest row",
    "sums of shared rows",
    "bytes for each that is running",
    "gathers from afar",
    "bytes of rows that one thread reads",
    "lines of entries",
    "rows out of order",
    "bases of steps",
    "threads of a block",
    "launch",
)
"""Names of what `costs` counts, in its order."""


def costs(features: Mapping[str, float], variant: Variant, registers: Registers) -> list[float]:
    """Count what of a product takes time.

    Parameters
    ----------
    features
        Of `gpu.compound.tuning.features`.
    variant
        A layout with a schedule.
    registers
        How many a thread takes.

    Returns
    -------
    list of float
        One for each of `COSTS`, 0 or more; bytes, gathers, lines and rows out of order are in millions.
    """
    schedule, counts = variant.schedule, _counts(features, variant, registers)
    whole_waves = math.ceil(counts.waves)
    rounds = whole_waves * schedule.rows_per_thread
    empty = whole_waves / counts.waves - 1.0 if counts.waves > 1 else 0.0
    under_way = counts.threads * MULTIPROCESSORS * counts.at_once * features["entry_bytes"]
    longest = features["length_greatest"] / schedule.threads_per_row
    sectors = counts.element_parts * max(1.0, counts.element_bytes / counts.element_parts / 32)
    reach = features["bandwidth_median"] / max(1.0, features["columns"])
    afar = min(1.0, reach) * min(1.0, features["columns"] * counts.element_bytes / NEAR_BYTES)
    strided = counts.reads * features["entry_bytes"] / schedule.threads_per_row if counts.csr else 0.0
    return [
        counts.total_bytes * MILLION,
        counts.total_bytes * MILLION * (counts.total_bytes > CACHE_BYTES),
        counts.total_bytes * MILLION * empty,
        rounds * math.ceil(counts.steps / counts.at_once),
        rounds * counts.steps * counts.loads,
        rounds * counts.steps,
        whole_waves * (schedule.assignment == "dynamic"),
        whole_waves * (schedule.assignment == "static"),
        schedule.rows_per_thread * math.ceil(longest / counts.at_once),
        math.log2(schedule.threads_per_row) * whole_waves * features["vector_components"],
        counts.total_bytes / under_way,
        counts.reads * MILLION * sectors * afar,
        strided * MILLION,
        counts.reads * MILLION * counts.entry_lines,
        features["rows"] * MILLION * (counts.sorted and features["vector_components"]),
        rounds * counts.steps * counts.bases,
        schedule.threads_per_block / 1024 * whole_waves,
        1.0,
    ]


def _counts(features: Mapping[str, float], variant: Variant, registers: Registers) -> _Counts:
    outer, schedule, sharing = variant.layout.outer, variant.schedule, variant.schedule.threads_per_row
    components, elements = int(features["entry_components"]), int(features["vector_components"])
    rows, entry_bytes = max(1.0, features["rows"]), features["entry_bytes"]
    size = features["component_bytes"]
    element_bytes = elements * size
    by_length = outer in ("csr", "ellpack-r")  # rows end at their own length
    reads = features["entries"] if by_length else features[f"{PLACES}{outer}"]
    of_entry = entry_bytes + (2 if str(outer).endswith("short") else 4)
    # A warp goes on to the end of its longest row: slices tell how many steps that are, whatever the layout.
    slices = "sorted-32" if str(outer).startswith("sorted") else "sliced-32"
    threads = _threads(features, variant, registers)
    inner_loads, _ = _loads(variant.layout.inner, components, size)
    element_loads, element_parts = _loads(variant.layout.vector, elements, size)
    row_bytes = features["length_mean"] * entry_bytes / sharing if outer == "csr" else 0.0
    chunks = math.ceil(rows / schedule.rows_of_chunk)
    return _Counts(
        at_once=_at_once(features, variant),
        loads=inner_loads + element_loads,
        element_parts=element_parts,
        element_bytes=element_bytes,
        reads=reads,
        total_bytes=reads * of_entry + (rows + features["columns"]) * element_bytes,
        steps=max(1, math.ceil(features[f"{PLACES}{slices}"] / rows / sharing - LITTLE)),
        waves=chunks * schedule.threads_per_block / (threads * MULTIPROCESSORS),
        threads=min(threads, rows * sharing / schedule.rows_per_thread / MULTIPROCESSORS),
        csr=outer == "csr",
        sorted=str(outer).startswith("sorted"),
        bases=outer == "sorted-32-short",
        entry_lines=_lines(variant.layout.inner, components, size, row_bytes),
    )


def _at_once(features: Mapping[str, float], variant: Variant) -> int:
    """Return the entries that a thread loads at once."""
    words = int(features["entry_components"] * features["component_bytes"]) // 4
    return of_words_at_once(words, variant.schedule)


def _threads(features: Mapping[str, float], variant: Variant, registers: Registers) -> int:
    """Return the threads that run on a multiprocessor at once."""
    schedule, limits = variant.schedule, DeviceLimits()
    element = int(features["vector_components"] * features["component_bytes"]) // 4
    of_step = int(features["entry_bytes"]) // 4 + element + registers.at_once
    needed = _at_once(features, variant) * of_step + element + registers.fixed
    needed = -(-needed // GROUP) * GROUP
    most = register_limit(schedule) or MOST_REGISTERS
    by_registers = REGISTERS_PER_SM // (min(needed, most) * schedule.threads_per_block)
    blocks = max(1, min(by_registers, limits.threads // schedule.threads_per_block, limits.blocks))
    if schedule.blocks_per_sm:
        blocks = min(blocks, schedule.blocks_per_sm)
    return blocks * schedule.threads_per_block


@cache
def _loads(layout: ComponentLayout, components: int, size: float) -> tuple[int, int]:
    """Return the loads that bring an element with components of this many bytes, and the places they go
    to.
    """
    parts = layout.parts(components)
    return sum(_loads_of_part(layout, width, size) for _, width in parts), len(parts)


def _loads_of_part(layout: ComponentLayout, width: int, size: float) -> int:
    together = layout.load_width(width)
    return width // together * max(1, int(together * size) // WIDEST_LOAD)


def _lines(layout: ComponentLayout, components: int, size: float, row_bytes: float) -> float:
    """Return the cache lines that the loads of an element touch, a thread's share of those of its warp.

    Neighbouring threads read at a stride: of the part that they load from, or of rows of `row_bytes`.
    """
    return sum(
        _loads_of_part(layout, width, size) * min(1.0, max(width * size, row_bytes) / LINE)
        for _, width in layout.parts(components)
    )
