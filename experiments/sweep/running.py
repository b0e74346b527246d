"""A sweep run by several processes, one program on one matrix each; what one of them has finished is kept."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from experiments.sweep.simulation import Outcome, Task, looked_up, simulate
from experiments.sweep.specification import Sweep
from experiments.sweep.store import Store
from experiments.sweep.table import SweepTable, table_of
from vecsim.cache_folder import cache_folder
from vecsim.errors import UserError
from vecsim.worker_processes import begin_worker

DEATHS = 3
"""Times that workers may be killed; what they had finished is kept, and the rest begins again."""
POLL_SECONDS = 0.2

Watch = Callable[[int, int], None]
"""Told how many cells of how many are done."""

_reports: Any = None
"""In a worker: the queue to which it tells how many cells are done."""


def default_store() -> Path:
    """Give the store of all sweeps of this user."""
    return cache_folder() / "sweeps.sqlite"


def sweep(
    what: Sweep, *, store: Path | None = None, jobs: int | None = None, watch: Watch = lambda done, of: None
) -> SweepTable:
    """Run a sweep, but for the cells that are kept already.

    Parameters
    ----------
    what
        The sweep.
    store
        File in which cells are kept; :func:`default_store` without it.
    jobs
        Processes; as many as there are cores without it.
    watch
        Told how far it is.

    Returns
    -------
    SweepTable
        A row for each matrix, program and point, in this order.

    Raises
    ------
    UserError
        A matrix that is not found, a store that cannot be written, or workers that end again and again.

    Examples
    --------
    >>> import vecsim
    >>> spec = vecsim.Sweep(("laplace2d-10",), programs=("hism", "crs"), set={"banks": (8, 16)})
    >>> table = vecsim.sweep(spec, jobs=1)
    >>> table.columns["banks"], len(table)
    ([8, 16, 8, 16], 4)
    """
    path = default_store() if store is None else store
    Store(path).__exit__(None, None, None)  # found out before any work is done
    points = what.points()
    tasks = [
        Task(what, points, matrix, program, path) for matrix in what.matrices for program in what.programs
    ]
    outcomes = {number: looked_up(task) for number, task in enumerate(tasks)}
    found = {number: outcome for number, outcome in outcomes.items() if outcome is not None}
    left = len(tasks) - len(found)
    if left and (jobs or _cores()) > 1 and left > 1:
        _by_workers(tasks, min(jobs or _cores(), left), found, watch, what.count)
    else:
        _here(tasks, found, watch, what.count)
    with Store(path) as opened:
        return table_of(what, points, [found[number] for number in range(len(tasks))], opened)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _here(tasks: Sequence[Task], outcomes: dict[int, Outcome], watch: Watch, points: int) -> None:
    """Do what is left in this process."""
    done = len(outcomes) * points

    def report(more: int) -> None:
        nonlocal done
        done += more
        watch(done, len(tasks) * points)

    for number, task in enumerate(tasks):
        if number not in outcomes:
            outcomes[number] = simulate(task, report)


def _by_workers(
    tasks: Sequence[Task], processes: int, outcomes: dict[int, Outcome], watch: Watch, points: int
) -> None:
    """Do what is left in processes of their own; again what workers did that were killed."""
    for _ in range(DEATHS + 1):
        try:
            _round(tasks, processes, outcomes, watch, points)
        except BrokenProcessPool:
            continue
        return
    raise UserError(
        f"sweep: workers were killed {DEATHS + 1} times, by lack of memory perhaps; what was finished is "
        "kept, and the same command goes on"
    )


def _round(
    tasks: Sequence[Task], processes: int, outcomes: dict[int, Outcome], watch: Watch, points: int
) -> None:
    context = get_context("spawn")
    reports = context.SimpleQueue()
    done, total = len(outcomes) * points, len(tasks) * points
    with ProcessPoolExecutor(processes, context, initializer=_begin, initargs=(reports,)) as pool:
        left = [number for number in range(len(tasks)) if number not in outcomes]
        futures = {pool.submit(_simulate, tasks[number]): number for number in left}
        waiting = set(futures)
        try:
            while waiting:
                finished, waiting = wait(waiting, POLL_SECONDS)
                while not reports.empty():
                    done += reports.get()
                watch(min(done, total), total)
                for future in finished:
                    outcomes[futures[future]] = future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _begin(reports: Any) -> None:
    global _reports
    begin_worker()
    _reports = reports


def _simulate(task: Task) -> Outcome:
    return simulate(task, lambda more: _reports.put(more))
