"""One product of the GPU benchmark: what is multiplied, where, and the methods that were timed on it."""

from __future__ import annotations

import dataclasses
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse

from experiments.gpu_bench.methods import Method, Placed
from experiments.gpu_bench.records import Record
from vecsim.formats.accuracy import ExactProduct

if TYPE_CHECKING:
    from experiments.gpu_bench.ceilings import Bandwidths
    from experiments.gpu_bench.gather_bound import GatherBound, GatherWork
    from gpu.measure.timing import Cache, Timing

LIMITS = {"float64": 1e-12, "float32": 1e-5}
"""Of the error, on the matrices of the suite."""
SCREEN_SECONDS = 0.04
"""How long each method is timed."""


@dataclass(frozen=True)
class Device:
    """What measures.

    Attributes
    ----------
    name, document
        Its name, and all that is known of it.
    l2_bytes
        Size of its L2 cache.
    bandwidths
        What sets the lower bound of the time.
    library
        cusparse with its version.
    gather
        What bounds gathers of x; None if that was not measured.
    """

    name: str
    document: dict[str, Any]
    l2_bytes: int
    bandwidths: Bandwidths
    library: str
    gather: GatherBound | None = None


@dataclass(frozen=True, eq=False)
class Case:
    """One product to be measured: a matrix, a type, direct or transposed.

    Attributes
    ----------
    operation, dtype
        spmv or spmv_t; float32 or float64.
    csr
        The matrix itself, of that type.
    transposed
        Its transpose in CSR; None for spmv.
    transposed_us
        How long it took to transpose it.
    exact
        x and the exact product.
    blank
        A record with what all methods share.
    gather
        What its gathers of x ask for; None where that is not looked at.
    """

    operation: str
    dtype: str
    csr: Any
    transposed: Any
    transposed_us: float
    exact: ExactProduct
    blank: Record
    gather: GatherWork | None = None

    @property
    def multiplied(self) -> Any:
        """The matrix that is multiplied by x."""
        return self.csr if self.transposed is None else self.transposed

    @property
    def limit(self) -> float:
        """The largest error that is right."""
        return LIMITS[self.dtype]


def typed(csr: Any, dtype: str) -> Any:
    """Return a matrix with values of a type, on the same index arrays."""
    typed = scipy.sparse.csr_array(
        (csr.data.astype(dtype, copy=False), csr.indices, csr.indptr), shape=csr.shape
    )
    typed.has_canonical_format = True
    return typed


def transpose(csr: Any) -> tuple[Any, float]:
    """Transpose a matrix; return how long that took, microseconds."""
    start = time.perf_counter()
    transposed = scipy.sparse.csr_array(csr.T.tocsr())
    microseconds = (time.perf_counter() - start) * 1e6
    transposed.has_canonical_format = True
    return transposed, microseconds


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
    """Return a record with a time, the share of it that the lower bound is, and the bound of gathers.

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
