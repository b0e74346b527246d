"""The measurement: trees and products of every matrix, in both types, on the GPU of this machine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from experiments.gpu_bench.matrix_supply import Supplied, supply
from experiments.gpu_bench.product_case import typed
from experiments.gpu_bench.suite import SuiteMatrix
from experiments.papers.hisparse.compilation import compiled_ahead
from experiments.papers.hisparse.methods import BEST, CSR, DTYPES, LIBRARY, NAIVE, OWN, PRODUCTS, pays
from experiments.papers.hisparse.operands import Operands, arrays, operands
from experiments.papers.hisparse.printed import NODE_SIZE
from experiments.papers.hisparse.results import MatrixRecord, Results, Tree
from experiments.papers.hisparse.subjects import stands_for, subjects
from experiments.papers.hisparse.sum_measurement import METHODS as SUM_METHODS
from experiments.papers.hisparse.sum_measurement import Sums, back_to_back
from experiments.papers.hisparse.trees import tree_of
from experiments.papers.kit.measurement import (
    LIMIT_SECONDS,
    WORKERS,
    Case,
    Run,
    Timer,
    measuring_device,
    warm,
)
from experiments.papers.kit.request import Watch
from experiments.papers.kit.results import Record, counts_of
from gpu.hisparse.container import HiSparse
from vecsim.results.digests import matrix_sha256

SECONDS = 0.04
"""How long one product is timed, capturing apart."""


def measure(watch: Watch, limit: float = LIMIT_SECONDS) -> Results:
    """Measure the suite on the GPU of this machine.

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
    chosen = subjects()
    with supply(chosen, transposed=True, more=arrays, workers=WORKERS) as supplied:
        watch("compiling", 0.0)
        run = Run(limit)
        with run.phase("compiling ahead"), compiled_ahead():
            pass
        return measure_matrices(chosen, supplied, device, warm(SECONDS), watch, run)


def measure_matrices(
    chosen: Sequence[SuiteMatrix],
    supplied: Iterable[Supplied],
    device: tuple[str, dict[str, str]],
    timer: Timer,
    watch: Watch,
    run: Run,
    library_timer: Timer = back_to_back,
) -> Results:
    """Measure some matrices; what fails is recorded with its reason, and the run goes on.

    Parameters
    ----------
    chosen
        The matrices.
    supplied
        The same, made, with their exact products of both directions.
    device
        What measures; see `measuring_device`.
    timer
        Times a product; see `Timer`.
    watch
        As of `measure`.
    run
        Where the time goes, and how long it may take.
    library_timer
        Times a call of cuSPARSE that cannot be captured into a graph.
    """
    matrices: list[MatrixRecord] = []
    records: list[Record] = []
    for matrix, each, late in run.each(chosen, supplied, watch):
        if each is None or each.csr is None:
            matrices.append(_blank(matrix, late if each is None else each.missing))
            continue
        case = _Matrix(each, timer, library_timer, run)
        records += case.records()
        matrices.append(case.described())
    return run.results(Results, device, matrices=matrices, records=records)


def _blank(matrix: SuiteMatrix, missing: str = "") -> MatrixRecord:
    return MatrixRecord(matrix.name, matrix.class_, stands_for(matrix), missing=missing)


class _Matrix(Case):
    """One matrix under all methods."""

    def __init__(self, supplied: Supplied, timer: Timer, library_timer: Timer, run: Run) -> None:
        super().__init__(supplied.matrix.name, supplied.exact, timer, run)
        self._supplied, self._library_timer = supplied, library_timer
        self._trees: dict[tuple[int, str], Tree] = {}
        self._hosts: dict[str, HiSparse] = {}

    def records(self) -> list[Record]:
        """Measure every method in both types."""
        matches: list[Record] = []
        for dtype in DTYPES:
            csr = typed(self._supplied.csr, dtype)
            matches += self.safely(self._both(OWN, dtype), self._hisparse(csr, dtype))
            matches += self._cusparse(csr, dtype)
            matches += self.safely(self._both(NAIVE, dtype), self._naive(csr, dtype))
        self._convert(typed(self._supplied.csr, "float32"), node_size=NODE_SIZE)
        with self.run.phase("operands of sums"):
            given = operands(self._supplied)
        return matches + [record for dtype in DTYPES for record in self._sums(given.astype(dtype), dtype)]

    def _both(self, method: str, dtype: str) -> list[Record]:
        return [self.blank(method, dtype, operation) for operation in PRODUCTS]

    def _sums(self, given: Operands, dtype: str) -> list[Record]:
        """Measure sums with the matrix whose entries are moved."""
        matches: list[Record] = []
        with self.run.phase("what sums must be"):
            work = Sums(self.matrix, given, self.timer, self._library_timer, self._hosts.pop(dtype, None))
        for method, measured in SUM_METHODS.items():
            with self.run.phase(f"sums, {method}"):
                matches += self.safely(work.blanks(method), measured(work))
        return matches

    def described(self) -> MatrixRecord:
        """Return what is known of the matrix; call it after `records`."""
        csr = self._supplied.csr
        return replace(
            _blank(self._supplied.matrix),
            **counts_of(csr),
            trees=tuple(self._trees.values()),
            sha256=self._supplied.sha256 or matrix_sha256(csr),
        )

    def _convert(self, csr: Any, **options: int) -> HiSparse:
        with self.run.phase("conversions"):
            host = HiSparse.from_scipy(csr, **options)
            tree = tree_of(host)
            self._trees[tree.node_size, tree.dtype] = tree
        return host

    def _hisparse(self, csr: Any, dtype: str) -> Iterator[Record]:
        """Measure HiSparse, both ways from one copy; its bytes are those of both."""
        from gpu.hisparse.product import HiSparseProduct
        from gpu.runtime.cuda import THREADS_PER_BLOCK

        host = self._hosts[dtype] = self._convert(csr)
        with self.run.phase("uploads"):
            product = HiSparseProduct(host, THREADS_PER_BLOCK)
        ways = (product, product.transposed)
        nbytes = sum({id(a): int(a.nbytes) for way in ways for a in way.device_arrays}.values())
        for blank, way in zip(self._both(OWN, dtype), ways, strict=True):
            yield replace(self.own(blank, partial(_placed, way), compare_bits=True), nbytes=nbytes)

    def _naive(self, csr: Any, dtype: str) -> Iterator[Record]:
        """Measure the naive kernels."""
        from gpu.baseline.naive import NaiveProduct
        from gpu.runtime.cuda import THREADS_PER_BLOCK

        for blank in self._both(NAIVE, dtype):
            is_transposed = blank.operation == "spmv_t"
            yield self.own(blank, partial(NaiveProduct, csr, THREADS_PER_BLOCK, transposed=is_transposed))

    def _cusparse(self, csr: Any, dtype: str) -> list[Record]:
        """Measure cuSPARSE: its CSR, and its best."""
        tried = self.library([name for name in LIBRARY if pays(name, csr)], csr, dtype, PRODUCTS)
        return [
            self.fastest(tried, method, dtype, operation, kind)
            for operation in PRODUCTS
            for method, kind in ((CSR, "csr"), (BEST, ""))
        ]


def _placed(product: Any) -> Any:
    """Return a product that is on the device already."""
    return product
