"""The measurement: preprocessing and products of every matrix on the GPU of this machine."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from experiments.gpu_bench.matrix_supply import Supplied, supply
from experiments.gpu_bench.product_case import typed
from experiments.gpu_bench.suite import SuiteMatrix
from experiments.papers.hbp.results import Results
from experiments.papers.hbp.subjects import in_order_of_kinds, subjects
from experiments.papers.kit.measurement import (
    DTYPES,
    LIMIT_SECONDS,
    WORKERS,
    Case,
    Run,
    Timer,
    measuring_device,
    warm,
)
from experiments.papers.kit.request import Watch
from experiments.papers.kit.results import MatrixRecord, Record, counts_of
from experiments.papers.kit.source import recorded_results
from gpu.hbp.active import ActiveHBP
from gpu.hbp.ordering import METHODS
from vecsim.results.digests import matrix_sha256

SECONDS = 0.04
"""How long one product is timed, capturing apart."""
LATE_SECONDS = 480.0
"""After so long nothing more of a matrix is measured; what has begun is ended."""
RUNS = 15
"""Of each conversion, which cannot be captured into a graph since it asks for memory; the median counts."""
LIBRARY = ("csr_alg1", "csr_alg2", "coo_alg1", "coo_alg2")
"""Formats and algorithms of cuSPARSE; the fastest of them is its best."""
ORDERS = METHODS[1:]


def measure(watch: Watch, limit: float = LIMIT_SECONDS) -> Results:
    """Measure on the GPU of this machine; the orders on a CPU are those that come with the package.

    Parameters
    ----------
    watch
        Called with what is measured next, and the share that is done, 0 to 1.
    limit
        Seconds after which no other matrix is begun.

    Raises
    ------
    UserError
        There is no GPU.
    """
    device = measuring_device()
    # The largest come last, and are made while the others are measured.
    chosen = in_order_of_kinds(subjects())
    with supply(chosen, transposed=False, workers=WORKERS, ahead=len(chosen)) as supplied:
        return measure_matrices(chosen, supplied, device, warm(SECONDS), watch, Run(limit, LATE_SECONDS))


def measure_matrices(
    chosen: Sequence[SuiteMatrix],
    supplied: Iterable[Supplied],
    device: tuple[str, dict[str, str]],
    timer: Timer,
    watch: Watch,
    run: Run,
) -> Results:
    """Measure some matrices; what fails is recorded with its reason, and the run goes on.

    Parameters
    ----------
    chosen
        The matrices.
    supplied
        The same, made, with their exact products.
    device
        What measures; see `measuring_device`.
    timer
        Times an operation; see `Timer`.
    watch
        As of `measure`.
    run
        Where the time goes, and how long it may take.
    """
    matrices: list[MatrixRecord] = []
    records: list[Record] = []
    for matrix, each, late in run.each(chosen, supplied, watch):
        if each is None or each.csr is None:
            matrices.append(_blank(matrix, late if each is None else each.missing))
            continue
        matrices.append(described(matrix, each.csr, each.sha256))
        # Products first: conversions are timed from the host, which is not to load kernels meanwhile.
        case = _Matrix(each, timer, run)
        records += [*case.products(), *case.preparations()]
    order = {each.name: place for place, each in enumerate(subjects())}
    matrices.sort(key=lambda each: order.get(each.name, len(order)))
    orders = recorded_results(Results).orders
    return run.results(Results, device, matrices=matrices, records=records, orders=orders)


def _blank(matrix: SuiteMatrix, missing: str = "") -> MatrixRecord:
    stands_for = str(matrix.stands_for[0]["name"])
    return MatrixRecord(matrix.name, stands_for=stands_for, note=matrix.kind, missing=missing)


def described(matrix: SuiteMatrix, csr: Any, sha256: str = "") -> MatrixRecord:
    """Return the record that describes a matrix.

    Parameters
    ----------
    matrix
        What it is.
    csr
        As csr_array.
    sha256
        Its digest, if it is known already.
    """
    return replace(_blank(matrix), **counts_of(csr), sha256=sha256 or matrix_sha256(csr))


class _Matrix(Case):
    """The products of one matrix, and their preprocessing."""

    def __init__(self, supplied: Supplied, timer: Timer, run: Run) -> None:
        exact = {("", dtype): each for (_, dtype), each in supplied.exact.items()}
        super().__init__(supplied.matrix.name, exact, timer, run)
        self._csr = supplied.csr
        self._by_degree: ActiveHBP | None = None

    def preparations(self) -> list[Record]:
        """Time the orders of the rows of blocks, and the conversion with each."""
        from gpu.hbp.building.blocks import DeviceCRS

        orders = [self.blank(method, operation="order") for method in ORDERS]
        conversions = [self.blank(method, operation="all") for method in (*ORDERS, "active")]
        # What does not fit must not cost the others.
        return self.safely([*orders, *conversions], self._prepared(DeviceCRS, orders, conversions))

    def _prepared(
        self, place: Any, orders: Sequence[Record], conversions: Sequence[Record]
    ) -> Iterator[Record]:
        from gpu.hbp.building.active import active_on_device
        from gpu.hbp.building.blocks import hbp_on_device

        matrix = place.of(self._csr)
        yield from self.safely(orders, self._orders(matrix, orders))
        for blank in conversions:
            convert = (
                active_on_device if blank.method == "active" else partial(hbp_on_device, method=blank.method)
            )
            with self.run.phase("preprocessing"):
                yield from self.safely(
                    [blank], self._timings(blank, partial(_wall, partial(convert, matrix)))
                )

    def _orders(self, matrix: Any, blanks: Sequence[Record]) -> Iterator[Record]:
        """Time the orders alone: rows are counted once, and all orders are written to one array."""
        from gpu.hbp.building.blocks import BlockedRows
        from gpu.runtime.vectors import stream_of

        rows = BlockedRows(matrix)
        rows.count()
        chosen = rows.chosen_hash()

        def order(method: str, stream: Any) -> None:
            rows.stream = stream_of(stream.address)
            rows.put_in_order(method, chosen)

        def timed(method: str) -> Any:
            rows.stream = 0
            rows.put_in_order(method, chosen)  # compiled before it is captured
            return self.timer(partial(order, method))

        for blank in blanks:
            with self.run.phase("preprocessing"):
                yield from self.safely([blank], self._timings(blank, partial(timed, blank.method)))

    def _timings(self, blank: Record, timed: Callable[[], Any]) -> Iterator[Record]:
        timing = timed()
        yield replace(blank, median_us=float(timing.median_us), spread=float(timing.spread))

    def products(self) -> list[Record]:
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
        matches: list[Record] = []
        for dtype in DTYPES:
            csr = typed(self._csr, dtype)
            for method, make in makers.items():
                blank = self.blank(method, dtype)
                matches += self.safely([blank], self._own(blank, partial(make, csr)))
            matches.append(self.fastest(self.library(LIBRARY, csr, dtype), "cusparse", dtype))
        return matches

    def _own(self, blank: Record, make: Callable[[], Any]) -> Iterator[Record]:
        """Measure a product of ours, and the kernels after its first."""
        yield self.own(blank, make, apart="combine")

    def _active_by_degree(self, csr: Any) -> Any:
        """Place the repaired form in blocks of hubs, which the host makes once for both types."""
        from gpu.hbp.active_product import ActiveHBPProduct
        from gpu.runtime.cuda import THREADS_PER_BLOCK

        if self._by_degree is None:
            self._by_degree = ActiveHBP.from_scipy(self._csr, by_degree=True)
        return ActiveHBPProduct(self._by_degree.astype(csr.dtype), THREADS_PER_BLOCK)


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
        result = convert()
        cuda.synchronize()
        times.append((time.perf_counter() - begun) * 1e6)
        del result
    low, median, high = np.percentile(times[1:], [25, 50, 75]).tolist()
    return Timing(median, (high - low) / median, RUNS, 1)


def _named(kernel: str, csr: Any) -> Any:
    from gpu.kernel_registry import KERNELS
    from gpu.runtime.cuda import THREADS_PER_BLOCK

    return KERNELS[kernel].product(KERNELS[kernel].convert(csr), THREADS_PER_BLOCK)


def _blocked(csr: Any, method: str) -> Any:
    """Return the published form, made on the device, with rows in this order."""
    from gpu.hbp.building.blocks import DeviceCRS, hbp_on_device
    from gpu.hbp.product import HBPProduct
    from gpu.runtime.cuda import THREADS_PER_BLOCK

    return HBPProduct(hbp_on_device(DeviceCRS.of(csr), method=method), THREADS_PER_BLOCK)


def _active(csr: Any, *, direct: bool = False) -> Any:
    """Return the repaired form, made on the device."""
    from gpu.hbp.active_product import ActiveHBPProduct
    from gpu.hbp.building.active import active_on_device
    from gpu.hbp.building.blocks import DeviceCRS
    from gpu.runtime.cuda import THREADS_PER_BLOCK

    return ActiveHBPProduct(active_on_device(DeviceCRS.of(csr)), THREADS_PER_BLOCK, direct=direct)
