"""The cells of one program on one matrix: simulated into a store, or looked up there."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from experiments.sweep.inputs import load_input
from experiments.sweep.specification import Point, Sweep
from experiments.sweep.store import Store
from experiments.sweep.work import UNKNOWN, Work

REPORT_SECONDS = 0.2
"""How often it is told how many cells are done."""


@dataclass(frozen=True)
class Task:
    """All points of a sweep for one program on one matrix."""

    sweep: Sweep
    points: tuple[Point, ...]
    matrix: str
    program: str
    store: Path


@dataclass(frozen=True)
class Outcome:
    """What a task came to.

    Attributes
    ----------
    keys
        For each point what its cell is filed under; empty where it has none.
    faults
        For each point why it has no cell; empty where it has one.
    left
        The points whose cell has to be computed.
    computed
        How many cells were simulated.
    engine_seconds
        Processors' time of the engine.
    """

    keys: tuple[str, ...]
    faults: tuple[str, ...]
    left: tuple[int, ...] = ()
    computed: int = 0
    engine_seconds: float = 0.0


def simulate(task: Task, report: Callable[[int], None] = lambda done: None) -> Outcome:
    """Do a task.

    Parameters
    ----------
    task
        What to do.
    report
        Told now and then how many more cells are done.

    Raises
    ------
    UserError
        There is no such matrix, or the store cannot be written. What is wrong with single points stands in
        the outcome.
    """
    with Store(task.store) as store:
        work = _work(task, store)
        work.find_keys()
        kept = store.kept(work.keys)
        report(sum(key in kept or not key for key in work.keys))
        last, told = time.monotonic(), 0
        for place in work.missing(kept):
            work.compute(place)
            if time.monotonic() - last >= REPORT_SECONDS:
                report(work.computed - told)
                last, told = time.monotonic(), work.computed
        report(work.computed - told)
    return Outcome(
        tuple(work.keys), tuple(work.faults), computed=work.computed, engine_seconds=work.engine_seconds
    )


def look_up(task: Task) -> Outcome:
    """Find what of a task is kept.

    Raises
    ------
    UserError
        There is no such matrix, or the store cannot be read.
    """
    with Store(task.store) as store:
        work = _work(task, store)
        work.find_keys(make_images=False)
        left = work.missing(store.kept(key for key in work.keys if key != UNKNOWN))
    return Outcome(tuple(work.keys), tuple(work.faults), tuple(left))


def _work(task: Task, store: Store) -> Work:
    matrix = load_input(task.matrix, task.sweep.value_bits)
    return Work(task.sweep, task.points, task.program, matrix, store)
