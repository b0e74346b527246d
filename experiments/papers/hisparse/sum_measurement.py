"""Sums on the GPU, C = A + B, Aᵀ + Bᵀ and A + Bᵀ, of HiSparse and of CSR, next to csrgeam2 of cuSPARSE.

Room for the work and for the sum is there before anything is timed, on both sides: what is timed is the pass
that counts the entries of the sum and the one that writes them, and where CSR is transposed, that too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import pairwise
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from experiments.papers.hisparse.methods import CONVERTED_GEAM, CONVERTING_GEAM, CSR_SUM, GEAM, SUMS, TREE_SUM
from experiments.papers.hisparse.operands import Operands
from experiments.papers.hisparse.sum_reference import csr_difference, merged, tree_difference
from experiments.papers.kit.measurement import Timer
from experiments.papers.kit.results import Record
from gpu.hisparse.container import HiSparse

if TYPE_CHECKING:
    from gpu.measure.timing import Timing

CALLS = 9
"""Calls of cuSPARSE that are timed: its conversion and its count cannot be captured into a graph."""

GEAM_RECORDS = (
    ("sum", GEAM),
    ("sum_t", CONVERTED_GEAM),
    ("sum_t", GEAM),
    ("sum_t", CONVERTING_GEAM),
    ("sum_bt", GEAM),
    ("sum_bt", CONVERTING_GEAM),
)
"""What of cuSPARSE is measured, in this order."""
ON_THE_HOST = "a long column has entries anywhere: such a matrix is transposed on the host"

Way = Callable[["Sums"], Iterator[Record]]


class Sums:
    """All sums of two matrices in one type.

    Parameters
    ----------
    name
        Of the first matrix.
    given
        A and B, with their transposes.
    ours, library
        Time an operation of ours, and a call of cuSPARSE.
    tree
        A in HiSparse; it is converted without it.
    """

    def __init__(
        self, name: str, given: Operands, ours: Timer, library: Timer, tree: HiSparse | None = None
    ) -> None:
        self.name, self.given, self.ours, self.library, self._tree = name, given, ours, library, tree
        self.dtype = given.first.dtype.name
        self._wanted = {"sum": merged(given.first, given.second)}
        if self.square:
            self._wanted["sum_bt"] = merged(given.first, given.second_turned)

    @property
    def square(self) -> bool:
        """Whether A + Bᵀ is there."""
        rows, columns = self.given.first.shape
        return bool(rows == columns)

    def wanted(self, operation: str) -> Any:
        """Return a sum as it must be, in CSR."""
        if operation == "sum_t" and operation not in self._wanted:
            self._wanted[operation] = merged(self.given.first_turned, self.given.second_turned)
        return self._wanted[operation]

    def blanks(self, method: str) -> list[Record]:
        """Return what is to be measured by one of `METHODS`, in its order."""
        planned = GEAM_RECORDS if method == GEAM else [(operation, method) for operation in SUMS]
        there = SUMS if self.square else SUMS[:-1]
        return [self.record(operation, each) for operation, each in planned if operation in there]

    def record(self, operation: str, method: str, **measured: Any) -> Record:
        """Make a record."""
        return Record(self.name, method, self.dtype, operation, **measured)

    def trees(self) -> Iterator[Record]:
        """Measure `gpu.add` of HiSparse: of two transposed operands the sum is that of A and B."""
        from gpu.hisparse.device_hisparse import DeviceHiSparse
        from gpu.hisparse.device_tree import DeviceTree
        from gpu.hisparse.sum.tree_sum import TreeSum
        from gpu.measure.equality import are_equal, copied

        one, two = (
            DeviceTree.from_host((each or HiSparse.from_scipy(csr)).content)
            for each, csr in ((self._tree, self.given.first), (None, self.given.second))
        )
        for operation in ("sum", "sum_bt") if self.square else ("sum",):
            work = TreeSum(one, two, (False, operation == "sum_bt"))
            work.count()
            result = work.empty()
            writing = work.into(result)
            passes = _Passes(work.count, lambda stream, work=work, at=writing: work.write(at, stream=stream))
            passes.run()
            match, once = DeviceHiSparse(result).to_hisparse(), copied(result.words)
            passes.run()
            same = are_equal(once, result.words)
            del once
            built = self.record(
                operation,
                TREE_SUM,
                nbytes=one.nbytes + two.nbytes + result.nbytes,
                error=tree_difference(match, self.wanted(operation)),
                same_bits=same,
                **passes.timed(self.ours),
            )
            yield built
            if operation == "sum":
                whole = self.ours(passes.all)
                yield replace(built, operation="sum_t", median_us=whole.median_us, spread=whole.spread)

    def compressed(self) -> Iterator[Record]:
        """Measure `gpu.add` of CSR."""
        from gpu.sums.device_csr import DeviceCsr

        placed = DeviceCsr.from_scipy(self.given.first), DeviceCsr.from_scipy(self.given.second)
        for operation in ("sum", "sum_t", "sum_bt") if self.square else ("sum", "sum_t"):
            yield self._compressed(operation, *placed)

    def _compressed(self, operation: str, one: Any, two: Any) -> Record:
        from gpu.sums.csr_sum import CsrSum
        from gpu.sums.transposition import transposition_of

        turning = transposition_of(two) if operation == "sum_bt" else None
        if turning is not None:
            turning.launch()
        elif operation == "sum_bt":
            return self.record(operation, CSR_SUM, status="failed", reason=ON_THE_HOST)
        work = CsrSum(one, two if turning is None else turning.result)
        work.count()
        result = work.empty()
        writing = work.into(result)
        work.write(writing, 1.0, 1.0)
        behind = transposition_of(result) if operation == "sum_t" else None
        if operation == "sum_t" and behind is None:
            return self.record(operation, CSR_SUM, status="failed", reason=ON_THE_HOST)
        final = result if behind is None else behind.result
        passes = _Passes(
            lambda stream: work.count(stream=stream),
            lambda stream: work.write(writing, 1.0, 1.0, stream),
            before=None if turning is None else turning.launch,
            behind=None if behind is None else behind.launch,
        )
        error, same = self._checked(operation, passes, final)
        return self.record(
            operation,
            CSR_SUM,
            nbytes=one.nbytes + two.nbytes + final.nbytes,
            error=error,
            same_bits=same,
            **passes.timed(self.ours),
        )

    def _checked(self, operation: str, passes: _Passes, final: Any) -> tuple[float, bool]:
        """Run a sum in CSR twice; return its error, and whether both runs gave the same bits."""
        from gpu.measure.equality import are_equal, copied
        from gpu.sums.device_csr import DeviceCsr

        wanted = self.wanted(operation)
        parts = ("pointers", "columns", "values")
        placed, error = DeviceCsr.from_scipy(wanted), 0.0
        passes.run()
        if not all(are_equal(getattr(final, part), getattr(placed, part)) for part in parts):
            error = csr_difference(final.to_scipy(), wanted)
        once = [copied(getattr(final, part)) for part in parts]
        passes.run()
        return error, all(are_equal(one, getattr(final, part)) for one, part in zip(once, parts, strict=True))

    def cusparse(self) -> Iterator[Record]:
        """Measure csrgeam2, with and without the conversions of the operands, or with that of the sum."""
        from gpu.baseline.cusparse_sums import PlacedCsr, SparseSum, SparseTransposition

        given, clock = self.given, self.library
        with PlacedCsr.holding(given.first) as one, PlacedCsr.holding(given.second) as two:
            with SparseSum(one, two) as work:
                direct = _geam(work, clock)
                yield self._library("sum", GEAM, direct)
                with SparseTransposition(work.result) as turning:
                    behind = clock(turning.enqueue)
                yield self._library("sum_t", CONVERTED_GEAM, {**direct, "conversion": behind})
            with SparseTransposition(one) as left, SparseTransposition(two) as right:
                conversions = [clock(left.enqueue), clock(right.enqueue)]
                with SparseSum(left.result, right.result) as work:
                    transposed = _geam(work, clock)
                yield self._library("sum_t", GEAM, transposed)
                both = _together(conversions)
                yield self._library("sum_t", CONVERTING_GEAM, {**transposed, "conversion": both})
                if self.square:
                    with SparseSum(one, right.result) as work:
                        mixed = _geam(work, clock)
                    yield self._library("sum_bt", GEAM, mixed)
                    converting = {**mixed, "conversion": conversions[1]}
                    yield self._library("sum_bt", CONVERTING_GEAM, converting)

    def _library(self, operation: str, method: str, parts: dict[str, Timing]) -> Record:
        whole = _together(list(parts.values()))
        times = {name: timing.median_us for name, timing in parts.items()}
        return self.record(operation, method, median_us=whole.median_us, spread=whole.spread, parts=times)


METHODS: dict[str, Way] = {
    TREE_SUM: Sums.trees,
    CSR_SUM: Sums.compressed,
    GEAM: Sums.cusparse,
}
"""What is measured, by the first method of its records."""


class _Passes:
    """The passes of a sum of ours, each given a stream of Numba."""

    def __init__(
        self,
        symbolic: Callable[..., None],
        numeric: Callable[..., None],
        *,
        before: Callable[[Any], None] | None = None,
        behind: Callable[[Any], None] | None = None,
    ) -> None:
        self._parts = {"symbolic": lambda stream: symbolic(stream=stream), "numeric": numeric}
        conversion = before or behind
        if conversion is not None:
            self._parts["conversion"] = conversion
        self._order = ["conversion"] * (before is not None) + ["symbolic", "numeric"]
        self._order += ["conversion"] * (behind is not None)

    def run(self) -> None:
        """Do all of it once."""
        self.all(SimpleNamespace(address=0))

    def all(self, stream: Any) -> None:
        """Put all of it on a stream of `gpu.runtime.cuda_driver`."""
        for name in self._order:
            self._one(name, stream)

    def _one(self, name: str, stream: Any) -> None:
        from gpu.runtime.vectors import stream_of

        self._parts[name](stream_of(stream.address))

    def timed(self, clock: Timer) -> dict[str, Any]:
        """Return the time of all together and of each alone, as a record has them."""
        whole = clock(self.all)
        parts = {name: clock(partial(self._one, name)) for name in self._order}
        return {
            "median_us": whole.median_us,
            "spread": whole.spread,
            "parts": {name: timing.median_us for name, timing in parts.items()},
        }


def _geam(work: Any, clock: Timer) -> dict[str, Timing]:
    return {"symbolic": clock(work.symbolic), "numeric": clock(work.numeric)}


def _together(timings: list[Timing]) -> Timing:
    """Add the times of calls that come one after the other."""
    return replace(
        timings[0],
        median_us=sum(each.median_us for each in timings),
        spread=max(each.spread for each in timings),
    )


def back_to_back(enqueue: Callable[[Any], None]) -> Timing:
    """Time calls that are enqueued one after the other: the median of several."""
    from gpu.measure.timing import statistics
    from gpu.runtime.cuda_driver import Event, Stream

    with Stream() as stream:
        enqueue(stream)
        events = [Event() for _ in range(CALLS + 1)]
        events[0].record(stream)
        for event in events[1:]:
            enqueue(stream)
            event.record(stream)
        stream.synchronize()
        times = [later.microseconds_since(earlier) for earlier, later in pairwise(events)]
        for event in events:
            event.close()
    return statistics(times, 1)
