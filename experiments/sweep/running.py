"""A sweep from its specification to its table: what is kept is looked up, the rest simulated."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from experiments.sweep.cluster import by_cluster
from experiments.sweep.inputs import facts, load_input
from experiments.sweep.local import by_processes
from experiments.sweep.simulation import Task, look_up
from experiments.sweep.specification import Sweep
from experiments.sweep.store import Store
from experiments.sweep.table import SweepTable, table_of
from vecsim.cache_folder import cache_folder
from vecsim.errors import UserError

Watch = Callable[[int, int], None]
"""Told how many cells of how many are done."""


def default_store() -> Path:
    """Give the store of all sweeps of this user."""
    return cache_folder() / "sweeps.sqlite"


def sweep(
    what: Sweep,
    *,
    store: Path | None = None,
    jobs: int | None = None,
    scheduler: str | None = None,
    watch: Watch = lambda done, of: None,
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
    scheduler
        Address of a Dask scheduler, ``tcp://HOST:PORT``, whose workers simulate instead of this computer.
    watch
        Told how far it is.

    Returns
    -------
    SweepTable
        A row for each matrix, program and point, in this order.

    Raises
    ------
    UserError
        A matrix that is not found, a store that cannot be written, workers that end again and again, or a
        scheduler that cannot be used: Dask is not installed, it does not answer, or its workers run another
        version.

    Examples
    --------
    >>> import vecsim
    >>> spec = vecsim.Sweep(("laplace2d-10",), programs=("hism", "crs"), set={"banks": (8, 16)})
    >>> table = vecsim.sweep(spec, jobs=1)
    >>> table.columns["banks"], len(table)
    ([8, 16, 8, 16], 4)
    """
    if scheduler is not None and jobs is not None:
        raise UserError("sweep: jobs are processes of this computer, a scheduler has workers of its own")
    path = default_store() if store is None else store
    Store(path).__exit__(None, None, None)  # found out before any work is done
    points = what.points()
    tasks = [
        Task(what, points, matrix, program, path) for matrix in what.matrices for program in what.programs
    ]
    known, lookups = [], []
    for task in tasks:
        lookups.append(look_up(task))
        known.append(facts(load_input(task.matrix, what.value_bits)))  # still at hand
    outcomes = {number: each for number, each in enumerate(lookups) if not each.left}
    total, before = len(tasks) * what.count, len(outcomes) * what.count

    def told(done: int) -> None:
        watch(min(before + done, total), total)

    left = len(tasks) - len(outcomes)
    if left and scheduler is not None:
        by_cluster(tasks, lookups, scheduler, outcomes, told)
    elif left:
        by_processes(tasks, min(jobs or _cores(), left), outcomes, told)
    with Store(path) as opened:
        ordered = [outcomes[number] for number in range(len(tasks))]
        return table_of(what, points, known, ordered, opened)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
