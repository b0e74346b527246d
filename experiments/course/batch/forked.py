"""Grades many texts side by side, each in a process with limits.

All that texts need is loaded once. A process that grades is a copy of this one (fork), which takes some
milliseconds instead of the seconds of a start. Where there is no fork (Windows), each has its own start.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import NoReturn

from experiments.course.confined import MOST_ANSWER, grade_confined, grade_of_answer, unanswered
from experiments.course.exercise import Exercise
from experiments.course.grades import Grade
from experiments.course.judge import engine_loaded, judged
from experiments.course.limits import WALL_SECONDS
from experiments.course.submission import Submission


@dataclass(frozen=True)
class Task:
    """A text to be graded on the cases of a seed."""

    exercise: Exercise
    submission: Submission
    seed: int


@dataclass
class _Running:
    """A process that grades: when it must have ended, and what it has answered so far."""

    number: int
    task: Task
    pid: int
    deadline: float
    answer: bytes = field(default=b"")


def grade_all(tasks: Sequence[Task], *, engine: str, processes: int) -> Iterator[tuple[int, Grade]]:
    """Grade texts, and yield the number of each and its grade as they are done.

    Parameters
    ----------
    tasks
        The texts.
    engine
        A name of :data:`vecsim.engines.running.ENGINES`, or :data:`vecsim.engines.AUTO`.
    processes
        How many at once.

    Raises
    ------
    UserError
        There is no such engine, or vecsim itself fails. Whatever a text is, its grade says what is wrong
        with it.
    """
    if not hasattr(os, "fork"):
        yield from _by_starts(tasks, engine, processes)
        return
    with engine_loaded(engine) as loaded:
        yield from _Copies(tasks, loaded, processes).grades()


def _by_starts(tasks: Sequence[Task], engine: str, processes: int) -> Iterator[tuple[int, Grade]]:
    def of(task: Task) -> Grade:
        return grade_confined(task.exercise, task.submission, seed=task.seed, engine=engine)

    with ThreadPoolExecutor(processes) as pool:
        yield from enumerate(pool.map(of, tasks))


class _Copies:
    """The copies of this process that grade."""

    def __init__(self, tasks: Sequence[Task], engine: str, processes: int) -> None:
        self._left = iter(enumerate(tasks))
        self._engine = engine
        self._processes = processes
        self._selector = selectors.DefaultSelector()

    def grades(self) -> Iterator[tuple[int, Grade]]:
        """Yield grades as they are done; whatever happens, every process has ended."""
        try:
            while self._begin() or self._selector.get_map():
                yield from self._ended()
        finally:
            for key in list(self._selector.get_map().values()):
                os.kill(key.data.pid, signal.SIGKILL)
                self._close(key)
            self._selector.close()

    def _begin(self) -> bool:
        """Begin as many as there is room for; return whether any was begun."""
        before = len(self._selector.get_map())
        while len(self._selector.get_map()) < self._processes:
            following = next(self._left, None)
            if following is None:
                break
            self._fork(*following)
        return len(self._selector.get_map()) > before

    def _fork(self, number: int, task: Task) -> None:
        reading, writing = os.pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        pid = os.fork()
        if not pid:
            self._grade_here(task, writing)
        os.close(writing)
        running = _Running(number, task, pid, time.monotonic() + WALL_SECONDS)
        self._selector.register(reading, selectors.EVENT_READ, running)

    def _grade_here(self, task: Task, writing: int) -> NoReturn:
        """Grade in the copy, write the answer, and end, whatever happens."""
        code = 1
        try:
            os.setsid()
            nothing = os.open(os.devnull, os.O_RDWR)
            for standard in range(3):
                os.dup2(nothing, standard)
            os.dup2(writing, 3)
            os.closerange(4, os.sysconf("SC_OPEN_MAX"))
            answer = judged(
                task.exercise, task.submission, seed=task.seed, engine=self._engine, ready=lambda: None
            )
            while answer:
                answer = answer[os.write(3, answer) :]
            code = 0
        finally:
            os._exit(code)

    def _ended(self) -> Iterator[tuple[int, Grade]]:
        """Wait for answers, and yield the grades of those that are whole or too late."""
        now = time.monotonic()
        first = min(key.data.deadline for key in self._selector.get_map().values())
        for key, _ in self._selector.select(max(0.0, first - now)):
            running: _Running = key.data
            content = os.read(key.fd, 1 << 16)
            running.answer += content
            if not content or len(running.answer) > MOST_ANSWER:
                yield self._grade_of(key)
        for key in list(self._selector.get_map().values()):
            if key.data.deadline <= time.monotonic():
                yield self._grade_of(key)

    def _grade_of(self, key: selectors.SelectorKey) -> tuple[int, Grade]:
        running: _Running = key.data
        if running.deadline <= time.monotonic() or len(running.answer) > MOST_ANSWER:
            os.kill(running.pid, signal.SIGKILL)
        code, task = self._close(key), running.task
        if code or len(running.answer) > MOST_ANSWER:
            return running.number, unanswered(task.exercise, task.submission, task.seed, code)
        return running.number, grade_of_answer(json.loads(running.answer), task.submission)

    def _close(self, key: selectors.SelectorKey) -> int:
        """Wait for the end of a process; return its exit code, negative for a signal."""
        self._selector.unregister(key.fd)
        os.close(key.fd)
        _, status = os.waitpid(key.data.pid, 0)
        return os.waitstatus_to_exitcode(status)
