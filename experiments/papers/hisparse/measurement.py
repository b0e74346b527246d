"""The measurement: trees and products of every matrix, in both types, on the GPU of this machine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from experiments.gpu_bench.matrix_supply import Supplied, supply
from experiments.gpu_bench.product_case import typed
from experiments.gpu_bench.suite import SuiteMatrix
from experiments.papers.hisparse.compilation import compiled_ahead
from experiments.papers.hisparse.device_trees import Positions
from experiments.papers.hisparse.edit_measurement import Clock, edits, in_turn
from experiments.papers.hisparse.methods import (
    BEST,
    CSR,
    DTYPES,
    LIBRARY,
    NAIVE,
    OWN,
    PRODUCTS,
    TRAVERSALS,
    pays,
)
from experiments.papers.hisparse.operands import arrays, operands
from experiments.papers.hisparse.printed import NODE_SIZE
from experiments.papers.hisparse.results import MatrixRecord, Results, Tree
from experiments.papers.hisparse.subjects import stands_for, subjects
from experiments.papers.hisparse.sum_measurement import Matrices, Sums, SumTimer, warm_sums
from experiments.papers.hisparse.trees import tree_of
from experiments.papers.kit.in_turn import InTurn, TurnTimer, warm_in_turn
from experiments.papers.kit.measurement import WORKERS, Run, measuring_device
from experiments.papers.kit.request import Watch
from experiments.papers.kit.results import Record, counts_of
from gpu.hisparse.container import HiSparse
from vecsim.results.digests import matrix_sha256

LIMIT_SECONDS = 1200.0
"""After so long no other matrix is begun: twice what a run takes where the host is fast."""
SECONDS, SUM_SECONDS = 0.02, 0.01
"""How long one product is timed, and one pass of a sum, capturing apart."""


@dataclass(frozen=True)
class Timers:
    """What times products, sums and edits, each in turn; see their types."""

    products: TurnTimer
    sums: SumTimer
    edits: Clock


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
    with supply(chosen, transposed=True, more=arrays, workers=WORKERS) as supplied, ExitStack() as kept:
        watch("compiling", 0.0)
        run = Run(limit)
        with run.phase("compiling ahead"):
            # What was compiled is kept as long as it is used.
            kept.enter_context(compiled_ahead())
        timers = Timers(warm_in_turn(SECONDS), warm_sums(SUM_SECONDS), in_turn)
        return measure_matrices(chosen, supplied, device, timers, watch, run)


def measure_matrices(
    chosen: Sequence[SuiteMatrix],
    supplied: Iterable[Supplied],
    device: tuple[str, dict[str, str]],
    timers: Timers,
    watch: Watch,
    run: Run,
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
    timers
        Of products, sums and edits.
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
        case = _Matrix(each, timers, run)
        records += case.records()
        matrices.append(case.described())
    return run.results(Results, device, matrices=matrices, records=records)


def _blank(matrix: SuiteMatrix, missing: str = "") -> MatrixRecord:
    return MatrixRecord(matrix.name, matrix.class_, stands_for(matrix), missing=missing)


class _Matrix:
    """One matrix under all methods; products of a type and direction are timed in turn, and so are sums."""

    def __init__(self, supplied: Supplied, timers: Timers, run: Run) -> None:
        self._supplied, self._name, self._run = supplied, supplied.matrix.name, run
        self._timer, self._sum_timer, self._clock = timers.products, timers.sums, timers.edits
        self._trees: dict[tuple[int, str], Tree] = {}

    def records(self) -> list[Record]:
        """Measure every method in both types."""
        matches: list[Record] = []
        for dtype in DTYPES:
            forms = _Forms(typed(self._supplied.csr, dtype), self._converted, self._run)
            for operation in PRODUCTS:
                matches += self._products(forms, dtype, operation)
            forms.drop()
        self._converted(typed(self._supplied.csr, "float32"), node_size=NODE_SIZE)
        with self._run.phase("operands of sums"):
            given = operands(self._supplied)
        matrices = Matrices(given)
        for dtype in DTYPES:
            work = Sums(self._name, given.astype(dtype), matrices, self._sum_timer, self._run)
            matches += work.records()
        with self._run.phase("edits"):
            matches += edits(self._name, typed(self._supplied.csr, "float64"), self._clock)
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

    def _converted(self, csr: Any, **options: int) -> HiSparse:
        with self._run.phase("conversions"):
            host = HiSparse.from_scipy(csr, **options)
            tree = tree_of(host)
            self._trees[tree.node_size, tree.dtype] = tree
        return host

    def _products(self, forms: _Forms, dtype: str, operation: str) -> list[Record]:
        """Measure all products of a type and direction in turn."""
        is_transposed = operation == "spmv_t"
        turns = InTurn(self._supplied.exact[operation, dtype], self._timer, self._run)
        blanks = [Record(self._name, each, dtype, operation) for each in (OWN, *TRAVERSALS, NAIVE)]
        for blank in blanks:
            make = partial(forms.product, blank.method, is_transposed)
            turns.own(blank, make, compare_bits=blank.method == OWN)
        for name in forms.library(is_transposed):
            blank = Record(self._name, name, dtype, operation)
            turns.library(blank, name, forms.csr, transposed=is_transposed, store=partial(forms.stored, name))
        records = turns.records()
        ours, tried = records[: len(blanks)], records[len(blanks) :]
        ours[0] = replace(ours[0], nbytes=forms.flat_bytes()) if ours[0].status == "ok" else ours[0]
        return [*ours, _fastest(tried, CSR, "csr"), _fastest(tried, BEST, "")]


def _fastest(tried: Sequence[Record], method: str, kind: str) -> Record:
    """Return the fastest of cuSPARSE whose name begins so, as a method; without any, the first and why."""
    matches = [each for each in tried if each.chosen.startswith(kind)]
    there = [each for each in matches if each.status == "ok"]
    if there:
        return replace(min(there, key=lambda each: each.median_us or 0.0), method=method)
    return replace(matches[0], method=method, chosen="")


class _Forms:
    """A matrix on the device in the forms that are multiplied, each made once for both directions.

    Parameters
    ----------
    csr
        The matrix, in the type of the products.
    convert
        Makes and counts its tree on the host.
    run
        Where the time goes.
    """

    def __init__(self, csr: Any, convert: Callable[..., HiSparse], run: Run) -> None:
        self.csr, self._convert, self._run = csr, convert, run
        self._made: dict[str, Any] = {}

    def drop(self) -> None:
        """Free what no product holds."""
        from gpu.runtime.memory import free_what_is_dropped

        self._made.clear()
        free_what_is_dropped()

    def product(self, method: str, is_transposed: bool) -> Any:
        """Return a product of ours."""
        from experiments.baseline.naive import NaiveProduct
        from gpu.runtime.cuda import THREADS_PER_BLOCK

        if method == NAIVE:
            return NaiveProduct(self.csr, THREADS_PER_BLOCK, transposed=is_transposed)
        made = self._once(method, self._flat if method == OWN else partial(self._traversal, method))
        return made.transposed if is_transposed else made

    def flat_bytes(self) -> int:
        """Return the bytes of both products of the flat layout together."""
        made = self._made[OWN]
        arrays = {id(a): int(a.nbytes) for way in (made, made.transposed) for a in way.device_arrays}
        return sum(arrays.values())

    def library(self, is_transposed: bool) -> list[str]:
        """Return the formats and algorithms of cuSPARSE that are tried."""
        from experiments.baseline.cusparse import METHODS

        tried: list[str] = self._once("tried", lambda: [name for name in LIBRARY if pays(name, self.csr)])
        return [name for name in tried if METHODS[name].transposes or not is_transposed]

    def stored(self, name: str) -> Any:
        """Return the matrix in a format of cuSPARSE, on the host."""
        from experiments.baseline.cusparse import METHODS

        with self._run.phase("conversions"):
            return self._once(name, partial(METHODS[name].store, self.csr))

    def _once(self, name: str, make: Callable[[], Any]) -> Any:
        if name not in self._made:
            self._made[name] = make()
        return self._made[name]

    def _flat(self) -> Any:
        from gpu.hisparse.product import HiSparseProduct
        from gpu.runtime.cuda import THREADS_PER_BLOCK

        return HiSparseProduct(self._convert(self.csr), THREADS_PER_BLOCK)

    def _traversal(self, method: str) -> Any:
        """Return a traversal of the tree with the paper's d, which the device makes."""
        from gpu.hisparse.traversal.product import HiSparseTraversal

        tree = self._once("tree", lambda: Positions(self.csr).tree(self.csr.data, NODE_SIZE))
        return HiSparseTraversal(tree, TRAVERSALS[method])
