"""Which engine a command takes by itself: the compiled one, or SimPy's while that is compiled.

Compiling takes longer than SimPy takes for a small matrix, once on a machine. Both give the same cycles, so
the first answer need not wait.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from vecsim.engines import AUTO, DEFAULT_ENGINE
from vecsim.engines.protocol import Engine
from vecsim.support.worker_processes import start_module

if TYPE_CHECKING:
    from vecsim.machine import Machine

SMALL_WORK = 150_000
"""Entries, times programs, that SimPy multiplies while the engine is compiled: some 10,000 a second."""
MODULE = "vecsim.engines.jit.object_files.background"

Result = TypeVar("Result")
Watch = Callable[[Engine], None]


class _CompiledMeanwhileError(Exception):
    """The compiled engine is there: what SimPy has not finished begins again with it."""


class EngineChoice:
    """The engine of a command.

    Attributes
    ----------
    name
        The engine that the next run takes, a name of :data:`vecsim.engines.running.ENGINES`.
    """

    def __init__(self, name: str, compiling: subprocess.Popen[bytes] | None = None) -> None:
        self.name = name
        self._compiling = compiling

    def run(self, simulate: Callable[[str, Watch | None], Result], progress: Watch | None = None) -> Result:
        """Simulate; again with the compiled engine if that is ready before SimPy is.

        Parameters
        ----------
        simulate
            ``simulate(engine, progress)``, which must change nothing but its own.
        progress
            Called with the running engine now and then.
        """
        watch = progress if self._compiling is None else self._watching(progress)
        try:
            return simulate(self.name, watch)
        except _CompiledMeanwhileError:
            self.name = DEFAULT_ENGINE
            self._compiling = None
            return simulate(self.name, progress)

    def _watching(self, progress: Watch | None) -> Watch:
        def watch(engine: Engine) -> None:
            if self._compiling is not None and self._compiling.poll() == 0:
                raise _CompiledMeanwhileError
            if progress is not None:
                progress(engine)

        return watch


@contextmanager
def chosen_engine(
    name: str, machine: Machine, work: int = 0, *, cycle_by_cycle: bool = False
) -> Iterator[EngineChoice]:
    """Yield the engine of a command for as long as it takes.

    Parameters
    ----------
    name
        An engine, or :data:`AUTO`.
    machine
        What is simulated; it decides what has to be compiled.
    work
        Entries, times programs, that are to be multiplied; above :data:`SMALL_WORK` compiling comes first.
    cycle_by_cycle
        Whether starts are asked for, :class:`vecsim.engines.timeline.TimelineRequest`.
    """
    if name != AUTO or work > SMALL_WORK or _must_not_compile():
        yield EngineChoice(DEFAULT_ENGINE if name == AUTO else name)
        return
    from vecsim.engines.jit.interface import MULTIPORT_LOOP
    from vecsim.engines.jit.object_files import cache as code_cache
    from vecsim.engines.jit.object_files.machine_code import is_kept, loop_of

    loop = MULTIPORT_LOOP if cycle_by_cycle else loop_of(machine)
    extensions = machine.user_rules if loop == MULTIPORT_LOOP else ()
    if is_kept(loop, extensions):
        yield EngineChoice(DEFAULT_ENGINE)
        return
    process = _compiling(loop, [each.file for each in extensions]) if code_cache.is_used() else None
    if process is not None:
        code_cache.say(
            "compiling the engine in the background, once on this machine; meanwhile the engine simpy "
            "answers, with the same cycles"
        )
    try:
        yield EngineChoice("simpy", process)
    except Exception:
        _let_go(process)
        raise
    except BaseException:  # interrupted: then all of it ends
        if process is not None:
            process.kill()
        raise
    _let_go(process)


def _must_not_compile() -> bool:
    """Return whether Numba's compilation is disabled; the engine reports it."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")


def _compiling(loop: str, extensions: list[str]) -> subprocess.Popen[bytes] | None:
    """Start a process that compiles and keeps a loop, which ends with this one unless it is let go.

    It takes the extensions of these files.
    """
    return start_module(MODULE, loop, *extensions, output=subprocess.DEVNULL, apart=True)


def _let_go(process: subprocess.Popen[bytes] | None) -> None:
    """Let a process go on alone, for the next command."""
    if process is None or process.stdin is None or process.poll() is not None:
        return
    try:
        process.stdin.write(b"\n")
        process.stdin.close()
    except OSError:  # it has just ended
        return
    process.returncode = 0  # nobody waits for it, and that is no fault
