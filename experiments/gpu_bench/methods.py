"""The methods that the GPU benchmark compares: the formats of vecsim, and all of cuSPARSE.

A method converts a SciPy matrix on the host, and places it on the device as something that can be enqueued.
What cannot be the best is not converted: its `pruned` says why.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from experiments.gpu_bench.records import OURS

if TYPE_CHECKING:
    from gpu.runtime.cuda_driver import Stream

MOST_TIMES_BEST = 1.6
"""A method whose estimate is this many times the best one is not measured."""
MOST_TIMES_BEST_SMALL = 3.0
"""The same for small matrices, where bytes are not what takes the time."""
SMALL_ENTRIES = 1_000_000
"""The most entries of a small one."""
LEAST_BLOCK_FILL = 0.7
"""BSR is measured where blocks are filled at least so far."""
HISTORICAL_ENTRIES = 2_000_000
"""Historical formats are measured up to this many entries; separate experiments take larger matrices."""


class Placed(Protocol):
    """A matrix on the device with its x and y."""

    @property
    def nbytes(self) -> int:
        """Bytes of the matrix on the device."""

    def enqueue(self, stream: Stream) -> None:
        """Put the product on a stream."""

    def read_y(self) -> NDArray[Any]:
        """Copy y from the device when all its work is done."""

    def close(self) -> None:
        """Free everything."""


@dataclass(frozen=True, eq=False)
class Method:
    """A way to multiply one matrix.

    Attributes
    ----------
    library, name, parameters
        As in `Record`.
    convert
        Makes what lies on the host.
    place
        Puts that and x on the device.
    pruned
        Why it need not be measured; empty if it has to be.
    """

    library: str
    name: str
    convert: Callable[[], Any]
    place: Callable[[Any, NDArray[Any]], Placed]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    pruned: str = ""

    def described(self, **parameters: Any) -> Method:
        """Return it with further parameters."""
        return replace(self, parameters={**self.parameters, **parameters})


class Launched:
    """A product of `gpu` on the device, with x and y; see `Placed`.

    Parameters
    ----------
    product
        Its matrix on the device, or anything else with `launch`.
    x
        The vector, in the type of the product.
    rows
        Of the result.
    """

    def __init__(self, product: Any, x: NDArray[Any], rows: int) -> None:
        from gpu.runtime.cuda import cuda
        from gpu.runtime.memory import upload

        self.product, self._rows = product, rows
        self._factors = x.dtype.type(1), x.dtype.type(0)
        self._x, self._y = upload(x), cuda.device_array(max(1, rows), x.dtype)

    @property
    def nbytes(self) -> int:
        """Bytes of the matrix on the device."""
        return sum(int(array.nbytes) for array in self.product.device_arrays)

    def enqueue(self, stream: Any) -> None:
        """Put the product on a stream of `gpu.runtime.cuda_driver`."""
        self.launch_all((self.product.launch,), stream)

    def launch_all(self, kernels: Iterable[Callable[..., Any]], stream: Any) -> None:
        """Put some of its kernels on a stream."""
        from gpu.runtime.vectors import stream_of

        for kernel in kernels:
            kernel(self._x, self._y, *self._factors, stream_of(stream.address))

    def read_y(self) -> Any:
        """Copy y from the device."""
        return self._y.copy_to_host()[: self._rows]

    def result(self) -> Any:
        """Multiply once, into NaNs, so that a row that is not written is found out; return y."""
        self._y.copy_to_device(np.full(self._y.shape, np.nan, self._y.dtype))
        self.enqueue(SimpleNamespace(address=0))
        return self.read_y()

    def close(self) -> None:
        """Free everything."""
        from gpu.runtime.memory import free_what_is_dropped

        del self.product, self._x, self._y
        free_what_is_dropped()


def most_times_best(csr: Any) -> float:
    """Return how many times the best an estimate may be for its method to be measured."""
    return MOST_TIMES_BEST_SMALL if csr.nnz <= SMALL_ENTRIES else MOST_TIMES_BEST


@dataclass(frozen=True)
class Ranked:
    """What is known of a matrix before anything is converted.

    Attributes
    ----------
    estimated
        Microseconds of a product by format, of those with an estimate that can hold the matrix.
    seconds
        How long it took to find out.
    """

    estimated: Mapping[str, float]
    seconds: float

    @property
    def order(self) -> list[str]:
        """The formats that ``auto`` would take, the first first."""
        return sorted(self.estimated, key=lambda name: self.estimated[name])


def rank(csr: Any) -> Ranked:
    """Estimate the time of every format as ``auto`` does."""
    from gpu.choice.cost_model import estimates
    from gpu.choice.structure import Structure
    from gpu.kernel_registry import work_counts_of

    start = time.perf_counter()
    match = estimates(work_counts_of(), Structure.of(csr))
    return Ranked(match, time.perf_counter() - start)


def formats(csr: Any, ranked: Ranked, *, old: bool = True) -> list[Method]:
    """Return all formats of `gpu.kernel_registry.KERNELS` for a CSR matrix of float32 or float64.

    Pruned is what by the estimates of `gpu.choice.cost_model` takes over 1.6 times (on small matrices 3
    times) as long as the best, and what is historical on large matrices, or without `old` on all.
    """
    from gpu.kernel_registry import KERNELS

    estimated = ranked.estimated
    best = min(estimated.values(), default=0.0)
    results = []
    for name, kernel in KERNELS.items():
        pruned = ""
        if name in estimated and estimated[name] > most_times_best(csr) * best:
            pruned = f"estimated {estimated[name]:.4g} us, the best {best:.4g} us"
        elif kernel.work is not None and name not in estimated:
            pruned = "its image would be too large, or indices do not fit"
        elif kernel.historical and not (old and csr.nnz <= HISTORICAL_ENTRIES):
            pruned = "an old format, measured on smaller matrices"
        results.append(_format(name, csr, pruned))
    return results


def _format(name: str, csr: Any, pruned: str) -> Method:
    from gpu.kernel_registry import KERNELS

    kernel = KERNELS[name]

    def place(host: Any, x: NDArray[Any]) -> Placed:
        from gpu.runtime.cuda import THREADS_PER_BLOCK

        return Launched(kernel.product(host, THREADS_PER_BLOCK), x, csr.shape[0])

    return Method(OURS, name, lambda: kernel.convert(csr), place, pruned=pruned)


def baselines(csr: Any, library: str, *, transposed: bool = False) -> list[Method]:
    """Return all formats and algorithms of cuSPARSE.

    Parameters
    ----------
    csr
        The matrix, float32 or float64.
    library
        cusparse with its version.
    transposed
        Whether the product is to be that of the transpose, as an operation.
    """
    from experiments.baseline.cusparse import METHODS

    fills: dict[int, float] = {}
    return [
        _baseline(name, csr, library, transposed, _cannot_win(name, csr, fills))
        for name, method in METHODS.items()
        if method.transposes or not transposed
    ]


def _baseline(name: str, csr: Any, library: str, transposed: bool, pruned: str) -> Method:
    from experiments.baseline.cusparse import METHODS, SparseProduct

    def place(host: Any, x: NDArray[Any]) -> Placed:
        with ExitStack() as open_:
            product = open_.enter_context(SparseProduct(name, host, csr.shape, transposed=transposed))
            product.write_x(x)
            open_.pop_all()
        return product

    return Method(library, name, lambda: METHODS[name].store(csr), place, pruned=pruned)


def _cannot_win(name: str, csr: Any, fills: dict[int, float]) -> str:
    """Return why a method of cuSPARSE reads far more bytes than its CSR; empty if it does not."""
    from experiments.baseline.cusparse_formats import block_fill, sell_places

    kind, _, rest = name.partition("_")
    size = csr.dtype.itemsize
    if kind == "sell":
        stored = sell_places(csr, int(rest)) * (size + 4)
        plain = csr.nnz * (size + 4) + 4 * csr.shape[0]
        return f"{stored} bytes, CSR {plain}" if stored > most_times_best(csr) * plain else ""
    if kind == "bsr":
        block = int(rest.partition("_")[0])
        if block not in fills:
            fills[block] = block_fill(csr, block)
        return "" if fills[block] >= LEAST_BLOCK_FILL else f"blocks are filled to {fills[block]:.2f}"
    return ""
