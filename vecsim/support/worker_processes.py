"""How processes that work for another begin: they leave interrupts to it and end when it ends."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import wait
from multiprocessing.context import SpawnContext, SpawnProcess
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

ORPHANED = 75
"""Exit status of a process whose parent has ended."""
PARENT = "VECSIM_PARENT"
"""The environment variable that names the process with which another is to end."""
LOOK_SECONDS = 0.5
"""How often that other looks whether its parent is there."""
END_SECONDS = 5
"""How long the thread of a pool without workers may take to end."""


class _Worker(SpawnProcess):
    """A process that does not run the user's script again."""

    @staticmethod
    def _Popen(process_obj: Any) -> Any:  # the name is that of multiprocessing
        with _main_hidden():
            return SpawnProcess._Popen(process_obj)


class WorkerContext(SpawnContext):
    """How workers start: as new processes that import what they compute with, and not the user's script.

    A script may therefore start work at its top level, without ``if __name__ == "__main__":``. What a worker
    computes must be defined in a module, not in the script.
    """

    Process = _Worker


_starting = threading.Lock()


@contextmanager
def _main_hidden() -> Iterator[None]:
    """Hide the name of the script meanwhile, so that a process that starts does not find it."""
    main = vars(sys.modules["__main__"])
    with _starting:
        removed: dict[str, Any] = {name: main.pop(name) for name in ("__spec__", "__file__") if name in main}
        main["__spec__"] = None
        try:
            yield
        finally:
            main.update(removed)


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Hold Ctrl-C back in this thread while it starts processes, which inherit that they never get it.

    Without it a process that still imports its modules ends in a traceback.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def begin_worker() -> None:
    """Begin a process that works for another; to be given as the initializer of a pool of processes.

    Ctrl-C goes to all processes of a terminal: only the one that the user sees answers. When the parent
    ends, however it does, a thread ends this process at once, whatever it computes, as long as it does
    not hold the interpreter.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        watch = threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True, name="parent watch")
        watch.start()


def end_workers(pool: ProcessPoolExecutor) -> None:
    """End the workers of a pool at once, whatever they do: what they have finished is kept.

    They end before the pool does: one that shuts down tells its workers so, by a pipe that it closes when it
    finds them dead, and what is running then would end in a traceback. Then the thread of the pool ends: if
    the interpreter ended meanwhile, it would write to a pipe that this thread is closing.
    """
    processes = list((pool._processes or {}).values())
    for process in processes:
        process.kill()
    for process in processes:
        process.join()
    thread: Any = pool._executor_manager_thread  # a thread or None, whatever its stub says
    pool.shutdown(wait=False, cancel_futures=True)
    if thread is not None:
        thread.join(END_SECONDS)


def end_with_stdin() -> None:
    """Begin a process whose standard input is a pipe from its parent: as :func:`begin_worker`, but the parent
    has ended when the pipe has. A byte in the pipe lets the process go on alone.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_pipe, daemon=True, name="parent watch").start()


def start_module(
    module: str, *arguments: str, output: int, apart: bool = False
) -> subprocess.Popen[bytes] | None:
    """Start a module that calls :func:`end_with_stdin` as a process; return None where none can be started.

    Parameters
    ----------
    output
        Where its output goes, as `subprocess.Popen` takes it. Its messages are dropped.
    apart
        Whether it is in its own session, which the signals of this terminal do not reach.
    """
    if not sys.executable:
        return None
    command = [sys.executable, "-P", "-m", module, *arguments]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
    try:
        return subprocess.Popen(
            command, stdin=pipe, stdout=output, stderr=nothing, env=environment, start_new_session=apart
        )
    except OSError:
        return None


def end_with_parent() -> None:
    """Begin a process whose parent has put its own number into ``PARENT``: it ends soon after that parent."""
    parent = os.environ.pop(PARENT, "")
    if parent.isdecimal():
        watch = threading.Thread(target=_end_without, args=(int(parent),), daemon=True, name="parent watch")
        watch.start()


def _end_without(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(LOOK_SECONDS)
    os._exit(ORPHANED)


def _end_with_pipe() -> None:
    # Not by sys.stdin: a thread that holds its buffer makes Python abort at its own end.
    if not os.read(0, 1):
        os._exit(ORPHANED)


def _end_with(sentinel: int) -> None:
    wait([sentinel])
    os._exit(ORPHANED)
