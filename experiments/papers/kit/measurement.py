"""What measurements on a GPU share: where their time goes, products and cuSPARSE as records, and failures.

What fails is recorded with its reason, and the run goes on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from functools import partial
from typing import Any, Protocol, TypeVar

import numpy as np

from experiments.gpu_bench.methods import Launched
from experiments.papers.kit.request import Watch
from experiments.papers.kit.results import R, Record, Status, kind_of_results
from vecsim.formats import NotRepresentableError
from vecsim.formats.accuracy import ExactProduct
from vecsim.results.provenance import provenance
from vecsim.support.errors import UserError

LONGEST = 300
"""Letters of a reason that are kept."""
LIMIT_SECONDS = 420.0
"""After so long no other matrix is begun, so that a run ends within nine minutes: some take over a minute."""
TOO_LATE = "the time was over"
WORKERS = 5
"""Processes that make matrices, at most."""
DTYPES = ("float64", "float32")


class Named(Protocol):
    """Something to be measured."""

    @property
    def name(self) -> str:
        """What it is called."""


C = TypeVar("C", bound=Named)
S = TypeVar("S")
Timer = Callable[[Callable[[Any], None]], Any]
"""Returns the `gpu.measure.timing.Timing` of an operation, which it calls with streams."""


def one_line(error: Exception) -> str:
    """Return an error as a line; an unexpected one with its type."""
    text = " ".join(str(error).split())[:LONGEST]
    return text if isinstance(error, UserError) else f"{type(error).__name__}: {text}"


def measuring_device() -> tuple[str, dict[str, str]]:
    """Return the name of the GPU of this machine, and its versions and limits as text.

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
    return info.name, facts | {name: str(version) for name, version in info.packages.items()}


def warm(seconds: float) -> Timer:
    """Return what times an operation with the same buffers again and again, for so long."""

    def timed(operation: Callable[[Any], None]) -> Any:
        from gpu.measure.timing import measure

        return measure([operation], seconds)

    return timed


class Run:
    """One run of a measurement: when it began, and where its time goes.

    Parameters
    ----------
    limit
        Seconds after which no other matrix is begun.
    late
        Seconds after which nothing more of a matrix is measured.

    Attributes
    ----------
    seconds
        By phase.
    """

    def __init__(self, limit: float = float("inf"), late: float = float("inf")) -> None:
        self.seconds: dict[str, float] = {}
        self._limit, self._late = limit, late
        self._made = provenance()
        self._begun = time.perf_counter()

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Add the time of a block to a phase."""
        begun = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - begun

    def each(
        self, chosen: Sequence[C], supplied: Iterable[S], watch: Watch
    ) -> Iterator[tuple[C, S | None, str]]:
        """Yield what is to be measured with what was made of it, or with None and the reason once time is up.

        Parameters
        ----------
        chosen
            Each with a name.
        supplied
            What is made of them, in their order.
        watch
            Called with what is measured next, and the share that is done, 0 to 1.
        """
        waiting = iter(supplied)
        for number, one in enumerate(chosen):
            if self._since() > self._limit:
                yield one, None, f"left out: {self._limit:.0f} seconds were over"
                continue
            with self.phase("wait for matrices"):
                built = next(waiting)
            watch(f"measuring {one.name}", number / len(chosen))
            yield one, built, ""

    @property
    def is_late(self) -> bool:
        """Whether nothing more of a matrix is measured."""
        return self._since() > self._late

    def _since(self) -> float:
        return time.perf_counter() - self._begun

    def results(self, type_: type[R], device: tuple[str, dict[str, str]], **tables: Any) -> R:
        """Return what it measured.

        Parameters
        ----------
        type_
            The class of the paper's results.
        device
            Of `measuring_device`.
        tables
            Matrices, records, and what else the class has.
        """
        seconds = {**self.seconds, "all": self._since()}
        rows: dict[str, Any] = {name: tuple(matches) for name, matches in tables.items()}
        return type_(
            kind=kind_of_results(type_.paper),
            made=self._made.date,
            commit=str(self._made.commit),
            gpu=device[0],
            facts=device[1],
            seconds={name: round(value, 2) for name, value in seconds.items()},
            command=self._made.command,
            versions=dict(self._made.versions),
            **rows,
        )


class Case:
    """The products of one matrix, as records.

    Parameters
    ----------
    matrix
        Its name.
    exact
        The exact products, by operation and type; the operation is empty where there is but one.
    timer
        Times an operation; see `Timer`.
    run
        Where the time goes.
    """

    def __init__(
        self, matrix: str, exact: Mapping[tuple[str, str], ExactProduct], timer: Timer, run: Run
    ) -> None:
        self.matrix, self.exact, self.timer, self.run = matrix, exact, timer, run

    def blank(self, method: str, dtype: str = "", operation: str = "") -> Record:
        """Return a record without results."""
        return Record(self.matrix, method, dtype, operation)

    def safely(self, blanks: Sequence[Record], records: Iterable[Record]) -> list[Record]:
        """Return records as they are measured, and those that are missing in the end with the reason.

        Parameters
        ----------
        blanks
            What is to be measured.
        records
            Measures it, in this order.
        """
        from gpu.runtime.memory import free_what_is_dropped

        if self.run.is_late:
            return [replace(each, status="left_out", reason=TOO_LATE) for each in blanks]
        matches: list[Record] = []
        try:
            matches.extend(records)
        except Exception as error:  # one failing case must not cost the others
            refused = isinstance(error, NotRepresentableError)
            status: Status = "not_representable" if refused else "failed"
            matches += [
                replace(each, status=status, reason=one_line(error)) for each in blanks[len(matches) :]
            ]
        free_what_is_dropped()
        return matches

    def own(
        self,
        blank: Record,
        make: Callable[[], Any],
        *,
        conversion_us: float | None = None,
        apart: str = "",
        compare_bits: bool = False,
    ) -> Record:
        """Check a product of ours and time it.

        Parameters
        ----------
        blank
            What it is.
        make
            Puts its matrix on the device.
        conversion_us
            What was spent before; with it, the part ``setup`` of the record is all until a product is there.
        apart
            Name of the kernels of the product that are timed alone, too, as a part of this name.
        compare_bits
            Whether it is multiplied twice and the results compared.
        """
        from gpu.runtime.cuda import cuda
        from gpu.runtime.memory import free_what_is_dropped

        exact = self.exact[blank.operation, blank.dtype]
        begun = time.perf_counter()
        with self.run.phase("uploads"):
            placed = Launched(make(), exact.x, len(exact.y))
            cuda.synchronize()
        spent = (time.perf_counter() - begun) * 1e6
        with self.run.phase("compilation"):
            result = placed.result()
        same = bool(np.array_equal(result, placed.result(), equal_nan=True)) if compare_bits else None
        record = replace(self._timed(blank, placed.enqueue, placed.nbytes, lambda: result), same_bits=same)
        parts = {} if conversion_us is None else {"setup": conversion_us + spent}
        if kernels := getattr(placed.product, apart, ()) if apart else ():
            parts[apart] = float(self.timer(partial(placed.launch_all, kernels)).median_us)
        del placed
        free_what_is_dropped()  # now, and not by Numba in the midst of a later measurement
        return replace(record, parts=parts)

    def _timed(
        self, blank: Record, enqueue: Callable[[Any], None], nbytes: int, read: Callable[[], Any]
    ) -> Record:
        with self.run.phase("timing"):
            timing = self.timer(enqueue)
        with self.run.phase("checks"):
            error = float(self.exact[blank.operation, blank.dtype].error(read()))
        return replace(blank, median_us=timing.median_us, spread=timing.spread, nbytes=nbytes, error=error)

    def library(
        self, names: Iterable[str], csr: Any, dtype: str, operations: Sequence[str] = ("",)
    ) -> list[Record]:
        """Measure formats and algorithms of cuSPARSE; each is named as `Record.chosen`, too.

        Parameters
        ----------
        names
            Of `experiments.baseline.cusparse.METHODS`.
        csr
            The matrix, in this type.
        dtype
            float32 or float64.
        operations
            Keys of the exact products; ``spmv_t`` is left out where there is no such product.
        """
        matches: list[Record] = []
        for name in names:
            blanks = [replace(self.blank(name, dtype, each), chosen=name) for each in operations]
            matches += self.safely(blanks, self._library(name, csr, blanks))
        return matches

    def _library(self, name: str, csr: Any, blanks: Sequence[Record]) -> Iterator[Record]:
        from experiments.baseline.cusparse import METHODS, SparseProduct

        begun = time.perf_counter()
        with self.run.phase("conversions"):
            stored = METHODS[name].store(csr)
        for blank in blanks:
            is_transposed = blank.operation == "spmv_t"
            if is_transposed and not METHODS[name].transposes:
                continue
            with SparseProduct(name, stored, csr.shape, transposed=is_transposed) as product:
                setup = (time.perf_counter() - begun) * 1e6
                product.write_x(self.exact[blank.operation, blank.dtype].x)
                record = self._timed(blank, product.enqueue, product.nbytes, product.read_y)
            yield replace(record, parts={"setup": setup})

    def fastest(
        self, tried: Iterable[Record], method: str, dtype: str, operation: str = "", kind: str = ""
    ) -> Record:
        """Return the fastest of some records, as its own method; without any, why.

        Parameters
        ----------
        tried
            Of `library`.
        method, dtype, operation
            As of `Record`.
        kind
            How the names of those that count begin.
        """
        matches = [each for each in tried if each.operation == operation and each.chosen.startswith(kind)]
        there = [each for each in matches if each.status == "ok"]
        if there:
            return replace(min(there, key=lambda each: each.median_us or 0.0), method=method)
        if matches:
            return replace(matches[0], method=method, chosen="")
        return replace(self.blank(method, dtype, operation), status="failed", reason="nothing was tried")
