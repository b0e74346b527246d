"""The measurement: preprocessing and products of every matrix on the GPU of this machine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from experiments.gpu_bench.matrix_supply import Supplied, supply
from experiments.gpu_bench.product_case import typed
from experiments.gpu_bench.suite import SuiteMatrix
from experiments.papers.hbp.block_counts import counted
from experiments.papers.hbp.orders import compared_on_the_device, sample
from experiments.papers.hbp.preparation_measurement import Preparation
from experiments.papers.hbp.results import BlockCounts, OrderRecord, Results
from experiments.papers.hbp.subjects import LARGE, id_of, in_order_of_kinds, subjects
from experiments.papers.kit.in_turn import InTurn, TurnTimer, warm_in_turn
from experiments.papers.kit.measurement import (
    DTYPES,
    LIMIT_SECONDS,
    TOO_LATE,
    WORKERS,
    Run,
    measuring_device,
)
from experiments.papers.kit.request import Watch
from experiments.papers.kit.results import MatrixRecord, Record, counts_of
from experiments.papers.kit.source import recorded_results
from gpu.hbp.container import BLOCK_COLUMNS, BLOCK_ROWS
from gpu.hbp.ordering import ON_THE_HOST
from gpu.hbp.product import Allocation
from vecsim.results.digests import matrix_sha256

SECONDS = 0.04
"""How long one product is timed, capturing apart; all products of a type take turns."""
LATE_SECONDS = 480.0
"""After so long nothing more of a matrix is measured; what has begun is ended."""
LIBRARY = ("csr_alg1", "csr_alg2", "coo_alg1", "coo_alg2")
"""Formats and algorithms of cuSPARSE; the fastest of them is its best."""
CSR = ("crs-scalar", "crs")
"""Products in one kernel."""
PUBLISHED: dict[str, tuple[str, Allocation, bool]] = {
    "own": ("own", "by size", False),
    "hbp-probing": ("probing", "by size", False),
    "hbp-probing-half": ("probing", "half", False),
    "hbp-probing-fixed": ("probing", "fixed", False),
    "hbp-probing-competitive": ("probing", "competitive", False),
    "hbp-probing-direct": ("probing", "by size", True),
    "hbp": ("hash", "by size", False),
    "hbp-classes": ("classes", "by size", False),
}
"""Products of the published form: the order of rows, how blocks are allocated, and whether sums are added to
y as they come."""


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
        return measure_matrices(
            chosen, supplied, device, warm_in_turn(SECONDS), watch, Run(limit, LATE_SECONDS)
        )


def measure_matrices(
    chosen: Sequence[SuiteMatrix],
    supplied: Iterable[Supplied],
    device: tuple[str, dict[str, str]],
    timer: TurnTimer,
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
        Times operations in turn; see `TurnTimer`.
    watch
        As of `measure`.
    run
        Where the time goes, and how long it may take.
    """
    matrices: list[MatrixRecord] = []
    records: list[Record] = []
    blocks: list[BlockCounts] = []
    probed: list[OrderRecord] = []
    for matrix, each, late in run.each(chosen, supplied, watch):
        if each is None or each.csr is None:
            matrices.append(_blank(matrix, late if each is None else each.missing))
            continue
        matrices.append(described(matrix, each.csr, each.sha256))
        # Products first: conversions are timed from the host, which is not to load kernels meanwhile.
        for dtype in DTYPES:
            records += _products(each, dtype, timer, run)
        records += Preparation(each, timer, run).records()
        blocks.append(counted(matrix.name, each.csr))
        if id_of(matrix) not in LARGE and not run.is_late:
            with run.phase("orders as probed"):
                probed += compared_on_the_device(matrix.name, sample(each.csr, BLOCK_ROWS, BLOCK_COLUMNS))
    order = {each.name: place for place, each in enumerate(subjects())}
    matrices.sort(key=lambda each: order.get(each.name, len(order)))
    on_a_cpu = [each for each in recorded_results(Results).orders if each.method in ON_THE_HOST]
    orders = [*on_a_cpu, *probed]
    return run.results(Results, device, matrices=matrices, records=records, orders=orders, blocks=blocks)


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


def _products(supplied: Supplied, dtype: str, timer: TurnTimer, run: Run) -> list[Record]:
    """Measure every method in one type, all in turn."""
    blanks = {method: Record(supplied.matrix.name, method, dtype) for method in (*PUBLISHED, *_OTHERS)}
    if run.is_late:
        late = [*blanks.values(), Record(supplied.matrix.name, "cusparse", dtype)]
        return [replace(each, status="left_out", reason=TOO_LATE) for each in late]
    csr = typed(supplied.csr, dtype)
    turns = InTurn(supplied.exact["spmv", dtype], timer, run)
    forms = _Forms(csr)
    # The published forms are the largest, and while they are made there must be room for more.
    for method, form in PUBLISHED.items():
        turns.own(blanks[method], partial(forms.published, *form), apart="combine")
    for method, make in _OTHERS.items():
        turns.own(blanks[method], partial(make, forms), apart="" if method in CSR else "combine")
    for name in LIBRARY:
        turns.library(Record(supplied.matrix.name, "cusparse", dtype), name, csr)
    forms.drop()
    records = turns.records()
    ours = len(blanks)
    return [*records[:ours], _fastest(records[ours:])]


def _fastest(tried: Sequence[Record]) -> Record:
    """Return the fastest record; without any, the first with its reason."""
    there = [each for each in tried if each.status == "ok"]
    return min(there, key=lambda each: each.median_us or 0.0) if there else replace(tried[0], chosen="")


class _Forms:
    """A matrix on the device in CRS and in the forms that are made of it there, each once.

    The published forms share what a product writes: at a time one of them is multiplied.

    Parameters
    ----------
    csr
        As csr_array, in the type of the products.
    """

    def __init__(self, csr: Any) -> None:
        self.csr = csr
        self._made: dict[str, Any] = {}
        self._room: Any = None

    def once(self, name: str, make: Callable[[], Any]) -> Any:
        """Make something that several products need."""
        if name not in self._made:
            self._made[name] = make()
        return self._made[name]

    def drop(self) -> None:
        """Leave what was made to the products that have it."""
        self._made.clear()
        self._room = None

    def matrix(self) -> Any:
        """Return the matrix in CRS."""
        from gpu.sums.device_csr import DeviceCsr

        return self.once("crs", partial(DeviceCsr.from_scipy, self.csr))

    def published(self, order: str, allocation: Allocation, direct: bool) -> Any:
        """Return a product of the published form; see `PUBLISHED`."""
        from gpu.hbp.building.blocks import hbp_on_device
        from gpu.hbp.product import HBPProduct
        from gpu.runtime.cuda import THREADS_PER_BLOCK

        stored = self.once(order, lambda: hbp_on_device(self.matrix(), method=order))
        room = None if direct else self._room
        product = HBPProduct(stored, THREADS_PER_BLOCK, allocation, direct=direct, room=room)
        self._room = self._room if direct else product.room
        return product

    def active(self, *, direct: bool = False) -> Any:
        """Return a product of the repaired form, made on the device."""
        from gpu.hbp.active_product import ActiveHBPProduct
        from gpu.hbp.building.active import active_on_device
        from gpu.runtime.cuda import THREADS_PER_BLOCK

        stored = self.once("active", lambda: active_on_device(self.matrix()))
        return ActiveHBPProduct(stored, THREADS_PER_BLOCK, direct=direct)

    def named(self, kernel: str) -> Any:
        """Return a product of a format by its name."""
        from gpu.kernel_registry import KERNELS
        from gpu.runtime.cuda import THREADS_PER_BLOCK

        return KERNELS[kernel].product(KERNELS[kernel].convert(self.csr), THREADS_PER_BLOCK)


_OTHERS: dict[str, Callable[[_Forms], Any]] = {
    "hbp-active": lambda forms: forms.active(),
    "hbp-active-direct": lambda forms: forms.active(direct=True),
    "crs-scalar": lambda forms: forms.named("crs-scalar"),
    "crs": lambda forms: forms.named("crs"),
}
