"""A sweep from its specification to its table: what is kept is looked up, the rest simulated."""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

from experiments.code_fingerprint import check_code, code_fingerprint
from experiments.report.environment import processors
from experiments.whatif.sweep.adaptive import adapted
from experiments.whatif.sweep.cluster import by_cluster
from experiments.whatif.sweep.inputs import Facts, called, facts, forget_loaded
from experiments.whatif.sweep.local import by_processes
from experiments.whatif.sweep.plan import Plan, planned
from experiments.whatif.sweep.simulation import Outcome, Task, input_of, look_up
from experiments.whatif.sweep.specification import Sweep, read_specification
from experiments.whatif.sweep.store import Store, say
from experiments.whatif.sweep.table import SweepTable, columns_of
from experiments.whatif.sweep.texts import NO_MATRIX, is_text
from experiments.whatif.sweep.work import UNKNOWN, forget_object_images
from programs.registry import ProgramLike, find
from vecsim.data import DEFAULT_BUILTIN, Matrix
from vecsim.data.matrix import named_apart
from vecsim.engines import DEFAULT_ENGINE
from vecsim.machine import Machine
from vecsim.machine.recorded import machine_files
from vecsim.results.cache_folder import cache_folder
from vecsim.results.file_digests import InputFile, changed, input_files
from vecsim.support.arguments import function, shown, text, whole
from vecsim.support.arguments import path as path_of
from vecsim.support.errors import MatrixWarning, UserError
from vecsim.support.suggestions import amount

Watch = Callable[[int, int], None]
"""Called with how many cells are done, and how many there are."""


ATTEMPTS = 4
"""How often a sweep looks for its cells in the store: before it, after it, and where some are missing."""


def default_store() -> Path:
    """Return the store of all sweeps of this user."""
    return cache_folder() / "sweeps.sqlite"


def sweep(
    what: Sweep | str | os.PathLike[str],
    *,
    store: str | os.PathLike[str] | None = None,
    jobs: int | None = None,
    scheduler: str | None = None,
    gpu: bool = False,
    watch: Watch | None = None,
    **changes: object,
) -> SweepTable:
    """Run a sweep; cells that are in the store are not simulated again.

    Parameters
    ----------
    what
        The sweep, or the path of a specification file (TOML).
    store
        File in which cells are kept, as a path or a text; :func:`default_store` without it.
    jobs
        Processes; as many as there are cores without it.
    scheduler
        Address of a Dask scheduler, ``tcp://HOST:PORT``, whose workers simulate instead of this computer.
    gpu
        Whether machines that are timed together are timed on an NVIDIA GPU (docs/reference/many-machines.md);
        with a scheduler on those of its workers.
    watch
        Called with the progress.
    changes
        Attributes that replace those of `what`; of ``set`` and ``option`` only the names given here, as
        ``--set`` does on the command line (:meth:`Sweep.changed`).

    Returns
    -------
    SweepTable
        A row for each matrix, program and point, in this order; of texts for each program and point.

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
    what = specified(what, changes)
    reasons = _not_kept(what.base)
    jobs = None if jobs is None else whole("jobs", jobs, 1)
    scheduler = None if scheduler is None else text("scheduler", scheduler)
    report = (lambda done, of: None) if watch is None else function("watch", watch)
    if gpu:
        if what.engine != DEFAULT_ENGINE or what.function:
            asked = f"engine={what.engine}" if what.engine != DEFAULT_ENGINE else f"function={what.function}"
            raise UserError(f"sweep: {asked} runs each machine alone, not on a GPU: leave out one of both")
        if scheduler is None:
            _require_gpu()
    if scheduler is not None and jobs is not None:
        raise UserError(
            "sweep: jobs cannot be given with a scheduler, which has its own workers; leave one out"
        )
    path = default_store() if store is None else path_of("store", store)
    with tempfile.TemporaryDirectory(prefix="vecsim-sweep-") if reasons else nullcontext() as folder:
        if folder is not None:
            if scheduler is not None:
                raise UserError(
                    f"sweep: {reasons[0]}: leave out the scheduler, then this process computes them"
                )
            for line in reasons:
                say(f"sweep: {line}")
            path, jobs = Path(folder) / "cells.sqlite", 1
        if what.objects:
            if scheduler is not None:
                raise UserError(
                    f"sweep: format {what.objects[0].name} is an object of this process: leave out the "
                    "scheduler, or write it to a file and name that"
                )
            jobs = 1
        if what.adaptive:

            def swept(listed: Sweep, spent: int, alone: bool) -> SweepTable:
                processes = 1 if alone and scheduler is None else jobs
                return _swept(
                    listed,
                    path,
                    processes,
                    scheduler,
                    lambda done, _: report(spent + done, what.adaptive),
                    on_gpu=gpu,
                )

            return adapted(what, swept)
        return _swept(what, path, jobs, scheduler, report, on_gpu=gpu)


def plan(
    what: Sweep | str | os.PathLike[str],
    *,
    store: str | os.PathLike[str] | None = None,
    jobs: int | None = None,
    **changes: object,
) -> Plan:
    """Return what a sweep would do; nothing is simulated or stored.

    Which cells of a `vecsim.UserFormat` are stored is not known before its arrays are made: they count as
    missing.

    Parameters
    ----------
    what, store, jobs, changes
        As of :func:`sweep`.

    Raises
    ------
    UserError
        A matrix that is not found, a store that is something else, or an adaptive sweep.
    """
    what = specified(what, changes)
    if what.adaptive:
        raise UserError("an adaptive sweep chooses its cells while it runs; leave out adaptive, or the plan")
    jobs = None if jobs is None else whole("jobs", jobs, 1)
    path = default_store() if store is None else path_of("store", store)
    forget_loaded()
    forget_object_images()
    tasks, matrices, _ = _tasks(what, path)
    nnz = dict(zip(what.matrices, (each.nnz for each in matrices), strict=True))
    return planned(what, tasks, nnz, None if _not_kept(what.base) else path, jobs)


def _not_kept(machine: Machine) -> list[str]:
    """Return a line for each extension of a machine that prevents keeping cells, with the reason."""
    return [
        f"cells with extension {each.name} are not kept: {each.file or 'no file'} {each.outside}"
        for each in machine.extensions
        if each.outside
    ]


def _require_gpu() -> None:
    from vecsim.engines.targets.gpu.cuda import require_gpu

    require_gpu()


def _swept(
    what: Sweep,
    path: Path,
    jobs: int | None,
    scheduler: str | None,
    report: Watch,
    *,
    on_gpu: bool = False,
) -> SweepTable:
    """Run a sweep with a store."""
    Store(path).__exit__(None, None, None)  # found out before any work is done
    check_code()
    forget_loaded()
    forget_object_images()
    tasks, matrices, files = _tasks(what, path)
    tasks = [replace(task, on_gpu=on_gpu) for task in tasks]
    results: dict[int, Outcome] = {}
    computed, seconds = 0, 0.0
    for attempt in range(ATTEMPTS):
        texts = [file for program in what.programs for file in text_files(program)]
        lookups = [look_up(task) for task in tasks]
        if attempt == 0 and (damaged := sum(lookup.damaged for lookup in lookups)):
            say(f"{path}: {amount(damaged, 'damaged cell')}: computed again")
        outcomes = _finished(lookups, results)
        with Store(path) as opened:
            if len(outcomes) == len(tasks):
                ordered = [outcomes[number] for number in range(len(tasks))]
                columns = columns_of(what, tasks[0].points, matrices, ordered, opened)
                if columns is not None:
                    included = (file for each in lookups for file in each.files)
                    files += tuple(dict.fromkeys((*texts, *included)))
                    for line in changed(files):
                        raise UserError(f"sweep: {line}: it changed while the sweep ran; run it again")
                    return SweepTable(what, columns, computed, seconds, matrices, files)
                results = {}
                continue
            if attempt == ATTEMPTS - 2:
                opened.abandon("does not keep what is put in")
        results = dict(outcomes)
        _compute(tasks, lookups, results, jobs, scheduler, report)
        new = [result for number, result in results.items() if number not in outcomes]
        computed += sum(result.computed for result in new)
        seconds += sum(result.engine_seconds for result in new)
    raise UserError(f"{path}: cells that were put in are not there: name another --store")


def _tasks(what: Sweep, store: Path) -> tuple[list[Task], tuple[Facts, ...], tuple[InputFile, ...]]:
    """Return the tasks, what the table says of each matrix, and the files of machine and matrices."""
    points, code, base = what.points(), code_fingerprint(), what.base
    machine, files = base.sha256, [*machine_files(base)]
    tasks, known = [], []
    if any(isinstance(matrix, Matrix) for matrix in what.matrices):
        shared = replace(what, matrices=(DEFAULT_BUILTIN,))  # each task is sent with its own matrix alone
    else:
        shared = what
    for matrix in what.matrices or (NO_MATRIX,):
        loaded = input_of(what, matrix)
        for line in loaded.warnings:
            warnings.warn(line, MatrixWarning, stacklevel=3)
        if matrix != NO_MATRIX:
            known.append(facts(loaded))
        files += loaded.files
        tasks += [
            Task(shared, points, matrix, program, store, code, machine, loaded.digest)
            for program in what.programs
        ]
    names = named_apart([each.name for each in known], [called(each) for each in what.matrices])
    matrices = tuple(replace(each, name=name) for each, name in zip(known, names, strict=True))
    return tasks, matrices, tuple(files)


def text_files(program: ProgramLike) -> tuple[InputFile, ...]:
    """Return the text of a user-defined program, which may not assemble: then nothing else records it."""
    if is_text(program):
        return input_files(f"program {program}", [Path(program)])
    own = find(program)
    texts = (text.file for text in own.texts.values() if text.content is None)
    return input_files(f"program {own.name}", [*own.declaration, *texts])


def _finished(lookups: Sequence[Outcome], results: Mapping[int, Outcome]) -> dict[int, Outcome]:
    """Return what needs no more work: all cells of the task are in the store, or cannot be had.

    Raises
    ------
    UserError
        Cells were computed under other keys than they have now: a file has changed meanwhile.
    """
    match = {}
    for number, lookup in enumerate(lookups):
        result = results.get(number)
        if result is None:
            if not lookup.left:
                match[number] = lookup
            continue
        for key, now, fault in zip(result.keys, lookup.keys, result.faults, strict=True):
            if not fault and now not in (key, UNKNOWN):
                raise UserError(
                    "sweep: a file of a program or an extension changed while it ran, or is another one "
                    "where workers are: run it again"
                )
        if all(result.faults[place] for place in lookup.left):
            match[number] = replace(result, cells=lookup.cells)
    return match


def _compute(
    tasks: Sequence[Task],
    lookups: Sequence[Outcome],
    results: dict[int, Outcome],
    jobs: int | None,
    scheduler: str | None,
    report: Watch,
) -> None:
    """Do the tasks that have no result yet."""
    points = len(tasks[0].points)
    total, before, left = len(tasks) * points, len(results) * points, len(tasks) - len(results)

    def on_progress(done: int) -> None:
        report(min(before + done, total), total)

    if scheduler is not None:
        by_cluster(tasks, lookups, scheduler, results, on_progress)
    else:
        by_processes(tasks, min(jobs or processors(), left), results, on_progress)


def specified(what: object, changes: Mapping[str, object]) -> Sweep:
    """Return a sweep, or the one of a specification file, with other attributes."""
    if isinstance(what, str | os.PathLike):
        what = read_specification(path_of("sweep", what))
    if isinstance(what, Sweep):
        return what.changed(**changes) if changes else what
    raise UserError(
        f"sweep: {shown(what)}: a vecsim.Sweep is expected, such as vecsim.Sweep(('pde900',), "
        "set={'banks': '8:64:x2'}), or the path of a specification file (.toml)"
    )
