"""Sums of CSR matrices on the GPU, C = A + B and C = Aᵀ + Bᵀ, beside csrgeam2 of cuSPARSE.

Room for the work and for the sum is there before anything is timed, on both sides: what is timed is the pass
that counts the entries of the sum and the one that writes them, and where operands are transposed, that too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.hisparse.methods import CONVERTED_GEAM, CONVERTING_GEAM, CSR_SUM, GEAM
from experiments.hisparse.results import Record

if TYPE_CHECKING:
    from gpu.measure.timing import Timing

CALLS = 9
"""Calls of cuSPARSE that are timed: its conversion and its count cannot be captured into a graph."""

Clock = Callable[[Callable[[Any], None]], Any]
"""Gives the `gpu.measure.timing.Timing` of an operation, which it calls with streams."""


def sums(name: str, first: Any, second: Any, ours: Clock, library: Clock) -> Iterator[Record]:
    """Measure all sums of two matrices.

    Parameters
    ----------
    name
        Of the first.
    first, second
        A and B: canonical scipy.sparse.csr_array of one shape and type.
    ours, library
        Time an operation of ours, and a call of cuSPARSE.

    Raises
    ------
    UserError
        Whatever the device objects to.
    """
    from gpu.runtime.memory import free_what_is_dropped

    exact = first + second
    yield _ours(name, "sum", first, second, exact, ours)
    longest = int(np.bincount(exact.indices, minlength=1).max())
    if longest > _longest_column():
        why = f"a column of the sum has {longest} entries: it is transposed on the host"
        yield Record(name, "sum_t", CSR_SUM, first.dtype.name, "failed", why)
    else:
        yield _ours(name, "sum_t", first, second, exact, ours)
    free_what_is_dropped()
    for operation, method, parts in _cusparse(first, second, library):
        us, spread = sum(part.median_us for part in parts), max(part.spread for part in parts)
        yield Record(name, operation, method, first.dtype.name, median_us=us, spread=spread)


def _longest_column() -> int:
    from gpu.addition.transposition import LONGEST_COLUMN

    return LONGEST_COLUMN


def _ours(name: str, operation: str, first: Any, second: Any, exact: Any, clock: Clock) -> Record:
    """Add, and for Aᵀ + Bᵀ transpose the sum, twice, and time it."""
    from gpu.addition.csr_sum import CsrSum
    from gpu.addition.device_csr import DeviceCsr
    from gpu.addition.transposition import Transposition
    from gpu.runtime.vectors import stream_of

    one, two = DeviceCsr.from_scipy(first), DeviceCsr.from_scipy(second)
    work = CsrSum(one, two)
    work.count()
    result = work.empty()
    writing = work.into(result)
    work.write(writing, 1.0, 1.0)
    turning = Transposition(result) if operation == "sum_t" else None
    final, wanted = (result, exact) if turning is None else (turning.result, exact.T.tocsr())

    def enqueue(stream: Any) -> None:
        on = stream_of(stream.address)
        work.count(stream=on)
        work.write(writing, 1.0, 1.0, on)
        if turning is not None:
            turning.launch(on)

    found = []
    for _ in range(2):
        enqueue(SimpleNamespace(address=0))
        found.append(final.to_scipy())
    timing = clock(enqueue)
    nbytes = one.nbytes + two.nbytes + final.nbytes
    return Record(
        name,
        operation,
        CSR_SUM,
        first.dtype.name,
        median_us=timing.median_us,
        spread=timing.spread,
        nbytes=nbytes,
        error=difference(found[0], wanted),
        same_bits=difference(found[0], found[1]) == 0,
    )


def difference(found: Any, wanted: Any) -> float:
    """Give how far a sum is from another: 0 where both are equal, infinity for other patterns.

    Entries that are 0 do not count: where A and B cancel, SciPy has no entry, and `gpu.add` has one.
    """
    for each in (found, wanted):
        each.eliminate_zeros()
    if not (np.array_equal(found.indptr, wanted.indptr) and np.array_equal(found.indices, wanted.indices)):
        return float("inf")
    apart = float(np.abs(found.data - wanted.data).max(initial=0.0))
    largest = float(np.abs(wanted.data).max(initial=0.0))
    return apart / largest if largest else apart


def _cusparse(first: Any, second: Any, clock: Clock) -> Iterator[tuple[str, str, tuple[Any, ...]]]:
    """Time csrgeam2, and the conversions of both operands, or of the sum."""
    from gpu.baseline.cusparse_sums import PlacedCsr, SparseSum, SparseTransposition

    with PlacedCsr.holding(first) as one, PlacedCsr.holding(second) as two:
        with SparseSum(one, two) as work:
            direct = clock(work.enqueue)
            with SparseTransposition(work.result) as turning:
                of_sum = clock(turning.enqueue)
        yield "sum", GEAM, (direct,)
        yield "sum_t", CONVERTED_GEAM, (direct, of_sum)
        with SparseTransposition(one) as left, SparseTransposition(two) as right:
            conversions = [clock(left.enqueue), clock(right.enqueue)]
            with SparseSum(left.result, right.result) as work:
                turned = clock(work.enqueue)
        yield "sum_t", GEAM, (turned,)
        yield "sum_t", CONVERTING_GEAM, (turned, *conversions)


def back_to_back(enqueue: Callable[[Any], None]) -> Timing:
    """Time calls that are enqueued one behind the other: the median of several."""
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
