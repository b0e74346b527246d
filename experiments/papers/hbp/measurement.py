"""The measurement: preprocessing and products of every matrix on the GPU of this machine."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np

from experiments.gpu_bench.matrix_supply import Supplied, supply
from experiments.gpu_bench.product_case import typed
from experiments.gpu_bench.suite import SuiteMatrix
from experiments.papers.hbp import results
from experiments.papers.hbp.paper import KIND
from experiments.papers.hbp.recording import described
from experiments.papers.hbp.results import OrderRecord, PreparationRecord, ProductRecord, Results
from experiments.papers.hbp.source import RECORDED
from experiments.papers.hbp.subjects import in_order_of_kinds, subjects
from experiments.papers.kit.phases import clock, one_line
from experiments.papers.kit.recorded import newest
from experiments.papers.kit.request import Watch
from gpu.hbp.active import ActiveHBP
from gpu.hbp.ordering import METHODS
from vecsim.results.provenance import provenance

SECONDS = 0.04
"""How long one product is timed, capturing apart."""
LIMIT_SECONDS = 420.0
"""After so long no other matrix is begun, so that a run ends within nine minutes."""
LATE_SECONDS = 480.0
"""After so long nothing more of a matrix is measured; what has begun is ended."""
WORKERS = 5
"""Processes that make matrices, at most."""
RUNS = 15
"""Of each conversion, which cannot be captured into a graph since it asks for memory; the median counts."""
LIBRARY = ("csr_alg1", "csr_alg2", "coo_alg1", "coo_alg2")
"""Formats and algorithms of cuSPARSE of which the fastest is its best."""
TOO_LATE = "the time was over"
DTYPES = ("float64", "float32")
ORDERS = METHODS[1:]

Timer = Callable[[Callable[[Any], None]], Any]
"""Gives the `gpu.measure.timing.Timing` of an operation, which it calls with streams."""


def measure(watch: Watch, limit: float = LIMIT_SECONDS) -> Results:
    """Measure on the GPU of this machine; the orders on a CPU are those that come with the package.

    Parameters
    ----------
    watch
        Is told what is measured next, and the share that is done, 0 to 1.
    limit
        Seconds after which no other matrix is begun.

    Raises
    ------
    UserError
        There is no GPU.
    """
    from gpu.runtime.cuda import require_gpu
    from gpu.runtime.device_info import device_info

    require_gpu()
    info = device_info()
    facts = {name: str(value) for name, value in asdict(info).items() if name != "packages"}
    facts |= {name: str(version) for name, version in info.packages.items()}
    # The largest come last, and are made while the others are measured.
    chosen = in_order_of_kinds(subjects())
    with supply(chosen, transposed=False, workers=WORKERS, ahead=len(chosen)) as supplied:
        return measure_matrices(chosen, supplied, info.name, facts, _warm, watch, limit)


def measure_matrices(
    chosen: Sequence[SuiteMatrix],
    supplied: Iterable[Supplied],
    gpu: str,
    facts: dict[str, str],
    timer: Timer,
    watch: Watch,
    limit: float = LIMIT_SECONDS,
    late: float = LATE_SECONDS,
) -> Results:
    """Measure some matrices; what fails is recorded with its reason, and the run goes on.

    Parameters
    ----------
    chosen
        The matrices.
    supplied
        The same, made, with their exact products.
    gpu, facts
        What measures.
    timer
        Times an operation; see `Timer`.
    watch, limit
        As of `measure`.
    late
        Seconds after which nothing more of a matrix is measured.
    """
    made, begun = provenance(), time.perf_counter()
    seconds: dict[str, float] = {}
    matrices, preparations, products = [], [], []
    waiting = iter(supplied)

    def is_late() -> bool:
        return time.perf_counter() - begun > late

    for number, matrix in enumerate(chosen):
        if time.perf_counter() - begun > limit:
            matrices.append(described(matrix, None, f"left out: {limit:.0f} seconds were over"))
            continue
        with clock(seconds, "wait for matrices"):
            each = next(waiting)
        watch(f"measuring {matrix.name}", number / len(chosen))
        matrices.append(described(matrix, each.csr, each.missing, each.sha256))
        if each.csr is not None:
            # Products first: conversions are timed from the host, which is not to load kernels meanwhile.
            products += _Products(each, timer, seconds, is_late).records()
            preparations += prepared(matrix.name, each.csr, timer, seconds, is_late)
    seconds["all"] = time.perf_counter() - begun
    order = {each.name: place for place, each in enumerate(subjects())}
    return Results(
        KIND,
        made.date,
        str(made.commit),
        gpu,
        facts,
        {name: round(value, 2) for name, value in seconds.items()},
        tuple(sorted(matrices, key=lambda each: order.get(each.name, len(order)))),
        _recorded_orders(),
        tuple(preparations),
        tuple(products),
        made.command,
        dict(made.versions),
    )


def _recorded_orders() -> tuple[OrderRecord, ...]:
    file = newest(RECORDED)
    return () if file is None else results.read(file).orders


def prepared(
    name: str, csr: Any, timer: Timer, seconds: dict[str, float], is_late: Callable[[], bool]
) -> list[PreparationRecord]:
    """Time the orders of the rows of blocks, and the conversion with each.

    Parameters
    ----------
    name
        Of the matrix.
    csr
        The matrix, in float64.
    timer
        Times what can be captured.
    seconds
        Where the time goes.
    is_late
        Says whether the time is over.
    """
    from gpu.hbp.building.active import active_on_device
    from gpu.hbp.building.blocks import DeviceCRS, hbp_on_device
    from gpu.runtime.memory import free_what_is_dropped

    # What does not fit must not cost the others.
    try:
        matrix = DeviceCRS.of(csr)
    except Exception as error:
        return [
            *(_failed(name, method, stage, error) for stage in ("order", "all") for method in ORDERS),
            _failed(name, "active", "all", error),
        ]
    try:
        found = _orders(name, matrix, timer, seconds, is_late)
    except Exception as error:
        found = [_failed(name, method, "order", error) for method in ORDERS]
    free_what_is_dropped()
    conversions: dict[str, Callable[[], Any]] = {
        method: partial(hbp_on_device, matrix, method=method) for method in ORDERS
    }
    conversions["active"] = partial(active_on_device, matrix)
    for method, convert in conversions.items():
        with clock(seconds, "preprocessing"):
            found.append(_timed(name, method, "all", partial(_wall, convert), is_late))
        free_what_is_dropped()
    return found


def _orders(
    name: str, matrix: Any, timer: Timer, seconds: dict[str, float], is_late: Callable[[], bool]
) -> list[PreparationRecord]:
    """Time the orders alone: rows are counted once, and all orders are written to one array."""
    from gpu.hbp.building.blocks import BlockedRows
    from gpu.runtime.vectors import stream_of

    rows = BlockedRows(matrix)
    rows.count()
    chosen = rows.chosen_hash()

    def order(method: str, stream: Any) -> None:
        rows.stream = stream_of(stream.address)
        rows.put_in_order(method, chosen)

    def run(method: str) -> Any:
        rows.stream = 0
        rows.put_in_order(method, chosen)  # compiled before it is captured
        return timer(partial(order, method))

    found = []
    for method in ORDERS:
        with clock(seconds, "preprocessing"):
            found.append(_timed(name, method, "order", partial(run, method), is_late))
    return found


def _timed(
    name: str, method: str, stage: Any, run: Callable[[], Any], is_late: Callable[[], bool]
) -> PreparationRecord:
    if is_late():
        return PreparationRecord(name, method, stage, "left_out", TOO_LATE)
    try:
        timing = run()
        return PreparationRecord(
            name, method, stage, median_us=float(timing.median_us), spread=float(timing.spread)
        )
    except Exception as error:  # one failing order must not cost the others
        return _failed(name, method, stage, error)


def _failed(name: str, method: str, stage: Any, error: Exception) -> PreparationRecord:
    return PreparationRecord(name, method, stage, "failed", one_line(error))


def _wall(convert: Callable[[], Any]) -> Any:
    """Time calls that ask for memory and wait for the device, from the host."""
    from gpu.measure.timing import Timing
    from gpu.runtime.cuda import cuda
    from gpu.runtime.memory import free_what_is_dropped

    times = []
    for _ in range(RUNS + 1):
        # What the run before has dropped is no part of this one.
        free_what_is_dropped()
        cuda.synchronize()
        begun = time.perf_counter()
        made = convert()
        cuda.synchronize()
        times.append((time.perf_counter() - begun) * 1e6)
        del made
    low, median, high = np.percentile(times[1:], [25, 50, 75]).tolist()
    return Timing(median, (high - low) / median, RUNS, 1)


class _Products:
    """The products of one matrix."""

    def __init__(
        self, supplied: Supplied, timer: Timer, seconds: dict[str, float], is_late: Callable[[], bool]
    ) -> None:
        self._supplied, self._timer, self._seconds, self._is_late = supplied, timer, seconds, is_late
        self._by_degree: ActiveHBP | None = None

    def records(self) -> list[ProductRecord]:
        """Measure every method in both types."""
        makers: dict[str, Callable[[Any], Any]] = {
            "crs-scalar": partial(_named, "crs-scalar"),
            "crs": partial(_named, "crs"),
            "own": partial(_blocked, method="own"),
            "hbp": partial(_blocked, method="hash"),
            "hbp-classes": partial(_blocked, method="classes"),
            "hbp-active": _active,
            "hbp-active-direct": partial(_active, direct=True),
            "hbp-by-degree": self._active_by_degree,
        }
        found = []
        for dtype in DTYPES:
            csr = typed(self._supplied.csr, dtype)
            for method, make in makers.items():
                found.append(self._safely(method, dtype, partial(self._own, method, csr, dtype, make)))
            found.append(self._safely("cusparse", dtype, partial(self._cusparse, csr, dtype)))
        return found

    def _safely(self, method: str, dtype: str, run: Callable[[], ProductRecord]) -> ProductRecord:
        from gpu.runtime.memory import free_what_is_dropped

        if self._is_late():
            return ProductRecord(self._supplied.matrix.name, method, dtype, "left_out", TOO_LATE)
        try:
            return run()
        except Exception as error:  # one failing product must not cost the others
            reason = one_line(error)
            return ProductRecord(self._supplied.matrix.name, method, dtype, "failed", reason)
        finally:
            free_what_is_dropped()

    def _own(self, method: str, csr: Any, dtype: str, make: Callable[[Any], Any]) -> ProductRecord:
        """Measure a product of ours, and the kernels behind its first."""
        from gpu.runtime.cuda import cuda
        from gpu.runtime.memory import upload

        exact, real = self._supplied.exact["spmv", dtype], np.dtype(dtype).type
        with clock(self._seconds, f"conversion, {method}"):
            product = make(csr)
        with clock(self._seconds, "products"):
            x, y = upload(exact.x), cuda.to_device(np.full(max(1, len(exact.y)), np.nan, dtype))
            enqueue = partial(_launch, product.launches, x, y, real(1), real(0))
            enqueue(SimpleNamespace(address=0))
            error = float(exact.error(y.copy_to_host()[: len(exact.y)]))
            timing, combine = self._timer(enqueue), None
            if behind := getattr(product, "combine", []):
                again = partial(_launch, behind, x, y, real(1), real(0))
                combine = float(self._timer(again).median_us)
        return ProductRecord(
            self._supplied.matrix.name,
            method,
            dtype,
            median_us=timing.median_us,
            combine_us=combine,
            nbytes=sum(int(array.nbytes) for array in product.device_arrays),
            error=error,
        )

    def _active_by_degree(self, csr: Any) -> Any:
        """Give the repaired form in blocks of hubs, which the host makes once for both types."""
        from gpu.hbp.active_product import ActiveHBPProduct
        from gpu.runtime.cuda import THREADS_PER_BLOCK

        if self._by_degree is None:
            self._by_degree = ActiveHBP.from_scipy(self._supplied.csr, by_degree=True)
        return ActiveHBPProduct(self._by_degree.astype(csr.dtype), THREADS_PER_BLOCK)

    def _cusparse(self, csr: Any, dtype: str) -> ProductRecord:
        """Measure the formats of cuSPARSE, and give the fastest."""
        exact = self._supplied.exact["spmv", dtype]
        with clock(self._seconds, "cuSPARSE"):
            tried = list(self._formats(csr, dtype, exact))
        best = min(tried, key=lambda each: each.median_us or 0.0)
        return replace(best, method="cusparse")

    def _formats(self, csr: Any, dtype: str, exact: Any) -> Iterator[ProductRecord]:
        from gpu.baseline.cusparse import METHODS as FORMATS
        from gpu.baseline.cusparse import SparseProduct

        for name in LIBRARY:
            with SparseProduct(name, FORMATS[name].store(csr), csr.shape) as product:
                product.write_x(exact.x)
                timing = self._timer(product.enqueue)
                error = float(exact.error(product.read_y()))
                yield ProductRecord(
                    self._supplied.matrix.name,
                    name,
                    dtype,
                    reason=name,
                    median_us=timing.median_us,
                    nbytes=product.nbytes,
                    error=error,
                )


def _named(kernel: str, csr: Any) -> Any:
    from gpu.kernel_registry import KERNELS
    from gpu.runtime.cuda import THREADS_PER_BLOCK

    return KERNELS[kernel].product(KERNELS[kernel].convert(csr), THREADS_PER_BLOCK)


def _blocked(csr: Any, method: str) -> Any:
    """Give the published form, made on the device, with rows in this order."""
    from gpu.hbp.building.blocks import DeviceCRS, hbp_on_device
    from gpu.hbp.product import HBPProduct
    from gpu.runtime.cuda import THREADS_PER_BLOCK

    return HBPProduct(hbp_on_device(DeviceCRS.of(csr), method=method), THREADS_PER_BLOCK)


def _active(csr: Any, *, direct: bool = False) -> Any:
    """Give the repaired form, made on the device."""
    from gpu.hbp.active_product import ActiveHBPProduct
    from gpu.hbp.building.active import active_on_device
    from gpu.hbp.building.blocks import DeviceCRS
    from gpu.runtime.cuda import THREADS_PER_BLOCK

    return ActiveHBPProduct(active_on_device(DeviceCRS.of(csr)), THREADS_PER_BLOCK, direct=direct)


def _launch(launches: Sequence[Any], x: Any, y: Any, alpha: Any, beta: Any, stream: Any) -> None:
    from gpu.runtime.vectors import stream_of

    for each in launches:
        each(x, y, alpha, beta, stream_of(stream.address))


def _warm(operation: Callable[[Any], None]) -> Any:
    from gpu.measure.timing import measure

    return measure([operation], SECONDS)
