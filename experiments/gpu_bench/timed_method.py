"""A method that was converted, checked and timed, and its time against the lower bound."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.gpu_bench.methods import Method, Placed
from experiments.gpu_bench.product_case import Case, Device
from experiments.gpu_bench.records import Record

if TYPE_CHECKING:
    from gpu.measure.timing import Cache, Timing

SCREEN_SECONDS = 0.04
"""How long each method is timed."""


@dataclass(eq=False)
class Screened:
    """A method that was timed: its record, its host format, and what lies on the device while it does."""

    record: Record
    method: Method
    host: Any
    placed: Placed | None

    @property
    def us(self) -> float:
        """Its time."""
        return float(self.record.median_us or np.inf)

    def close(self) -> None:
        """Free what lies on the device."""
        if self.placed is not None:
            placed, self.placed = self.placed, None
            placed.close()


def with_timing(record: Record, timing: Timing, cache: Cache, case: Case, device: Device) -> Record:
    """Give a record with a time, the share of it that the lower bound is, and the bound of gathers.

    Parameters
    ----------
    record
        Of the method, with its bytes on the device.
    timing
        Of its product, microseconds.
    cache
        In which state of the cache it was taken, warm or cold.
    case
        The matrix, whose size gives the bytes of x and y.
    device
        Whose bandwidths give the lower bound.
    """
    size = np.dtype(case.dtype).itemsize
    rows, cols = case.multiplied.shape
    bound = device.bandwidths.bound_us(record.bytes or 0, cols * size, rows * size, cache)
    gathers = None
    if device.gather is not None and case.gather is not None:
        gathers = device.gather.us(case.gather, case.dtype, record.bytes or 0)
    return dataclasses.replace(
        record,
        cache=cache,
        median_us=timing.median_us,
        spread=timing.spread,
        bound_us=bound,
        share_of_bound=bound / timing.median_us,
        gather_bound_us=gathers,
    )
