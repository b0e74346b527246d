"""One product of the GPU benchmark: what is multiplied, where, and how far its result may be off."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import scipy.sparse

from experiments.gpu_bench.records import Record
from vecsim.formats.accuracy import ExactProduct

if TYPE_CHECKING:
    from gpu.measure.ceilings import Bandwidths
    from gpu.measure.gather_bound import GatherBound, GatherWork

LIMITS = {"float64": 1e-12, "float32": 1e-5}
"""Of the error, on the matrices of the suite."""


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
    turned
        Its transpose in CSR; None for spmv.
    turned_us
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
    turned: Any
    turned_us: float
    exact: ExactProduct
    blank: Record
    gather: GatherWork | None = None

    @property
    def multiplied(self) -> Any:
        """The matrix that is multiplied by x."""
        return self.csr if self.turned is None else self.turned

    @property
    def limit(self) -> float:
        """The largest error that is right."""
        return LIMITS[self.dtype]


def typed(csr: Any, dtype: str) -> Any:
    """Give a matrix with values of a type, on the same index arrays."""
    typed = scipy.sparse.csr_array(
        (csr.data.astype(dtype, copy=False), csr.indices, csr.indptr), shape=csr.shape
    )
    typed.has_canonical_format = True
    return typed


def transpose(csr: Any) -> tuple[Any, float]:
    """Transpose a matrix; give how long that took, microseconds."""
    start = time.perf_counter()
    turned = scipy.sparse.csr_array(csr.T.tocsr())
    microseconds = (time.perf_counter() - start) * 1e6
    turned.has_canonical_format = True
    return turned, microseconds
