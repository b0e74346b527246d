"""How the GPU benchmark measures a matrix.

For each type all methods are converted, checked against the exact product and timed warm, one after the
other; then come the finals of the best of each library (`experiments.gpu_bench.finals`).
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import isfinite
from typing import Any

from experiments.gpu_bench import compilation, gather_counts, methods
from experiments.gpu_bench.finals import COLD_CANDIDATES, Finals
from experiments.gpu_bench.matrix_supply import DTYPES, Supplied
from experiments.gpu_bench.methods import Launched, Method, Placed
from experiments.gpu_bench.phase_clock import Phases
from experiments.gpu_bench.product_case import (
    SCREEN_SECONDS,
    Case,
    Device,
    Screened,
    transpose,
    typed,
    with_timing,
)
from experiments.gpu_bench.records import OURS, Record, RunJournal, with_status
from experiments.gpu_bench.suite import SuiteMatrix
from vecsim.support.errors import UserError

MOST_TIMES_MEASURED = 1.5
"""What took this many times as long as the best in one type is not measured in the other."""
PATIENCE_US, LEAST_BYTES_A_US = 50_000, 2_000
"""An upload that is slower than this was one with a compilation."""


class DeviceLostError(UserError):
    """The device does not answer any more."""


@dataclass(eq=False)
class Bench:
    """Measures one matrix after the other.

    Attributes
    ----------
    device
        What measures.
    commit
        The commit, for the records.
    journal
        Where records go.
    phases
        Where the time goes.
    old_formats
        Whether the formats of papers are measured.
    """

    device: Device
    commit: str | None
    journal: RunJournal
    phases: Phases
    old_formats: bool = True
    _compiled: set[tuple[str, str]] = field(default_factory=set)
    _said: dict[tuple[str, str, str], str] = field(default_factory=dict)

    def measure(self, built: Supplied, *, transposed: bool) -> None:
        """Measure all there is to measure of a matrix and keep the records."""
        self._said = {}
        self.journal.begin(built.matrix.name)
        if built.csr is None:
            self.journal.add(with_status(self._blank(built.matrix, None), built.status, built.missing))
        else:
            for operation in ("spmv", "spmv_t")[: 1 + (transposed and built.matrix.transposed)]:
                try:
                    self._measure(built, operation)
                except DeviceLostError:
                    raise
                except Exception as error:
                    self._failed(self._blank(built.matrix, built.csr, operation), error)
        self.journal.finish(built.matrix.name, built.sha256)

    def line(self, built: Supplied) -> str:
        """Return a line on the results of a matrix."""
        name = f"{built.matrix.name} ({built.matrix.class_})"
        if built.csr is None:
            return f"{name}: {built.status}: {built.missing}"
        return f"{name}: " + "; ".join(f"{' '.join(key)} {said}" for key, said in self._said.items())

    def _blank(
        self, matrix: SuiteMatrix, csr: Any, operation: str = "spmv", dtype: str = "float64"
    ) -> Record:
        rows, cols = (0, 0) if csr is None else csr.shape
        return Record(
            matrix=matrix.name,
            class_=matrix.class_,
            generated=matrix.generated,
            rows=int(rows),
            cols=int(cols),
            nnz=0 if csr is None else int(csr.nnz),
            dtype=dtype,
            operation=operation,
            method="",
            parameters={},
            library=OURS,
            device=self.device.name,
            commit=self.commit,
            date=datetime.now(UTC).isoformat(timespec="seconds"),
        )

    def _measure(self, built: Supplied, operation: str) -> None:
        """Measure a product in both types; what was slow in the first is left out of the second."""
        slow: dict[str, str] = {}
        is_transposed, transposed_us = None, 0.0
        if operation == "spmv_t":
            with self.phases("transpose"):
                is_transposed, transposed_us = transpose(built.csr)
        for dtype in DTYPES:
            case = Case(
                operation,
                dtype,
                typed(built.csr, dtype),
                None if is_transposed is None else typed(is_transposed, dtype),
                transposed_us,
                built.exact[operation, dtype],
                self._blank(built.matrix, built.csr, operation, dtype),
                gather_counts.of(built, operation, dtype),
            )
            ours, baselines = self._screen(case, slow)
            try:
                for final in Finals(self.device, case, ours, baselines, self.journal).run(self.phases):
                    self._said[final.key] = final.line
            except DeviceLostError:
                raise
            except Exception as error:
                self._failed(case.blank, error)
            finally:
                for each in (*ours, *baselines):
                    each.close()
            limit = MOST_TIMES_MEASURED
            if ours:
                slow = {
                    each.method.name: f"in {dtype} {each.us / ours[0].us:.2f} times the best"
                    for each in ours
                    if each.us > limit * ours[0].us
                }

    def _screen(self, case: Case, slow: dict[str, str]) -> tuple[list[Screened], list[Screened]]:
        """Check and time every method; return ours and the baselines, the best first, it is on the device."""
        with self.phases("estimate"):
            compared = _baselines_of(case, self.device.library)
            ranked = methods.rank(case.multiplied)
            formats = methods.formats(case.multiplied, ranked, old=self.old_formats)
        baselines = self._try_all(case, compared, None)
        plain = [each for each in baselines if each.method.name.startswith("csr")]
        if case.transposed is not None:
            formats = [each.described(transposed="copy") for each in formats]
        formats = [_pruned_again(each, slow, ranked.order) for each in formats]
        ours = self._try_all(case, formats, min(plain, key=lambda each: each.us) if plain else None)
        self._record_auto(ours, ranked)
        return ours, baselines

    def _record_auto(self, ours: Sequence[Screened], ranked: methods.Ranked) -> None:
        """Record what ``auto`` takes: the measurement of the first of its formats that holds the matrix."""
        by_name = {each.method.name: each.record for each in ours}
        for name in ranked.order:
            if name in by_name:
                results = by_name[name]
                parameters = {**results.parameters, "format": name}
                setup_us = (results.setup_us or 0) + ranked.seconds * 1e6
                self.journal.add(
                    dataclasses.replace(results, method="auto", parameters=parameters, setup_us=setup_us)
                )
                return

    def _try_all(self, case: Case, tried: Sequence[Method], plain: Screened | None) -> list[Screened]:
        """Time methods one by one; return those that were timed, the best first and on the device."""
        results: list[Screened] = []
        best: Screened | None = None
        for method in tried:
            blank = dataclasses.replace(
                case.blank,
                method=method.name,
                parameters=dict(method.parameters),
                library=method.library,
            )
            if method.pruned:
                self.journal.add(with_status(blank, "pruned", method.pruned))
                continue
            screened = self._try(case, method, blank, plain)
            if screened is None:
                continue
            results.append(screened)
            if best is None or screened.us < best.us:
                best, screened = screened, best
            if screened is not None:
                screened.close()
            recorded = sorted(results, key=lambda each: each.us)[:COLD_CANDIDATES]
            for each in results:
                if each not in recorded:
                    each.host = None
        return sorted(results, key=lambda each: each.us)

    def _try(self, case: Case, method: Method, blank: Record, plain: Screened | None) -> Screened | None:
        """Convert, check and time a method, and record what came of it; None if it was not timed."""
        from gpu.runtime.cuda_driver import OutOfDeviceMemoryError
        from vecsim.formats import NotRepresentableError

        try:
            return self._timed(case, method, blank, plain)
        except NotRepresentableError as error:
            status, reason = "not_representable", str(error)
        except (OutOfDeviceMemoryError, MemoryError) as error:
            status, reason = "out_of_memory", str(error)
        except Exception as error:  # whatever a library raises; the other methods go on
            self._failed(blank, error)
            return None
        self.journal.add(with_status(blank, status, reason))
        return None

    def _failed(self, blank: Record, error: Exception) -> None:
        """Record a failure, and see whether the device survived it.

        Raises
        ------
        DeviceLostError
            If it did not: nothing more can be measured in this process.
        """
        from gpu.runtime.cuda_driver import CudaError

        reason = f"{type(error).__name__}: {error}"[:300]
        self.journal.add(with_status(blank, "failed", reason))
        try:
            _synchronize()
        except CudaError as lost:
            where = f"{blank.matrix}, {blank.dtype}, {blank.library} {blank.method}"
            raise DeviceLostError(
                f"{where}: the device stopped responding ({lost}) after {reason}; "
                "run the same command again to continue with this matrix"
            ) from None

    def _timed(self, case: Case, method: Method, blank: Record, plain: Screened | None) -> Screened | None:
        from gpu.measure.timing import measure

        if (method.name, case.dtype) not in self._compiled:
            with self.phases("compile"):
                compilation.convert_sample(method.name, case.dtype)
            self._compiled.add((method.name, case.dtype))
        with self.phases("convert"):
            start = time.perf_counter()
            host = method.convert()
            converted_us = (time.perf_counter() - start) * 1e6
        with self.phases("upload"), ExitStack() as open_:
            placed, placed_us = self._placed(case, method, host)
            open_.callback(placed.close)
            with self.phases("check"):
                error = case.exact.error(_product(placed))
            copied_us = case.transposed_us if method.parameters.get("transposed") == "copy" else 0.0
            setup_us = converted_us + placed_us + copied_us
            record = dataclasses.replace(
                blank, setup_us=setup_us, bytes=int(placed.nbytes), error=error if isfinite(error) else None
            )
            if not error <= case.limit:
                wrong = f"the error is {error:.3g}, at most {case.limit:.3g} is right"
                self.journal.add(with_status(record, "wrong", wrong))
                return None
            with self.phases("measure"):
                timing = measure([placed.enqueue], SCREEN_SECONDS)
            record = with_timing(record, timing, "warm", case, self.device)
            if plain is not None:
                record = dataclasses.replace(record, paid_after=_paid_after(record, plain.record))
            self.journal.add(record)
            open_.pop_all()
        return Screened(record, method, host, placed)

    def _placed(self, case: Case, method: Method, host: Any) -> tuple[Placed, float]:
        """Put a matrix on the device; return how long that took, microseconds.

        A product compiles its kernels when it is first made. What takes that long is made again.
        """
        with self.phases("upload and compile kernels"):
            placed, placed_us = _timed_placing(method, host, case.exact.x)
        if placed_us < PATIENCE_US + placed.nbytes / LEAST_BYTES_A_US:
            return placed, placed_us
        placed.close()
        return _timed_placing(method, host, case.exact.x)


def _baselines_of(case: Case, library: str) -> list[Method]:
    """Return cuSPARSE's methods; of a transposed product as an operation and on an explicit copy."""
    if case.transposed is None:
        return methods.baselines(case.csr, library)
    as_operation = methods.baselines(case.csr, library, transposed=True)
    on_copy = methods.baselines(case.transposed, library)
    return [
        *(each.described(transposed="operation") for each in as_operation),
        *(each.described(transposed="copy") for each in on_copy),
    ]


def _pruned_again(method: Method, slow: dict[str, str], chosen: Sequence[str]) -> Method:
    """Prune what was slow in the other type; what ``auto`` takes never is."""
    if chosen and method.name == chosen[0]:
        return dataclasses.replace(method, pruned="")
    return dataclasses.replace(method, pruned=method.pruned or slow.get(method.name, ""))


def _paid_after(record: Record, plain: Record) -> float | None:
    """Return the products after which a conversion has paid against one that is set up already."""
    assert record.median_us is not None and plain.median_us is not None
    saved = plain.median_us - record.median_us
    if saved <= 0:
        return None
    return max(0.0, ((record.setup_us or 0) - (plain.setup_us or 0)) / saved)


def _product(placed: Placed) -> Any:
    """Run a product once and return y."""
    from gpu.runtime.cuda_driver import Stream

    if isinstance(placed, Launched):
        return placed.result()
    with Stream() as stream:
        placed.enqueue(stream)
        stream.synchronize()
        return placed.read_y()


def _timed_placing(method: Method, host: Any, x: Any) -> tuple[Placed, float]:
    start = time.perf_counter()
    placed = method.place(host, x)
    _synchronize()
    return placed, (time.perf_counter() - start) * 1e6


def _synchronize() -> None:
    from gpu.runtime.cuda_driver import synchronize

    synchronize()
