"""The measurement: trees and products of every matrix, in both types, on the GPU of this machine."""

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
from experiments.papers.hisparse.compilation import compiled_ahead
from experiments.papers.hisparse.methods import BEST, CSR, DTYPES, LIBRARY, NAIVE, OWN, PRODUCTS, pays
from experiments.papers.hisparse.operands import Operands, arrays, operands
from experiments.papers.hisparse.paper import KIND
from experiments.papers.hisparse.printed import NODE_SIZE
from experiments.papers.hisparse.results import Gpu, MatrixRecord, Record, Results, Tree
from experiments.papers.hisparse.subjects import stands_for, subjects
from experiments.papers.hisparse.sum_measurement import METHODS as SUM_METHODS
from experiments.papers.hisparse.sum_measurement import Sums, back_to_back
from experiments.papers.hisparse.trees import tree_of
from experiments.papers.kit.phases import clock, one_line
from experiments.papers.kit.request import Watch
from gpu.hisparse.container import HiSparse
from vecsim.formats.accuracy import ExactProduct
from vecsim.results.digests import matrix_sha256
from vecsim.results.provenance import provenance

SECONDS = 0.04
"""How long one product is timed, capturing apart."""
LIMIT_SECONDS = 420.0
"""After so long no other matrix is begun, so that a run ends within nine minutes: some take over a minute."""
WORKERS = 5
"""Processes that make matrices, at most."""

Timer = Callable[[Callable[[Any], None]], Any]
"""Gives the `gpu.measure.timing.Timing` of an operation, which it calls with streams."""


def measure(watch: Watch, limit: float = LIMIT_SECONDS) -> Results:
    """Measure the suite on the GPU of this machine.

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
    chosen = subjects()
    gpu = Gpu(info.name, facts)
    with supply(chosen, transposed=True, more=arrays, workers=WORKERS) as supplied:
        watch("compiling", 0.0)
        begun = time.perf_counter()
        with compiled_ahead():
            spent = time.perf_counter() - begun
            found = measure_matrices(chosen, supplied, gpu, _warm, watch, limit - spent)
    seconds = {"compiling ahead": round(spent, 2), **found.seconds}
    return replace(found, seconds={**seconds, "all": round(found.seconds["all"] + spent, 2)})


def measure_matrices(
    chosen: Sequence[SuiteMatrix],
    supplied: Iterable[Supplied],
    gpu: Gpu,
    timer: Timer,
    watch: Watch,
    limit: float = LIMIT_SECONDS,
    library_timer: Timer = back_to_back,
) -> Results:
    """Measure some matrices; what fails is recorded with its reason, and the run goes on.

    Parameters
    ----------
    chosen
        The matrices.
    supplied
        The same, made, with their exact products of both directions.
    gpu
        What measures.
    timer
        Times a product; see `Timer`.
    watch, limit
        As of `measure`.
    library_timer
        Times a call of cuSPARSE that cannot be captured into a graph.
    """
    made = provenance()
    begun = time.perf_counter()
    seconds: dict[str, float] = {}
    matrices: list[MatrixRecord] = []
    records: list[Record] = []
    late: Sequence[SuiteMatrix] = ()
    waiting = iter(supplied)
    while True:
        if time.perf_counter() - begun > limit:
            late = chosen[len(matrices) :]
            break
        with clock(seconds, "wait for matrices"):
            each = next(waiting, None)
        if each is None:
            break
        watch(f"measuring {each.matrix.name}", len(matrices) / len(chosen))
        case = _Case(each, timer, library_timer, seconds)
        records += case.records()
        matrices.append(case.described())
    matrices += [_blank(each, f"left out: {limit:.0f} seconds were over") for each in late]
    seconds["all"] = time.perf_counter() - begun
    return Results(
        KIND,
        made.date,
        str(made.commit),
        gpu,
        {name: round(value, 2) for name, value in seconds.items()},
        tuple(matrices),
        tuple(records),
        made.command,
        dict(made.versions),
    )


def _blank(matrix: SuiteMatrix, missing: str = "") -> MatrixRecord:
    return MatrixRecord(matrix.name, matrix.class_, stands_for(matrix), missing=missing)


class _Case:
    """One matrix under all methods."""

    def __init__(
        self, supplied: Supplied, timer: Timer, library_timer: Timer, seconds: dict[str, float]
    ) -> None:
        self._supplied, self._timer, self._seconds = supplied, timer, seconds
        self._library_timer = library_timer
        self._trees: dict[tuple[int, str], Tree] = {}
        self._hosts: dict[str, HiSparse] = {}

    def records(self) -> list[Record]:
        """Measure every method in both types; none if the matrix was not found."""
        if self._supplied.csr is None:
            return []
        found = []
        for dtype in DTYPES:
            csr = typed(self._supplied.csr, dtype)
            for measure in (self._own, self._cusparse, self._naive):
                found += measure(csr, dtype)
        self._convert(typed(self._supplied.csr, "float32"), NODE_SIZE)
        with clock(self._seconds, "operands of sums"):
            given = operands(self._supplied)
        return found + [record for dtype in DTYPES for record in self._sums(given.astype(dtype), dtype)]

    def _sums(self, given: Operands, dtype: str) -> list[Record]:
        """Measure sums with the matrix whose entries are moved; of what fails the first is one record."""
        from gpu.runtime.memory import free_what_is_dropped

        name = self._supplied.matrix.name
        found: list[Record] = []
        with clock(self._seconds, "what sums must be"):
            tree = self._hosts.pop(dtype, None)
            work = Sums(name, given, self._timer, self._library_timer, tree)
        for method, measured in SUM_METHODS.items():
            try:
                with clock(self._seconds, f"sums, {method}"):
                    found.extend(measured(work))
            except Exception as error:  # one failing sum must not cost the others
                found.append(Record(name, "sum", method, dtype, "failed", one_line(error)))
            free_what_is_dropped()
        return found

    def described(self) -> MatrixRecord:
        """Give what is known of the matrix; call it behind `records`."""
        blank = _blank(self._supplied.matrix, self._supplied.missing)
        csr = self._supplied.csr
        if csr is None:
            return blank
        lengths = np.diff(csr.indptr)
        return replace(
            blank,
            rows=int(csr.shape[0]),
            columns=int(csr.shape[1]),
            nnz=int(csr.nnz),
            mean=float(lengths.mean()),
            sigma=float(lengths.std()),
            longest=int(lengths.max(initial=0)),
            trees=tuple(self._trees.values()),
            sha256=self._supplied.sha256 or matrix_sha256(csr),
        )

    def _convert(self, csr: Any, node_size: int | None = None) -> HiSparse:
        with clock(self._seconds, "conversions"):
            host = (
                HiSparse.from_scipy(csr)
                if node_size is None
                else HiSparse.from_scipy(csr, node_size=node_size)
            )
            tree = tree_of(host)
            self._trees[tree.node_size, tree.dtype] = tree
        return host

    def _own(self, csr: Any, dtype: str) -> list[Record]:
        """Measure HiSparse, both ways from one copy; its bytes are those of both."""

        def measured() -> Iterator[Record]:
            from gpu.hisparse.product import HiSparseProduct
            from gpu.runtime.cuda import THREADS_PER_BLOCK

            host = self._hosts[dtype] = self._convert(csr)
            with clock(self._seconds, "uploads and kernels"):
                product = HiSparseProduct(host, THREADS_PER_BLOCK)
            ways = (product, product.transposed)
            nbytes = sum({id(a): int(a.nbytes) for way in ways for a in way.device_arrays}.values())
            for operation, way in zip(PRODUCTS, ways, strict=True):
                yield self._launched(OWN, operation, dtype, way, nbytes, compare_bits=True)

        return self._or_failed(OWN, dtype, measured())

    def _naive(self, csr: Any, dtype: str) -> list[Record]:
        """Measure the naive kernels."""

        def measured() -> Iterator[Record]:
            from gpu.baseline.naive import NaiveProduct
            from gpu.runtime.cuda import THREADS_PER_BLOCK

            for operation in PRODUCTS:
                with clock(self._seconds, "uploads and kernels"):
                    product = NaiveProduct(csr, THREADS_PER_BLOCK, transposed=operation == "spmv_t")
                nbytes = sum(int(array.nbytes) for array in product.device_arrays)
                yield self._launched(NAIVE, operation, dtype, product, nbytes)

        return self._or_failed(NAIVE, dtype, measured())

    def _cusparse(self, csr: Any, dtype: str) -> list[Record]:
        """Measure cuSPARSE: its CSR, and its best."""
        tried: list[Record] = []
        failed: list[Record] = []
        for name in LIBRARY:
            if not pays(name, csr):
                continue
            for record in self._or_failed(name, dtype, self._formats(name, csr, dtype)):
                (tried if record.status == "ok" else failed).append(record)
        found = []
        for operation in PRODUCTS:
            of_csr = [each for each in tried if each.operation == operation and each.chosen.startswith("csr")]
            of_all = [each for each in tried if each.operation == operation]
            why = next((each.reason for each in failed if each.operation == operation), "nothing was tried")
            for method, candidates in ((CSR, of_csr), (BEST, of_all)):
                best = min(candidates, key=lambda each: each.median_us or 0.0, default=None)
                missing = Record(self._supplied.matrix.name, operation, method, dtype, "failed", why)
                found.append(missing if best is None else replace(best, method=method))
        return found

    def _formats(self, name: str, csr: Any, dtype: str) -> Iterator[Record]:
        """Measure one format of cuSPARSE, transposed too where that is there."""
        from gpu.baseline.cusparse import METHODS, SparseProduct

        with clock(self._seconds, "conversions"):
            stored = METHODS[name].store(csr)
        for operation in PRODUCTS[: 1 + METHODS[name].transposes]:
            exact = self._supplied.exact[operation, dtype]
            with clock(self._seconds, "uploads and kernels"):
                made = SparseProduct(name, stored, csr.shape, transposed=operation == "spmv_t")
            with made as product:
                product.write_x(exact.x)
                with clock(self._seconds, "timing"):
                    timing = self._timer(product.enqueue)
                record = self._record(name, operation, dtype, timing, product.nbytes, exact, product.read_y())
            yield replace(record, chosen=name)

    def _launched(
        self,
        method: str,
        operation: str,
        dtype: str,
        product: Any,
        nbytes: int,
        *,
        compare_bits: bool = False,
    ) -> Record:
        """Measure a product of ours."""
        from gpu.runtime.cuda import cuda
        from gpu.runtime.memory import free_what_is_dropped, upload

        exact = self._supplied.exact[operation, dtype]
        real = np.dtype(dtype).type
        unwritten = np.full(max(1, len(exact.y)), np.nan, dtype)
        with clock(self._seconds, "uploads and kernels"):
            x, y = upload(exact.x), cuda.to_device(unwritten)
            enqueue = partial(_launch, product, x, y, real(1), real(0))
            enqueue(SimpleNamespace(address=0))
            result = y.copy_to_host()
        same = None
        if compare_bits:
            y.copy_to_device(unwritten)
            enqueue(SimpleNamespace(address=0))
            same = bool(np.array_equal(result, y.copy_to_host(), equal_nan=True))
        with clock(self._seconds, "timing"):
            timing = self._timer(enqueue)
        record = self._record(method, operation, dtype, timing, nbytes, exact, result[: len(exact.y)])
        # Now, and not by Numba in the midst of a later measurement.
        del enqueue, x, y
        free_what_is_dropped()
        return replace(record, same_bits=same)

    def _record(
        self, method: str, operation: str, dtype: str, timing: Any, nbytes: int, exact: ExactProduct, y: Any
    ) -> Record:
        with clock(self._seconds, "checks"):
            error = float(exact.error(y))
        return Record(
            self._supplied.matrix.name,
            operation,
            method,
            dtype,
            median_us=timing.median_us,
            spread=timing.spread,
            nbytes=nbytes,
            error=error,
        )

    def _or_failed(self, method: str, dtype: str, records: Iterator[Record]) -> list[Record]:
        """Give the records, or those that are missing as failed ones."""
        found: list[Record] = []
        try:
            found.extend(records)
        except Exception as error:  # one failing method must not cost the others
            name = self._supplied.matrix.name
            why = one_line(error)
            found += [Record(name, each, method, dtype, "failed", why) for each in PRODUCTS[len(found) :]]
        return found


def _launch(product: Any, x: Any, y: Any, alpha: Any, beta: Any, stream: Any) -> None:
    from gpu.runtime.vectors import stream_of

    product.launch(x, y, alpha, beta, stream_of(stream.address))


def _warm(operation: Callable[[Any], None]) -> Any:
    from gpu.measure.timing import measure

    return measure([operation], SECONDS)
