"""Preprocessing on the GPU, all methods in turn: the orders of the rows of blocks, and whole conversions."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from experiments.gpu_bench.matrix_supply import Supplied
from experiments.papers.kit.in_turn import TurnTimer
from experiments.papers.kit.measurement import TOO_LATE, Run, one_line
from experiments.papers.kit.results import Record
from gpu.hbp.ordering import METHODS

RUNS = 15
"""Of each conversion, which cannot be captured into a graph since it asks for memory; the median counts."""
LEAST_RUNS = 4
CONVERSION_SECONDS = 4.0
"""After so long no further run of the conversions of a matrix is begun, once each had `LEAST_RUNS`."""
ORDERS = (*METHODS[1:], "probing", "probing-words")
REPAIRED = "active"


class Preparation:
    """The preprocessing of one matrix.

    Parameters
    ----------
    supplied
        The matrix.
    timer
        Times operations in turn; see `TurnTimer`.
    run
        Where the time goes.
    """

    def __init__(self, supplied: Supplied, timer: TurnTimer, run: Run) -> None:
        self._name, self._csr, self._timer, self._run = supplied.matrix.name, supplied.csr, timer, run

    def records(self) -> list[Record]:
        """Time the orders alone, and the conversions with each; what fails is recorded with its reason."""
        from gpu.sums.device_csr import DeviceCsr

        orders = [Record(self._name, method, operation="order") for method in ORDERS]
        conversions = [Record(self._name, method, operation="all") for method in (*ORDERS, REPAIRED)]
        if self._run.is_late:
            return [replace(each, status="left_out", reason=TOO_LATE) for each in (*orders, *conversions)]
        try:
            matrix = DeviceCsr.from_scipy(self._csr)
        except Exception as error:  # the other matrices are measured
            return _failed([*orders, *conversions], error)
        with self._run.phase("preprocessing"):
            return [*self._safely(self._orders, matrix, orders), *self._safely(_whole, matrix, conversions)]

    def _safely(
        self, measure: Callable[[Any, list[Record]], list[Record]], matrix: Any, blanks: list[Record]
    ) -> list[Record]:
        from gpu.runtime.memory import free_what_is_dropped

        try:
            return measure(matrix, blanks)
        except Exception as error:  # what does not fit must not cost the others
            return _failed(blanks, error)
        finally:
            free_what_is_dropped()

    def _orders(self, matrix: Any, blanks: list[Record]) -> list[Record]:
        """Time the orders alone: rows are counted once, and all orders are written to one array."""
        from gpu.hbp.building.blocks import BlockedRows
        from gpu.runtime.vectors import stream_of

        rows = BlockedRows(matrix)
        rows.count()
        chosen = rows.chosen_hash()

        def order(method: str, stream: Any) -> None:
            rows.stream = stream_of(stream.address)
            rows.put_in_order(method, chosen)

        for each in blanks:
            rows.put_in_order(each.method, chosen)  # compiled before it is captured
        timings = self._timer([partial(order, each.method) for each in blanks])
        return [
            replace(each, median_us=float(timing.median_us), spread=float(timing.spread))
            for each, timing in zip(blanks, timings, strict=True)
        ]


def _failed(blanks: list[Record], error: Exception) -> list[Record]:
    return [replace(each, status="failed", reason=one_line(error)) for each in blanks]


def _whole(matrix: Any, blanks: list[Record]) -> list[Record]:
    """Time whole conversions, each once and then the next."""
    from gpu.hbp.building.active import active_on_device
    from gpu.hbp.building.blocks import hbp_on_device

    conversions = {
        each.method: partial(active_on_device, matrix)
        if each.method == REPAIRED
        else partial(hbp_on_device, matrix, method=each.method)
        for each in blanks
    }
    times = wall_in_turn(conversions)
    result = []
    for each in blanks:
        low, median, high = np.percentile(times[each.method], [25, 50, 75]).tolist()
        result.append(replace(each, median_us=median, spread=(high - low) / median))
    return result


def wall_in_turn(conversions: Mapping[str, Callable[[], Any]]) -> dict[str, list[float]]:
    """Time calls that ask for memory and wait for the device, from the host, in turn.

    Returns
    -------
    dict
        Microseconds of each run after the first, by name.
    """
    from gpu.runtime.cuda import cuda
    from gpu.runtime.memory import free_what_is_dropped

    times: dict[str, list[float]] = {name: [] for name in conversions}
    started = time.perf_counter()
    for number in range(RUNS + 1):
        if number > LEAST_RUNS and time.perf_counter() - started > CONVERSION_SECONDS:
            break
        for name, convert in conversions.items():
            # What the run before has dropped is no part of this one.
            free_what_is_dropped()
            cuda.synchronize()
            begun = time.perf_counter()
            result = convert()
            cuda.synchronize()
            if number:
                times[name].append((time.perf_counter() - begun) * 1e6)
            del result
    return times
