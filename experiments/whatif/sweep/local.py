"""Tasks of a sweep on the cores of this computer, those of one matrix in one process where there are many."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from experiments.whatif.sweep.simulation import Outcome, Task, simulate
from vecsim.data import Matrix
from vecsim.support.errors import UserError
from vecsim.support.worker_processes import WorkerContext, begin_worker, end_workers, interrupts_held

DEATHS = 3
"""Times that workers may be killed; what they had finished is kept, and the rest begins again."""
MATRICES_A_PROCESS = 4
"""From this many on a process takes all programs of a matrix, and not one of them."""
POLL_SECONDS = 0.2

_reports: Any = None
"""In a worker: the queue to which it tells how many cells are done."""


def by_processes(
    tasks: Sequence[Task], processes: int, outcomes: dict[int, Outcome], watch: Callable[[int], None]
) -> None:
    """Do the tasks that have no outcome yet.

    Parameters
    ----------
    tasks
        All of them.
    processes
        How many at once, this one among them.
    outcomes
        By the number of the task; what is done is put in.
    watch
        Called with how many cells of these tasks are done.

    Raises
    ------
    UserError
        Workers are killed again and again, or as :func:`simulate` raises.
    """
    if processes == 1:
        _here(tasks, outcomes, watch)
        return
    before = len(outcomes)
    for _ in range(DEATHS + 1):
        done = (len(outcomes) - before) * len(tasks[0].points)
        try:
            _round(tasks, processes, outcomes, done, watch)
        except BrokenProcessPool:
            continue
        return
    raise UserError(
        f"sweep: workers were killed {DEATHS + 1} times, perhaps for lack of memory; "
        "finished cells are kept, run the same command to continue"
    )


def _here(tasks: Sequence[Task], outcomes: dict[int, Outcome], watch: Callable[[int], None]) -> None:
    done = 0

    def report(more: int) -> None:
        nonlocal done
        done += more
        watch(done)

    for number, task in enumerate(tasks):
        if number not in outcomes:
            outcomes[number] = simulate(task, report)


def _round(
    tasks: Sequence[Task],
    processes: int,
    outcomes: dict[int, Outcome],
    done: int,
    watch: Callable[[int], None],
) -> None:
    """Do what is left: this process, which has loaded everything, is one of those that simulate."""
    context = WorkerContext()
    reports = context.SimpleQueue()
    places = [number for number in range(len(tasks)) if number not in outcomes]
    left = deque(_groups(tasks, places, processes))
    handed_out: dict[Future[list[Outcome]], list[int]] = {}
    with ProcessPoolExecutor(processes - 1, context, initializer=_begin, initargs=(reports,)) as pool:

        def look_after(seconds: float = 0.0) -> None:
            nonlocal done
            finished, _ = wait(handed_out, seconds, FIRST_COMPLETED)
            while not reports.empty():
                done += reports.get()
            for future in finished:
                outcomes.update(zip(handed_out.pop(future), future.result(), strict=True))
            while left and len(handed_out) < 2 * (processes - 1):  # one to do and one to go on with
                group = left.popleft()
                with interrupts_held():
                    future = pool.submit(_simulate, [tasks[number] for number in group])
                handed_out[future] = group
            watch(done)

        def report(more: int) -> None:
            nonlocal done
            done += more
            look_after()

        try:
            look_after()
            while left:
                for number in left.pop():
                    outcomes[number] = simulate(tasks[number], report)
                look_after()
            while handed_out:
                look_after(POLL_SECONDS)
        except BaseException:
            end_workers(pool)
            raise


def _groups(tasks: Sequence[Task], left: Sequence[int], processes: int) -> list[list[int]]:
    """Put tasks of one matrix together, which is then loaded once, unless there are too few matrices."""
    groups: dict[str | Matrix, list[int]] = {}
    for number in left:
        groups.setdefault(tasks[number].matrix, []).append(number)
    if len(groups) < MATRICES_A_PROCESS * processes:
        return [[number] for number in left]
    return list(groups.values())


def _begin(reports: Any) -> None:
    global _reports
    begin_worker()
    _reports = reports


def _simulate(tasks: Sequence[Task]) -> list[Outcome]:
    return [simulate(task, lambda more: _reports.put(more)) for task in tasks]
