"""Tasks in separate processes, which may die or hang: compiled code can do both."""

from __future__ import annotations

import multiprocessing
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any

SPAWN = multiprocessing.get_context("spawn")
POLL_SECONDS = 1.0

Task = Any
Beat = Callable[[int], None]
"""A task calls it with a number that names what it is at, again and again."""


@dataclass(frozen=True)
class Died:
    """A worker that did not come to the end of its task: at what it was, and why."""

    at: int
    reason: str


@dataclass
class _Worker:
    process: SpawnProcess
    pipe: Connection
    heart: Any  # a shared array: at what it is, how many beats
    task: Task = None
    beats: int = -1
    before: int = 0  # beats before its task
    since: float = field(default_factory=time.monotonic)


def _serve(function: Callable[[Task, Beat], Any], pipe: Connection, heart: Any) -> None:
    def beat(at: int) -> None:
        heart[0] = at
        heart[1] += 1

    while (task := pipe.recv()) is not None:
        pipe.send(function(task, beat))


class Pool:
    """Runs ``function(task, beat)`` for tasks; results come as they are ready.

    Parameters
    ----------
    limit
        Seconds without a beat after which a worker is taken to hang and ended.
    start_limit
        The same until the second beat of a task: the process has to begin, and to compile.
    """

    def __init__(
        self,
        function: Callable[[Task, Beat], Any],
        jobs: int,
        limit: float = 120.0,
        start_limit: float | None = None,
    ) -> None:
        self.function = function
        self.jobs = jobs
        self.limit = limit
        self.start_limit = limit if start_limit is None else start_limit
        self.tasks: deque[Task] = deque()
        self.workers: list[_Worker] = []

    def run(self, tasks: Iterable[Task]) -> Iterator[tuple[Task, Any]]:
        """Yield (task, result); the result is a :class:`Died` if the worker did not survive it.

        More can be put into ``tasks`` while it runs.
        """
        self.tasks.extend(tasks)
        try:
            while True:
                self._hand_out()
                busy = [worker for worker in self.workers if worker.task is not None]
                if not busy:
                    return
                yield from self._collect(busy)
        finally:
            self._end()

    def _hand_out(self) -> None:
        idle = [worker for worker in self.workers if worker.task is None]
        while self.tasks and (idle or len(self.workers) < self.jobs):
            worker = idle.pop() if idle else self._start()
            worker.task = self.tasks.popleft()
            worker.since = time.monotonic()
            worker.before = worker.heart[1]
            worker.pipe.send(worker.task)

    def _start(self) -> _Worker:
        ours, theirs = SPAWN.Pipe()
        heart = SPAWN.Array("q", 2, lock=False)
        process = SPAWN.Process(target=_serve, args=(self.function, theirs, heart), daemon=True)
        process.start()
        theirs.close()
        worker = _Worker(process, ours, heart)
        self.workers.append(worker)
        return worker

    def _collect(self, busy: list[_Worker]) -> Iterator[tuple[Task, Any]]:
        ready = wait([worker.pipe for worker in busy], POLL_SECONDS)
        for worker in busy:
            task = worker.task
            if worker.pipe in ready:
                try:
                    result = worker.pipe.recv()
                except (EOFError, ConnectionResetError):
                    worker.process.join()
                    yield task, self._bury(worker, f"its process ended with code {worker.process.exitcode}")
                else:
                    worker.task = None
                    yield task, result
            elif self._hangs(worker):
                yield task, self._bury(worker, f"no sign of life for {self._limit_of(worker):.0f} s")

    def _hangs(self, worker: _Worker) -> bool:
        now = time.monotonic()
        if worker.heart[1] != worker.beats:
            worker.beats, worker.since = worker.heart[1], now
        return now - worker.since > self._limit_of(worker)

    def _limit_of(self, worker: _Worker) -> float:
        return self.limit if worker.heart[1] > worker.before + 1 else self.start_limit

    def _bury(self, worker: _Worker, reason: str) -> Died:
        worker.process.kill()
        worker.process.join()
        self.workers.remove(worker)
        return Died(int(worker.heart[0]), reason)

    def _end(self) -> None:
        for worker in self.workers:
            if worker.task is None:
                worker.pipe.send(None)
            else:
                worker.process.kill()
        for worker in self.workers:
            worker.process.join()
        self.workers = []
