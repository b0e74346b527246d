"""Sums on the GPU, C = A + B, Aᵀ + Bᵀ and A + Bᵀ, of HiSparse and of CSR, next to csrgeam2 of cuSPARSE.

Room for the work and for the sum is there before anything is timed, on both sides: what is timed is the pass
that counts the entries of the sum and the one that writes them, and where CSR is transposed, that too. All
sums of two matrices in one type are timed in turn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from experiments.papers.hisparse.device_trees import Positions, differ
from experiments.papers.hisparse.methods import (
    CONVERTED_GEAM,
    CONVERTING_GEAM,
    CSR_SUM,
    DUAL_SUM,
    GEAM,
    SUMS,
    TREE_SUM,
)
from experiments.papers.hisparse.operands import Operands
from experiments.papers.hisparse.printed import NODE_SIZE
from experiments.papers.hisparse.sum_reference import csr_difference, merged, tree_difference
from experiments.papers.kit.measurement import Run, one_line
from experiments.papers.kit.results import Record

if TYPE_CHECKING:
    from gpu.measure.timing import Timing


Enqueue = Callable[[Any], None]
SumTimer = Callable[[Sequence[Enqueue], Sequence[Enqueue]], "Sequence[Timing]"]
"""Times operations in turn: those that can be captured into a graph, then those that cannot."""


def warm_sums(seconds: float) -> SumTimer:
    """Return what times operations in turn, each with the same buffers again, for so long."""

    def timed(captured: Sequence[Enqueue], uncaptured: Sequence[Enqueue]) -> Sequence[Timing]:
        from gpu.measure.timing import measure_in_turn

        return measure_in_turn([[each] for each in captured], seconds, uncaptured)

    return timed


@dataclass(frozen=True)
class Prepared:
    """A sum that is ready to be timed.

    Attributes
    ----------
    record
        What it is, without times.
    whole
        All of it; None where it is timed by its parts.
    parts
        Its passes by name.
    captured
        Whether a graph can have them.
    """

    record: Record
    whole: Enqueue | None
    parts: dict[str, Enqueue] = field(default_factory=dict)
    captured: bool = True

    @property
    def passes(self) -> list[Enqueue]:
        """All that is timed of it."""
        return [*((self.whole,) if self.whole else ()), *self.parts.values()]


class Matrices:
    """A and B on the device in positions, with all sums of them; both types share it.

    Parameters
    ----------
    given
        A and B, with their transposes.
    """

    def __init__(self, given: Operands) -> None:
        self._given, self._positions = given, dict[str, Positions]()

    def tree(self, name: str, csr: Any, node_size: int) -> Any:
        """Return a tree of a matrix whose positions are kept under a name."""
        if name not in self._positions:
            self._positions[name] = Positions(csr)
        return self._positions[name].tree(csr.data, node_size)


class Sums:
    """All sums of two matrices in one type.

    Parameters
    ----------
    name
        Of the first matrix.
    given
        A and B, with their transposes, in the type.
    matrices
        Their positions.
    timer
        See `SumTimer`.
    run
        Where the time goes.
    """

    def __init__(self, name: str, given: Operands, matrices: Matrices, timer: SumTimer, run: Run) -> None:
        self.name, self._given, self._matrices = name, given, matrices
        self._timer, self._run = timer, run
        self._dtype = given.first.dtype.name
        self._wanted: dict[str, Any] = {}
        self._open = ExitStack()

    @property
    def square(self) -> bool:
        """Whether A + Bᵀ is there."""
        rows, columns = self._given.first.shape
        return bool(rows == columns)

    def wanted(self, operation: str) -> Any:
        """Return a sum as it must be, in CSR."""
        if operation not in self._wanted:
            given = self._given
            pairs = {
                "sum": (given.first, given.second),
                "sum_t": (given.first_turned, given.second_turned),
                "sum_bt": (given.first, given.second_turned),
            }
            with self._run.phase("what sums must be"):
                self._wanted[operation] = merged(*pairs[operation])
        return self._wanted[operation]

    def records(self) -> list[Record]:
        """Prepare and check every sum, then time all in turn; what fails is a record with its reason."""
        from gpu.runtime.memory import free_what_is_dropped

        ready: list[Prepared] = []
        failed: list[Record] = []
        with self._open:
            for method, prepare in METHODS.items():
                blanks = self.blanks(method)
                made: list[Prepared] = []
                with self._run.phase(f"sums, {method}"):
                    try:
                        made.extend(prepare(self))
                    except Exception as error:  # the other sums are measured
                        reason = one_line(error)
                        failed += [replace(b, status="failed", reason=reason) for b in blanks[len(made) :]]
                ready += made
            with self._run.phase("timing of sums"):
                timed = self._timed([each for each in ready if each.record.status == "ok"])
        results = [timed.get(id(each), each.record) for each in ready]
        del ready
        free_what_is_dropped()
        return [*_with_transposed(results), *failed]

    def blanks(self, method: str) -> list[Record]:
        """Return what is to be measured by one of `METHODS`, in its order."""
        planned = {
            GEAM: GEAM_RECORDS,
            TREE_SUM: (("sum", TREE_SUM), ("sum_bt", TREE_SUM)),
        }.get(method, tuple((operation, method) for operation in SUMS))
        there = SUMS if self.square else SUMS[:-1]
        return [self._record(operation, each) for operation, each in planned if operation in there]

    def _timed(self, ready: Sequence[Prepared]) -> dict[int, Record]:
        """Time all passes in turn, one that several sums share but once; return the records by the sum."""

        def passes(is_captured: bool) -> list[Enqueue]:
            wanted = [each for each in ready if each.captured == is_captured]
            return list(dict.fromkeys(each for prepared in wanted for each in prepared.passes))

        captured, others = passes(True), passes(False)
        try:
            timings = self._timer(captured, others)
        except Exception as error:  # the other matrices are measured
            reason = one_line(error)
            return {id(p): replace(p.record, status="failed", reason=reason) for p in ready}
        by_pass = dict(zip([*captured, *others], timings, strict=True))
        return {id(p): _with_times(p, by_pass) for p in ready}

    def _record(self, operation: str, method: str, **measured: Any) -> Record:
        return Record(self.name, method, self._dtype, operation, **measured)

    def _checked_tree(self, operation: str, method: str, result: Any, again: Callable[[], Any],
                      node_size: int, **measured: Any) -> Record:  # fmt: skip
        """Return the record of a tree that is compared with what it must be, twice."""
        from gpu.hisparse.device_hisparse import DeviceHiSparse

        wanted = self.wanted(operation)
        exact = self._matrices.tree(operation, wanted, node_size).content
        error = 0.0
        if differ(result, exact):
            error = tree_difference(DeviceHiSparse(result).to_hisparse(), wanted)
        same = not differ(again(), exact) if error == 0 else None
        return self._record(operation, method, error=error, same_bits=same, **measured)

    def trees(self) -> Iterator[Prepared]:
        """Prepare `gpu.add` of HiSparse: of two transposed operands the sum is that of A and B."""
        from gpu.hisparse.node_layout import DEFAULT_NODE_SIZE
        from gpu.hisparse.sum.tree_sum import TreeSum

        one, two = self._operands(DEFAULT_NODE_SIZE)
        for operation in ("sum", "sum_bt") if self.square else ("sum",):
            work = TreeSum(one, two, (False, operation == "sum_bt"))
            work.count()
            result = work.empty()
            passes = {
                "symbolic": _on_stream(work.count),
                "numeric": _on_stream(partial(work.write, work.into(result))),
            }
            whole = _all_of(passes)

            def again(whole: Enqueue = whole, result: Any = result) -> Any:
                whole(SimpleNamespace(address=0))
                return result

            again()
            record = self._checked_tree(operation, TREE_SUM, result, again, DEFAULT_NODE_SIZE,
                                        nbytes=one.nbytes + two.nbytes + result.nbytes)  # fmt: skip
            yield Prepared(record, whole, passes)

    def traversals(self) -> Iterator[Prepared]:
        """Prepare the dual traversal, with the paper's d; each operand is transposed while it is walked."""
        from gpu.hisparse.sum.dual_traversal import DualTraversalSum

        one, two = self._operands(NODE_SIZE)
        ways = {"sum": (False, False), "sum_t": (True, True), "sum_bt": (False, True)}
        for operation in SUMS if self.square else SUMS[:-1]:
            work = DualTraversalSum(one, two, ways[operation])

            def again(work: Any = work) -> Any:
                work.run()
                return work.result()

            record = self._checked_tree(operation, DUAL_SUM, again(), again, NODE_SIZE,
                                        nbytes=one.nbytes + two.nbytes + work.nbytes)  # fmt: skip
            yield Prepared(record, _on_stream(work.run))

    def _operands(self, node_size: int) -> tuple[Any, Any]:
        given = self._given
        return (
            self._matrices.tree("A", given.first, node_size).content,
            self._matrices.tree("B", given.second, node_size).content,
        )

    def compressed(self) -> Iterator[Prepared]:
        """Prepare `gpu.add` of CSR."""
        from gpu.sums.device_csr import DeviceCsr

        placed = DeviceCsr.from_scipy(self._given.first), DeviceCsr.from_scipy(self._given.second)
        for operation in ("sum", "sum_t", "sum_bt") if self.square else ("sum", "sum_t"):
            yield self._compressed(operation, *placed)

    def _compressed(self, operation: str, one: Any, two: Any) -> Prepared:
        from gpu.sums.csr_sum import CsrSum
        from gpu.sums.transposition import transposition_of

        turning = transposition_of(two) if operation == "sum_bt" else None
        if turning is not None:
            turning.launch()
        work = CsrSum(one, two if turning is None else turning.result)
        work.count()
        result = work.empty()
        writing = work.into(result)
        work.write(writing, 1.0, 1.0)
        behind = transposition_of(result) if operation == "sum_t" else None
        final = result if behind is None else behind.result
        passes: dict[str, Enqueue] = {}
        if turning is not None:
            passes["conversion"] = _on_stream(turning.launch)
        passes["symbolic"] = _on_stream(work.count)
        passes["numeric"] = _on_stream(partial(work.write, writing, 1.0, 1.0))
        if behind is not None:
            passes["conversion"] = _on_stream(behind.launch)
        whole = _all_of(passes)
        error, same = self._checked(operation, whole, final)
        nbytes = one.nbytes + two.nbytes + final.nbytes
        record = self._record(operation, CSR_SUM, nbytes=nbytes, error=error, same_bits=same)
        return Prepared(record, whole, passes)

    def _checked(self, operation: str, whole: Enqueue, final: Any) -> tuple[float, bool]:
        """Run a sum in CSR twice; return its error, and whether both runs gave the same bits."""
        from gpu.measure.equality import are_equal
        from gpu.runtime.memory import copied
        from gpu.sums.device_csr import DeviceCsr

        wanted, stream = self.wanted(operation), SimpleNamespace(address=0)
        parts = ("pointers", "columns", "values")
        placed, error = DeviceCsr.from_scipy(wanted), 0.0
        whole(stream)
        if not all(are_equal(getattr(final, part), getattr(placed, part)) for part in parts):
            error = csr_difference(final.to_scipy(), wanted)
        once = [copied(getattr(final, part)) for part in parts]
        whole(stream)
        return error, all(are_equal(one, getattr(final, part)) for one, part in zip(once, parts, strict=True))

    def cusparse(self) -> Iterator[Prepared]:
        """Prepare csrgeam2, with and without the conversions of the operands, or with that of the sum."""
        from experiments.baseline.cusparse_sums import PlacedCsr, SparseSum, SparseTransposition
        from gpu.runtime.cuda_driver import Stream

        given, enter = self._given, self._open.enter_context
        one, two = (enter(PlacedCsr.holding(each)) for each in (given.first, given.second))
        direct = enter(SparseSum(one, two))
        behind = enter(SparseTransposition(direct.result))
        yield self._library("sum", GEAM, direct)
        yield self._library("sum_t", CONVERTED_GEAM, direct, behind)
        left, right = enter(SparseTransposition(one)), enter(SparseTransposition(two))
        with Stream() as stream:
            for each in (left, right):
                each.enqueue(stream)
            stream.synchronize()
        transposed = enter(SparseSum(left.result, right.result))
        yield self._library("sum_t", GEAM, transposed)
        yield self._library("sum_t", CONVERTING_GEAM, transposed, left, right)
        if self.square:
            mixed = enter(SparseSum(one, right.result))
            yield self._library("sum_bt", GEAM, mixed)
            yield self._library("sum_bt", CONVERTING_GEAM, mixed, right)

    def _library(self, operation: str, method: str, work: Any, *conversions: Any) -> Prepared:
        parts: dict[str, Enqueue] = {"symbolic": work.symbolic, "numeric": work.numeric}
        if conversions:

            def convert(stream: Any) -> None:
                for each in conversions:
                    each.enqueue(stream)

            parts["conversion"] = convert
        return Prepared(self._record(operation, method), None, parts, captured=False)


GEAM_RECORDS = (
    ("sum", GEAM),
    ("sum_t", CONVERTED_GEAM),
    ("sum_t", GEAM),
    ("sum_t", CONVERTING_GEAM),
    ("sum_bt", GEAM),
    ("sum_bt", CONVERTING_GEAM),
)
"""What of cuSPARSE is measured, in this order."""
METHODS: dict[str, Callable[[Sums], Iterator[Prepared]]] = {
    TREE_SUM: Sums.trees,
    DUAL_SUM: Sums.traversals,
    CSR_SUM: Sums.compressed,
    GEAM: Sums.cusparse,
}
"""What is measured, by the first method of its records."""


def _on_stream(operation: Callable[..., None]) -> Enqueue:
    """Return an operation that takes ``stream`` of Numba as one that takes a stream of the driver."""

    def enqueue(stream: Any) -> None:
        from gpu.runtime.vectors import stream_of

        operation(stream=stream_of(stream.address))

    return enqueue


def _all_of(passes: dict[str, Enqueue]) -> Enqueue:
    """Return the passes one after the other."""

    def enqueue(stream: Any) -> None:
        for each in passes.values():
            each(stream)

    return enqueue


def _with_times(prepared: Prepared, timings: dict[Enqueue, Timing]) -> Record:
    """Return the record of a sum with its times; of a sum timed by its passes they are added."""
    passes = {name: timings[each] for name, each in prepared.parts.items()}
    if prepared.whole is not None:
        whole = timings[prepared.whole]
        median, spread = whole.median_us, whole.spread
    else:
        median = sum(each.median_us for each in passes.values())
        spread = max(each.spread for each in passes.values())
    parts = {name: timing.median_us for name, timing in passes.items()}
    return replace(prepared.record, median_us=median, spread=spread, parts=parts)


def _with_transposed(records: Iterable[Record]) -> Iterator[Record]:
    """Yield records, and after A + B by `gpu.add` of HiSparse the same as that of Aᵀ + Bᵀ."""
    for each in records:
        yield each
        if (each.method, each.operation) == (TREE_SUM, "sum"):
            yield replace(each, operation="sum_t")
