"""The measurement: both searches and cuSPARSE for each matrix and type, on the GPU of this machine."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.papers.kit.measurement import WORKERS, Run, measuring_device, one_line
from experiments.papers.kit.request import Watch
from experiments.papers.kit.results import Record
from experiments.papers.layouts.baselines import library_products, real_products
from experiments.papers.layouts.compiling import Compiling
from experiments.papers.layouts.printed import OUTER
from experiments.papers.layouts.recording import described, read_recorded, recorded_file
from experiments.papers.layouts.results import REAL, MatrixRecord, Results, Search, SearchRecord
from experiments.papers.layouts.subjects import SUBJECTS, Subject
from gpu.compound import CompoundMatrix
from gpu.compound.tuning.compilation import Compilers
from gpu.runtime.kernel_cache import kept_for_later
from vecsim.support.worker_processes import WorkerContext

if TYPE_CHECKING:
    from gpu.compound.tuning.on_device import Patterns

LIMIT_SECONDS = 470.0
"""After so long no other matrix is begun: a run is to end within nine minutes, and took seven on an H200."""
SEARCH_SECONDS = {"joint": 40.0, "schedule": 10.0}
"""What a search may take, with its compilation and the products of cuSPARSE that are timed meanwhile."""
FINALISTS, FINAL_SECONDS = 3, 0.05
"""The best that a search has found are timed again, as long as cuSPARSE's products: the least of many
times is often too short by chance."""
COMPARED = {"cuSPARSE": library_products, REAL: real_products}
REALS = ("float32", "float64")
PAPERS_OUTER = {name for names in OUTER.values() for name in names}
PAPERS_COMPONENTS = ("AoS", "SoA")


def measure(watch: Watch, limit: float = LIMIT_SECONDS) -> Results:
    """Measure on the GPU of this machine.

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
    from gpu.measure.ceilings import measure_bandwidths

    name, facts = measuring_device()
    bandwidths = measure_bandwidths()
    facts["copy, GB/s"] = f"{bandwidths.copy_gb_per_s:.0f}"
    with kept_for_later():
        return measure_matrices(SUBJECTS, (name, facts), bandwidths, watch, Run(limit))


def measure_matrices(
    subjects: Sequence[Subject],
    device: tuple[str, dict[str, str]],
    bandwidths: Any,
    watch: Watch,
    run: Run,
    timer: Any = None,
) -> Results:
    """Measure some matrices; what fails is recorded with its reason, and the run goes on.

    Parameters
    ----------
    subjects
        The matrices.
    device, bandwidths
        What measures; the last one sets lower bounds (`gpu.measure.ceilings`).
    watch
        As of `measure`.
    run
        Where the time goes, and how long it may take.
    timer
        Returns the microseconds of what a function puts on a stream; None: by events of a GPU.
    """
    matrices: list[MatrixRecord] = []
    searches: list[SearchRecord] = []
    library: list[Record] = []
    with Compilers(max(1, (os.cpu_count() or 1) - 1)) as compilers, supplied(subjects) as waiting:
        compiling = Compiling(compilers, subjects, REALS)
        compiling.begin_next()
        built = (future.result() for future in waiting)
        for subject, made_of, late in run.each(subjects, built, watch):
            if made_of is None or isinstance(made_of, str):
                matrices.append(described(subject, None, made_of or late))
                continue
            matrix, x, exact = read_recorded(made_of, subject.entry)
            made_of.unlink()
            matrices.append(described(subject, matrix))
            patterns: Patterns = {}
            for dtype in REALS:
                typed = matrix.astype(np.dtype(dtype).type)
                case = _Case(subject.name, typed, (x, exact), patterns, bandwidths, timer, run)
                searches += case.searches(compiling)
                library += case.compared()
    return run.results(Results, device, matrices=matrices, records=library, searches=searches)


@contextmanager
def supplied(subjects: Sequence[Subject]) -> Iterator[list[Future[Any]]]:
    """Make matrices in other processes: yield their files, or in a line why one could not be made.

    Parameters
    ----------
    subjects
        The matrices.
    """
    workers = max(1, min(WORKERS, (os.cpu_count() or 1) - 1))
    with (
        tempfile.TemporaryDirectory(prefix="compound-") as folder,
        ProcessPoolExecutor(workers, mp_context=WorkerContext()) as pool,
    ):
        yield [pool.submit(recorded_file, SUBJECTS.index(each), Path(folder)) for each in subjects]


class _Case:
    """One matrix in one type."""

    def __init__(
        self,
        name: str,
        matrix: CompoundMatrix,
        known: tuple[Any, Any],
        patterns: Patterns,
        bandwidths: Any,
        timer: Any,
        run: Run,
    ) -> None:
        self._name, self._matrix, self._patterns = name, matrix, patterns
        self._x, self._exact = known[0].astype(matrix.dtype), known[1]
        self._bandwidths, self._timer, self._run = bandwidths, timer, run
        self._compared: list[Record] | None = None

    def searches(self, compiling: Compiling) -> list[SearchRecord]:
        """Search layouts and schedules, then schedules alone; time the best of both again."""
        from gpu.compound.tuning.on_device import DeviceMeasurement, by_events, device_limits
        from gpu.compound.tuning.traffic_model import TrafficModel
        from gpu.compound.tuning.variants import joint_variants, natural_variants

        matrix, limits = self._matrix, device_limits()
        known = (self._x, self._exact)
        measured = DeviceMeasurement(matrix, self._timer or by_events, known, self._patterns)
        model = TrafficModel(matrix, limits)
        times: dict[str, Any] = {}
        again: dict[str, Any] = {}
        match: dict[Search, tuple[dict[str, Any], bool]] = {}
        records = []
        offers: dict[Search, Any] = {"joint": joint_variants, "schedule": natural_variants}
        for search, offered in offers.items():
            tried = model.ordered(offered(matrix.entry, matrix.dtype.type, limits))
            try:
                with self._run.phase(f"search, {search}"):
                    of_search = self._searched(search, tried, measured, times, compiling)
                    self._time_again(of_search.timings, measured, again)
                    papers = {name: us for name, us in of_search.timings.items() if is_of_the_paper(name)}
                    self._time_again(papers if search == "joint" else {}, measured, again)
            except Exception as error:  # one failing search must not cost the others
                records.append(replace(self._blank(search), reason=one_line(error), complete=False))
                continue
            match[search] = of_search.timings, of_search.complete
            if search == "joint" and papers:
                match["paper"] = papers, of_search.complete
        return records + [_best(self._blank(search), *of, again) for search, of in match.items()]

    def _blank(self, search: Search) -> SearchRecord:
        return SearchRecord(self._name, self._matrix.dtype.name, search, bound_us=self._bound())

    def _searched(
        self,
        search: Search,
        tried: Sequence[Any],
        measured: Any,
        times: dict[str, Any],
        compiling: Compiling,
    ) -> Any:
        """Search, with `times` known already and those that are measured added to them."""
        from gpu.compound.tuning.search import tune

        kind = (self._matrix.entry, self._matrix.dtype.type)
        compiling.begin(*kind)
        turn, end = count(), time.monotonic() + SEARCH_SECONDS[search]

        def prepare(variants: Sequence[Any]) -> None:
            futures = compiling.of(*kind, variants)
            if search == "joint" and next(turn):  # what is left: the device is free meanwhile
                compiling.begin_next()
                self.compared()
            with self._run.phase("waiting for compilers"):
                wait(futures, timeout=max(0.0, end - time.monotonic()))

        match = tune(tried, measured, known=times, seconds=SEARCH_SECONDS[search], prepare=prepare)
        times.update(match.timings)  # schedules in the natural layout are in both searches
        return match

    def _time_again(self, timings: dict[str, Any], measured: Any, again: dict[str, Any]) -> None:
        """Time the best few again, as long as what they are compared with."""
        from gpu.compound.tuning.on_device import by_events
        from gpu.compound.tuning.variants import variant_named

        timer = self._timer or partial(by_events, seconds=FINAL_SECONDS)
        for name in sorted(timings, key=lambda name: float(timings[name].us))[:FINALISTS]:
            if name not in again:
                again[name] = measured.again(variant_named(name), timer)

    def _bound(self) -> float:
        matrix = self._matrix
        vector = matrix.entry.vector_bytes(matrix.dtype)
        stored = matrix.nnz * (matrix.entry.entry_bytes(matrix.dtype) + 4) + 4 * (matrix.shape[0] + 1)
        vectors = (matrix.shape[1] * vector, matrix.shape[0] * vector)
        return round(float(self._bandwidths.bound_us(stored, *vectors, "warm")), 3)

    def compared(self) -> list[Record]:
        """Measure every form of cuSPARSE, and this project's products of real matrices of blocks, once."""
        if self._compared is None:
            self._compared = []  # whatever fails is not tried twice
            case = (self._name, self._matrix, self._x, self._exact)
            with self._run.phase("cuSPARSE and real products"):
                for form, products in COMPARED.items() if self._timer is None else ():
                    self._compared += _all_of(form, products, case)
        return self._compared


def _all_of(form: str, products: Any, case: tuple[Any, ...]) -> list[Record]:
    """Return what a measurement of several products yields; its failure is a record with the reason."""
    try:
        return [*products(*case)]
    except Exception as error:
        return [Record(case[0], form, case[1].dtype.name, status="failed", reason=one_line(error))]


def _best(
    blank: SearchRecord, timings: dict[str, Any], complete: bool, again: dict[str, Any]
) -> SearchRecord:
    """Return the record of the best variant of a search, among those that were timed again."""
    name = min((name for name in again if name in timings), key=lambda name: float(again[name].us))
    layout, schedule = name.split(" | ")
    return replace(
        blank,
        layout=layout,
        schedule=schedule,
        median_us=float(again[name].us),
        nbytes=int(again[name].nbytes),
        variants=len(timings),
        complete=complete,
    )


def is_of_the_paper(variant: str) -> bool:
    """Return whether the layout of a variant, by its name, is one that the paper tried."""
    outer, inner, vector = variant.partition(" | ")[0].rsplit("-", 2)
    return outer in PAPERS_OUTER and {inner, vector} <= set(PAPERS_COMPONENTS)
