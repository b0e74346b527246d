"""Cycles of the five programs on many matrices, each simulated once, on all processors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from experiments.papers.hism.assignment import ASSIGNMENT
from experiments.papers.hism.results_file import ResultsFile
from experiments.papers.hism.timing import Measured, Timing
from experiments.papers.kit.request import Request
from programs.measurement import measure
from programs.registry import PROGRAMS
from vecsim.data import load_builtin, values_as
from vecsim.machine import Machine
from vecsim.support.errors import UserError
from vecsim.support.worker_processes import WorkerContext, begin_worker, end_workers

VALUE_BYTES: Literal[4] = 4
"""The paper's values are 32 bits wide."""
START = 300_000
"""Entries whose product takes as long as converting a tiny matrix and assembling a program for it: 10 ms."""
ENDED = "a process that simulated was ended from outside, perhaps for want of memory: try --jobs 1"
FIRST = "laplace2d-2"
"""A tiny matrix: its run compiles the engine where that has not been done, before there are processes."""


class Member(Protocol):
    """What is measured: a matrix that can be loaded elsewhere, in another process."""

    @property
    def name(self) -> str:
        """What results are filed under."""

    @property
    def size(self) -> int:
        """Stored entries."""


Load = Callable[[Any], Any]
"""Returns the csr_array (float64) of a member; a function of a module, since processes find it by name."""


@dataclass(frozen=True)
class _Task:
    member: Any
    programs: tuple[str, ...]

    @property
    def work(self) -> int:
        """How long it takes, in entries to be multiplied."""
        return (int(self.member.size) + START) * len(self.programs)


def measure_members(
    members: Sequence[Member], load: Load, request: Request, identify: Callable[[Any], str] = repr
) -> Measured:
    """Simulate every program on every member, the largest first, in `request.jobs` processes.

    A member that cannot be loaded, or that is too large for the simulated memory, is left out and reported.
    Cycles that the file `request.results` holds are not simulated again. They are found by the name that
    `identify` gives a member, from all that `load` reads.

    Parameters
    ----------
    members
        What is measured.
    load
        Loads one.
    request
        Engine, machine, processes and the file of results.
    identify
        Returns what names a member in the file of results.

    Raises
    ------
    UserError
        An unknown engine, a machine that cannot run the programs, or a file that is not a file of results.
    Fault
        A program did what the machine cannot do.
    """
    file = None if request.results is None else ResultsFile(request.results, request)
    names = {m.name: "" if file is None else identify(m) for m in members}
    match: dict[str, dict[str, Timing]] = {
        m.name: {} if file is None else file.find(names[m.name]) for m in members
    }
    missing = {
        m.name: tuple(program for program in PROGRAMS if program not in match[m.name]) for m in members
    }
    unknown = [member for member in members if missing[member.name]]
    failed: dict[str, str] = {}
    try:
        for task, result in _run(_tasks(unknown, missing, request.jobs), load, request):
            if isinstance(result, str):
                failed[task.member.name] = result
                continue
            match[task.member.name].update((timing.program, timing) for timing in result)
            if file is not None and identify(task.member) == names[task.member.name]:  # else it has changed
                file.keep(names[task.member.name], task.member.name, result)
    finally:
        if file is not None:
            file.close()
    timings = {m.name: _in_order(match[m.name]) for m in members if m.name not in failed}
    return Measured(timings, failed)


def _in_order(timings: Mapping[str, Timing]) -> dict[str, Timing]:
    return {program: timings[program] for program in PROGRAMS}


def _tasks(members: Iterable[Member], programs: Mapping[str, tuple[str, ...]], jobs: int) -> list[_Task]:
    """Deal out the work: a member with more than its share of it goes to several processes."""
    ordered = sorted(members, key=lambda member: (-member.size, member.name))
    share = sum(member.size for member in ordered) / (2 * jobs)
    tasks = []
    for member in ordered:
        if jobs > 1 and member.size > share:
            tasks += [_Task(member, (program,)) for program in programs[member.name]]
        else:
            tasks.append(_Task(member, programs[member.name]))
    return tasks


def _run(tasks: Sequence[_Task], load: Load, request: Request) -> Iterator[tuple[_Task, list[Timing] | str]]:
    """Yield each task with its result, or with the reason why there is none, and report the progress."""
    if not tasks:
        return
    request.watch("preparing the engine", 0.0)
    measure("crs", load_builtin(FIRST).csr.astype("f4"), request.machine, engine=request.engine)
    total = sum(task.work for task in tasks)
    done = 0
    request.watch("simulating", 0.0)
    for task, result in (_in_turn if request.jobs == 1 else _in_processes)(tasks, load, request):
        done += task.work
        request.watch(f"simulated {task.member.name}", done / total)
        yield task, result


def _in_turn(
    tasks: Sequence[_Task], load: Load, request: Request
) -> Iterator[tuple[_Task, list[Timing] | str]]:
    for task in tasks:
        yield task, _result(task, load, request.machine, request.engine)


def _in_processes(
    tasks: Sequence[_Task], load: Load, request: Request
) -> Iterator[tuple[_Task, list[Timing] | str]]:
    # Started afresh: a process that forks while others of its threads run may hang.
    context = WorkerContext()
    with ProcessPoolExecutor(min(request.jobs, len(tasks)), context, initializer=begin_worker) as pool:
        futures: dict[Future[list[Timing] | str], _Task] = {
            pool.submit(_result, task, load, request.machine, request.engine): task for task in tasks
        }
        try:
            for future in as_completed(futures):
                yield futures[future], future.result()
        except BrokenProcessPool:
            raise UserError(ENDED) from None
        except BaseException:  # an interrupt too: nobody waits for what is running
            end_workers(pool)
            raise


def _result(task: _Task, load: Load, machine: Machine, engine: str) -> list[Timing] | str:
    try:
        values, _ = values_as(load(task.member), VALUE_BYTES)
        return [_timing(program, values, machine, engine) for program in task.programs]
    except UserError as error:
        return str(error)


def _timing(program: str, values: Any, machine: Machine, engine: str) -> Timing:
    match = measure(program, values, machine, engine=engine, options=ASSIGNMENT[program])
    return Timing(program, match.cycles, match.instructions, match.bytes_moved, match.relative_error)
