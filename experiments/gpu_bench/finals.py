"""The best of both libraries replayed in turn: warm, and cold if the cache could hold one set of buffers."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from experiments.gpu_bench.methods import Placed
from experiments.gpu_bench.phase_clock import Phases
from experiments.gpu_bench.product_case import SCREEN_SECONDS, Case, Device, Screened, with_timing
from experiments.gpu_bench.records import RunJournal

if TYPE_CHECKING:
    from gpu.measure.timing import Cache, Comparison

FINAL_SECONDS = 0.1
"""How long each of the best is timed."""
COLD_CANDIDATES = 2
"""The best methods of each library, by their warm time, that are timed cold."""


@dataclass(frozen=True)
class Final:
    """A result: its operation, type and cache, and a line that describes it."""

    key: tuple[str, str, str]
    line: str


@dataclass(frozen=True, eq=False)
class Finals:
    """Of the methods of one product, the best first; those of the first of each library lie on the device.

    Attributes
    ----------
    device, case
        What measures, and what is measured.
    ours, baselines
        The methods that were timed; all are freed.
    journal
        Where records go.
    """

    device: Device
    case: Case
    ours: Sequence[Screened]
    baselines: Sequence[Screened]
    journal: RunJournal

    def run(self, phases: Phases) -> Iterator[Final]:
        """Replay the best in turn, warm and where they differ cold; yield each as soon as it is known."""
        from gpu.measure.timing import compare

        if not self.ours or not self.baselines:
            return
        ours, baseline = self.ours[0], self.baselines[0]
        with phases("finals"):
            assert ours.placed is not None and baseline.placed is not None  # the best are
            result = compare([ours.placed.enqueue], [baseline.placed.enqueue], FINAL_SECONDS)
            warm = self._record(ours, baseline, result, "warm")
        yield warm
        with phases("cold"):
            for each in (*self.ours, *self.baselines):
                each.close()
            cold = self._cold()
        yield from cold

    def _cold(self) -> list[Final]:
        from gpu.measure.timing import TIMES_L2, compare

        copies = self._copies(self.ours[0])
        # What is four times the cache is cold when it is warm.
        if copies == 1:
            return []
        # What is larger than the cache has the same order, warm and cold.
        tried = COLD_CANDIDATES if copies > TIMES_L2 else 1
        with ExitStack() as open_:
            first, of_ours = self._best_cold(self.ours[:tried], open_)
            second, of_baselines = self._best_cold(self.baselines[:tried], open_)
            result = compare(
                [one.enqueue for one in of_ours], [one.enqueue for one in of_baselines], FINAL_SECONDS
            )
            return [self._record(first, second, result, "cold")]

    def _best_cold(self, candidates: Sequence[Screened], open_: ExitStack) -> tuple[Screened, list[Placed]]:
        """Time candidates cold, if there are several; return the best one and its copies on the device."""
        from gpu.measure.timing import measure

        best: tuple[float, Screened, ExitStack, list[Placed]] | None = None
        for each in candidates:
            with ExitStack() as mine:
                placed = self._rotation(each, mine)
                taken = 0.0
                if len(candidates) > 1:
                    timing = measure([one.enqueue for one in placed], SCREEN_SECONDS)
                    self.journal.add(with_timing(each.record, timing, "cold", self.case, self.device))
                    taken = timing.median_us
                if best is None or taken < best[0]:
                    if best is not None:
                        best[2].close()
                    best = taken, each, open_.enter_context(mine.pop_all()), placed
        assert best is not None
        return best[1], best[3]

    def _copies(self, screened: Screened) -> int:
        from gpu.measure.timing import copies_for

        vectors = sum(self.case.csr.shape) * np.dtype(self.case.dtype).itemsize
        return copies_for("cold", (screened.record.bytes or 0) + vectors, self.device.l2_bytes)

    def _rotation(self, screened: Screened, open_: ExitStack) -> list[Placed]:
        """Put as many copies of a method's matrix and vectors on the device as cover the cache."""
        placed = []
        for _ in range(self._copies(screened)):
            placed.append(screened.method.place(screened.host, self.case.exact.x))
            open_.callback(placed[-1].close)
        return placed

    def _record(self, ours: Screened, baseline: Screened, result: Comparison, cache: Cache) -> Final:
        for each, timing in ((ours, result.first), (baseline, result.second)):
            record = with_timing(each.record, timing, cache, self.case, self.device)
            ratio = result.ratio if each is ours else None
            self.journal.add(dataclasses.replace(record, stage="final", ratio=ratio))
        return Final(
            (self.case.operation, self.case.dtype, cache),
            f"{ours.method.name} {result.first.median_us:.4g} us, {baseline.method.name} "
            f"{result.second.median_us:.4g} us, {result.ratio:.2f} times",
        )
