"""One matrix in one type: four searches, then their finalists and what they are compared with in turn."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import wait
from contextlib import ExitStack
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, Any

from experiments.papers.kit.in_turn import TurnTimer, warm_in_turn
from experiments.papers.kit.measurement import Run, one_line
from experiments.papers.kit.results import Record
from experiments.papers.layouts.baselines import Waiting, library_products, real_products
from experiments.papers.layouts.compiling import Compiling
from experiments.papers.layouts.results import REAL, Search, SearchRecord
from experiments.papers.layouts.searches import finalists, least_by_layout, offered
from gpu.compound import CompoundMatrix

if TYPE_CHECKING:
    from gpu.compound.tuning.on_device import Patterns, Timer
    from gpu.compound.tuning.search import Found, Timing
    from gpu.compound.tuning.variants import Variant

SEARCH_SECONDS: dict[Search, float] = {"joint": 60.0, "schedule": 10.0, "paper": 45.0, "paper schedule": 10.0}
"""What a search may take, with its compilation and the products of cuSPARSE that are prepared meanwhile."""
FINAL_SECONDS = 0.05
"""What timing a finalist, or a product that it is compared with, takes."""
COMPARED = {"cuSPARSE": library_products, REAL: real_products}
SHORT_COLUMN_BYTES = 2
"""Of a column index in the layouts that store the least."""


class Case:
    """One matrix in one type.

    Parameters
    ----------
    open_
        Frees what stays on the device until all is timed.
    """

    def __init__(
        self,
        name: str,
        matrix: CompoundMatrix,
        known: tuple[Any, Any],
        patterns: Patterns,
        bandwidths: Any,
        timers: tuple[Timer | None, TurnTimer | None],
        run: Run,
        open_: ExitStack,
    ) -> None:
        from gpu.compound.tuning.on_device import DeviceMeasurement, by_events

        self._name, self._matrix, self._run, self._open = name, matrix, run, open_
        self._x, self._exact = known[0].astype(matrix.dtype), known[1]
        timer, self._turn_timer = timers
        self._device = DeviceMeasurement(matrix, timer or by_events, (self._x, self._exact), patterns)
        self._bandwidths = bandwidths
        self._compared: list[Waiting] | None = None if self._turn_timer is None else []

    def measured(self, compiling: Compiling) -> tuple[list[SearchRecord], list[Record]]:
        """Make all searches, then time their finalists in turn with what they are compared with."""
        from gpu.compound.tuning.on_device import device_limits
        from gpu.compound.tuning.traffic_model import TrafficModel

        limits = device_limits()
        model = TrafficModel(self._matrix, limits)
        times: dict[str, Any] = {}
        matches: dict[Search, Any] = {}
        failed: dict[Search, str] = {}
        for search, variants in offered(self._matrix.entry, self._matrix.dtype.type, limits).items():
            try:
                with self._run.phase(f"search, {search}"):
                    matches[search] = self._searched(search, model.ordered(variants), times, compiling)
            except Exception as error:  # one failing search must not cost the others
                failed[search] = one_line(error)
        finals, records = self._finals(
            {name for each in matches.values() for name in finalists(each.timings)}
        )
        searches = [self._best(search, each, finals) for search, each in matches.items()]
        searches += [
            replace(self._blank(search), reason=reason, complete=False) for search, reason in failed.items()
        ]
        return searches, records

    def _blank(self, search: Search) -> SearchRecord:
        return SearchRecord(self._name, self._matrix.dtype.name, search, stream_us=self._stream_us())

    def _searched(
        self, search: Search, tried: Sequence[Variant], times: dict[str, Any], compiling: Compiling
    ) -> Found:
        """Search, with `times` known already and those that are measured added to them."""
        from gpu.compound.tuning.search import tune

        kind = (self._matrix.entry, self._matrix.dtype.type)
        compiling.begin(*kind)
        turn, end = count(), time.monotonic() + SEARCH_SECONDS[search]

        def prepare(variants: Sequence[Variant]) -> None:
            futures = compiling.of(*kind, variants)
            if search == "joint" and next(turn):  # what is left: the device is free meanwhile
                compiling.begin_next()
                self._prepared_others()
            with self._run.phase("waiting for compilers"):
                wait(futures, timeout=max(0.0, end - time.monotonic()))

        match = tune(tried, self._device, known=times, seconds=SEARCH_SECONDS[search], prepare=prepare)
        times.update(match.timings)  # schedules in the natural layout are in several searches
        return match

    def _finals(self, names: Collection[str]) -> tuple[dict[str, Timing], list[Record]]:
        """Time variants and what they are compared with in turn, all on the device at once."""
        from gpu.compound.tuning.search import Timing
        from gpu.compound.tuning.variants import variant_named

        others = self._prepared_others()
        with self._run.phase("finals, in turn"):
            ours = {name: self._device.prepared(variant_named(name)) for name in sorted(names)}
            enqueued = [each.enqueue for each in ours.values()]
            enqueued += [each.enqueue for each in others if each.enqueue is not None]
            timer = self._turn_timer or warm_in_turn(FINAL_SECONDS)
            results = iter(timer(enqueued) if enqueued else ())
            finals = {
                name: Timing(float(next(results).median_us), each.nbytes) for name, each in ours.items()
            }
            records = [_timed(each, results) for each in others]
        return finals, records

    def _best(self, search: Search, match: Found, finals: dict[str, Timing]) -> SearchRecord:
        """Return the record of the best finalist of a search."""
        name = min(finalists(match.timings), key=lambda name: finals[name].us)
        layout, schedule = name.split(" | ")
        return replace(
            self._blank(search),
            layout=layout,
            schedule=schedule,
            median_us=finals[name].us,
            nbytes=finals[name].nbytes,
            variants=len(match.timings),
            complete=match.complete,
            by_layout=least_by_layout(match.timings) if search == "paper" else {},
        )

    def _stream_us(self) -> float:
        """Return what reading the fewest bytes takes: entries, columns of 16 bits and both vectors."""
        matrix = self._matrix
        vector = matrix.entry.vector_bytes(matrix.dtype)
        stored = matrix.nnz * (matrix.entry.entry_bytes(matrix.dtype) + SHORT_COLUMN_BYTES)
        vectors = (matrix.shape[1] * vector, matrix.shape[0] * vector)
        return round(float(self._bandwidths.bound_us(stored, *vectors, "warm")), 3)

    def _prepared_others(self) -> list[Waiting]:
        """Put every form of cuSPARSE and our products of real matrices of blocks on the device, once."""
        if self._compared is None:
            self._compared = []  # whatever fails is not tried twice
            case = (self._name, self._matrix, self._x, self._exact, self._open)
            with self._run.phase("preparing cuSPARSE and real products"):
                for form, products in COMPARED.items():
                    self._compared += _all_of(form, products, case)
        return self._compared


def _timed(waiting: Waiting, results: Iterator[Any]) -> Record:
    """Return a record with the next of the times, or unchanged if its product failed."""
    if waiting.enqueue is None:
        return waiting.record
    timing = next(results)
    return replace(waiting.record, median_us=float(timing.median_us), spread=float(timing.spread))


def _all_of(form: str, products: Any, case: tuple[Any, ...]) -> list[Waiting]:
    """Return several products; if they fail together, a record with the reason."""
    try:
        return [*products(*case)]
    except Exception as error:
        blank = Record(case[0], form, case[1].dtype.name)
        return [Waiting(replace(blank, status="failed", reason=one_line(error)))]
