"""The measured ceilings of a GPU, and the lower bound that they set to the time of a product."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

import numpy as np

from experiments.baseline.device_memory import DeviceMemory
from gpu.measure.timing import Cache, measure
from gpu.runtime.cuda_driver import Event, Stream, call, free_bytes, synchronize
from gpu.runtime.device_info import DeviceInfo, device_info
from vecsim.support.errors import UserError

MIB = 1 << 20
COPY_BYTES = 1024 * MIB
COPIES = 40
"""Copies that are timed, after one that is not."""
READ_BYTES = tuple(MIB << power for power in range(12))
"""Sizes of the arrays read, 1 MiB to 2 GiB: the L2 cache and the memory."""
GATHER_BYTES = tuple((MIB << power) // 16 for power in range(15))
"""Sizes of x, 64 KiB to 1 GiB."""
REDUCTION_BYTES = 32 * MIB
"""Size of y under reductions: it stays in the L2 cache."""
BLOCK = 256
"""Threads in a block."""
GATHER_ROUNDS = 8
CONTENDED_ROUNDS = 1
"""Reductions on one address are a thousand times slower than others."""
LAUNCHES = 2000
"""Launches that the host's time is averaged over."""
SECONDS = 0.05
"""How long each measurement takes."""

PATTERNS = ("coalesced", "scattered", "warp shares an address", "all share an address")
"""Where reductions go; the first two without contention, the last two with."""


@dataclass(frozen=True)
class Bandwidth:
    """How fast an array of a size is read, again and again.

    Attributes
    ----------
    nbytes
        Size of the array.
    gb_per_s
        Rate, 1e9 bytes a second.
    """

    nbytes: int
    gb_per_s: float


@dataclass(frozen=True)
class Bandwidths:
    """How fast bytes move, which sets a lower bound of the time of a product.

    Attributes
    ----------
    copy_gb_per_s
        Bytes read plus bytes written, a copy of 1 GiB within the device.
    reads
        Read-only bandwidth by size, ascending.
    """

    copy_gb_per_s: float
    reads: tuple[Bandwidth, ...]

    @property
    def memory_gb_per_s(self) -> float:
        """The highest rate measured at the device's memory: of the copy, or of the largest read."""
        return max(self.copy_gb_per_s, self.reads[-1].gb_per_s)

    def bandwidth(self, nbytes: int, cache: Cache) -> float:
        """Return the rate that bounds an operation on this many bytes, GB/s.

        Cold, that of the memory; warm, the read-only rate measured at this size, interpolated in the
        logarithm of the size (never less than that of the memory: small arrays leave it idle).
        """
        if cache == "cold":
            return self.memory_gb_per_s
        sizes = np.log([read.nbytes for read in self.reads])
        rates = [read.gb_per_s for read in self.reads]
        return max(self.memory_gb_per_s, float(np.interp(np.log(max(nbytes, 1)), sizes, rates)))

    def bound_us(self, stored_bytes: int, x_bytes: int, y_bytes: int, cache: Cache) -> float:
        """Return the least time of a product, microseconds.

        Everything stored is read once, x is read once and y is written once, at the measured bandwidth.

        Parameters
        ----------
        stored_bytes
            Of the matrix on the device.
        x_bytes, y_bytes
            Of the vectors.
        cache
            Warm or cold.
        """
        nbytes = stored_bytes + x_bytes + y_bytes
        return nbytes / self.bandwidth(nbytes, cache) / 1000


@dataclass(frozen=True)
class Gather:
    """How fast random elements are read.

    Attributes
    ----------
    dtype
        float32 or float64.
    x_bytes
        Size of the array gathered from.
    g_per_s
        1e9 elements a second; their indices cost no memory traffic.
    """

    dtype: str
    x_bytes: int
    g_per_s: float


@dataclass(frozen=True)
class Reduction:
    """How fast values are added to memory by atomic reductions.

    Attributes
    ----------
    dtype
        float32, float64, or float32x4 (four neighbours by one instruction).
    pattern
        One of `PATTERNS`.
    g_per_s
        1e9 reductions a second; one of float32x4 adds four values.
    """

    dtype: str
    pattern: str
    g_per_s: float


@dataclass(frozen=True)
class LaunchCost:
    """What starting work costs.

    Attributes
    ----------
    numba_us
        Time of the host for one launch of an empty kernel with no, one and five arrays.
    graph_us
        Time of one replay of a graph with one empty kernel, replays enqueued one after the other.
    node_us
        Time of each further empty kernel in a graph.
    """

    numba_us: dict[int, float]
    graph_us: float
    node_us: float


@dataclass(frozen=True)
class Ceilings:
    """What a GPU was measured to reach.

    Attributes
    ----------
    device
        Its description, as of `DeviceInfo`.
    measured
        The date, ISO 8601, UTC.
    copy_gb_per_s
        Bytes read plus bytes written, a copy of 1 GiB within the device.
    reads
        Read-only bandwidth by size, ascending.
    gathers, reductions, launch
        The other rates.
    """

    device: dict[str, Any]
    measured: str
    copy_gb_per_s: float
    reads: tuple[Bandwidth, ...]
    gathers: tuple[Gather, ...]
    reductions: tuple[Reduction, ...]
    launch: LaunchCost

    @property
    def bandwidths(self) -> Bandwidths:
        """What sets the lower bound of the time of a product."""
        return Bandwidths(self.copy_gb_per_s, self.reads)

    def document(self) -> dict[str, Any]:
        """Return everything as plain data, for JSON."""
        return asdict(self)

    @staticmethod
    def from_document(document: dict[str, Any]) -> Ceilings:
        """Read what `document` gave."""
        launch = document["launch"]
        numba_us = {int(arrays): cost for arrays, cost in launch["numba_us"].items()}
        return Ceilings(
            document["device"],
            document["measured"],
            document["copy_gb_per_s"],
            tuple(Bandwidth(**read) for read in document["reads"]),
            tuple(Gather(**gather) for gather in document["gathers"]),
            tuple(Reduction(**reduction) for reduction in document["reductions"]),
            LaunchCost(numba_us, launch["graph_us"], launch["node_us"]),
        )


def measure_ceilings(watch: Callable[[str, float], None] = lambda part, share: None) -> Ceilings:
    """Measure device 0, about 10 s.

    Parameters
    ----------
    watch
        Is called with what is measured next, and the share that is done.

    Raises
    ------
    UserError
        There is no GPU, or Numba simulates one.
    """
    info = device_info()
    blocks = _resident_blocks(info)
    watch("copy", 0.0)
    copied = copy_gb_per_s()
    watch("read-only bandwidth", 0.1)
    reads = tuple(_reads(blocks))
    watch("gather", 0.3)
    gathers = tuple(_gathers(blocks))
    watch("reductions", 0.6)
    reductions = tuple(_reductions(blocks, quads=info.compute_capability >= (9, 0)))
    watch("launch", 0.9)
    launch = launch_cost()
    measured = datetime.now(UTC).isoformat(timespec="seconds")
    return Ceilings(asdict(info), measured, copied, reads, gathers, reductions, launch)


def measure_bandwidths() -> Bandwidths:
    """Measure what sets the lower bound of a product's time, about 2 s; raise as `measure_ceilings`."""
    blocks = _resident_blocks(device_info())
    return Bandwidths(copy_gb_per_s(), tuple(_reads(blocks)))


def measure_gathers() -> tuple[Gather, ...]:
    """Measure how fast random elements are read, about 3 s; raise as `measure_ceilings`."""
    return tuple(_gathers(_resident_blocks(device_info())))


def _resident_blocks(info: DeviceInfo) -> int:
    """Return the blocks that a GPU runs at once; UserError where Numba simulates one."""
    from gpu.runtime.cuda import SIMULATED

    if SIMULATED:
        raise UserError("ceilings need a GPU, not the simulator: unset NUMBA_ENABLE_CUDASIM")
    return info.multiprocessors * info.threads_per_multiprocessor // BLOCK


def copy_gb_per_s() -> float:
    """Measure the driver's copy within the device's memory: bytes read plus bytes written, GB/s.

    This one is not replayed from a graph, where the driver takes a slower way (2.7 instead of 4.3 TB/s on an
    H200); it is long enough for launches not to matter.
    """
    with (
        DeviceMemory(COPY_BYTES) as source,
        DeviceMemory(COPY_BYTES) as target,
        Stream() as stream,
        ExitStack() as open_,
    ):
        for each in (source, target):  # a first write gives the memory its pages
            call("cuMemsetD8", each.address, 0, COPY_BYTES)
        synchronize()
        events = [open_.enter_context(Event()) for _ in range(COPIES + 1)]
        for event in events:
            call("cuMemcpyDtoDAsync", target.address, source.address, COPY_BYTES, stream.handle)
            event.record(stream)
        times = [later.microseconds_since(earlier) for earlier, later in pairwise(events)]
        return 2 * COPY_BYTES / float(np.median(times)) / 1000


def _launcher(kernel: Any, blocks: int, *arguments: Any) -> Callable[[Stream], None]:
    """Return what enqueues a kernel of Numba on a stream."""
    from gpu.runtime.cuda import cuda

    def enqueue(stream: Stream) -> None:
        kernel[blocks, BLOCK, cuda.external_stream(stream.address)](*arguments)

    return enqueue


def _zeros(count: int, dtype: str) -> Any:
    """Return an array of zeros on the device."""
    from gpu.runtime.memory import zeros

    return zeros(count, dtype)


def _reads(blocks: int) -> Iterator[Bandwidth]:
    from experiments.gpu_bench.ceiling_kernels import read

    data, out = _zeros(_fitting(READ_BYTES)[-1] // 4, "float32"), _zeros(1, "float32")
    for nbytes in _fitting(READ_BYTES):
        timing = measure([_launcher(read, blocks, data[: nbytes // 4], out)], SECONDS)
        yield Bandwidth(nbytes, nbytes / timing.median_us / 1000)


def _gathers(blocks: int) -> Iterator[Gather]:
    from experiments.gpu_bench.ceiling_kernels import UNROLLED, gather

    for dtype in ("float32", "float64"):
        size = np.dtype(dtype).itemsize
        x, out = _zeros(_fitting(GATHER_BYTES)[-1] // size, dtype), _zeros(1, dtype)
        for nbytes in _fitting(GATHER_BYTES):
            timing = measure([_launcher(gather, blocks, x[: nbytes // size], GATHER_ROUNDS, out)], SECONDS)
            done = blocks * BLOCK * GATHER_ROUNDS * UNROLLED
            yield Gather(dtype, nbytes, done / timing.median_us / 1000)


def _reductions(blocks: int, *, quads: bool) -> Iterator[Reduction]:
    from experiments.gpu_bench.ceiling_kernels import UNROLLED, reduce, reduce_quads

    kernels = {"float32": reduce, "float64": reduce} | ({"float32x4": reduce_quads} if quads else {})
    for dtype, kernel in kernels.items():
        element = dtype.removesuffix("x4")
        y = _zeros(REDUCTION_BYTES // np.dtype(element).itemsize, element)
        for number, pattern in enumerate(PATTERNS):
            timing = measure([_launcher(kernel, blocks, y, number, CONTENDED_ROUNDS)], SECONDS)
            done = blocks * BLOCK * CONTENDED_ROUNDS * UNROLLED
            yield Reduction(dtype, pattern, done / timing.median_us / 1000)


def launch_cost() -> LaunchCost:
    """Measure what launches of empty kernels cost, of Numba and in graphs."""
    from experiments.gpu_bench.ceiling_kernels import nothing, nothing_with_five, nothing_with_one

    arrays = [_zeros(1, "float32") for _ in range(5)]
    kernels = {0: nothing, 1: nothing_with_one, 5: nothing_with_five}
    with ExitStack() as open_, warnings.catch_warnings():
        # Numba warns that one block does not fill the device.
        warnings.filterwarnings("ignore", message=".*Grid size")
        stream = open_.enter_context(Stream())
        numba_us = {count: _numba_us(kernel, arrays[:count], stream) for count, kernel in kernels.items()}
        empty = _launcher(nothing, 1)
        graph = open_.enter_context(stream.capture(empty))
        graph_us = _host_us(lambda: graph.launch(stream), stream)
        return LaunchCost(numba_us, graph_us, measure([empty], SECONDS).median_us)


def _numba_us(kernel: Any, arrays: Sequence[Any], stream: Stream) -> float:
    from gpu.runtime.cuda import cuda

    configured = kernel[1, 1, cuda.external_stream(stream.address)]
    return _host_us(lambda: configured(*arrays), stream)


def _host_us(launch: Callable[[], None], stream: Stream) -> float:
    """Return the time that one launch takes in a long row of them, microseconds."""
    for _ in range(LAUNCHES // 10):
        launch()
    stream.synchronize()
    start = time.perf_counter()
    for _ in range(LAUNCHES):
        launch()
    stream.synchronize()
    return (time.perf_counter() - start) / LAUNCHES * 1e6


def _fitting(sizes: Sequence[int]) -> list[int]:
    """Leave out sizes that would take more than half of the free memory."""
    half = free_bytes() // 2
    return [size for size in sizes if size <= half]
