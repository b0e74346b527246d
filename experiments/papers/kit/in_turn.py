"""Products of one matrix that are timed in turn, so that no method is measured on a warmer or slower GPU.

All products lie on the device at once: each is put there, run once and checked, then all are timed together.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from experiments.gpu_bench.methods import Launched, Placed
from experiments.papers.kit.measurement import Run, one_line
from experiments.papers.kit.results import Record, Status
from vecsim.formats import NotRepresentableError
from vecsim.formats.accuracy import ExactProduct

TurnTimer = Callable[[Sequence[Callable[[Any], None]]], Sequence[Any]]
"""Returns a `gpu.measure.timing.Timing` of each operation, which it calls with streams."""


def warm_in_turn(seconds: float) -> TurnTimer:
    """Return what times operations in turn, each with the same buffers again and again, for so long."""

    def timed(operations: Sequence[Callable[[Any], None]]) -> Sequence[Any]:
        from gpu.measure.timing import measure_in_turn

        return measure_in_turn([[each] for each in operations], seconds)

    return timed


class InTurn:
    """Collects products of one matrix in one type, then times all of them in turn.

    What fails is a record with its reason, and the others are measured.

    Parameters
    ----------
    exact
        The exact product.
    timer
        Times operations in turn; see `TurnTimer`.
    run
        Where the time goes.
    """

    def __init__(self, exact: ExactProduct, timer: TurnTimer, run: Run) -> None:
        self._exact, self._timer, self._run = exact, timer, run
        self._placed: list[Placed] = []
        self._added: list[Record] = []
        self._apart: dict[int, tuple[str, Callable[[Any], None]]] = {}

    def own(
        self,
        blank: Record,
        make: Callable[[], Any],
        *,
        conversion_us: float | None = None,
        apart: str = "",
        compare_bits: bool = False,
    ) -> None:
        """Put a product of ours on the device, run it once and check it.

        Parameters
        ----------
        blank
            What it is.
        make
            Puts its matrix on the device; raises the error of its conversion if that has failed.
        conversion_us
            What was spent before; with it, the part ``setup`` of the record is all until a product is there.
        apart
            Name of the kernels of the product that are timed alone, too, as a part of this name.
        compare_bits
            Whether it is multiplied twice and the results compared.
        """
        self._add(blank, partial(self._own, make), conversion_us, compare_bits=compare_bits)
        placed = self._placed[-1] if self._added[-1].status == "ok" else None
        if apart and isinstance(placed, Launched) and (kernels := getattr(placed.product, apart)):
            self._apart[len(self._added) - 1] = apart, partial(placed.launch_all, kernels)

    def library(
        self,
        blank: Record,
        name: str,
        csr: Any,
        *,
        transposed: bool = False,
        store: Callable[[], Any] | None = None,
    ) -> None:
        """Put a format or algorithm of cuSPARSE on the device, run it once and check it.

        Parameters
        ----------
        blank
            What it is; `name` becomes its `Record.chosen`.
        name
            Of `experiments.baseline.cusparse.METHODS`.
        csr
            The matrix, in the type that is measured.
        transposed
            Whether its transpose is multiplied, as an operation on the matrix as it is stored.
        store
            Gives the matrix in the format, where several products share it.
        """
        make = partial(self._library, name, csr, transposed=transposed, store=store)
        self._add(replace(blank, chosen=name), make, 0.0)

    def records(self) -> list[Record]:
        """Time everything in turn, free it, and return the records in the order in which it was added."""
        from gpu.runtime.memory import free_what_is_dropped

        results = [*self._timed()]
        for each in self._placed:
            with suppress(Exception):  # what cannot be freed must not cost the times
                each.close()
        self._placed.clear()
        self._apart.clear()
        free_what_is_dropped()
        return results

    def _timed(self) -> Iterator[Record]:
        """Yield what was added with its time; if timing fails, all of it failed."""
        timings: Sequence[Any] = ()
        reason = ""
        enqueued = [each.enqueue for each in self._placed] + [enqueue for _, enqueue in self._apart.values()]
        try:
            with self._run.phase("timing"):
                timings = self._timer(enqueued) if enqueued else ()
        except Exception as error:  # the other matrices are measured
            reason = one_line(error)
        in_order, of_parts = iter(timings), iter(timings[len(self._placed) :])
        for number, record in enumerate(self._added):
            if record.status != "ok":
                yield record
            elif reason:
                yield replace(record, status="failed", reason=reason)
            else:
                timing, parts = next(in_order), dict(record.parts)
                if number in self._apart:
                    parts[self._apart[number][0]] = float(next(of_parts).median_us)
                yield replace(record, median_us=timing.median_us, spread=timing.spread, parts=parts)

    def _add(
        self,
        blank: Record,
        place: Callable[[], Placed],
        conversion_us: float | None,
        *,
        compare_bits: bool = False,
    ) -> None:
        begun = time.perf_counter()
        placed: Placed | None = None
        try:
            with self._run.phase("uploads"):
                placed = place()
            spent = (time.perf_counter() - begun) * 1e6
            parts = {} if conversion_us is None else {"setup": conversion_us + spent}
            error, same = self._checked(placed, compare_bits)
            measured = replace(blank, nbytes=placed.nbytes, error=error, parts=parts, same_bits=same)
            self._added.append(measured)
            self._placed.append(placed)
        except Exception as error:  # one failing method must not cost the others
            if placed is not None:
                placed.close()
            refused = isinstance(error, NotRepresentableError)
            status: Status = "not_representable" if refused else "failed"
            self._added.append(replace(blank, status=status, reason=one_line(error)))

    def _checked(self, placed: Placed, compare_bits: bool) -> tuple[float, bool | None]:
        """Return the error of a product, and whether a second one has the same bits, if that is asked."""
        with self._run.phase("compilation"):
            result = placed.result() if isinstance(placed, Launched) else _product_of_library(placed)
        with self._run.phase("checks"):
            same = None
            if compare_bits and isinstance(placed, Launched):
                same = bool(np.array_equal(result, placed.result(), equal_nan=True))
            return float(self._exact.error(result)), same

    def _own(self, make: Callable[[], Any]) -> Launched:
        from gpu.runtime.cuda import cuda

        placed = Launched(make(), self._exact.x, len(self._exact.y))
        cuda.synchronize()
        return placed

    def _library(self, name: str, csr: Any, *, transposed: bool, store: Callable[[], Any] | None) -> Placed:
        from experiments.baseline.cusparse import METHODS, SparseProduct

        stored = store() if store else METHODS[name].store(csr)
        product = SparseProduct(name, stored, csr.shape, transposed=transposed)
        product.write_x(self._exact.x)
        return product


def _product_of_library(placed: Placed) -> Any:
    from gpu.runtime.cuda_driver import Stream

    with Stream() as stream:
        placed.enqueue(stream)
        stream.synchronize()
    return placed.read_y()
